#!/usr/bin/env python3
"""Turns the CSV of dpcov_accuracy into the table of docs/accuracy.md.

    accuracy_table.py OURS.csv [--published ERRORS.csv]

ERRORS.csv holds measurements of the published code in the same columns; without it those columns
stay empty. Standard library only.
"""

import argparse
import csv
import sys

PUBLISHED_NAMES = {"GaussCov": "gauss", "SeparateCov": "separate", "AdaptiveCov": "adaptive"}
METHODS = ["gauss", "separate", "adaptive"]
VARIANTS = ["best", "paper", "published"]


def key(row):
    return (row["figure"], int(row["d"]), int(row["n"]), int(row["N"]), float(row["rho_or_eps"]))


def read(path):
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [row for row in rows if row["privacy"] == "zcdp" and row["figure"] != "figure"]


def number(value):
    return "" if value is None else f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("--published")
    arguments = parser.parse_args()

    published = {}
    for row in read(arguments.published) if arguments.published else []:
        if row["mechanism"] in PUBLISHED_NAMES:
            published.setdefault(key(row), {})[PUBLISHED_NAMES[row["mechanism"]]] = float(
                row["mean_fro_error"]
            )
    cells = {}
    for row in read(arguments.ours):
        method, variant = row["mechanism"].split(":")
        cell = cells.setdefault(key(row), {"zero": float(row["fro_norm_of_sigma"])})
        cell[method, variant] = float(row["mean_fro_error"])
        cell[method, variant, "se"] = float(row["std_fro_error"]) / int(row["runs"]) ** 0.5

    heads = ["figure", "d", "n", "N", "rho", "zero"]
    for method in METHODS:
        heads += [f"{method}: theirs", *VARIANTS]
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for (figure, d, n, bins, rho), cell in cells.items():
        theirs = published.get((figure, d, n, bins, rho), {})
        row = [figure, d, n, bins or "", f"{rho:g}", number(cell["zero"])]
        for method in METHODS:
            row.append(number(theirs.get(method)))
            row += [number(cell.get((method, variant))) for variant in VARIANTS]
        print("| " + " | ".join(str(entry) for entry in row) + " |")

    if published:
        for method in METHODS:
            ratios = {
                setting: (cells[setting][method, "published"], theirs[method])
                for setting, theirs in published.items()
                if setting in cells and method in theirs
            }
            worst = max(ratios, key=lambda setting: ratios[setting][0] / ratios[setting][1])
            ours, other = ratios[worst]
            error = cells[worst][method, "published", "se"]
            print(
                f"{method}, published: worst ratio to the published code {ours / other:.3f} "
                f"at {worst} (ours {ours:.4g} +- {error:.2g}, theirs {other:.4g})",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main()
