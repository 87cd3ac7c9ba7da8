#!/usr/bin/env python3
"""Writes the tables of docs/derived.md from what dpcov-lab measured.

    research/pages/derived.py regression REGRESSION.csv AdaSSP.csv IHM.csv
    research/pages/derived.py components COMPONENTS.csv
    research/pages/derived.py coverage COVERAGE.csv

REGRESSION.csv is of `dpcov-lab regression`, COMPONENTS.csv of `dpcov-lab components`, COVERAGE.csv
of `dpcov-lab coverage`. AdaSSP.csv (name, epsilon, trivial, non-private, AdaSSP, ...) and IHM.csv
(metric, prep, set, epsilon, trivial, ols, adassp, ihm) are what others published. `components` draws
docs/figures/components.svg too, with gnuplot.
"""

import csv
import math
import subprocess
import sys

from repository import ROOT, markdown, put

PAGE = ROOT / "docs/derived.md"
PLOT = PAGE.parent / "figures/components.svg"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def count(flags):
    flags = list(flags)
    return f"{sum(flags)} of {len(flags)}"


def regression(measured_path, archive_path, ihm_path):
    measured = {(r["prep"], r["set"], float(r["epsilon"])): r for r in read(measured_path)}
    rows, ratios, below, near, safe = [], [], [], [], []
    for theirs in read(archive_path):
        ours = measured.get(("archive", theirs["name"], float(theirs["epsilon"])))
        if ours is None:
            continue
        error, rival = float(ours["clip"]), float(theirs["AdaSSP"])
        trivial = float(theirs["trivial"])
        below.append(error <= rival)
        near.append(error <= 1.001 * rival)
        safe.append(error <= 1.02 * trivial)
        ratios.append(error / rival)
        rows.append(
            [theirs["name"], theirs["epsilon"], f"{float(theirs['non-private']) / trivial:.3f}",
             f"{rival / trivial:.3f}", f"{error / trivial:.3f}"]
        )
    geometric = math.exp(sum(map(math.log, ratios)) / len(ratios))
    lines = [
        ["AdaSSP, archived: at or below", count(below)],
        ["the same, within 0.1 %", count(near)],
        ["geometric mean of our error over AdaSSP's", f"{geometric:.3f}"],
        ["at most 1.02 times the trivial error", count(safe)],
    ]
    ihm, adassp, rounded, safe = [], [], [], []
    for theirs in read(ihm_path):
        ours = measured.get((theirs["prep"], theirs["set"], float(theirs["epsilon"])))
        if ours is not None:
            error = float(ours[theirs["metric"]])
            ihm.append(error <= float(theirs["ihm"]))
            adassp.append(error <= float(theirs["adassp"]))
            # Theirs were published with four digits.
            rounded.append(float(f"{error:.4g}") <= float(theirs["ihm"]))
            safe.append(error <= 1.02 * float(theirs["trivial"]))
    lines += [
        ["Iterative Hessian Mixing: at or below", count(ihm)],
        ["the same, our error rounded to the four digits that theirs has", count(rounded)],
        ["AdaSSP by the same authors: at or below", count(adassp)],
        ["there, at most 1.02 times the trivial error", count(safe)],
    ]
    put(PAGE, "regression", markdown(["what", "cells"], lines) + "\n\n" +
        markdown(["set", "ε", "least squares", "AdaSSP", "dpcov"], rows))


# Colours and signs of docs/experiments.md's plots.
LOOKS = {
    "auto": ("auto", "#D55E00", 15),
    "gauss": ("gauss", "#0072B2", 5),
    "power": ("power method", "#009E73", 7),
    "em": ("em", "#CC79A7", 11),
}
PANELS = [("Adult", "2"), ("California housing", "5"), ("credit default", "10"), ("MNIST", "10")]


def curves(cells, table, count):
    """For each method its points (rho, share of the variance that is missed), by rho."""
    points = {}
    for (name, rho, components), shares in cells.items():
        if (name, components) == (table, count):
            for method, share in shares.items():
                points.setdefault(method, []).append((float(rho), 1 - share))
    return {method: sorted(of) for method, of in points.items()}


def plot_of_components(cells):
    data, panels = "", ""
    for i, (table, count) in enumerate(PANELS):
        lines = []
        for method, points in curves(cells, table, count).items():
            data += f"$p{i}{method} << EOD\n" + "".join(f"{x} {y}\n" for x, y in points) + "EOD\n"
            _, colour, sign = LOOKS[method]
            lines.append(f"$p{i}{method} with linespoints linewidth 1.5 pointtype {sign} pointsize 0.6 "
                         f"linecolor rgb '{colour}'")
        panels += (f"set title '{table}, K = {count}' font ',12' offset 0,-0.6\n"
                   + ("set ylabel 'share of the variance missed' offset 0.5,0\n" if i % 2 == 0 else "unset ylabel\n")
                   + f"plot {', '.join(lines)}\n")
    legend = ", ".join(f"NaN with linespoints linewidth 1.5 pointtype {sign} pointsize 0.6 linecolor rgb '{colour}' "
                       f"title '{title}'" for title, colour, sign in LOOKS.values())
    return f"""set encoding utf8
set terminal svg size 760,640 font 'Helvetica,12' background rgb 'white'
{data}set multiplot layout 2,2 margins screen 0.11,0.98,0.15,0.94 spacing screen 0.09,0.13
set logscale xy
set format x '10^{{%L}}'
set format y '10^{{%L}}'
set yrange [*:1.5]
set tics font ',10' nomirror
set border 3
set grid ytics linecolor rgb '#dddddd' linewidth 0.5
unset key
set xlabel 'ρ' offset 0,0.5
{panels}unset title
unset xlabel
unset ylabel
unset border
unset tics
unset logscale
unset grid
set lmargin screen 0.02
set rmargin screen 0.98
set bmargin screen 0
set tmargin screen 0.08
set key center center horizontal maxcols 4 width 1 samplen 2 nobox
plot [0:1] [0:1] {legend}
unset multiplot
"""


def budget_to_reach(points, missed):
    """The rho at which a curve misses that little, between its points on logarithmic axes; None
    beyond the last."""
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if y1 <= missed < y0:
            part = math.log(y0 / missed) / math.log(y0 / y1)
            return x0 * (x1 / x0) ** part
    return None


def two_digits(number):
    return f"{float(f'{number:.2g}'):g}"


def budgets_to_reach(cells):
    rows = []
    for table, count in PANELS:
        of = curves(cells, table, count)
        line = [table, count]
        for method in ("gauss", "power", "em"):
            points = of.get(method, [])
            ratios = [budget / rho for rho, missed in of["auto"]
                      if (budget := budget_to_reach(points, missed)) is not None]
            if ratios:
                line.append(f"{two_digits(min(ratios))} – {two_digits(max(ratios))} ({len(ratios)} of {len(points)})")
            else:
                line.append("never" if points else "")
        rows.append(line)
    return markdown(["table", "K", "gauss", "power method", "em"], rows)


def components(path):
    cells = {}
    for row in read(path):
        key = row["table"], row["rho"], row["components"]
        cells.setdefault(key, {})[row["method"]] = float(row["captured"])
    below = {key: max(c.values()) - c["auto"] for key, c in cells.items() if c["auto"] < max(c.values()) - 5e-4}
    names = sorted({f"{table} at K = {count}" for table, _, count in below})
    drawn = subprocess.run(["gnuplot"], input=plot_of_components(cells), capture_output=True, text=True, check=True)
    PLOT.write_text(drawn.stdout)
    rows = [
        [*key, *(f"{c[m]:.3f}" if m in c else "" for m in ("auto", "gauss", "em", "power"))]
        for key, c in cells.items()
        if "3" not in key[1]
    ]
    put(PAGE, "components", f"`auto` is at or above all others, but for 0.0005, in {len(cells) - len(below)} of "
        f"{len(cells)} cells" +
        (f"; the others are {', '.join(names)}, by at most {max(below.values()):.4f}" if below else "") + ".\n\n" +
        "The budget at which the others reach what `auto` captures, over its own: least and greatest, and at how "
        "many of the budgets they reach it at all within those measured.\n\n" + budgets_to_reach(cells) + "\n\n" +
        "Whole decades of the budgets measured:\n\n" +
        markdown(["table", "ρ", "K", "auto", "gauss", "em", "power method"], rows))


def coverage(path):
    measured = read(path)

    def line(name, rows):
        given = sum(int(r["given"]) for r in rows)
        inside = sum(int(r["inside"]) for r in rows)
        releases = sum(int(r["releases"]) for r in rows)
        if given == 0:
            return [name, "", "", "0 %"]
        share = inside / given
        error = math.sqrt(share * (1 - share) / given)
        return [name, f"{100 * share:.2f} %", f"{100 * error:.2f}", f"{100 * given / releases:.0f} %"]

    def group(*keys, of=measured):
        names = {}
        for row in of:
            names.setdefault(tuple(row[k] for k in keys), []).append(row)
        return names

    def share_of(row):
        return int(row["inside"]) / int(row["given"])

    def percent(share, digits=1):
        return f"{100 * share:.{digits}f} %"

    def by_chance(row):
        """The chance that an interval that covers 95 % is seen to cover less than 93 or more than 97."""
        n = int(row["given"])
        inside = range(math.ceil(0.93 * n), math.floor(0.97 * n) + 1)
        return 1 - sum(
            math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
                     + k * math.log(0.95) + (n - k) * math.log(0.05)) for k in inside)

    nearly_all = [r for r in measured if int(r["given"]) >= 0.9 * int(r["releases"]) > 0]
    right = [r for r in nearly_all if 0.93 <= share_of(r) <= 0.97]
    part = [r for r in measured if 0.05 <= int(r["given"]) / max(1, int(r["releases"])) < 0.9]
    wrong = max(int(r["wrong"]) / int(r["releases"]) for r in measured if int(r["releases"]))
    cells = (
        f"{max(int(r['releases']) for r in measured)} releases a cell. A cell is one quantity of one table, noise, "
        f"neighbours and budget. In {len(nearly_all)} of {len(measured)} cells nine of ten releases or more have an "
        f"interval: {len(right)} of them cover between 93 and 97 %, "
        f"{percent(min(map(share_of, nearly_all)), 2)} to {percent(max(map(share_of, nearly_all)), 2)}. By chance "
        f"{sum(map(by_chance, nearly_all)):.2g} would be outside.\n\n"
        f"In no cell are more than {percent(wrong)} of all releases wrong, wide intervals counted too.\n\n"
        f"In {len(part)} cells some releases have an interval, 5 to 90 % of them. There the noise decides which:\n\n"
    )
    few = [
        [name, len(rows), percent(sum(int(r["inside"]) for r in rows) / sum(int(r["given"]) for r in rows)),
         percent(min(map(share_of, rows))),
         percent(max(int(r["wrong"]) / int(r["releases"]) for r in rows))]
        for (name,), rows in group("quantity", of=part).items()
    ]
    cells += markdown(["given now and then", "cells", "covered", "least of a cell", "most wrong of all releases"],
                      few) + "\n\n"
    header = ["", "covered", "± standard error", "intervals given"]
    put(PAGE, "coverage", cells +
        markdown(["quantity", *header[1:]],
                 [line(k[0], rows) for k, rows in group("quantity").items()]) + "\n\n" +
        markdown(["table", *header[1:]],
                 [line(k[0], rows) for k, rows in group("table").items()]) + "\n\n" +
        markdown(["noise, neighbours, budget", *header[1:]],
                 [line(", ".join(k), rows)
                  for k, rows in group("noise", "neighbours", "budget").items()]))


if __name__ == "__main__":
    commands = {"regression": (regression, 3), "components": (components, 1), "coverage": (coverage, 1)}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    function, arguments = commands[sys.argv[1]]
    if len(sys.argv) != 2 + arguments:
        sys.exit(__doc__)
    function(*sys.argv[2:])
