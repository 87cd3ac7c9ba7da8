#!/usr/bin/env python3
"""How much correlations err as they are told, and as quotients of the estimated covariance alone.

    PYTHONPATH=TREE research/pages/shrunk_correlations.py DATA [RUNS]     # TREE: a build's python-tree

DATA is the folder with adult, california_housing, credit_default, wine_quality and uci_regression. Prints,
for tables of indicators and of numbers, budgets and passes, the root mean square error over all pairs
and the mean of the greatest error, told over quotients; and both of the told ones.
"""

import pathlib
import sys
import warnings

import numpy as np
from real_data import (
    adult,
    adult_lines,
    credit_numbers,
    housing,
    mapped,
    numbers,
    regression_sets,
    wine,
)

import dpcov

BUDGETS = {
    "ρ = 0.01": dpcov.Rho(0.01),
    "ρ = 0.1": dpcov.Rho(0.1),
    "ρ = 1": dpcov.Rho(1.0),
    "ε = 1": dpcov.Epsilon(1.0),
    "ε = 4": dpcov.Epsilon(4.0),
}
LEAST_ROWS = 20  # with a value that has an indicator


def indicators(columns):
    """Of every value, -1 and 1."""
    flags = [
        column == value
        for column in columns
        for value, count in zip(*np.unique(column, return_counts=True), strict=True)
        if count >= LEAST_ROWS
    ]
    return 2.0 * np.array(flags, float).T - 1.0


def tables(folder):
    lines = adult_lines(folder)
    for name, places in {
        "Adult, six columns": (1, 5, 7, 8, 9, 14),
        "Adult, occupations": (3, 6),
        "Adult, countries": (8, 13),
    }.items():
        yield name, indicators([np.array([line[place] for line in lines]) for place in places])
    credit = credit_numbers(folder)
    yield "credit default, indicators", indicators([credit[:, place] for place in (1, 2, 3, 5, 6)])
    yield "Adult", adult(folder)
    yield "California housing", housing(folder)
    yield "white wine", wine(folder, "white")
    yield "credit default", mapped(credit, credit.min(0), credit.max(0))
    for name in ("bike", "kin40k", "sml"):
        rows = numbers(regression_sets(folder)[name])
        yield name, mapped(rows, rows.min(0), rows.max(0) + 1e-9)


def quotients(covariance):
    deviations = np.sqrt(np.diag(covariance).clip(0))
    products = np.outer(deviations, deviations)
    return (covariance / np.where(products > 0, products, np.inf)).clip(-1, 1)


def main():
    warnings.simplefilter("ignore")  # some columns are nearly constant
    folder, runs = pathlib.Path(sys.argv[1]), int((*sys.argv, 6)[2])
    print(
        "| table | budget | passes | RMS, over quotients | greatest, over quotients | RMS | greatest |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for table, all_columns in tables(folder):
        rows = all_columns[:, all_columns.std(0) > 0]
        pairs = np.triu_indices(rows.shape[1], 1)
        truth = np.corrcoef(rows.T)[pairs]
        for name, budget in BUDGETS.items():
            for passes in (1, 2):
                errors = []
                for seed in range(runs):
                    release = dpcov.covariance(
                        rows, bounds=(-1, 1), budget=budget, passes=passes, insecure_seed=seed
                    )
                    for matrix in (release.correlation(), quotients(release.covariance())):
                        error = np.abs(matrix[pairs] - truth)
                        errors.append((np.mean(error**2), error.max()))
                squares, greatest = np.array(errors).reshape(runs, 2, 2).mean(0).T
                roots = np.sqrt(squares)
                print(
                    f"| {table} | {name} | {passes} | {roots[0] / roots[1]:.2f} | "
                    f"{greatest[0] / greatest[1]:.2f} | {roots[0]:.4f} | {greatest[0]:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
