#!/usr/bin/env python3
"""What correlations are where a column hardly varies, with and without the rule for such columns.

    PYTHONPATH=TREE research/pages/constant_columns.py DATA     # TREE: a build's python-tree

Prints how often a constant seems to be correlated with others, and the root mean square error of the
correlations of real tables, of all pairs and of those that the rule sets to zero.
"""

import pathlib
import sys
import warnings

import numpy as np
from real_data import adult, credit_numbers, housing, mapped, numbers, regression_sets, wine_numbers

import dpcov

STRONG = 0.5


def correlation_of(covariance):
    """By the covariance alone."""
    deviations = np.sqrt(np.diag(covariance).clip(0))
    matrix = covariance / np.where(deviations > 0, np.outer(deviations, deviations), np.inf)
    return matrix.clip(-1, 1)


def released(rows, bounds, rho, seed, passes):
    return dpcov.covariance(
        rows, bounds=bounds, budget=dpcov.Rho(rho), insecure_seed=seed, passes=passes
    )


def constants():
    print(
        "rows, rho, passes: releases of 100 in which a constant has a correlation above 0.5, before and now"
    )
    for rows in (2000, 50000):
        random = np.random.default_rng(1)
        table = np.column_stack(
            [np.ones(rows), random.normal(40, 12, rows), random.normal(50, 9, rows)]
        )
        for rho in (0.1, 1):
            for passes in (1, 2):
                before = now = 0
                for seed in range(100):
                    release = released(table, [(0, 9), (17, 90), (0, 99)], rho, seed, passes)
                    before += np.abs(correlation_of(release.covariance())[0, 1:]).max() > STRONG
                    now += np.abs(release.correlation()[0, 1:]).max() > STRONG
                print(f"{rows}, {rho}, {passes}: {before}, {now}")


def real_tables(folder):
    """With bounds at the least and the greatest value; of wine as far again on each side."""
    credit = credit_numbers(folder)
    tables = [housing(folder), adult(folder), mapped(credit, credit.min(0), credit.max(0))]
    for colour in ("red", "white"):
        wine = wine_numbers(folder, colour)
        reach = wine.max(0) - wine.min(0)
        tables.append(mapped(wine, wine.min(0) - reach, wine.max(0) + reach))
    for path in regression_sets(folder).values():
        rows = numbers(path)
        if len(rows) > 100 and rows.shape[1] < 40:
            rows = rows[:, rows.max(0) > rows.min(0)]
            tables.append(mapped(rows, rows.min(0), rows.max(0)))
    return tables


def errors(folder):
    print("rho, passes: pairs, error before and now; pairs set to zero, their error before and now")
    tables = real_tables(folder)
    for rho in (0.005, 0.05, 0.5):
        for passes in (1, 2):
            before, now, changed = [], [], []
            for table in tables:
                pairs = np.triu_indices(table.shape[1], 1)
                true = np.corrcoef(table.T)[pairs]
                for seed in range(2):
                    release = released(table, (-1, 1), rho, seed, passes)
                    estimate, rule = (
                        correlation_of(release.covariance())[pairs],
                        release.correlation()[pairs],
                    )
                    before.append((estimate - true) ** 2)
                    now.append((rule - true) ** 2)
                    changed.append((rule == 0) & (estimate != 0))
            before, now, changed = map(np.concatenate, (before, now, changed))
            text = f"{rho}, {passes}: {len(now)}, {before.mean() ** 0.5:.3f}, {now.mean() ** 0.5:.3f}; {changed.sum()}"
            if changed.any():
                text += f", {before[changed].mean() ** 0.5:.3f}, {now[changed].mean() ** 0.5:.3f}"
            print(text)


def one_factor():
    print("1000 columns: taken for constants by the noise of an entry; error by that, without a rule, now")
    columns, rows = 1000, 500
    signs = np.random.default_rng(3).choice([-0.9, 0.9], rows)
    table = np.outer(signs, np.ones(columns)) / np.sqrt(columns)
    pairs = np.triu_indices(columns, 1)

    def error(matrix):
        return np.mean((matrix[pairs] - 1) ** 2) ** 0.5

    for seed in (1, 2):
        release = dpcov.covariance(
            table, norm_bound=1.0, budget=dpcov.Rho(0.1), insecure_seed=seed
        )
        covariance = release.covariance()
        noise = np.diag(release.interval("covariance").standard_error)
        kept = np.diag(covariance) > 0.1 * noise
        estimate = correlation_of(covariance)
        by_entry = estimate * np.outer(kept, kept)
        errors = [error(matrix) for matrix in (by_entry, estimate, release.correlation())]
        print(f"{columns - kept.sum()}: " + ", ".join(f"{each:.2f}" for each in errors))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    constants()
    one_factor()
    errors(pathlib.Path(sys.argv[1]))
