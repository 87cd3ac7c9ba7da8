#!/usr/bin/env python3
"""Turns results of dpcov experiment into the table of docs/accuracy.md.

    accuracy_table.py RESULTS.csv ...
    accuracy_table.py --pure RESULTS.csv ...

With --pure, the table of auto under pure DP beside the best published error. Each setting appears once, however many figures have it. Standard library only.
"""

import argparse
import csv
import math
import pathlib
import sys

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published_errors.csv"
METHODS = ["gauss", "separate", "adaptive"]
VARIANTS = ["best", "paper", "published"]


def key(row):
    return (int(row["d"]), int(row["n"]), row["N"], float(row["rho_or_eps"]))


def read(path, privacy="zcdp"):
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [row for row in rows if row["privacy"] == privacy]


def number(value):
    return "" if value is None else f"{value:.3g}"


def print_pure(paths):
    published = {}
    for row in read(PUBLISHED, "pure"):
        published.setdefault(key(row), []).append((float(row["mean_fro_error"]), row["mechanism"]))
    cells = {}
    for row in (row for path in paths for row in read(path, "pure")):
        if row["mechanism"] == "auto:best":
            cells[key(row)] = row
    print("| d | n | N | epsilon | runs | zero | best of theirs | auto | ratio | auto / zero | bar |")
    print("|" + " --- |" * 11)
    logarithms = []
    order = sorted(cells, key=lambda cell: (int(cell[2]), cell[1], cell[0], cell[3]))
    for setting, row in ((setting, cells[setting]) for setting in order):
        error, zero = float(row["mean_fro_error"]), float(row["fro_norm_of_sigma"])
        theirs, method = min(published.get(setting, [(None, "")]))
        ratio = theirs / error if theirs else None
        logarithms += [math.log(ratio)] if ratio else []
        bar = float(row["mean_estimated_error"] or "nan") / error
        print(
            f"| {setting[0]} | {setting[1]} | {setting[2]} | {setting[3]:g} | {row['runs']} | {number(zero)} "
            f"| {f'{theirs:.3g} {method}' if theirs else ''} | {number(error)} | {number(ratio)} | {error / zero:.3f} | {bar:.2f} |"
        )
    if logarithms:
        mean = math.exp(sum(logarithms) / len(logarithms))
        print(f"geometric mean of {len(logarithms)} ratios: {mean:.2f}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--pure", action="store_true")
    arguments = parser.parse_args()
    if arguments.pure:
        print_pure(arguments.results)
        return

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
