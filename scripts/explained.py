#!/usr/bin/env python3
"""How well a regression's `r_squared` tells what its line explains, as lines of a table.

    PYTHONPATH=TREE scripts/explained.py DATA [RELEASES]

DATA holds uci_regression/NAME.csv.gz: the first 6000 rows and 12 columns of each, in bounds that
are a tenth wider than the values on each side. The last column is predicted from all others.
"""

import gzip
import pathlib
import sys

import numpy as np

import dpcov

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


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    releases = int(sys.argv[2]) if len(sys.argv) == 3 else 20
    print("| set | rows | ρ for 1000 rows | passes | told | explained | root mean square of the difference |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in SETS:
        rows = table(folder, name)
        lower, upper = rows.min(0), rows.max(0)
        beyond = 0.1 * (upper - lower)
        bounds = list(zip(lower - beyond, upper + beyond))
        exact = np.cov(rows.T, bias=True)
        for rho in (0.5, 5.0, 50.0):
            for passes in (1, 2):
                told, true = [], []
                for seed in range(releases):
                    release = dpcov.covariance(
                        rows,
                        bounds=bounds,
                        budget=dpcov.Rho(rho * (PEOPLE / len(rows)) ** 2),
                        passes=passes,
                        insecure_seed=seed,
                    )
                    line = release.regression(rows.shape[1] - 1)
                    told.append(line.r_squared)
                    true.append(explained(exact, line))
                error = np.sqrt(np.mean(np.subtract(told, true) ** 2))
                print(f"| {name} | {len(rows)} | {rho:g} | {passes} | {np.mean(told):.3f} | {np.mean(true):.3f} "
                      f"| {error:.3f} |", flush=True)


if __name__ == "__main__":
    main()
