#!/usr/bin/env python3
"""Writes the table of docs/planning.md from what dpcov-lab measured.

    research/pages/plan.py PLAN.csv

PLAN.csv is of `dpcov-lab plan`.
"""

import csv
import sys

from repository import ROOT, markdown, put

PAGE = ROOT / "docs/planning.md"


def ratio(row):
    return float(row["planned"]) / float(row["measured"])


def within(rows):
    return f"{sum(0.8 <= ratio(r) <= 1.2 for r in rows)} of {len(rows)}"


def span(rows):
    ratios = sorted(map(ratio, rows))
    return f"{ratios[0]:.2f} – {ratios[-1]:.2f}"


NAMES = {"correlation": "standard error of a correlation",
         "covariance": "standard error of a covariance", "variance": "standard error of a variance",
         "mean": "standard error of a mean", "estimated correlation": "error of an estimated correlation",
         "whole": "error of the whole matrix"}


def summary(measured, field, spelled):
    """A line for each quantity and method, or number of passes."""
    groups = {}
    for row in measured:
        groups.setdefault((row["quantity"], row[field]), []).append(row)
    return markdown(["what", field, "within 20 %", "planned / measured"],
                    [[NAMES[quantity], spelled(value), within(rows), span(rows)]
                     for quantity in NAMES
                     for (own, value), rows in groups.items() if own == quantity])


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
    # Correlations are over deviations, which are guesses there.
    guessed = [row for row in measured
               if row["told"] == "nothing" and row["quantity"] != "estimated correlation"]
    told = [row for row in measured if row["told"] == "columns"]
    entries = [row for row in guessed if row["quantity"] != "whole"]
    text = (f"Of the standard errors of entries {within(entries)} are within 20 %.\n\n"
            f"{summary(guessed, 'method', '`{}`'.format)}\n\n"
            "The least and the greatest planned / measured of a table, by `auto`:\n\n"
            f"{cells(guessed)}\n\n"
            "Of the three tables with bounds, where plan was told each column's mean and standard deviation, by `auto`:\n\n"
            f"{summary(told, 'passes', str)}")
    put(PAGE, "plan", text)


if __name__ == "__main__":
    main()
