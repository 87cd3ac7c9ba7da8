#!/usr/bin/env python3
"""Measures everything in docs/accuracy.md but its last table, and writes the tables into it.

    research/pages/accuracy.py --data DIR --out RESULTS [--runs 50] [--tables-only]

Runs the figures of the paper, the oracle and the ablations with build/release/research/dpcov-lab, some
four hours of processor time for 50 runs a setting; auto on tables of at most 32 columns, where a run
is short and deviates more, 1000 times. Figures go on where they were stopped; oracle and
ablations are made once and kept in RESULTS. With --tables-only nothing is run.
"""

import argparse
import csv
import pathlib
import subprocess
import sys

from repository import ROOT, markdown, with_block

PAGE = ROOT / "docs/accuracy.md"
LAB = ROOT / "build/release/research/dpcov-lab"
ZCDP = ["fig1", "fig2a", "fig2b", "fig2c", "fig2d"]
REAL = ["fig3", "fig4", "fig5"]
PURE = ["fig6", "fig7"]
NARROW = {"fig1", "fig2b", "fig4", "fig6", "fig7"}  # have points of at most 32 columns
ABLATIONS = {"ablation": [], "ablation-pure": ["--pure"], "ablation-loose": ["--loose"]}


def keep_output(path, command):
    """Runs `command` into `path`, whole or not at all, unless it is there."""
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        with open(unfinished, "w") as file:
            subprocess.run(command, stdout=file, check=True)
        unfinished.rename(path)


def measure(data, out, runs):
    out.mkdir(parents=True, exist_ok=True)
    for name in ZCDP + REAL + PURE:
        command = [LAB, "experiment", name, "--runs", str(runs)]
        subprocess.run([*command, "--data", data, "--out", out], check=True)
        if name in NARROW:
            command = [LAB, "experiment", name, "--mechanism", "auto"]
            command += ["--max-columns", "32", "--runs", "1000"]
            subprocess.run([*command, "--data", data, "--out", out / "narrow"], check=True)
    oracle = [LAB, "oracle", *ZCDP, *REAL, *PURE]
    keep_output(out / "oracle.csv", [*oracle, "--data", data])
    for name, options in ABLATIONS.items():
        keep_output(out / f"{name}.csv", [LAB, "ablation", "--runs", "10", *options])
    keep_output(out / "estimated-error.csv", [LAB, "estimated-error"])


def comparison(out, names, options=()):
    """A table of auto beside the best published error. What is to be said of it goes to stderr."""
    program = ROOT / "research/pages/accuracy_table.py"
    results = [out / f"{name}.csv" for name in names]
    results += [out / f"narrow/{name}.csv" for name in names if name in NARROW]
    command = [sys.executable, program, *options, "--oracle", out / "oracle.csv", *results]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def without_column(table, column):
    lines = [line.split("|") for line in table.split("\n")]
    return "\n".join("|".join(line[:column] + line[column + 1 :]) for line in lines)


def rounded(value):
    return value if value.isdigit() else f"{float(value):.3g}"


def ablation(out, name, budget):
    with open(out / f"{name}.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = ["d", "n", "N", budget, "zero", "noise", "oracle", "shrunk", "apart", "together"]
    heads = ["d", "n", "N", budget, "zero", "(a)", "oracle", "(d)", "(e)", "(f)"]
    return markdown(heads, [[rounded(row[column]) for column in columns] for row in rows])


def loose(out):
    with open(out / "ablation-loose.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    rows.sort(key=lambda row: (row["rho_or_epsilon"], row["N"], -float(row["length"])))
    cells = []
    for row in rows:
        # The program's pure settings have epsilon 0.8, its others rho 0.1.
        sign = "ρ" if row["rho_or_epsilon"] == "0.1" else "ε"
        share = float(row["together"]) / float(row["zero"])
        length = f"1/{round(1 / float(row['length']))}"
        cell = [row["N"], f"{sign} = {row['rho_or_epsilon']}", length]
        cell += [rounded(row[column]) for column in ("zero", "apart", "together")]
        cells.append([*cell, f"{share:.3f}"])
    heads = ["N", "budget", "rows are", "zero", "(e)", "(f)", "(f) / zero"]
    return markdown(heads, cells)


def estimated_errors(out):
    with open(out / "estimated-error.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    cells = []
    for row in rows:
        share = float(row["estimated"]) / float(row["error"])
        cell = [row[column] for column in ("d", "n", "N", "rho", "tables", "error")]
        cells.append([*cell, f"{share:.2f}", f"{float(row['lowest']):.2f}", f"{float(row['highest']):.2f}"])
    heads = ["d", "n", "N", "rho", "tables", "error", "estimated / true", "lowest", "highest"]
    return markdown(heads, cells)


def write(out):
    no_bins = 4  # the column N means nothing for real data
    tables = {
        "ablation": ablation(out, "ablation", "rho"),
        "loose": loose(out),
        "synthetic": comparison(out, ZCDP),
        "real": without_column(comparison(out, REAL), no_bins),
        "estimated-error": estimated_errors(out),
        "pure": comparison(out, PURE, ["--pure"]),
        "ablation-pure": ablation(out, "ablation-pure", "epsilon"),
    }
    text = PAGE.read_text()
    for name, table in tables.items():
        text = with_block(text, name, table)
    PAGE.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder with the real data")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the results")
    parser.add_argument("--runs", type=int, default=50, help="runs a setting (default 50)")
    parser.add_argument("--tables-only", action="store_true", help="run nothing")
    arguments = parser.parse_args()
    if not arguments.tables_only:
        if arguments.data is None:
            parser.error("the figures of real data need --data")
        measure(arguments.data, arguments.out, arguments.runs)
    write(arguments.out)


if __name__ == "__main__":
    main()
