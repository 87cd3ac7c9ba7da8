#!/usr/bin/env python3
"""How much less a release of Gaussian noise errs at (1, 1e-6) by the exact trade-off curve than through zCDP.

    research/pages/gaussian_curve.py PROGRAM DATA RUNS

PROGRAM is the built `dpcov`, DATA the folder with california_housing. Prints the Markdown table of docs/research-log.md:
mean Frobenius error over RUNS seeds by either rho, on the same noise, with the ratio and its standard error. Needs numpy.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from real_data import housing

BEFORE = ["--rho", "0.024355970359538372"]  # the largest rho whose zCDP implies it
AFTER = ["--epsilon", "1", "--delta", "1e-6"]


def unit_rows(random, n, scales):
    rows = random.normal(size=(n, len(scales))) * scales
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def tables(folder):
    random = np.random.default_rng(1)
    yield "California housing, d = 9", housing(folder), 3.0
    yield "norms 1, d = 20, n = 40000", unit_rows(random, 40000, np.linspace(1, 0.05, 20)), 1.0
    long = unit_rows(random, 40000, 1 / np.arange(1, 51))
    yield "skewed norms, d = 50, n = 40000", long / (random.pareto(2, size=40000) + 1)[:, None], 1.0


def released(program, moment, options):
    command = [program, "estimate", moment, *options, "--quiet", "--output", "-"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return np.loadtxt(output.splitlines(), delimiter=",")


def main():
    program, data, runs = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    print("| table | method | centred | ρ = 0.0244 | ρ = 0.0280 | ratio | ± |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, rows, bound) in enumerate(tables(data)):
            table, moment = f"{folder}/{number}.npy", f"{folder}/{number}.moment"
            np.save(table, rows)
            subprocess.run([program, "moment", "add", table, "--into", moment, "--norm-bound", str(bound), "--quiet"], check=True)
            second_moment = rows.T @ rows / len(rows)
            covariance = second_moment - np.outer(rows.mean(0), rows.mean(0))
            for method in ("gauss", "auto"):
                for truth, centred in ((second_moment, []), (covariance, ["--center"])):
                    errors = np.array([[np.linalg.norm(released(program, moment, [*budget, "--method", method, "--insecure-seed", str(seed), *centred]) - truth)
                                        for budget in (BEFORE, AFTER)] for seed in range(runs)])
                    before, after = errors.mean(0)
                    spread = np.std(errors[:, 1] - after / before * errors[:, 0], ddof=1) / before / np.sqrt(runs)
                    print(f"| {name} | `{method}` | {'yes' if centred else 'no'} | {before:.5f} | {after:.5f} | {after / before:.3f} | {spread:.4f} |", flush=True)


if __name__ == "__main__":
    main()
