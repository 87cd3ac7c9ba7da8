#!/usr/bin/env python3
"""Writes the table of docs/planning.md from what dpcov-lab measured.

    scripts/plan.py PLAN.csv

PLAN.csv is of `dpcov-lab plan`.
"""

import csv
import pathlib
import sys

from pages import markdown, put

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/planning.md"


def ratio(row):
    return float(row["planned"]) / float(row["measured"])


def within(rows):
    return f"{sum(0.8 <= ratio(r) <= 1.2 for r in rows)} of {len(rows)}"


def span(rows):
    ratios = sorted(map(ratio, rows))
    return f"{ratios[0]:.2f} – {ratios[-1]:.2f}"


def summary(measured):
    """A line for each quantity and method."""
    groups = {}
    for row in measured:
        groups.setdefault((row["quantity"], row["method"]), []).append(row)
    names = {"covariance": "standard error of a covariance", "variance": "standard error of a variance",
             "mean": "standard error of a mean", "whole": "error of the whole matrix"}
    return markdown(["what", "method", "within 20 %", "planned / measured"],
                    [[names[quantity], f"`{method}`", within(rows), span(rows)]
                     for quantity in names
                     for (own, method), rows in groups.items() if own == quantity])


def cells(measured):
    """Every table: planned over measured, covariances and whole matrices by `auto`."""
    tables = {}
    for row in measured:
        if row["method"] == "auto" and row["quantity"] in ("covariance", "whole"):
            key = row["table"], row["d"], row["n"]
            tables.setdefault(key, {}).setdefault(row["quantity"], []).append(row)
    return markdown(["table", "columns", "rows", "covariance", "whole matrix"],
                    [[*key, span(kinds["covariance"]), span(kinds["whole"])]
                     for key, kinds in tables.items()])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        measured = list(csv.DictReader(file))
    entries = [row for row in measured if row["quantity"] != "whole"]
    text = (f"Of the standard errors of entries {within(entries)} are within 20 %.\n\n"
            f"{summary(measured)}\n\nThe least and the greatest planned / measured of a table, by `auto`:\n\n"
            f"{cells(measured)}")
    put(PAGE, "plan", text)


if __name__ == "__main__":
    main()
