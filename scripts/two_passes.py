#!/usr/bin/env python3
"""What a mean that is released first would be worth, by which the rows are moved.

    scripts/two_passes.py DATA RUNS

DATA is the folder with california_housing and adult. Prints the Markdown table of
docs/research-log.md, as scripts/centring.py: mean Frobenius error over RUNS seeds, and the mean of
the greatest error of a correlation, each with its standard error. The first pass is NumPy's noise
on the mean, that of a row replaced; the second `auto` at the rest of rho = 0.1. "moved" keeps the
columns' units, and the norm bound is that of moved rows; "moved and scaled" divides each column by
half of its new range. Needs the Python package.
"""

import pathlib
import sys

import dpcov
import numpy as np
from centring import adult, correlations, housing

RHO = 0.1


def released(rows, norm_bound, rho, seed, **options):
    release = dpcov.covariance(
        rows, budget=dpcov.Rho(rho), norm_bound=norm_bound, insecure_seed=seed, threads=1, **options
    )
    return release.covariance()


def in_two_passes(rows, first_rho, seed, is_scaled):
    n, d = rows.shape
    deviation = 2 * d**0.5 / (n * (2 * first_rho) ** 0.5)
    mean = rows.mean(0) + np.random.default_rng(1000 + seed).normal(size=d) * deviation
    mean = np.clip(mean, -1, 1)
    reach = 1 + abs(mean)
    unit = reach if is_scaled else np.ones(d)
    bound = np.linalg.norm(reach / unit)
    return released((rows - mean) / unit, bound, RHO - first_rho, seed) * np.outer(unit, unit)


def main():
    folder, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    print("| table | way | first pass | error | ± | greatest error of a correlation | ± |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, rows in (("California housing", housing(folder)), ("Adult", adult(folder))):
        truth = np.cov(rows.T, bias=True)
        ways = [("joint mean, as now", None, None)]
        for rho in (0.002, 0.01):
            ways += [("moved", rho, False), ("moved and scaled", rho, True)]
        for way, first_rho, is_scaled in ways:
            errors, greatest = [], []
            for seed in range(runs):
                if first_rho is None:
                    estimate = released(rows, rows.shape[1] ** 0.5, RHO, seed, center=True)
                else:
                    estimate = in_two_passes(rows, first_rho, seed, is_scaled)
                errors.append(np.linalg.norm(estimate - truth))
                greatest.append(np.abs(correlations(estimate) - correlations(truth)).max())
            numbers = []
            for values in (errors, greatest):
                numbers += [np.mean(values), np.std(values) / runs**0.5]
            share = "" if first_rho is None else f"ρ = {first_rho}"
            cells = " | ".join(f"{x:.4f}" for x in numbers)
            print(f"| {name} | {way} | {share} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
