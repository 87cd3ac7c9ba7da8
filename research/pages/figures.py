#!/usr/bin/env python3
"""Puts what `dpcov-lab experiment` measured into docs/experiments.md and docs/figures/.

    research/pages/figures.py RESULTS

RESULTS is the folder that was given as --out. Of every figure found there the plot is copied, and
the block between <!-- begin NAME --> and <!-- end NAME --> is written anew. Refuses quick results.
"""

import csv
import pathlib
import shutil
import sys

from repository import ROOT, names, with_block

PAGE = ROOT / "docs/experiments.md"
PLOTS = ROOT / "docs/figures"


def plot_and_table(results, name):
    with open(results / f"{name}.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    if any(row["quick"] == "yes" for row in rows):
        sys.exit(f"{results / name}.csv holds quick results; run without --quick")
    runs = rows[0]["runs"]
    table = (results / f"{name}.md").read_text().rstrip("\n")
    return f"![{name}](figures/{name}.svg)\n\n{runs} runs a point.\n\n{table}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    results = pathlib.Path(sys.argv[1])
    text = PAGE.read_text()
    PLOTS.mkdir(exist_ok=True)
    for name in names(text):
        if not (results / f"{name}.csv").exists():
            print(f"{name}: not in {results}, left as it is")
            continue
        shutil.copyfile(results / f"{name}.svg", PLOTS / f"{name}.svg")
        text = with_block(text, name, plot_and_table(results, name))
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
