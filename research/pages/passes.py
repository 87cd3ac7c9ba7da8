#!/usr/bin/env python3
"""What a second pass over the rows, about a rough mean and stretched, is worth.

    research/pages/passes.py DATA RUNS

DATA is the folder with california_housing, adult, credit_default, wine_quality and uci_regression.
Prints the Markdown table of docs/research-log.md: for each table and budget the errors in one pass,
and those in two passes over them, means of RUNS seeds: of the covariance (Frobenius norm, columns
mapped to [-1, 1]), of the correlations (the greatest), of the mean (Euclidean norm). Needs the
Python package.
"""

import pathlib
import sys

import numpy as np
from centring import correlations
from real_data import (
    adult,
    credit_numbers,
    housing,
    housing_numbers,
    mapped,
    numbers,
    regression_sets,
    wine_numbers,
)

import dpcov

UCI = ("bike", "kin40k", "pumadyn32nm", "sml", "tamielectric", "airfoil", "concrete", "solar")
BUDGETS = (dpcov.Rho(0.01), dpcov.Rho(0.1), dpcov.Rho(1.0), dpcov.Epsilon(1.0))


def wide_housing(folder):
    lower = [-125, 32] + [0] * 7
    upper = [-114, 42, 60, 40000, 7000, 40000, 6500, 16, 500001]
    return mapped(housing_numbers(folder), lower, upper)


def credit_default(folder):
    lower = [0, 1, 0, 0, 18] + [-2] * 6 + [-2e5] * 6 + [0] * 6
    return mapped(credit_numbers(folder)[:, :23], lower, [1e6, 2, 6, 3, 80] + [8] * 6 + [1e6] * 12)


def wine(folder, colour):
    lower = [3, 0, 0, 0, 0, 0, 0, 0.98, 2.5, 0, 8, 0]
    upper = [16, 2, 2, 70, 0.7, 300, 450, 1.04, 4.1, 2.1, 15, 10]
    return mapped(wine_numbers(folder, colour), lower, upper)


def uci(path):
    """Bounds a tenth of the range beyond the values on each side, as a public guess may be."""
    rows = numbers(path)
    rows = rows[:, rows.std(0) > 0]
    lower, upper = rows.min(0), rows.max(0)
    return mapped(rows, lower - 0.1 * (upper - lower), upper + 0.1 * (upper - lower))


def tables(folder):
    yield "California housing", housing(folder)
    yield "the same, wide bounds", wide_housing(folder)
    yield "Adult", adult(folder)
    yield "credit default", credit_default(folder)
    yield "red wine", wine(folder, "red")
    yield "white wine", wine(folder, "white")
    paths = regression_sets(folder)
    for name in UCI:
        yield name, uci(paths[name])


def errors(rows, budget, passes, seed):
    """Of covariance, correlations and mean; and whether the rows were moved."""
    release = dpcov.covariance(
        rows, budget=budget, bounds=(-1.0, 1.0), passes=passes, insecure_seed=seed, threads=1
    )
    truth = np.cov(rows.T, bias=True)
    estimate = release.covariance()
    return [
        np.linalg.norm(estimate - truth),
        np.abs(correlations(estimate) - correlations(truth)).max(),
        np.linalg.norm(release.mean() - rows.mean(0)),
        "origin" in release.record or "stretch" in release.record,
    ]


def main():
    folder, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    print(
        "| table | n | d | budget | covariance | correlation | mean | covariance, twice/once "
        "| correlation | mean | moved |"
    )
    print("| --- " * 11 + "|")
    all_ratios = []
    for name, rows in tables(folder):
        for budget in BUDGETS:
            once, twice = (
                np.mean([errors(rows, budget, passes, seed) for seed in range(runs)], axis=0)
                for passes in (1, 2)
            )
            ratios = twice[:3] / once[:3]
            all_ratios.append(ratios)
            law = "ρ" if isinstance(budget, dpcov.Rho) else "ε"
            cells = [f"{x:.2g}" for x in once[:3]] + [f"{x:.2f}" for x in ratios]
            print(
                f"| {name} | {len(rows)} | {rows.shape[1]} | {law} = {budget.value:g} | "
                + " | ".join(cells)
                + f" | {twice[3]:.2f} |",
                flush=True,
            )
    means = " | ".join(f"{x:.2f}" for x in np.exp(np.mean(np.log(all_ratios), axis=0)))
    print(f"| geometric mean | | | | | | | {means} | |")


if __name__ == "__main__":
    main()
