#!/usr/bin/env python3
"""Writes the table of docs/derived.md of how well a regression's `r_squared` tells what its line explains.

    PYTHONPATH=TREE research/pages/explained.py DATA [RELEASES]

DATA holds uci_regression/NAME.csv.gz: the first 6000 rows and 12 columns of each, in bounds that
are a tenth wider than the values on each side. The last column is predicted from all others.
"""

import gzip
import pathlib
import sys
import warnings

import numpy as np
from repository import ROOT, markdown, put

import dpcov

PAGE = ROOT / "docs/derived.md"
SETS = ["airfoil", "autompg", "bike", "concrete", "energy", "machine", "servo", "sml", "solar", "wine", "yacht"]
PEOPLE = 1000  # what a budget is told for: n sqrt(rho) is what counts


def table(folder, name):
    with gzip.open(folder / "uci_regression" / f"{name}.csv.gz", "rt") as file:
        rows = np.loadtxt(file, delimiter=",")
    return rows[:6000, rows.std(0) > 0][:, :12]


def explained(covariance, line):
    """By the coefficients, of the last column."""
    w = line.coefficients
    return float((2 * w @ covariance[:-1, -1] - w @ covariance[:-1, :-1] @ w) / covariance[-1, -1])


def difference(rows, rho, passes, releases):
    """The root mean square of what is told less what is explained, and the mean of the latter."""
    lower, upper = rows.min(0), rows.max(0)
    beyond = 0.1 * (upper - lower)
    exact = np.cov(rows.T, bias=True)
    told, true = [], []
    for seed in range(releases):
        release = dpcov.covariance(
            rows,
            bounds=list(zip(lower - beyond, upper + beyond)),
            budget=dpcov.Rho(rho * (PEOPLE / len(rows)) ** 2),
            passes=passes,
            insecure_seed=seed,
        )
        line = release.regression(rows.shape[1] - 1)
        told.append(line.r_squared)
        true.append(explained(exact, line))
    return np.sqrt(np.mean(np.subtract(told, true) ** 2)), np.mean(true)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    warnings.simplefilter("ignore")  # of bounds that do not fit
    releases = int(sys.argv[2]) if len(sys.argv) == 3 else 20
    ways = [(rho, passes) for rho in (0.5, 5.0, 50.0) for passes in (1, 2)]
    lines = []
    for name in SETS:
        rows = table(pathlib.Path(sys.argv[1]), name)
        measured = [difference(rows, rho, passes, releases) for rho, passes in ways]
        lines.append([name, str(len(rows)), f"{measured[-1][1]:.2f}", *(f"{error:.3f}" for error, _ in measured)])
    header = ["set", "rows", "explained", *(f"ρ = {rho:g}, {passes}" for rho, passes in ways)]
    put(PAGE, "explained", markdown(header, lines))


if __name__ == "__main__":
    main()
