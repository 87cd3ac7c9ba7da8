#!/usr/bin/env python3
"""Keeps docs/tuning.md in step with the constants in src/estimate/tuning.hpp.

    research/pages/tuning.py check              fails where its table has not these constants and values
    research/pages/tuning.py write TUNING.csv   writes the table of what `dpcov-lab tuning` measured
"""

import csv
import re
import sys

from repository import ROOT, block, markdown, put

HEADER = ROOT / "src/estimate/tuning.hpp"
PAGE = ROOT / "docs/tuning.md"
FIELD = re.compile(r"^    (?:double|int) (\w+) = ([\d.e+-]+);$", re.MULTILINE)


def plain(number):
    return f"{float(number):g}"


def declared():
    return [(name, plain(value)) for name, value in FIELD.findall(HEADER.read_text())]


def shown():
    cells = [row.strip("| ").split(" | ") for row in block(PAGE.read_text(), "tuning").splitlines() if row.startswith("| `")]
    values = {row[0].strip("`"): row[1] for row in cells}
    return list(values.items())


def extreme(row, end):
    moved = f"{float(row[end]):+.1f}"
    return "0" if float(moved) == 0 else f"{moved} ({row[end + '_at']})"


def table(rows):
    usual, *steps = rows
    header = ["constant", "value", "unit", "origin", "moved to", "error, %", "least, % (where)"]
    header += ["greatest, % (where)", "estimated over true error"]
    lines = [["none", *[""] * 7, f"{float(usual['calibration']):.3f}"]]
    for row in steps:
        cells = [
            f"`{row['constant']}`",
            plain(row["value"]),
            row["unit"],
            row["origin"],
            plain(row["moved_to"]),
            f"{float(row['error']):+.2f} ± {float(row['standard_error']):.2f}",
            extreme(row, "least"),
            extreme(row, "greatest"),
            f"{float(row['calibration']):.3f}",
        ]
        lines.append(cells)
    return markdown(header, lines)


def main():
    if sys.argv[1:] == ["check"]:
        if shown() != declared():
            sys.exit(
                "docs/tuning.md does not have the constants of src/estimate/tuning.hpp; measure "
                "them again: dpcov-lab tuning > tuning.csv && research/pages/tuning.py write tuning.csv"
            )
    elif len(sys.argv) == 3 and sys.argv[1] == "write":
        with open(sys.argv[2], newline="") as file:
            rows = list(csv.DictReader(file))
        put(PAGE, "tuning", table(rows))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
