#!/usr/bin/env python3
"""Writes the tables of docs/derived.md of how often intervals for a population cover what is true of it.

    PYTHONPATH=TREE research/pages/population.py DATA [RELEASES]

The rows of a real table from DATA are the population. Tables are drawn from it, with replacement,
and released by `auto`. An entry of a cell counts where half of the releases or more have an interval
of it.
"""

import collections
import itertools
import multiprocessing
import pathlib
import sys
import warnings

import numpy as np
from real_data import adult, adult_flags, housing, wine
from repository import ROOT, markdown, put

import dpcov

PAGE = ROOT / "docs/derived.md"
# The table, the target of a regression, and its features.
POPULATIONS = {
    "Adult": (adult, 5, [0, 2, 3]),
    "Adult, flags": (adult_flags, 6, [0, 1, 2, 3]),
    "housing": (housing, 8, [2, 6, 7]),
    "wine": (lambda folder: wine(folder, "white"), 11, [1, 3, 10]),
}
ROWS = (1000, 5000, 30000)
BUDGETS = {
    "ρ = 0.01": dpcov.Rho(0.01),
    "ρ = 0.1": dpcov.Rho(0.1),
    "ρ = 1": dpcov.Rho(1),
    "ρ = 10": dpcov.Rho(10),
    "ε = 1": dpcov.Epsilon(1),
}
NEIGHBOURS = ("replace", "add-remove")
OF = (False, True, "any")  # the table, a population, any
QUANTITIES = ("mean", "variance", "covariance", "correlation", "coefficient", "intercept")


def truth_of(rows, target, features):
    mean, covariance = rows.mean(0), np.cov(rows.T, bias=True)
    deviations = np.sqrt(np.diag(covariance))
    below = np.tril_indices(len(mean), -1)
    line = np.linalg.solve(covariance[np.ix_(features, features)], covariance[features, target])
    return {
        "mean": mean,
        "variance": np.diag(covariance),
        "covariance": covariance[below],
        "correlation": (covariance / np.outer(deviations, deviations))[below],
        "coefficient": line,
        "intercept": np.array([mean[target] - mean[features] @ line]),
    }


def intervals_of(release, of, target, features):
    """Lower and upper ends by quantity; NaN where there is none, or it is [-1, 1]."""
    below = np.tril_indices(len(release.columns), -1)
    mean, covariance, correlation = (
        release.interval(what, population=of) for what in ("mean", "covariance", "correlation")
    )
    absent = np.isnan(correlation.standard_error)
    line = release.regression(target, features, population=of)
    height = line.intercept_interval or dpcov.Interval(np.nan, np.nan, np.nan)
    slopes = line.interval
    return {
        "mean": (mean.lower, mean.upper),
        "variance": (np.diag(covariance.lower), np.diag(covariance.upper)),
        "covariance": (covariance.lower[below], covariance.upper[below]),
        "correlation": tuple(np.where(absent, np.nan, end)[below] for end in (correlation.lower, correlation.upper)),
        "coefficient": (slopes.lower, slopes.upper),
        "intercept": (np.array([height.lower]), np.array([height.upper])),
    }


def measured(cell):
    """Of each quantity and kind of interval: which entries were covered how often, and the mean widths."""
    rows, target, features, n, budget, neighbours, releases, seed = cell
    warnings.simplefilter("ignore")  # of bounds that do not fit, and of matrices that are zero
    truth = truth_of(rows, target, features)
    generator = np.random.default_rng(seed)
    covered, widths = collections.defaultdict(list), collections.defaultdict(list)
    for number in range(releases):
        release = dpcov.covariance(
            rows[generator.integers(0, len(rows), n)],
            budget=budget,
            bounds=(-1, 1),
            neighbours=neighbours,
            insecure_seed=seed * releases + number,
        )
        for of in OF:
            for what, (lower, upper) in intervals_of(release, of, target, features).items():
                inside = (lower <= truth[what]) & (truth[what] <= upper)
                covered[what, of].append(np.where(np.isnan(lower), np.nan, inside))
                widths[what, of].append(upper - lower)
    result = {}
    for key, values in covered.items():
        given = np.mean(~np.isnan(values), axis=0) >= 0.5
        result[key] = tuple(np.nanmean(each, axis=0)[given] for each in (values, widths[key]))
    return result


def lines_of(results, groups):
    """A line for each quantity and group of cells: shares and least shares of entries, and widths."""
    for what, (name, chosen) in itertools.product(QUANTITIES, groups.items()):
        some = [result for cell, result in results.items() if chosen(cell)]
        by = {of: [np.concatenate([result[what, of][i] for result in some]) for i in (0, 1)] for of in OF}
        if not by[True][0].size:
            continue
        line = [what, name, f"{100 * by[False][0].mean():.0f}"]
        for of in (True, "any"):
            line += [f"{100 * by[of][0].mean():.1f}", f"{100 * by[of][0].min():.0f}"]
        quotients = by["any"][1] / by[True][1]
        yield [*line, f"{np.median(quotients):.1f}", f"{quotients.max():.1f}"]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, releases = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 300
    tables = {name: (read(folder), *columns) for name, (read, *columns) in POPULATIONS.items()}
    cells = list(itertools.product(tables, ROWS, BUDGETS, NEIGHBOURS))
    with multiprocessing.Pool(2) as pool:
        told = pool.map(
            measured,
            [(*tables[name], n, BUDGETS[budget], neighbours, releases, seed)
             for seed, (name, n, budget, neighbours) in enumerate(cells)],
            chunksize=1,
        )
    results = dict(zip(cells, told, strict=True))

    def table(second, groups):
        header = ["quantity", second, "table", "population", "least", "any", "least", "wider", "most"]
        return markdown(header, list(lines_of(results, groups)))

    by_budget = {name: lambda cell, name=name: cell[2] == name for name in BUDGETS}
    hardest = {name: lambda cell, name=name: cell[0] == name and cell[1:3] == (30000, "ρ = 10") for name in tables}
    put(PAGE, "population-by-budget", table("budget", by_budget))
    put(PAGE, "population-by-table", table("population", hardest))


if __name__ == "__main__":
    main()
