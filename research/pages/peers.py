#!/usr/bin/env python3
"""Runs dpcov, diffprivlib and OpenDP on the same tables with the same bounds and budgets.

    research/pages/peers.py run --data DIR --runs R --out DIR [--tables NAME ...] [--limit SECONDS]
    research/pages/peers.py page --out DIR

`run` writes OUT/TABLE.csv; `page` writes the tables of docs/peers.md and the plots of docs/figures
from those files and from what research/pages/peers_sampler.py wrote to the same folder. Every fit is a
process of its own with one thread; one that has no answer after LIMIT seconds of processor time is
given up. `run` needs dpcov, diffprivlib, opendp and scikit-learn, `page` matplotlib.
"""

import argparse
import csv
import gzip
import math
import multiprocessing
import os
import pathlib
import resource
import statistics
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
import plots  # noqa: E402
from repository import ROOT, markdown, put  # noqa: E402

PAGE = ROOT / "docs/peers.md"
BUDGETS = (0.1, 1.0, 10.0)
ERRORS = [0.4, 0.6, 1, 2, 4, 6]  # marked on the axis of regressions
DELTA = 1e-6
COMPONENTS = (1, 2, 5)
TABLES = ("Adult", "California housing", "credit default", "MNIST")
FIELDS = [
    "table",
    "rows",
    "columns",
    "task",
    "method",
    "epsilon",
    "components",
    "run",
    "value",
    "seconds",
    "status",
]

# Public: round numbers that hold for anybody, whoever is in the table.
ADULT = [(0, 100), (0, 1_000_000), (0, 20), (0, 100_000), (0, 5_000), (0, 100)]
HOUSING = [
    (-125, -114),
    (32, 42),
    (0, 60),
    (0, 40_000),
    (0, 10_000),
    (0, 40_000),
    (0, 10_000),
    (0, 20),
    (0, 600_000),
]
CREDIT = (
    [(0, 1_000_000), (0, 3), (0, 10), (0, 5), (0, 100)]
    + [(-2, 10)] * 6
    + [(-500_000, 1_000_000)] * 6
    + [(0, 1_000_000)] * 6
)


def file_name(table):
    return table.replace(" ", "_")


def text_rows(path, skip=0):
    with gzip.open(path, "rt") as file:
        return [[v.strip() for v in row] for row in csv.reader(file) if row][skip:]


def load(name, folder):
    """Return columns and their bounds, and of the regression the target, its bounds, a feature.

    The feature is for who takes one only.
    """
    if name == "Adult":
        rows = text_rows(folder / "adult/adult.data.gz")
        table = np.array([[float(r[j]) for j in (0, 2, 4, 10, 11, 12)] for r in rows])
        return table, ADULT, np.array([float(r[14] == ">50K") for r in rows]), (0, 1), 2
    if name == "California housing":
        rows = text_rows(folder / "california_housing/housing.csv.gz", 1)
        table = np.array([[float(v or 0) for v in r[:9]] for r in rows])  # no bedrooms: none
        return table, HOUSING, table[:, 8], HOUSING[8], 7
    if name == "credit default":
        rows = np.array(text_rows(folder / "credit_default/UCI_Credit_Card.csv.gz", 1), float)
        return rows[:, 1:24], CREDIT, rows[:, 24], (0, 1), 5
    with gzip.open(folder / "mnist/train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), np.uint8, 10_000 * 784, 16)
    return pixels.reshape(-1, 784).astype(float), [(0, 255)] * 784, None, None, None


def mapped(values, bounds):
    lower, upper = np.array(bounds, float).T
    return np.clip(2 * (values - lower) / (upper - lower) - 1, -1, 1)


def budget_of(method, epsilon):
    import dpcov

    return dpcov.ApproximateDP(epsilon, DELTA) if "δ" in method else dpcov.Epsilon(epsilon)


def opendp_module():
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    return dp


def components(method, rows, epsilon, count):
    """Return the first components that a method releases, (count, d), and a mean besides."""
    n, d = rows.shape
    if method.startswith("dpcov"):
        import dpcov

        release = dpcov.covariance(
            rows, bounds=(-1, 1), budget=budget_of(method, epsilon), threads=1
        )
        release.mean()
        return release.pca(count).components
    if method == "diffprivlib":
        from diffprivlib.models import PCA

        model = PCA(count, epsilon=epsilon, data_norm=math.sqrt(d), bounds=(-1, 1))
        return model.fit(rows).components_
    dp = opendp_module()
    # Its own map says that a row changed spends twice the `epsilon` that PCA is given.
    model = dp.sklearn.decomposition.PCA(
        epsilon=epsilon / 2, row_norm=math.sqrt(d), n_samples=n, n_features=d, n_components=count
    )
    spent = model._prepare_fitter().map(2)
    assert 0.999 * epsilon <= spent <= 1.001 * epsilon, spent
    return model.fit(rows).components_


def predictor(method, rows, target, epsilon, feature):
    """Return coefficients and intercept of a fit on columns mapped to [-1, 1]."""
    if method.startswith("dpcov"):
        from dpcov.sklearn import PrivateRidge

        model = PrivateRidge(
            budget=budget_of(method, epsilon), bounds=(-1, 1), target_bounds=(-1, 1), threads=1
        ).fit(rows, target)
    elif method == "diffprivlib":
        from diffprivlib.models import LinearRegression

        model = LinearRegression(epsilon=epsilon, bounds_X=(-1, 1), bounds_y=(-1, 1))
        model.fit(rows, target)
    elif method == "scikit-learn":
        from sklearn.linear_model import LinearRegression

        model = LinearRegression().fit(rows, target)
    else:
        dp = opendp_module()

        def fitter(scale):
            return dp.sklearn.linear_model.LinearRegression(
                dp.max_divergence(), x_bounds=[(-1, 1)], y_bounds=(-1, 1), scale=scale
            )

        scale = dp.binary_search(
            lambda s: fitter(s).measurement.map(2) <= epsilon, bounds=(1e-3, 1e5)
        )
        model = fitter(scale).fit(rows[:, [feature]], target)
        coefficients = np.zeros(rows.shape[1])
        coefficients[feature] = np.ravel(model.coef_)[0]
        return coefficients, float(np.ravel(model.intercept_)[0])
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])


def child(sender, limit, function, arguments):
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    start = time.process_time()
    try:
        answer, status = function(*arguments), "ok"
    except Exception as error:
        answer, status = None, " ".join(f"{type(error).__name__}: {error}".split())[:200]
    sender.send((answer, time.process_time() - start, status))


def timed(limit, function, *arguments):
    """Return a function's value, its processor seconds, and what became of it."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=child, args=(sender, limit, function, arguments))
    process.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError:
        answer = None, math.nan, f"no answer in {limit} s"
    process.join()
    return answer


def captured(covariance, axes):
    """Return the share of the best variance that the span of given axes holds."""
    axes = np.linalg.qr(np.asarray(axes).T)[0]
    best = np.linalg.eigvalsh(covariance)[::-1][: axes.shape[1]].sum()
    return float(np.trace(axes.T @ covariance @ axes) / best)


def run_components(rows, budgets, runs, limit, write):
    covariance = np.cov(rows.T, bias=True)
    for epsilon in budgets:
        for method in ("dpcov", "dpcov (ε, δ)"):
            for run in range(runs):
                # One release for all numbers of components.
                axes, seconds, status = timed(
                    10 * limit, components, method, rows, epsilon, COMPONENTS[-1]
                )
                for count in COMPONENTS:
                    value = math.nan if axes is None else captured(covariance, axes[:count])
                    write("components", method, epsilon, count, run, value, seconds, status)
        for method in ("diffprivlib", "OpenDP"):
            for count in COMPONENTS:
                for run in range(runs):
                    axes, seconds, status = timed(limit, components, method, rows, epsilon, count)
                    value = math.nan if axes is None else captured(covariance, axes)
                    write("components", method, epsilon, count, run, value, seconds, status)
                    if axes is None:
                        break


def run_regression(rows, target, feature, runs, limit, write):
    for run in range(runs):
        order = np.random.default_rng(run).permutation(len(rows))
        test, train = order[: len(rows) // 5], order[len(rows) // 5 :]
        trivial = np.mean((target[test] - target[train].mean()) ** 2)

        def measure(method, epsilon, run=run, test=test, train=train, trivial=trivial):
            fit, seconds, status = timed(
                limit, predictor, method, rows[train], target[train], epsilon, feature
            )
            error = math.nan
            if fit is not None:
                predicted = np.clip(rows[test] @ fit[0] + fit[1], -1, 1)
                error = float(np.mean((predicted - target[test]) ** 2) / trivial)
            write("regression", method, epsilon, 0, run, error, seconds, status)

        measure("scikit-learn", math.inf)
        for epsilon in BUDGETS:
            for method in ("dpcov", "dpcov (ε, δ)", "diffprivlib", "OpenDP"):
                measure(method, epsilon)


def run(arguments):
    # Imports are no part of a fit's time.
    import diffprivlib.models  # noqa: F401
    import sklearn.linear_model  # noqa: F401

    import dpcov.sklearn  # noqa: F401

    opendp_module()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.tables:
        values, bounds, target, target_bounds, feature = load(name, arguments.data)
        rows = mapped(values, bounds)
        with open(arguments.out / f"{file_name(name)}{arguments.tag}.csv", "w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(FIELDS)

            def write(*cells, name=name, rows=rows, lines=lines, file=file):
                lines.writerow([name, *rows.shape, *cells])
                file.flush()

            if target is not None and "regression" in arguments.tasks:
                goal = mapped(target[:, None], [target_bounds])[:, 0]
                inputs = rows[:, :8] if name == "California housing" else rows
                run_regression(inputs, goal, feature, arguments.runs, arguments.limit, write)
            if "components" in arguments.tasks:
                run_components(rows, arguments.budgets, arguments.runs, arguments.limit, write)


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def mean_of(rows, field):
    values = [float(r[field]) for r in rows if r["status"] == "ok"]
    return statistics.fmean(values) if values else math.nan


def cell(rows, field, form):
    if not rows:
        return ""
    if not any(r["status"] == "ok" for r in rows):
        return "none" if "no answer" in rows[0]["status"] else "fails"
    answers = sum(r["status"] == "ok" for r in rows)
    some = "" if answers == len(rows) else f" ({answers} of {len(rows)})"
    return form(mean_of(rows, field)) + some


def seconds_text(value):
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def page(arguments):
    measured = []
    for name in TABLES:
        for path in sorted(arguments.out.glob(f"{file_name(name)}*.csv")):
            measured += read(path)

    def pick(**keys):
        return [r for r in measured if all(r[k] == str(v) for k, v in keys.items())]

    private = ["dpcov", "diffprivlib", "OpenDP", "dpcov (ε, δ)"]
    lines, times = [], []
    for name in TABLES:
        for epsilon in BUDGETS:
            for count in COMPONENTS:
                cells = [
                    pick(table=name, task="components", method=m, epsilon=epsilon, components=count)
                    for m in private
                ]
                if any(cells):
                    runs = max(map(len, cells))
                    lines.append(
                        [
                            name,
                            f"{epsilon:g}",
                            count,
                            *(cell(c, "value", "{:.3f}".format) for c in cells),
                            runs,
                        ]
                    )
    put(PAGE, "components", markdown(["table", "ε", "K", *private, "runs"], lines))
    lines = []
    for name in TABLES:
        exact = cell(
            pick(table=name, task="regression", method="scikit-learn"), "value", "{:.3f}".format
        )
        for epsilon in BUDGETS:
            cells = [
                pick(table=name, task="regression", method=m, epsilon=epsilon) for m in private
            ]
            if any(cells):
                lines.append(
                    [
                        name,
                        f"{epsilon:g}",
                        exact,
                        *(cell(c, "value", "{:.3f}".format) for c in cells),
                        max(map(len, cells)),
                    ]
                )
    put(PAGE,
        "regression", markdown(["table", "ε", "scikit-learn, not private", *private, "runs"], lines)
    )
    for name in TABLES:
        for task, count in (("components", 1), ("components", 5), ("regression", 0)):
            cells = [
                pick(table=name, task=task, method=m, epsilon=1.0, components=count)
                for m in private
            ]
            if any(cells):
                label = f"{count} components" if count > 1 else "1 component"
                sample = next(c for c in cells if c)[0]
                times.append(
                    [
                        name,
                        f"{sample['rows']} × {sample['columns']}",
                        label if count else "regression",
                        *(cell(c, "seconds", seconds_text) for c in cells),
                    ]
                )
    put(PAGE, "time", markdown(["table", "rows × columns", "fit", *private], times))
    sampler = [
        [
            r["sampler"],
            f"{float(r['spread']):g}",
            f"{float(r['mean']):.4f}",
            f"{float(r['bingham_mean']):.4f}",
            f"{float(r['bingham']):.4f}",
            f"{float(r['inverted']):.4f}",
            f"{float(r['limit']):.4f}",
            "no" if float(r["bingham"]) > float(r["limit"]) else "not refuted",
            "no" if float(r["inverted"]) > float(r["limit"]) else "not refuted",
        ]
        for r in read(arguments.out / "sampler.csv")
    ]
    put(PAGE,
        "sampler",
        markdown(
            [
                "sampler",
                "a",
                "mean of x₁²",
                "Bingham's",
                "distance to Bingham",
                "to the inverted",
                "limit",
                "is it Bingham?",
                "is it the inverted?",
            ],
            sampler,
        ),
    )
    put(PAGE,
        "loss",
        markdown(
            ["d", "ε", "Bingham's law", "the law drawn"],
            [
                [r["columns"], *(f"{float(r[k]):.3g}" for k in ("epsilon", "bingham", "inverted"))]
                for r in read(arguments.out / "loss.csv")
            ],
        ),
    )
    draw_plots(pick)


def draw_plots(pick):
    plt = plots.pyplot()
    looks = {
        "dpcov": ("C0", "-", "o"),
        "dpcov (ε, δ)": ("C0", "--", "o"),
        "diffprivlib": ("C1", "-", "s"),
        "OpenDP": ("C2", "-", "^"),
    }

    def draw(axes, name, task, **keys):
        for method, (color, style, marker) in looks.items():
            points = []
            for epsilon in BUDGETS:
                rows = pick(table=name, task=task, method=method, epsilon=epsilon, **keys)
                points.append(mean_of(rows, "value"))
            axes.plot(
                BUDGETS, points, style, color=color, marker=marker, label=method, markersize=4
            )
        axes.set_xscale("log")
        axes.set_xticks(BUDGETS, [f"{e:g}" for e in BUDGETS])
        axes.minorticks_off()
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("ε")

    folder = ROOT / "docs/figures"
    figure, panels = plt.subplots(1, 4, figsize=(9, 2.8), sharey=True, layout="constrained")
    for axes, name in zip(panels, TABLES, strict=True):
        draw(axes, name, "components", components=2)
        axes.set_ylim(0, 1.03)
    panels[0].set_ylabel("share of the best variance, K = 2")
    plots.finish(figure, panels[0], folder / "peers_components.svg")
    figure, panels = plt.subplots(1, 3, figsize=(8, 2.8), sharey=True, layout="constrained")
    for axes, name in zip(panels, TABLES[:3], strict=True):
        draw(axes, name, "regression")
        exact = mean_of(pick(table=name, task="regression", method="scikit-learn"), "value")
        axes.axhline(exact, color="0.4", linestyle=":", linewidth=1, label="_not private")
        axes.axhline(1, color="0.7", linewidth=1)
        axes.set_yscale("log")
        axes.set_yticks(ERRORS, [f"{e:g}" for e in ERRORS])
        axes.minorticks_off()
    panels[0].set_ylabel("test error over the trivial")
    plots.finish(figure, panels[0], folder / "peers_regression.svg")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["run", "page"])
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--budgets", nargs="+", type=float, default=BUDGETS, help="components only")
    tasks = ["components", "regression"]
    parser.add_argument("--tasks", nargs="+", choices=tasks, default=tasks)
    parser.add_argument("--tag", default="", help="what the files' names end in")
    parser.add_argument("--limit", type=int, default=20, help="seconds of processor time")
    arguments = parser.parse_args()
    if arguments.command == "page":
        return page(arguments)
    if arguments.data is None:
        parser.error("run needs --data")
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
