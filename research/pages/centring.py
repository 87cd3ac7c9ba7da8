#!/usr/bin/env python3
"""How much the centred covariance errs on two real tables, by one or more builds of the program.

    research/pages/centring.py DATA RUNS PROGRAM... [-- OPTION...]

DATA is the folder with california_housing and adult; OPTIONs go to every `dpcov estimate` (default: --center --rho 0.1). Prints
the Markdown table of docs/research-log.md: mean Frobenius error over RUNS seeds, with its standard error, and with --center
the mean of the greatest error of a correlation. Needs numpy.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from real_data import adult, housing


def correlations(covariance):
    deviations = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    return np.clip(covariance / np.outer(deviations, deviations), -1, 1)


def main():
    arguments = sys.argv[1:]
    options = ["--center", "--rho", "0.1"]
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1 :]
    folder, runs, programs = pathlib.Path(arguments[0]), int(arguments[1]), arguments[2:]
    print("| table | program | error | ± | greatest error of a correlation | ± |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as work:
        for name, rows in (("California housing", housing(folder)), ("Adult", adult(folder))):
            np.save(f"{work}/rows.npy", rows)
            truth = rows.T @ rows / len(rows)
            if "--center" in options:
                truth -= np.outer(rows.mean(0), rows.mean(0))
            for number, program in enumerate(programs):
                moment = f"{work}/{len(rows)}-{number}.moment"
                subprocess.run([program, "moment", "add", f"{work}/rows.npy", "--into", moment, "--norm-bound", str(float(np.sqrt(rows.shape[1]))), "--quiet"], check=True)
                errors, greatest = [], []
                for seed in range(runs):
                    output = subprocess.run([program, "estimate", moment, *options, "--insecure-seed", str(seed), "--quiet", "--output", "-"], check=True, capture_output=True, text=True).stdout
                    released = np.loadtxt(output.splitlines(), delimiter=",")
                    errors.append(np.linalg.norm(released - truth))
                    greatest.append(np.abs(correlations(released) - correlations(truth)).max())
                print(f"| {name} | {program} | {np.mean(errors):.5f} | {np.std(errors) / runs**0.5:.5f} | {np.mean(greatest):.4f} | {np.std(greatest) / runs**0.5:.4f} |", flush=True)


if __name__ == "__main__":
    main()
