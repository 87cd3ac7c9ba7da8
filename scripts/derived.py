#!/usr/bin/env python3
"""Writes the tables of docs/derived.md from what dpcov-lab measured.

    scripts/derived.py regression REGRESSION.csv AdaSSP.csv IHM.csv
    scripts/derived.py components COMPONENTS.csv
    scripts/derived.py coverage COVERAGE.csv

REGRESSION.csv is of `dpcov-lab regression`, COMPONENTS.csv of `dpcov-lab components`, COVERAGE.csv
of `dpcov-lab coverage`. AdaSSP.csv (name, epsilon, trivial, non-private, AdaSSP, ...) and IHM.csv
(metric, prep, set, epsilon, trivial, ols, adassp, ihm) are what others published.
"""

import csv
import math
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/derived.md"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def put(name, text):
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    page = PAGE.read_text()
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


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
    ihm, adassp, safe = [], [], []
    for theirs in read(ihm_path):
        ours = measured.get((theirs["prep"], theirs["set"], float(theirs["epsilon"])))
        if ours is not None:
            error = float(ours[theirs["metric"]])
            ihm.append(error <= float(theirs["ihm"]))
            adassp.append(error <= float(theirs["adassp"]))
            safe.append(error <= 1.02 * float(theirs["trivial"]))
    lines += [
        ["Iterative Hessian Mixing: at or below", count(ihm)],
        ["AdaSSP by the same authors: at or below", count(adassp)],
        ["there, at most 1.02 times the trivial error", count(safe)],
    ]
    put("regression", markdown(["what", "cells"], lines) + "\n\n" +
        markdown(["set", "ε", "least squares", "AdaSSP", "dpcov"], rows))


def components(path):
    cells = {}
    for row in read(path):
        key = row["table"], row["rho"], row["components"]
        cells.setdefault(key, {})[row["method"]] = float(row["captured"])
    best = [c["auto"] >= max(c.values()) - 5e-4 for c in cells.values()]
    rows = [
        [*key, *(f"{c[m]:.3f}" if m in c else "" for m in ("auto", "gauss", "em", "power"))]
        for key, c in cells.items()
    ]
    put("components", f"`auto` is at or above all others, but for 0.0005, in {count(best)} cells.\n\n" +
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
    put("coverage", cells +
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
