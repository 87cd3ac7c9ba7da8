#!/usr/bin/env python3
"""Means and correlations from one dpcov release, beside methods that spend the whole budget on one of them.

    research/pages/single_tasks.py run --data DIR --out OUT [--runs R] [--tables NAME ...]
    research/pages/single_tasks.py page --out OUT

`run` writes OUT/TABLE.csv, a line for every table, budget, method, setting and run; `page` writes the
tables of docs/single-tasks.md and its plot from those files. DIR is the folder with adult,
california_housing, credit_default, wine_quality and mnist. Methods of others are in rival_means.py and
rival_correlations.py. `run` needs dpcov, diffprivlib, opendp and SciPy, `page` matplotlib.
"""

import argparse
import csv
import math
import os
import pathlib
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import peers  # noqa: E402
import plots  # noqa: E402
import rival_correlations  # noqa: E402
import rival_means  # noqa: E402
from real_data import wine_numbers  # noqa: E402
from repository import ROOT, markdown, put  # noqa: E402

PAGE = ROOT / "docs/single-tasks.md"
PLOT = ROOT / "docs/figures/single_tasks.svg"
DELTA = 1e-6
BUDGETS = {
    "ρ = 0.01": ("rho", 0.01),
    "ρ = 0.1": ("rho", 0.1),
    "ρ = 1": ("rho", 1.0),
    "ε = 1, δ = 10⁻⁶": ("approximate", 1.0),
    "ε = 0.1": ("epsilon", 0.1),
    "ε = 1": ("epsilon", 1.0),
}
WINE = [(3, 16), (0, 2), (0, 2), (0, 70), (0, 0.7), (0, 300), (0, 450), (0.98, 1.04), (2.5, 4.1),
        (0, 2.1), (8, 15), (0, 10)]  # fmt: skip
ADULT_NAMES = ["age", "final weight", "years of education", "capital gain", "capital loss", "hours a week"]
ROWS = 20_000  # of a table that is drawn


def drawn(kind, d):
    rng = np.random.default_rng(d)
    factor = math.sqrt(0.5)
    if kind == "isotropic":
        return 0.05 * rng.normal(size=(ROWS, d))
    common = rng.normal(size=(ROWS, 1))
    values = factor * common + factor * rng.normal(size=(ROWS, d))
    if kind == "off centre":
        return 0.6 + 0.05 * values
    return 0.05 * values / np.sqrt(rng.chisquare(3, (ROWS, 1)) / 3)


DRAWN = {
    "isotropic": ("isotropic", 10),
    "isotropic, wide": ("isotropic", 100),
    "off centre": ("off centre", 10),
    "heavy tails": ("heavy tails", 10),
}
REAL = ("Adult, three columns", "Adult", "California housing", "red wine", "white wine", "credit default", "MNIST")
TABLES = (*REAL, *DRAWN)


def load(name, folder):
    """Return values and their public bounds."""
    if name in DRAWN:
        values = drawn(*DRAWN[name])
        return values, [(-1, 1)] * values.shape[1]
    if "wine" in name:
        return wine_numbers(folder, name.split()[0]), WINE
    values, bounds, *_ = peers.load(name.split(",")[0], folder)
    if "three" in name:
        return values[:, [0, 2, 5]], [bounds[j] for j in (0, 2, 5)]
    return values, bounds


def dpcov_budget(kind, amount):
    import dpcov

    if kind == "approximate":
        return dpcov.ApproximateDP(amount, DELTA)
    return dpcov.Rho(amount) if kind == "rho" else dpcov.Epsilon(amount)


def release_of(rows, budget, seed, **options):
    import dpcov

    return dpcov.covariance(
        rows, bounds=(-1, 1), budget=dpcov_budget(*budget), insecure_seed=seed, threads=1, **options
    )


def errors_of(correlations, truth):
    """The greatest and the root mean square error, over pairs of columns that vary."""
    difference = (correlations - truth)[np.triu_indices(len(truth), 1)]
    return float(np.abs(difference).max()), float(np.sqrt(np.mean(difference**2)))


def settings_of(answer):
    return answer.items() if isinstance(answer, dict) else [("", answer)]


class Table:
    """A table's rows, mapped, and what is true of them."""

    def __init__(self, name, folder):
        self.values, bounds = load(name, folder)
        self.rows = np.ascontiguousarray(peers.mapped(self.values, bounds))
        greatest = np.abs(np.array(bounds, float)).max(1)
        lower, upper = np.array(bounds, float).T
        self.half_ranges = (upper - lower) / 2
        self.about_zero = np.clip(self.values, lower, upper) / greatest
        self.mean = self.rows.mean(0)
        self.varies = np.ptp(self.rows, axis=0) > 0
        self.truth = np.corrcoef(self.rows[:, self.varies].T)
        narrow = self.rows.shape[1] <= 30
        self.taus = rival_correlations.kendall_taus(self.rows) if narrow else None

    def of_varying(self, correlations):
        return correlations[np.ix_(self.varies, self.varies)]


def dpcov_answers(table, budget, seed):
    """Of one release in one pass and of one in two: means and correlations."""
    for name, passes in (("dpcov", 1), ("dpcov, two passes", 2)):
        release = release_of(table.rows, budget, seed, passes=passes)
        yield name, release.mean(), release.correlation()


def mean_answers(table, kind, amount, rng, packages):
    rows = table.rows
    if kind == "epsilon":
        yield "Laplace", rival_means.laplace(rows, amount, rng)
        yield "K-norm", rival_means.cube(rows, amount, rng)
        yield "clipped", rival_means.pure_clipped(rows, amount, rng)
        if packages:
            yield "diffprivlib", rival_means.diffprivlib(rows, amount, rng)
    else:
        rho = rival_means.rho_of(amount, DELTA) if kind == "approximate" else amount
        yield "Gaussian", rival_means.gaussian(rows, rho, rng)
        yield "shifted clipped", rival_means.shifted_clipped(rows, rho, rng)
        yield "CoinPress, told", rival_means.coinpress(rows, rho, rng)
        yield "PLAN", rival_means.plan(rows, rho, rng)
    if packages and kind != "approximate":
        yield "OpenDP", rival_means.opendp(rows, amount, kind == "epsilon")


def correlation_answers(table, budget, rng, seed):
    kind, amount = budget
    pure = kind == "epsilon"
    rho = rival_means.rho_of(amount, DELTA) if kind == "approximate" else amount
    if pure:
        yield "about zero", rival_correlations.single_products(table.about_zero, amount, True, rng)
    else:
        yield "about zero", rival_correlations.whole_matrix(table.about_zero, rho, rng)
        yield "whole matrix", rival_correlations.whole_matrix(table.rows, rho, rng)
    yield "single products", rival_correlations.single_products(table.rows, rho, pure, rng)
    if table.taus is not None:
        yield "Kendall", rival_correlations.kendall(table.taus, len(table.rows), rho, pure, rng)
    # Methods of whole covariances, as their papers have them; dpcov has their code.
    for name, method in (("AdaptiveCov", "adaptive"), ("CoinPress", "coinpress")):
        if pure and method == "coinpress":
            continue
        release = release_of(table.rows, budget, seed, method=method, variant="paper", center=True)
        yield name, release.correlation()


FIELDS = ["table", "n", "d", "budget", "task", "method", "setting", "run", "error", "rms"]


def measure(name, folder, runs, file):
    table = Table(name, folder)
    n, d = table.rows.shape
    lines = csv.writer(file)
    lines.writerow(FIELDS)
    seconds = {}

    def timed(answers):
        start = time.process_time()
        for answer in answers:
            key = answer[0]
            seconds[key] = seconds.get(key, 0) + time.process_time() - start
            yield answer
            start = time.process_time()

    for budget_name, budget in BUDGETS.items():
        for run in range(runs):
            rng = np.random.default_rng([TABLES.index(name), list(BUDGETS).index(budget_name), run])

            def write_mean(method, answer, budget_name=budget_name, run=run):
                for setting, mean in settings_of(answer):
                    error = np.clip(mean, -1, 1) - table.mean
                    lines.writerow([name, n, d, budget_name, "mean", method, setting, run,
                                    np.linalg.norm(error), ""])  # fmt: skip
                    if name == "Adult":
                        for j, e in enumerate(error * table.half_ranges):
                            lines.writerow([name, n, d, budget_name, ADULT_NAMES[j], method, setting,
                                            run, abs(e), ""])  # fmt: skip

            def write_correlations(method, answer, budget_name=budget_name, run=run):
                errors = errors_of(table.of_varying(answer), table.truth)
                lines.writerow([name, n, d, budget_name, "correlation", method, "", run, *errors])

            for method, mean, correlations in timed(dpcov_answers(table, budget, run)):
                write_mean(method, mean)
                write_correlations(method, correlations)
            for method, mean in timed(mean_answers(table, *budget, rng, run < 10 and d < 100)):
                write_mean(method, mean)
            for method, correlations in timed(correlation_answers(table, budget, rng, run)):
                write_correlations(method, correlations)
        file.flush()
    # Released nothing, and known of it that it is nothing.
    for budget_name in BUDGETS:
        lines.writerow([name, n, d, budget_name, "correlation", "zero", "", 0,
                        *errors_of(np.eye(len(table.truth)), table.truth)])  # fmt: skip
        if table.taus is not None:
            exact = np.sin(math.pi / 2 * table.taus)
            lines.writerow([name, n, d, budget_name, "correlation", "Kendall, no noise", "", 0,
                            *errors_of(table.of_varying(exact), table.truth)])  # fmt: skip
    print(name, {key: round(value, 1) for key, value in seconds.items()}, file=sys.stderr, flush=True)


def run(arguments):
    warnings.simplefilter("ignore")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.tables:
        with open(arguments.out / f"{peers.file_name(name)}.csv", "w", newline="") as file:
            measure(name, arguments.data, arguments.runs, file)



# The page


class Measured:
    """Mean errors by table, budget, task and method: the best setting's, where there are several."""

    def __init__(self, folder):
        self.sizes, sums = {}, {}
        for name in TABLES:
            path = folder / f"{peers.file_name(name)}.csv"
            for row in peers.read(path) if path.exists() else []:
                self.sizes[name] = (int(row["n"]), int(row["d"]))
                key = name, row["budget"], row["task"], row["method"], row["setting"]
                sums.setdefault(key, []).append((float(row["error"]), float(row["rms"] or "nan")))
        self.of_setting, self.error, self.rms = {}, {}, {}
        for (*key, setting), errors in sums.items():
            error, rms = np.mean(errors, axis=0)
            self.of_setting[(*key, setting)] = error
            if error <= self.error.get(tuple(key), math.inf):
                self.error[tuple(key)], self.rms[tuple(key)] = error, rms

    def row(self, errors, name, budget, task):
        """Errors by method."""
        return {k[3]: e for k, e in errors.items() if k[:3] == (name, budget, task)}

    def cells(self):
        return [(name, budget) for name in TABLES if name in self.sizes for budget in BUDGETS]


OURS = ("dpcov", "dpcov, two passes")
NO_RIVALS = (*OURS, "zero", "Kendall, no noise", "CoinPress, told")  # the last two are not private


def is_pure(budget):
    return BUDGETS[budget][0] == "epsilon"


def best_of(errors):
    return min(e for method, e in errors.items() if method not in NO_RIVALS)


def number(value):
    """Two digits."""
    return "" if value is None else f"{float(f'{value:.2g}'):g}"


def table_of(measured, errors, task, budgets, methods):
    """A line for each table and budget, and what dpcov's errors are over the best of the others'."""
    lines, last = [], None
    for name, budget in measured.cells():
        if budget not in budgets:
            continue
        row = measured.row(errors, name, budget, task)
        best = best_of(row)
        n, d = measured.sizes[name]
        lines.append([f"{name}, {n} × {d}" if name != last else "", budget,
                      *(number(row.get(m)) for m in methods),
                      ", ".join(number(row[m] / best) for m in OURS)])  # fmt: skip
        last = name
    header = ["table", "budget", *methods, "over the best other"]
    return markdown(header, lines)


def ratios_to(measured, errors, task, method, budgets, ours, setting=None):
    ratios = []
    for name, budget in measured.cells():
        row = measured.row(errors, name, budget, task)
        other = best_of(row) if method is None else row.get(method)
        if setting is not None:
            other = measured.of_setting.get((name, budget, task, method, setting))
        if budget in budgets and other is not None:
            ratios.append(row[ours] / other)
    return np.array(ratios)


def summary(measured, errors, task, methods, budgets):
    """Of dpcov's error over another's: geometric mean, greatest, cells within 5 % of it or below."""
    lines = []
    for label, method, setting in methods:
        cells = []
        for ours in OURS:
            ratios = ratios_to(measured, errors, task, method, budgets, ours, setting)
            if len(ratios) == 0:
                break
            within = int((ratios <= 1.05).sum())
            mean = np.exp(np.log(ratios).mean())
            cells += [f"{mean:.2f}", f"{number(ratios.min())} – {number(ratios.max())}",
                      f"{within} of {len(ratios)}"]  # fmt: skip
        if cells:
            lines.append([label, *cells])
    header = ["dpcov's error over that of", "one pass", "least – greatest", "at most 1.05",
              "two passes", "least – greatest", "at most 1.05"]  # fmt: skip
    return markdown(header, lines)


GAUSSIAN = [b for b in BUDGETS if not is_pure(b)]
PURE = [b for b in BUDGETS if is_pure(b)]
MEANS = [
    ("the Gaussian mechanism", "Gaussian", None),
    ("OpenDP, Gaussian", "OpenDP", None),
    ("shifted clipped, as published", "shifted clipped", "rotated 0.25 0.25"),
    ("shifted clipped, best setting", "shifted clipped", None),
    ("PLAN, best setting", "PLAN", None),
    ("the best of all these", None, None),
    ("CoinPress, told the deviations, best setting", "CoinPress, told", None),
]
PURE_MEANS = [
    ("Laplace, by column", "Laplace", None),
    ("diffprivlib", "diffprivlib", None),
    ("OpenDP, Laplace", "OpenDP", None),
    ("K-norm, cube", "K-norm", None),
    ("clipped, best setting", "clipped", None),
    ("the best of all these", None, None),
]
CORRELATIONS = [
    ("the whole matrix, about zero", "about zero", None),
    ("the whole matrix, about the midpoints", "whole matrix", None),
    ("single products", "single products", None),
    ("AdaptiveCov", "AdaptiveCov", None),
    ("CoinPress", "CoinPress", None),
    ("Kendall", "Kendall", None),
    ("the best of all these", None, None),
    ("nothing: all correlations 0", "zero", None),
]


def page(arguments):
    measured = Measured(arguments.out)
    put(PAGE, "means", summary(measured, measured.error, "mean", MEANS, GAUSSIAN))
    put(PAGE, "pure-means", summary(measured, measured.error, "mean", PURE_MEANS, PURE))
    methods = [*OURS, "Gaussian", "OpenDP", "shifted clipped", "PLAN", "CoinPress, told"]
    put(PAGE, "means-by-table", table_of(measured, measured.error, "mean", GAUSSIAN, methods))
    methods = [*OURS, "Laplace", "diffprivlib", "OpenDP", "K-norm", "clipped"]
    put(PAGE, "pure-means-by-table", table_of(measured, measured.error, "mean", PURE, methods))
    lines = []
    for name in ADULT_NAMES:
        row = measured.row(measured.error, "Adult", "ρ = 0.1", name)
        methods = [*OURS, "Gaussian", "shifted clipped", "PLAN"]
        lines.append([name, *(number(row[m]) for m in methods)])
    put(PAGE, "columns", markdown(["column", *methods], lines))
    for block, errors in (("correlations", measured.rms), ("greatest", measured.error)):
        put(PAGE, block, "Under zCDP and (ε, δ):\n\n" +
            summary(measured, errors, "correlation", CORRELATIONS, GAUSSIAN) +
            "\n\nUnder pure DP:\n\n" +
            summary(measured, errors, "correlation", CORRELATIONS, PURE))  # fmt: skip
    methods = [*OURS, "zero", "about zero", "whole matrix", "single products", "AdaptiveCov",
               "CoinPress", "Kendall", "Kendall, no noise"]  # fmt: skip
    put(PAGE, "correlations-by-table", table_of(measured, measured.rms, "correlation", BUDGETS, methods))
    plot(measured)


def plot(measured):
    plt = plots.pyplot()
    from matplotlib.ticker import LogLocator, NullFormatter

    names = [name for name in TABLES if name in measured.sizes]
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True, layout="constrained")
    for axes, task, errors in zip(
        panels, ("mean", "correlation"), (measured.error, measured.rms), strict=True
    ):
        for ours, pure, color, marker, shift in (
            ("dpcov", False, "C0", "o", -0.24),
            ("dpcov, two passes", False, "C1", "s", -0.08),
            ("dpcov", True, "C2", "^", 0.08),
            ("dpcov, two passes", True, "C3", "v", 0.24),
        ):
            points = []
            for place, name in enumerate(names):
                for budget in PURE if pure else GAUSSIAN:
                    row = measured.row(errors, name, budget, task)
                    points.append((row[ours] / best_of(row), place + shift))
            label = f"{'one pass' if ours == 'dpcov' else 'two passes'}, {'ε' if pure else 'ρ and (ε, δ)'}"
            axes.plot(*zip(*points, strict=True), marker, color=color, label=label, markersize=4)
        axes.axvline(1, color="0.5", linewidth=1)
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_title({"mean": "means", "correlation": "correlations"}[task], fontsize=9)
        axes.set_xlabel("dpcov's error over the least of the others'")
        axes.grid(axis="x", color="0.9", linewidth=0.5)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    plots.finish(figure, panels[0], PLOT)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["run", "page"])
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    arguments = parser.parse_args()
    if arguments.command == "page":
        page(arguments)
    elif arguments.data is None:
        parser.error("run needs --data")
    else:
        run(arguments)
