#!/usr/bin/env python3
"""Errors of releases by `auto` on real tables, by how loose the columns' bounds are.

    research/pages/loose_bounds.py DATA RUNS ERRORS.csv [--both-sides] [--no-center]
                                                             measures with the dpcov that is imported
    research/pages/loose_bounds.py compare BEFORE.csv AFTER.csv     two such files

DATA is the folder with adult, california_housing, credit_default, wine_quality and uci_regression;
red wine is in two of them.
Bounds are each column's least value and its range once, twice and eight times further, or, with
--both-sides, that range about the column's middle; covariances are about the mean, or, with
--no-center, about the midpoints of the bounds. Budgets are
rho = 0.01, 0.1, 1 and epsilon = 0.5, 1, 4; both neighbours. An error is the mean of RUNS seeds, over
the norm of the covariance, which is the error of the zero matrix. For each looseness: the geometric
mean of the errors, the greatest, and in how many cells it is above 1.05 and 1.25 times the least of
1 and the error of `gauss` or `wishart`. Needs NumPy and the package dpcov.
"""

import csv
import itertools
import math
import multiprocessing
import pathlib
import sys

import numpy as np
from real_tables import tables

WIDTHS = (1, 2, 8)
BUDGETS = [
    ("rho", 0.01),
    ("rho", 0.1),
    ("rho", 1),
    ("epsilon", 0.5),
    ("epsilon", 1),
    ("epsilon", 4),
]
NEIGHBOURS = ("replace", "add-remove")
MOST_ENTRIES = 1_500_000  # a table of more takes long, and has little noise


def errors(cell):
    import dpcov

    (name, rows), width, (unit, amount), neighbours, runs, both_sides, center = cell
    low, reach = rows.min(axis=0), rows.max(axis=0) - rows.min(axis=0)
    if both_sides:
        low = low - (width - 1) / 2 * reach
    high = low + width * reach
    half = (high - low) / 2
    mapped = (rows - low) / half - 1
    truth = np.cov(mapped.T, bias=True) if center else mapped.T @ mapped / len(mapped)
    budget = dpcov.Rho(amount) if unit == "rho" else dpcov.Epsilon(amount)

    def error(method):
        total = 0.0
        for seed in range(runs):
            release = dpcov.covariance(
                rows,
                bounds=list(zip(low, high)),
                budget=budget,
                method=method,
                neighbours=neighbours,
                center=center,
                insecure_seed=seed,
            )
            total += np.linalg.norm(release.covariance() / np.outer(half, half) - truth)
        return total / runs / np.linalg.norm(truth)

    plain = "gauss" if unit == "rho" else "wishart"
    return [name, width, unit, amount, neighbours, error("auto"), error(plain)]


def measure(data, runs, output, both_sides, center):
    chosen = []
    for name, rows in tables(pathlib.Path(data)):
        varies = rows.max(axis=0) > rows.min(axis=0)
        if varies.sum() > 1 and rows[:, varies].size <= MOST_ENTRIES:
            chosen.append((name, np.ascontiguousarray(rows[:, varies])))
    cells = itertools.product(chosen, WIDTHS, BUDGETS, NEIGHBOURS, [runs], [both_sides], [center])
    with multiprocessing.Pool() as pool, open(output, "w", newline="") as file:
        csv.writer(file).writerows(pool.imap(errors, cells, chunksize=4))


def read(path):
    with open(path, newline="") as file:
        return {tuple(row[:5]): tuple(map(float, row[5:])) for row in csv.reader(file)}


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def show(path, before=None):
    cells = read(path)
    for width in WIDTHS:
        here = {key: cell for key, cell in cells.items() if int(key[1]) == width}
        auto = [cell[0] for cell in here.values()]
        over_best = [cell[0] / min(1.0, *cell[1:]) for cell in here.values()]
        line = (
            f"{width} times: {len(here)} cells, error {geometric_mean(auto):.3f} of zero's, greatest "
            f"{max(auto):.2f}; above the best by 1.05 {sum(q > 1.05 for q in over_best)}, "
            f"by 1.25 {sum(q > 1.25 for q in over_best)}"
        )
        if before:
            ratios = [cell[0] / before[key][0] for key, cell in here.items()]
            line += (
                f"; over before {geometric_mean(ratios):.3f} "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )
        print(line)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 3 or not set(options) <= {"--both-sides", "--no-center"}:
        sys.exit(__doc__)
    if words[0] == "compare":
        show(words[1])
        show(words[2], read(words[1]))
    else:
        measure(
            words[0],
            int(words[1]),
            words[2],
            "--both-sides" in options,
            "--no-center" not in options,
        )
        show(words[2])


if __name__ == "__main__":
    main()
