#!/usr/bin/env python3
"""Turns results of dpcov experiment into the table of docs/accuracy.md.

    accuracy_table.py RESULTS.csv ...

Each setting appears once, however many figures have it. Standard library only.
"""

import argparse
import csv
import pathlib
import sys

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published_errors.csv"
METHODS = ["gauss", "separate", "adaptive"]
VARIANTS = ["best", "paper", "published"]


def key(row):
    return (int(row["d"]), int(row["n"]), row["N"], float(row["rho_or_eps"]))


def read(path):
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [row for row in rows if row["privacy"] == "zcdp"]


def number(value):
    return "" if value is None else f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+")
    arguments = parser.parse_args()

    published = {}
    for row in read(PUBLISHED):
        if row["mechanism"] in METHODS:
            published.setdefault(key(row), {})[row["mechanism"]] = float(row["mean_fro_error"])
    cells = {}
    for row in (row for path in arguments.results for row in read(path)):
        method, variant, *_ = row["mechanism"].split(":")
        cell = cells.setdefault(key(row), {"zero": float(row["fro_norm_of_sigma"])})
        cell.setdefault("figure", row["figure"])
        cell[method, variant] = float(row["mean_fro_error"])
        cell[method, variant, "se"] = float(row["std_fro_error"]) / int(row["runs"]) ** 0.5

    heads = ["figure", "d", "n", "N", "rho", "zero"]
    for method in METHODS:
        heads += [f"{method}: theirs", *VARIANTS]
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for (d, n, bins, rho), cell in cells.items():
        theirs = published.get((d, n, bins, rho), {})
        row = [cell["figure"], d, n, bins, f"{rho:g}", number(cell["zero"])]
        for method in METHODS:
            row.append(number(theirs.get(method)))
            row += [number(cell.get((method, variant))) for variant in VARIANTS]
        print("| " + " | ".join(str(entry) for entry in row) + " |")

    for method in METHODS:
        ratios = {
            setting: (cells[setting][method, "published"], theirs[method])
            for setting, theirs in published.items()
            if setting in cells and method in theirs
        }
        if not ratios:
            continue
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
