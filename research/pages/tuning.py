#!/usr/bin/env python3
"""Keeps docs/tuning.md in step with the constants in src/estimate/tuning.hpp and in
src/partition/partition_tuning.hpp.

    research/pages/tuning.py check                    fails where its tables have not these constants and values
    research/pages/tuning.py write TUNING.csv         writes the table of what `dpcov-lab tuning` measured
    research/pages/tuning.py partition PARTITION.csv  writes that of what `dpcov-lab partition` measured
"""

import csv
import math
import re
import sys

from repository import ROOT, block, markdown, put

HEADERS = {
    "tuning": ROOT / "src/estimate/tuning.hpp",
    "partition": ROOT / "src/partition/partition_tuning.hpp",
}
# Of tables that are read twice, of which the suite has none.
NOT_MEASURED = {"significance_about_mean", "seldom"}
PAGE = ROOT / "docs/tuning.md"
FIELD = re.compile(r"^    (?:double|int) (\w+) = ([\d.e+-]+);$", re.MULTILINE)


def plain(number):
    return f"{float(number):g}"


def declared(name):
    found = FIELD.findall(HEADERS[name].read_text())
    return [(constant, plain(value)) for constant, value in found if constant not in NOT_MEASURED]


def shown(name):
    lines = block(PAGE.read_text(), name).splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
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


def effect(rows):
    """Of a step, over cells: the geometric mean in per cent more, and its standard error."""
    mean = sum(math.log(float(row["error"])) for row in rows) / len(rows)
    variance = sum((float(row["standard_error"]) / float(row["error"])) ** 2 for row in rows)
    return f"{100 * math.expm1(mean):+.2f} ± {100 * math.sqrt(variance) / len(rows):.2f}"


def at(row):
    moved = f"{100 * (float(row['error']) - 1):+.1f}"
    if float(moved) == 0:
        return "0"
    budget = "zCDP" if row["definition"] == "zcdp" else "pure"
    return f"{moved} ({row['kind']}, n = {row['n']}, {budget}, {row['looseness']})"


def partition(rows):
    steps = {}
    for row in rows:
        steps.setdefault((row["constant"], row["moved_to"]), []).append(row)
    lines = []
    for (constant, to), cells in steps.items():
        ranked = sorted(cells, key=lambda row: float(row["error"]))
        lines.append([
            f"`{constant}`", plain(cells[0]["value"]), cells[0]["unit"], cells[0]["origin"],
            plain(to), effect(cells),
            *(effect([row for row in cells if row["definition"] == definition])
              for definition in ("zcdp", "pure")),
            at(ranked[0]), at(ranked[-1]),
        ])  # fmt: skip
    return markdown(
        ["constant", "value", "unit", "origin", "moved to", "error, %", "zCDP", "pure DP",
         "least, % (where)", "greatest, % (where)"], lines)  # fmt: skip


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main():
    if sys.argv[1:] == ["check"]:
        for name, header in HEADERS.items():
            if shown(name) != declared(name):
                sys.exit(
                    f"docs/tuning.md does not have the constants of {header.relative_to(ROOT)}; measure "
                    "them again, as the page says"
                )
    elif len(sys.argv) == 3 and sys.argv[1] == "write":
        put(PAGE, "tuning", table(read(sys.argv[2])))
    elif len(sys.argv) == 3 and sys.argv[1] == "partition":
        put(PAGE, "partition", partition(read(sys.argv[2])))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
