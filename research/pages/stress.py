#!/usr/bin/env python3
"""Writes the tables of docs/stress.md from what `dpcov-lab stress` measured.

    research/pages/stress.py write STRESS.csv [LOOSENESS.csv]
    research/pages/stress.py check     fails where the page's kinds are not those of the suite

LOOSENESS.csv: of `dpcov-lab stress --auto-only` with more runs, for the tables of norm bounds that
are loose by 1 to 2.
"""

import csv
import math
import re
import statistics
import sys

from repository import ROOT, block, markdown, put

PAGE = ROOT / "docs/stress.md"
KINDS = ROOT / "research/stress_tables.cpp"
NUMBERS = ("looseness", "zero", "earlier", "octaves", "auto", "cut", "separate", "whole",
           "estimated", "estimated_of")


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update({name: float(row[name]) for name in NUMBERS})
    return rows


def mean(ratios):
    ratios = list(ratios)
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def share(flags):
    flags = list(flags)
    return f"{sum(flags)} of {len(flags)}"


def others(row):
    return min(row["separate"], row["whole"], row["zero"])


def calibrated(rows):
    return [
        row["estimated"] / row["estimated_of"]
        for row in rows
        if int(row["estimates"]) and row["auto"] < 0.5 * row["zero"]
    ]


def summary(rows):
    groups = {
        "all": rows,
        "kinds looked at": [row for row in rows if row["held_back"] == "0"],
        "kinds held back": [row for row in rows if row["held_back"] == "1"],
        "zCDP": [row for row in rows if row["definition"] == "zcdp"],
        "pure DP": [row for row in rows if row["definition"] == "pure"],
        "n = 16,000": [row for row in rows if row["n"] == "16000"],
        "n = 4,000": [row for row in rows if row["n"] == "4000"],
    }
    for looseness in sorted({row["looseness"] for row in rows}):
        groups[f"bound loose by {looseness:g}"] = [
            row for row in rows if row["looseness"] == looseness
        ]
    lines = []
    for name, group in groups.items():
        right = calibrated(group)
        lines.append([
            name,
            f"{mean(row['earlier'] / row['auto'] for row in group):.3f}",
            f"{mean(row['earlier'] / row['octaves'] for row in group):.3f}",
            f"{mean(row['earlier'] / row['cut'] for row in group):.3f}",
            f"{mean(row['auto'] / row['cut'] for row in group):.3f}",
            share(row["auto"] > 1.05 * row["earlier"] for row in group),
            share(row["auto"] > 1.10 * row["cut"] for row in group),
            share(row["auto"] > 1.05 * others(row) for row in group),
            share(1 / 1.15 <= ratio <= 1.15 for ratio in right) if right else "",
        ])
    return markdown(
        ["cells", "earlier / auto", "earlier / octaves", "earlier / cut", "auto / cut",
         "auto > 1.05 earlier", "auto > 1.10 cut", "auto > 1.05 others", "estimate within 15 %"],
        lines)


def by_kind(rows):
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        group = [row for row in rows if row["kind"] == kind]
        gains = [row["earlier"] / row["auto"] for row in group]
        right = calibrated(group)
        lines.append([
            kind + (" (held back)" if group[0]["held_back"] == "1" else ""),
            group[0]["d"],
            f"{mean(gains):.2f}", f"{min(gains):.2f}", f"{max(gains):.2f}",
            f"{mean(row['auto'] / row['cut'] for row in group):.2f}",
            f"{max(row['auto'] / row['cut'] for row in group):.2f}",
            f"{max(row['auto'] / others(row) for row in group):.2f}",
            f"{min(right):.2f} to {max(right):.2f}" if right else "",
        ])
    return markdown(
        ["kind of table", "d", "earlier / auto", "least", "greatest", "auto / cut", "greatest",
         "auto / others, greatest", "estimated / true"], lines)


def cells(rows):
    def number(value):
        return f"{value:.3g}"

    return markdown(
        ["kind", "n", "loose", "budget", "zero", "earlier", "octaves", "auto", "best cut", "of",
         "separate", "whole"],
        [[row["kind"], row["n"], f"{row['looseness']:g}",
          ("ρ = " if row["definition"] == "zcdp" else "ε = ") + row["budget"],
          number(row["zero"]), number(row["earlier"]), number(row["octaves"]),
          number(row["auto"]), number(row["cut"]), row["cut_name"], number(row["separate"]),
          number(row["whole"])] for row in rows])


# Errors are in units of the squared bound; here they are in the table's own.
def between_1_and_2(rows):
    """By kind, n and definition."""
    groups = {}
    for row in rows:
        if 1 <= row["looseness"] <= 2:
            key = (row["kind"], row["n"], row["definition"])
            groups.setdefault(key, []).append(
                {name: row[name] * row["looseness"] ** 2 for name in ("earlier", "auto")})
    return groups


def variation(group, name):
    return max(row[name] for row in group) / min(row[name] for row in group)


def variations(rows):
    groups = between_1_and_2(rows)
    lines = []
    for title, definition, n in (
        ("all", None, None),
        ("zCDP", "zcdp", None),
        ("zCDP, n = 16,000", "zcdp", "16000"),
        ("zCDP, n = 4,000", "zcdp", "4000"),
        ("pure DP", "pure", None),
        ("pure DP, n = 16,000", "pure", "16000"),
        ("pure DP, n = 4,000", "pure", "4000"),
    ):
        of = {key: group for key, group in groups.items()
              if definition in (None, key[2]) and n in (None, key[1])}
        for name in ("auto", "earlier"):
            values = {key: variation(group, name) for key, group in of.items()}
            worst = max(values, key=values.get)
            lines.append([
                title, name, len(of),
                *(sum(value <= most for value in values.values()) for most in (1.1, 1.2, 1.5)),
                f"{statistics.median(values.values()):.2f}",
                f"{values[worst]:.2f} ({worst[0]})",
            ])
    return markdown(["budget", "error", "cells", "at most 1.1", "at most 1.2", "at most 1.5",
                     "median", "greatest (where)"], lines)


# Of the kinds of unit norm.
def by_looseness(rows):
    groups = between_1_and_2(rows)
    lines = []
    for kind in dict.fromkeys(key[0] for key in groups if "unit norm" in key[0]):
        line = [kind]
        for n in ("16000", "4000"):
            for definition in ("zcdp", "pure"):
                group = groups[kind, n, definition]
                spreads = (variation(group, name) for name in ("auto", "earlier"))
                line.append("{:.2f} ({:.2f})".format(*spreads))
        lines.append(line)
    return markdown(["kind of table", "n = 16,000, zCDP", "n = 16,000, pure", "n = 4,000, zCDP",
                     "n = 4,000, pure"], lines)


def check():
    kinds = re.findall(r'^        \{"([^"]+)",', KINDS.read_text(), re.MULTILINE)
    table = block(PAGE.read_text(), "kinds")
    shown = [line.split(" | ")[0].removeprefix("| ").removesuffix(" (held back)")
             for line in table.strip().splitlines()[2:]]
    if not kinds or shown != kinds:
        sys.exit("docs/stress.md does not have the kinds of research/stress_tables.cpp: "
                 "dpcov-lab stress > stress.csv && research/pages/stress.py write stress.csv")


def main():
    if sys.argv[1:] == ["check"]:
        check()
    elif len(sys.argv) in (3, 4) and sys.argv[1] == "write":
        rows = read(sys.argv[2])
        put(PAGE, "summary", summary(rows))
        put(PAGE, "kinds", by_kind(rows))
        put(PAGE, "cells", cells(rows))
        if len(sys.argv) == 4:
            loose = read(sys.argv[3])
            put(PAGE, "variations", variations(loose))
            put(PAGE, "looseness", by_looseness(loose))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
