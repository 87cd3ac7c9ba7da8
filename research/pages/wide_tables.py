#!/usr/bin/env python3
"""Errors of `auto` on wide tables, by two builds of the program.

    research/pages/wide_tables.py DATA RUNS BEFORE NOW

The tables are those of wide_means.py with more than 200 columns, 1500 words, and made-up ones. The
norm bound is the greatest norm of a row, and 1.3 times that. Prints a Markdown table: the mean
Frobenius error of RUNS seeds of NOW over that of BEFORE, with its standard error. Needs the Python
package, for wide_means.py, and scikit-learn.
"""

import pathlib
import sys
import tempfile

import numpy as np
import wide_means
from real_tables import errors_of

BUDGETS = {"ρ = 0.1": ["--rho", "0.1"], "ρ = 1": ["--rho", "1"], "ε = 4": ["--epsilon", "4"]}
LOOSE = (1.0, 1.3)


def one_length(rng, n=12000, d=400):
    rows = rng.normal(size=(n, d)) / np.sqrt(1 + np.arange(d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) * rng.uniform(0.55, 0.62, (n, 1))


def factors(rng, n=12000, d=400):
    return rng.normal(size=(n, 10)) @ rng.normal(0, 0.5, (10, d)) + 0.3 * rng.normal(size=(n, d))


def heavy_tails(rng, n=12000, d=400):
    rows = rng.normal(size=(n, d)) / np.sqrt(1 + np.arange(d))
    return rows / np.sqrt(rng.chisquare(3, (n, 1)) / 3)


def two_lengths(rng, n=12000, d=400):
    few = rng.normal(size=(n // 2, 3)) @ rng.normal(size=(3, d))
    many = rng.normal(size=(n // 2, d)) / np.sqrt(1 + np.arange(d))
    parts = [(few, 0.9), (many, 0.35)]
    return np.vstack([x * r / np.linalg.norm(x, axis=1, keepdims=True) for x, r in parts])


def tables(folder):
    for name, rows in wide_means.tables(folder):
        if rows.shape[1] > 200:
            yield name, rows
    yield "1500 words", wide_means.word_counts(folder, 1500)
    for seed, table in enumerate((one_length, factors, heavy_tails, two_lengths)):
        yield table.__name__.replace("_", " "), table(np.random.default_rng(seed))


def ratio(program_errors):
    before, now = (np.array(errors) for errors in program_errors)
    spread = np.hypot(*(x.std(ddof=1) / x.mean() / np.sqrt(len(x)) for x in (before, now)))
    value = now.mean() / before.mean()
    return value, f"{value:.3f} ± {value * spread:.3f}"


def main():
    folder, runs, programs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    columns = [f"{name}, {loose:g}" for name in BUDGETS for loose in LOOSE]
    print("| table | d |", " | ".join(columns), "|")
    print("| --- " * (len(columns) + 2) + "|")
    logs = []
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "table.npy"
        for name, rows in tables(folder):
            np.save(path, rows)
            greatest = np.linalg.norm(rows, axis=1).max()
            cells = []
            for budget in BUDGETS.values():
                for loose in LOOSE:
                    bound = loose * greatest
                    value, text = ratio(
                        errors_of(program, "auto", path, rows, bound, budget, runs)
                        for program in programs
                    )
                    logs.append(np.log(value))
                    cells.append(text)
            print(f"| {name} | {rows.shape[1]} |", " | ".join(cells), "|", flush=True)
    print(f"geometric mean {np.exp(np.mean(logs)):.3f}, {len(logs)} cells")


if __name__ == "__main__":
    main()
