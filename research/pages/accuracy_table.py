#!/usr/bin/env python3
"""Turns results of dpcov-lab experiment into the tables of docs/accuracy.md.

    accuracy_table.py [--pure] [--oracle ORACLE.csv] RESULTS.csv ...
    accuracy_table.py --variants RESULTS.csv ...

The first: auto beside the best published error, under zCDP or, with --pure, pure DP. Where nobody
published one, the best of the paper's mechanisms in variant published stands there, if RESULTS have
it. ORACLE.csv is what dpcov-lab oracle printed. The second: every variant of the paper's mechanisms under
zCDP. Each setting appears once, however many figures have it. Standard library only.
"""

import argparse
import csv
import math
import pathlib
import sys

PUBLISHED = pathlib.Path(__file__).resolve().parent.parent / "published_errors.csv"
METHODS = ["gauss", "separate", "adaptive"]
VARIANTS = ["best", "paper", "published"]


def key(row):
    return (int(row["d"]), int(row["n"]), row["N"], float(row["rho_or_eps"]))


def read(path, privacy="zcdp"):
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return [row for row in rows if row["privacy"] == privacy]


def number(value):
    return "" if value is None else f"{value:.3g}"


def quotient_of_estimate(row, error):
    return float(row["mean_estimated_error"] or "nan") / error


def oracles(path, privacy):
    if path is None:
        return {}
    with open(path, newline="") as lines:
        return {
            (row["data"], *key(row)): float(row["oracle_error"])
            for row in csv.DictReader(lines)
            if row["privacy"] == privacy
        }


def print_auto(paths, privacy, oracle_path):
    oracle = oracles(oracle_path, privacy)
    published = {}
    for row in read(PUBLISHED, privacy):
        published.setdefault(key(row), []).append((float(row["mean_fro_error"]), row["mechanism"]))
    cells, measured_here = {}, {}
    for row in (row for path in paths for row in read(path, privacy)):
        method, variant, *_ = row["mechanism"].split(":")
        setting = (row["data"], *key(row))
        if (method, variant) == ("auto", "best"):
            cells[setting] = row
        elif variant == "published":
            here = (float(row["mean_fro_error"]), method + ", here")
            measured_here[setting] = min(here, measured_here.get(setting, here))
    budget = "epsilon" if privacy == "pure" else "rho"
    heads = ["data", "d", "n", "N", budget, "runs", "zero", "best of theirs", "auto", "ratio"]
    heads += ["auto / zero", "estimated / true"] + (["oracle"] if oracle else [])
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    logarithms, low, above_zero, off_estimates = {}, [], [], []
    order = sorted(cells, key=lambda c: (c[0] != "synthetic", c[0], int(c[3] or 0), *c[2:0:-1], c[4]))
    for setting, row in ((setting, cells[setting]) for setting in order):
        data, d, n, bins, share = setting
        error, zero = float(row["mean_fro_error"]), float(row["fro_norm_of_sigma"])
        theirs, method = None, ""
        if data == "synthetic" and setting[1:] in published:
            theirs, method = min(published[setting[1:]])
            logarithms.setdefault("N >= 2" if int(bins) >= 2 else "N = 1", []).append(
                math.log(theirs / error)
            )
            low += [setting] if theirs / error < (1.6 if privacy == "pure" else 1.3) else []
        elif setting in measured_here:
            theirs, method = measured_here[setting]
        above_zero += [setting] if error > 1.05 * zero else []
        quotient = quotient_of_estimate(row, error)
        off = error < zero / 2 and abs(quotient - 1) > 0.15
        off_estimates += [(setting, round(quotient, 3))] if off else []
        cells_of_row = [data, d, n, bins, f"{share:g}", row["runs"], number(zero)]
        cells_of_row += [f"{theirs:.3g} {method}" if theirs else "", number(error)]
        cells_of_row += [number(theirs / error if theirs else None)]
        cells_of_row += [f"{error / zero:.3f}", "" if math.isnan(quotient) else f"{quotient:.2f}"]
        cells_of_row += [number(oracle.get(setting))] if oracle else []
        print("| " + " | ".join(str(cell) for cell in cells_of_row) + " |")

    def say(what, value):
        print(f"{what}: {value}", file=sys.stderr)

    everything = [x for part in logarithms.values() for x in part]
    for name, part in [*logarithms.items(), ("all", everything)]:
        if part:
            mean = math.exp(sum(part) / len(part))
            say(f"geometric mean of {len(part)} ratios, {name}", f"{mean:.3g}")
    say("ratio too low", low)
    say("above 1.05 of zero", above_zero)
    say("estimated error off by more than 15 %, error below half of zero", off_estimates)


def print_variants(paths):
    published = {}
    for row in read(PUBLISHED):
        if row["mechanism"] in METHODS:
            published.setdefault(key(row), {})[row["mechanism"]] = float(row["mean_fro_error"])
    cells = {}
    for row in (row for path in paths for row in read(path)):
        method, variant, *_ = row["mechanism"].split(":")
        cell = cells.setdefault(key(row), {"zero": float(row["fro_norm_of_sigma"])})
        cell.setdefault("figure", row["figure"])
        cell[method, variant] = float(row["mean_fro_error"])
        cell[method, variant, "se"] = float(row["std_fro_error"]) / int(row["runs"]) ** 0.5

    heads = ["figure", "d", "n", "N", "rho", "zero"]
    for method in METHODS:
        heads += [f"{method}: theirs", *VARIANTS]
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    for (d, n, bins, rho), cell in cells.items():
        theirs = published.get((d, n, bins, rho), {})
        row = [cell["figure"], d, n, bins, f"{rho:g}", number(cell["zero"])]
        for method in METHODS:
            row.append(number(theirs.get(method)))
            row += [number(cell.get((method, variant))) for variant in VARIANTS]
        print("| " + " | ".join(str(entry) for entry in row) + " |")

    for method in METHODS:
        ratios = {
            setting: (cells[setting][method, "published"], theirs[method])
            for setting, theirs in published.items()
            if setting in cells and method in theirs
        }
        if not ratios:
            continue
        worst = max(ratios, key=lambda setting: ratios[setting][0] / ratios[setting][1])
        ours, other = ratios[worst]
        error = cells[worst][method, "published", "se"]
        print(
            f"{method}, published: worst ratio to the published code {ours / other:.3f} "
            f"at {worst} (ours {ours:.4g} +- {error:.2g}, theirs {other:.4g})",
            file=sys.stderr,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--pure", action="store_true", help="pure DP instead of zCDP")
    parser.add_argument("--variants", action="store_true", help="the paper's mechanisms instead")
    parser.add_argument("--oracle", help="the errors that dpcov-lab oracle printed")
    arguments = parser.parse_args()
    if arguments.variants:
        print_variants(arguments.results)
    else:
        print_auto(arguments.results, "pure" if arguments.pure else "zcdp", arguments.oracle)


if __name__ == "__main__":
    main()
