#!/usr/bin/env python3
"""Errors of `auto` on real tables, by several builds of the program or beside clipping in hindsight.

    research/pages/real_tables.py DATA RUNS PROGRAM [PROGRAM...]

DATA is the folder with adult, california_housing, credit_default, wine_quality and uci_regression.
Each table of at least 1000 rows is taken three ways: mapped from its columns' least and greatest
values to [-1, 1] ("bounds"); the same about its mean ("moved"); and with columns of variance 1, rows
clipped to 1.3 times the 99 % quantile of their norms ("scaled"). Budgets are rho = 0.1 and 0.01 and epsilon = 1.
For each program but the first, prints the geometric mean of its Frobenius errors over the first one's,
means of RUNS seeds, and in how many tables it errs 5 % less and more. At the end, the same for
`gauss` with the norm bound at that quantile of the norms that errs least, which nobody knows
beforehand. Needs NumPy.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from real_data import (
    adult,
    credit_numbers,
    housing,
    numbers,
    regression_sets,
    wine_numbers,
)

BUDGETS = {"ρ = 0.1": ["--rho", "0.1"], "ρ = 0.01": ["--rho", "0.01"], "ε = 1": ["--epsilon", "1"]}
QUANTILES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1)


def tables(folder):
    yield "adult", adult(folder)
    yield "housing", housing(folder)
    yield "credit", credit_numbers(folder)
    for colour in ("white", "red"):
        yield f"wine-{colour}", wine_numbers(folder, colour)
    for name, path in regression_sets(folder).items():
        yield name, numbers(path)


def ways(rows):
    """Rows and their norm bound, by name."""
    low, high = rows.min(0), rows.max(0)
    varies = high > low
    mapped = (rows - (low + high) / 2)[:, varies] / ((high - low) / 2)[varies]
    mean = mapped.mean(0)
    scaled = (mapped - mean) / mapped.std(0)
    norms = np.linalg.norm(scaled, axis=1)
    bound = 1.3 * np.quantile(norms, 0.99)
    scaled *= np.minimum(1, bound / np.maximum(norms, 1e-12))[:, None]
    yield "bounds", mapped, mapped.shape[1] ** 0.5
    yield "moved", mapped - mean, np.linalg.norm(1 + abs(mean))
    yield "scaled", scaled, bound


def errors_of(program, method, path, rows, bound, budget, runs):
    """Frobenius errors of the second moment, one a seed."""
    truth = rows.T @ rows / len(rows)
    output = path.with_suffix(".out.npy")
    errors = []
    for seed in range(runs):
        command = [program, "estimate", path, *budget, "--norm-bound", repr(float(bound) * (1 + 1e-6))]
        command += ["--method", method, "--threads", "1", "--quiet", "--output", output]
        subprocess.run([*command, "--insecure-seed", str(seed)], check=True)
        errors.append(np.linalg.norm(np.load(output) - truth))
    return errors


def main():
    folder, runs, programs = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    ratios = {name: [] for name in [*programs[1:], "clipped in hindsight"]}
    cells = []
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "table.npy"
        for table, all_rows in tables(folder):
            if len(all_rows) < 1000:
                continue
            for way, rows, bound in ways(all_rows):
                np.save(path, rows)
                norms = np.linalg.norm(rows, axis=1)
                for name, budget in BUDGETS.items():
                    first, *others = (
                        np.mean(errors_of(program, "auto", path, rows, bound, budget, runs))
                        for program in programs
                    )
                    clipped = min(
                        np.mean(
                            errors_of(
                                programs[0],
                                "gauss" if "--rho" in budget else "wishart",
                                path,
                                rows,
                                float(np.quantile(norms, quantile)),
                                budget,
                                runs,
                            )
                        )
                        for quantile in QUANTILES
                    )
                    cells.append((table, way, name))
                    for key, error in zip(ratios, [*others, clipped], strict=True):
                        ratios[key].append(np.log(error / first))
            print(f"real_tables.py: {table} done", file=sys.stderr, flush=True)

    print("| over the first program | cells | all | 5 % less | 5 % more | least | greatest |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for key, values in ratios.items():
        logs = np.array(values)
        groups = {"all": np.full(len(cells), True)}
        for place in (1, 2):
            for group in dict.fromkeys(cell[place] for cell in cells):
                groups[group] = np.array([cell[place] == group for cell in cells])
        for group, chosen in groups.items():
            part = logs[chosen]
            print(
                f"| {key} | {group}, {len(part)} | {np.exp(part.mean()):.3f} | {(part < np.log(0.95)).sum()} "
                f"| {(part > np.log(1.05)).sum()} | {np.exp(part.min()):.2f} | {np.exp(part.max()):.2f} |"
            )


if __name__ == "__main__":
    main()
