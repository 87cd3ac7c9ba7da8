"""What covariance() gives, and that it is what the program gives."""

from __future__ import annotations

import csv
import json
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import BOUNDS, same, seeded

import dpcov

NAMES = list(BOUNDS)


def run_program(program, folder, table, names, options):
    """Writes a CSV, and returns the matrix and the record of `dpcov estimate`."""
    path = folder / "table.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([[repr(float(value)) for value in row] for row in table])
    arguments = [program, "estimate", str(path), "--quiet", "--insecure-seed", "11", *options]
    arguments += ["--output", str(folder / "out.npy"), "--record", str(folder / "out.json")]
    arguments += ["--release", str(folder / "out.npz")]  # a Release of Python keeps its statistics
    subprocess.run(arguments, check=True)
    return np.load(folder / "out.npy"), json.loads((folder / "out.json").read_text())


def write_bounds(folder, bounds):
    path = folder / "bounds.csv"
    lines = [",".join([name, *map(repr, entry)]) for name, entry in bounds.items()]
    path.write_text("name,lower,upper\n" + "\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize(
    ("options", "budget", "extra"),
    [
        (["--rho", "0.5"], dpcov.Rho(0.5), {}),
        (["--epsilon", "1"], dpcov.Epsilon(1.0), {}),
        (["--epsilon", "1", "--delta", "1e-6"], dpcov.ApproximateDP(1.0, 1e-6), {}),
        (["--rho", "0.5", "--no-center"], dpcov.Rho(0.5), {"center": False}),
        (["--rho", "0.5", "--scaled"], dpcov.Rho(0.5), {"scaled": True}),
        (
            ["--rho", "0.5", "--method", "gauss", "--neighbours", "add-remove"],
            dpcov.Rho(0.5),
            {"method": "gauss", "neighbours": "add-remove"},
        ),
        (
            ["--rho", "0.5", "--method", "separate", "--variant", "paper", "--no-center"],
            dpcov.Rho(0.5),
            {"method": "separate", "variant": "paper", "center": False},
        ),
        (
            ["--rho", "0.5", "--method", "clip-gauss", "--clip", "1.5", "--no-center"],
            dpcov.Rho(0.5),
            {"method": "clip-gauss", "clip": 1.5, "center": False},
        ),
    ],
)
def test_same_bytes_as_the_program(program, tmp_path, people, options, budget, extra):
    options = [*options, "--bounds", write_bounds(tmp_path, BOUNDS)]
    matrix, record = run_program(program, tmp_path, people, NAMES, options)
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=budget, **extra)
    assert release.covariance().tobytes() == np.ascontiguousarray(matrix).tobytes()
    assert release.record == record


def test_a_clip_is_told_beside_the_norm_bound_of_bounds(people, recwarn):
    release = seeded(
        people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1.0), method="clip-gauss", clip=0.1
    )
    assert release.record["norm_bound"] == np.sqrt(3)
    assert release.record["share_of_norm_bound"] < 0.1
    assert not recwarn.list  # that nearly every row is at the norm bound


def test_same_bytes_as_the_program_by_norm_bound(program, tmp_path, people):
    scale = tmp_path / "scale.csv"
    scale.write_text("name,scale\nincome,1000\n")
    options = ["--rho", "0.1", "--norm-bound", "200", "--header", "yes"]
    options += ["--column-scale", str(scale), "--columns", "income,age"]
    matrix, record = run_program(program, tmp_path, people, NAMES, options)
    frame = {name: people[:, j] for j, name in enumerate(NAMES)}
    table = np.rec.fromarrays(list(frame.values()), names=NAMES)
    release = seeded(
        table.view(np.ndarray),
        columns=["income", "age"],
        norm_bound=200.0,
        column_scale={"income": 1000.0},
        budget=dpcov.Rho(0.1),
    )
    assert release.covariance().tobytes() == np.ascontiguousarray(matrix).tobytes()
    assert release.record == record


def test_the_same_file_and_derivations_as_the_program(program, tmp_path, people):
    saved = tmp_path / "out.npz"
    options = ["--rho", "0.5", "--bounds", write_bounds(tmp_path, BOUNDS)]
    run_program(program, tmp_path, people, NAMES, options)
    release = seeded(people, columns=NAMES, bounds=BOUNDS)
    release.save(tmp_path / "mine.npz")
    assert (tmp_path / "mine.npz").read_bytes() == saved.read_bytes()
    assert same(release, dpcov.Release.load(saved))
    assert np.array_equal(np.load(saved)["covariance"], release.covariance())
    command = [program, "derive", str(saved), "regression", "--target", "income", "--json"]
    derived = json.loads(subprocess.check_output(command))
    mine = release.regression("income")
    assert [entry["estimate"] for entry in derived["coefficients"]] == list(mine.coefficients)
    assert [entry["lower"] for entry in derived["coefficients"]] == list(mine.interval.lower)
    assert derived["intercept"] == mine.intercept
    assert derived["intercept_interval"] == mine.intercept_interval._asdict()
    command = [program, "derive", str(saved), "pca", "--components", "2", "--json"]
    derived = json.loads(subprocess.check_output(command))
    assert np.array_equal(derived["components"], release.pca(2).components)
    with pytest.raises(dpcov.DataError):
        dpcov.Release.load(tmp_path / "table.csv")


@pytest.mark.parametrize("of", ["covariance", "correlation", "mean"])
def test_intervals_are_around_the_truth(people, of):
    clamped = np.clip(people, [0, 100, 0], [100, 220, 200_000])
    release = seeded(people, columns=NAMES, bounds=BOUNDS)
    truth = {
        "covariance": np.cov(clamped.T, bias=True),
        "correlation": np.corrcoef(clamped.T),
        "mean": clamped.mean(axis=0),
    }[of]
    estimate = release.interval(of, level=0.9999)
    rounding = 1e-12 * np.abs(truth)
    assert (estimate.lower <= truth + rounding).all()
    assert (truth - rounding <= estimate.upper).all()
    # The seed is fixed; a level that promises nothing does not cover.
    narrow = release.interval(of, level=1e-6)
    assert not ((narrow.lower <= truth) & (truth <= narrow.upper)).all()
    with pytest.raises(dpcov.UsageError):
        release.interval("pca")
    with pytest.raises(dpcov.UsageError):
        release.interval(of, level=1.0)


def test_intervals_for_a_population_are_wider():
    table = np.random.default_rng(7).normal(0, 0.2, (2000, 3))
    release = dpcov.covariance(table, budget=dpcov.Rho(10), bounds=(-1, 1), insecure_seed=1)
    for of in ("mean", "covariance", "correlation"):
        some = [release.interval(of, population=which) for which in (False, True, "any")]
        assert all((told.estimate == some[0].estimate).all() for told in some)
        table_error, normal_error, any_error = (told.standard_error for told in some)
        below = (1, 0)[: table_error.ndim]
        assert table_error[below] < normal_error[below] <= any_error[below]
        assert (release.interval(of).upper == some[0].upper).all()
    told = release.to_frame("mean", population=True)
    assert (told["upper"] == release.interval("mean", population=True).upper).all()
    lines = [release.regression(2, population=which) for which in (False, True, "any")]
    errors = [line.interval.standard_error[0] for line in lines]
    assert errors[0] < errors[1] < errors[2]
    heights = [line.intercept_interval.standard_error for line in lines]
    assert heights[0] < heights[1] < heights[2]
    variance = release.pca(1, population=True).explained_variance_interval
    assert np.isnan(variance.upper).all()
    assert "population" in variance.why
    with pytest.raises(dpcov.UsageError, match="population is True, False"):
        release.interval("mean", population="normal")


def test_another_seed_gives_another_release(people):
    one = dpcov.covariance(people, budget=dpcov.Rho(1), bounds=(0, 200), insecure_seed=1)
    for seed in (0, 2):
        other = dpcov.covariance(people, budget=dpcov.Rho(1), bounds=(0, 200), insecure_seed=seed)
        assert not same(one, other)
    assert one.record["private"] is False


def test_without_a_seed_it_is_private_and_never_the_same(people):
    one = dpcov.covariance(people, budget=dpcov.Rho(1), bounds=(0, 200))
    other = dpcov.covariance(people, budget=dpcov.Rho(1), bounds=(0, 200))
    assert one.record["private"] is True
    assert not same(one, other)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_matter(people, threads):
    expected = seeded(people, bounds=(0, 1000))
    table = np.tile(people, (200, 1))
    one = dpcov.covariance(
        table, budget=dpcov.Rho(0.5), bounds=(0, 1000), insecure_seed=11, threads=threads
    )
    assert same(one, seeded(table, bounds=(0, 1000)))
    assert not same(one, expected)


def test_it_is_near_the_truth(people):
    clamped = np.clip(people, [0, 100, 0], [100, 220, 200_000])
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(10))
    # Of the units' products: the noise at rho = 10, n = 3000 and d = 3 is near 2e-4.
    units = np.array([50.0, 60.0, 100_000.0])
    error = (release.covariance() - np.cov(clamped.T, bias=True)) / np.outer(units, units)
    assert np.abs(error).max() < 0.01
    assert np.abs((release.mean() - clamped.mean(axis=0)) / units).max() < 0.01
    assert np.abs(release.correlation() - np.corrcoef(clamped.T)).max() < 0.1


def test_what_follows_is_consistent(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS)
    assert release.columns == NAMES
    covariance = release.covariance()
    assert np.allclose(covariance, covariance.T, rtol=1e-15, atol=0)
    correlation = release.correlation()
    assert np.array_equal(np.diag(correlation), np.ones(3))
    assert np.linalg.eigvalsh(correlation)[0] > -1e-12
    pca = release.pca(2)
    assert pca.components.shape == (2, 3)
    assert np.allclose(pca.components @ pca.components.T, np.eye(2))
    assert np.allclose(
        covariance @ pca.components[0], pca.explained_variance[0] * pca.components[0]
    )
    regression = release.regression("income", ["age"])
    middle = 0.5 * (regression.interval.lower + regression.interval.upper)
    assert np.array_equal(regression.least_squares, middle, equal_nan=True)
    assert 500 < regression.coefficients[0] < 1500
    with pytest.raises(dpcov.UsageError):
        release.regression("income", ["income"])
    with pytest.raises(dpcov.UsageError):
        release.pca(4)


def test_components_of_correlations(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(10.0))
    pca = release.pca(standardize=True)
    np.testing.assert_allclose(pca.deviations, np.sqrt(np.diag(release.covariance())))
    values, _ = np.linalg.eigh(release.correlation())
    np.testing.assert_allclose(pca.explained_variance, values[::-1], atol=1e-6)
    assert np.isnan(pca.explained_variance_interval.lower).all()
    assert release.pca().deviations is None
    with pytest.raises(dpcov.UsageError, match="standardize"):
        release.pca(standardize="yes")


def test_a_regression_predicts(people):
    pd = pytest.importorskip("pandas")
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1e6))
    target, *features = release.columns
    line = release.regression(target, features)
    values = np.asarray(people, dtype=float)[:, 1:]
    expected = line.intercept + values @ line.coefficients
    np.testing.assert_allclose(line.predict(values), expected)
    residuals = np.asarray(people, dtype=float)[:, 0] - expected
    explained = 1.0 - residuals.var() / np.asarray(people, dtype=float)[:, 0].var()
    assert line.r_squared == pytest.approx(explained, abs=0.01)
    frame = pd.DataFrame(values, columns=features).assign(other=1.0)
    np.testing.assert_allclose(line.predict(frame[frame.columns[::-1]]), expected)
    other = release.regression(target, features[::-1])
    assert other.features == features[::-1]
    np.testing.assert_allclose(other.predict(frame), expected)
    with pytest.raises(dpcov.UsageError, match="shape"):
        line.predict(values[:, :1])
    with pytest.raises(dpcov.UsageError, match=repr(features[0])):
        line.predict(frame.drop(columns=features[0]))


def test_predictions_are_clipped_to_the_bounds_of_the_target_where_that_is_asked_for(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1e6))
    target, *features = release.columns
    line = release.regression(target, features)
    assert line.target_bounds == BOUNDS[target]
    far = 1e3 * np.asarray(people, dtype=float)[:, 1:]
    lower, upper = BOUNDS[target]
    assert line.predict(far).max() > upper or line.predict(far).min() < lower
    np.testing.assert_array_equal(
        line.predict(far, clip=True), np.clip(line.predict(far), lower, upper)
    )
    gap = far[:2].copy()
    gap[0, 0] = np.nan
    assert np.isnan(line.predict(gap, clip=True)).tolist() == [True, False]
    with pytest.raises(dpcov.UsageError, match="clip"):
        line.predict(far, clip="yes")
    free = seeded(people, norm_bound=1e3, budget=dpcov.Rho(1e6)).regression(0)
    assert free.target_bounds is None
    with pytest.raises(dpcov.UsageError, match="has no bounds to clip"):
        free.predict(np.zeros((1, len(free.features))), clip=True)


def test_whole_numbers_are_all_names_or_all_places_in_a_regression(people):
    names = [NAMES[0], "2", NAMES[2]]
    bounds = dict(zip(names, BOUNDS.values(), strict=True))
    release = seeded(people, columns=names, bounds=bounds)
    assert release.regression("2", [names[0]]).target == "2"
    assert release.regression(1, [0]).target == "2"
    for target, features in ((2, [0]), ("2", [0]), (names[0], [2, 1])):
        with pytest.raises(dpcov.UsageError, match=r"not both: .*2.* is the name of column 1"):
            release.regression(target, features)


def test_what_is_derived_shows_itself_in_a_line(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1e6))
    target, *features = release.columns
    line = release.regression(target)
    shown = repr(line)
    assert shown.startswith(f"<Regression {target} = {line.intercept:.4g} + ")
    assert f"{line.coefficients[0]:.4g} * {features[0]}" in shown
    assert f", r_squared {line.r_squared:.3g}>" in shown
    assert repr(release.pca()).startswith(f"<PCA of {len(NAMES)} columns, shares of the variance ")
    wide = seeded(np.tile(people, (1, 3)), bounds=list(BOUNDS.values()) * 3)
    assert repr(wide.pca()).endswith("and 3 more>")
    assert "and 2 more" in repr(wide.regression(0))


def test_a_regression_predicts_in_units_of_the_table():
    values = np.random.default_rng(0).uniform(0.0, 10.0, (3000, 3))
    values[:, 2] = values[:, 0] + 2.0 * values[:, 1] + 3.0
    exact = {"budget": dpcov.Rho(1e9), "insecure_seed": 1}  # but for the rounding of rows
    facts = {**exact, "norm_bound": 70.0, "center": True}
    line = dpcov.covariance(values, column_scale=[2.0, 0.5, 4.0], **facts).regression(2)
    np.testing.assert_array_equal(line.scales, [2.0, 0.5, 4.0])
    np.testing.assert_allclose(line.coefficients, [0.5, 0.25], rtol=1e-3)
    np.testing.assert_allclose(line.predict(values[:9, :2]), values[:9, 2], atol=0.05)
    bounded = dpcov.covariance(values, bounds=(0, 40), **exact).regression(2)
    assert bounded.scales is None
    np.testing.assert_allclose(bounded.predict(values[:9, :2]), values[:9, 2], atol=0.05)


def test_a_regression_predicts_of_tables_of_every_kind(people):
    pd, pl, pa = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    line = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1e6)).regression(0, [2, 1])
    values = np.asarray(people, dtype=float)[:5, [2, 1]]
    values[2, 0] = np.nan
    expected = line.predict(values)
    assert np.isnan(expected).tolist() == [False, False, True, False, False]
    table = pa.table([*values.T[::-1], ["text"] * 5], [*line.features[::-1], "other"])
    nullable = pd.DataFrame(values, columns=line.features).convert_dtypes()
    for rows in (table, table.to_batches()[0], pl.from_arrow(table), nullable, values.tolist()):
        np.testing.assert_allclose(line.predict(rows), expected, rtol=1e-12)


def test_a_regression_says_what_it_cannot_predict_of(people):
    pl, duckdb, sparse = map(pytest.importorskip, ("polars", "duckdb", "scipy.sparse"))
    line = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(1e6)).regression(0, [1])
    frame = pl.DataFrame({line.features[0]: ["Smith"]})
    for wrong, words in (
        (np.ma.masked_less([[1.0], [2.0]], 1.5), "masked"),
        (frame, "column 0 .* holds text"),
        (frame.lazy(), "LazyFrame is not taken"),
        (duckdb.sql(f"SELECT 1.0 AS {line.features[0]}"), "DuckDBPyRelation is not taken"),
        (sparse.csr_matrix([[1.0]]), "toarray"),
        (np.array([["Smith"]]), "holds text"),
        (np.array([["Smith"]], dtype=object), "hold numbers alone"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "dates"),
        ([[1.0], [1.0, 2.0]], "of one length"),
    ):
        with pytest.raises(TypeError, match=words) as told:
            line.predict(wrong)
        assert "Smith" not in str(told.value) + str(told.value.__context__)


def test_a_frame_names_columns_and_pairs(people):
    pytest.importorskip("pandas")
    release = seeded(people, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(10.0))
    names = release.columns
    told = release.to_frame("correlation", level=0.9)
    assert len(told) == len(names) * (len(names) - 1) // 2
    assert told.loc[(names[1], names[0]), "estimate"] == release.correlation()[1, 0]
    interval = release.interval("correlation", level=0.9)
    assert told.loc[(names[2], names[0]), "upper"] == interval.upper[2, 0]
    covariances = release.to_frame("covariance")
    assert covariances.loc[(names[0], names[0]), "estimate"] == release.covariance()[0, 0]
    assert list(release.to_frame("mean")["estimate"]) == list(release.mean())


def test_what_is_returned_is_a_copy(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS)
    release.covariance()[:] = 0
    release.mean()[:] = 0
    assert release.covariance().any()
    assert release.mean().any()


def test_a_release_is_pickled(people):
    release = seeded(people, columns=NAMES, bounds=BOUNDS)
    again = pickle.loads(pickle.dumps(release))
    assert same(release, again)
    assert again.record == release.record
    assert np.array_equal(again.mean(), release.mean())


def test_without_centring_there_is_no_mean(people):
    release = seeded(people, norm_bound=1e6)
    with pytest.raises(dpcov.UsageError, match="center=True"):
        release.mean()


def test_the_notebook_shows_it(people):
    release = seeded(people, columns=["<b>", "height", "income"], bounds=[(0, 1), (0, 1), (0, 1)])
    html = release._repr_html_()
    assert html.count("<svg") == 2
    assert html.count(">height</text>") == 2  # along both axes
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert "NOT PRIVATE" in html
    assert "http" not in html
    assert "NOT PRIVATE" in repr(release)
    wide = seeded(np.zeros((4, 40)), norm_bound=1.0)
    assert "<text" not in wide._repr_html_()  # they would be too small to read


def test_budgets_and_conversions():
    assert dpcov.Rho(0.5) == dpcov.Rho(0.5)
    assert dpcov.Rho(0.5) != dpcov.Epsilon(0.5)
    for budget in (dpcov.Rho(0.5), dpcov.Epsilon(0.5), dpcov.ApproximateDP(1, 1e-6)):
        assert budget != None  # noqa: E711
        assert budget != 0.5
    assert pickle.loads(pickle.dumps(dpcov.ApproximateDP(1, 1e-6))) == dpcov.ApproximateDP(1, 1e-6)
    assert repr(dpcov.Rho(0.1)) == "Rho(0.1)"
    assert len({dpcov.Rho(0.1), dpcov.Rho(0.1), dpcov.Epsilon(0.1)}) == 2
    rho = dpcov.rho_for(dpcov.ApproximateDP(1.0, 1e-6))
    assert rho.value == pytest.approx(0.0244, abs=1e-4)
    gaussian = dpcov.rho_for(dpcov.ApproximateDP(1.0, 1e-6), curve="gaussian")
    assert gaussian.value == pytest.approx(0.0280, abs=1e-4)
    assert dpcov.epsilon_of(rho, 1e-6).value <= 1.0
    assert dpcov.delta_of(rho, dpcov.Epsilon(1.0)) <= 1e-6
    assert dpcov.rho_of(dpcov.Epsilon(2.0)).value == 2.0
    assert dpcov.best_guess(dpcov.Rho(0.5), curve="gaussian") == pytest.approx(0.69146246)
    assert dpcov.best_guess(dpcov.Rho(0.5)) == pytest.approx(0.75)
    assert dpcov.best_guess(dpcov.Epsilon(1.0)) == pytest.approx(0.73105858)
    assert dpcov.best_guess(dpcov.ApproximateDP(1.0, 0.1)) == pytest.approx(0.75795272, abs=1e-7)
    with pytest.raises(dpcov.UsageError):
        dpcov.epsilon_of(rho, 1.5)
    with pytest.raises(dpcov.UsageError):
        dpcov.delta_of(rho, dpcov.Epsilon(1.0), curve="else")


def test_methods_are_those_of_the_program(program):
    listed = json.loads(subprocess.check_output([program, "methods", "--json"]))
    ours = [method._asdict() for method in dpcov.methods()]
    assert json.loads(json.dumps(ours)) == listed


@pytest.mark.parametrize(
    ("argument", "fact"),
    [
        ("clip", "needs_clip"),
        ("full_norms", "takes_full_norms"),
        ("steps", "takes_steps"),
        ("passes", "reads_twice"),
    ],
)
def test_the_documentation_names_the_methods_that_take_an_argument(argument, fact):
    entry = re.search(rf"\n    {argument} : .*\n((?: {{8}}.*\n)+)", dpcov.covariance.__doc__)[1]
    words = re.findall(r"[\w-]+", entry)
    for method in dpcov.methods():
        assert (method.name in words) == getattr(method, fact), method.name


def test_the_program_is_inside():
    run = subprocess.run(
        [sys.executable, "-m", "dpcov", "--version"], capture_output=True, text=True, check=True
    )
    assert dpcov.__version__ in run.stdout


def test_the_program_starts_without_the_package():
    script = """
import os, sys
import _dpcov_program
os.execv = lambda program, words: print(os.access(program, os.X_OK), words[1:])
_dpcov_program.main()
print([name for name in ("dpcov", "numpy") if name in sys.modules])
"""
    run = subprocess.run(
        [sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == ["True ['--help']", "[]"]


def test_what_concerns_whoever_released_is_warned_of():
    rows = np.random.default_rng(3).normal(size=(60, 4))
    with pytest.warns(UserWarning, match="delta is not below 1/n"):
        dpcov.covariance(rows, budget=dpcov.ApproximateDP(1.0, 0.5), bounds=(-4, 4))
    with pytest.warns(UserWarning, match="nearly every row is at the norm bound"):
        dpcov.covariance(rows, budget=dpcov.Rho(15), norm_bound=0.1)
    with pytest.warns(UserWarning, match="hides nobody"):
        dpcov.covariance(rows, budget=dpcov.Epsilon(7), norm_bound=9)
    ages = np.column_stack([np.full(40000, 30.0), np.full(40000, 1.0)])
    with pytest.warns(UserWarning, match="nearly all values of 'age' count as one of its bounds"):
        dpcov.covariance(
            ages, columns=["age", "one"], bounds=[(0, 17), (-1, 2)], budget=dpcov.Rho(1)
        )
    with pytest.warns(UserWarning, match="'1=3' count as .* written as in the table"):
        dpcov.covariance(ages, bounds={0: (0, 99), "1=3": (0, 1)}, budget=dpcov.Rho(1))
    with pytest.warns(UserWarning, match="zero matrix"):
        dpcov.covariance(
            rows, budget=dpcov.Rho(1e-3), bounds=(-9, 9), method="gauss", insecure_seed=1
        )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dpcov.covariance(rows, budget=dpcov.Rho(15), bounds=(-4, 4))
    assert not told


def test_a_release_that_was_paid_for_is_not_lost_to_a_warning(capsys):
    rows = np.random.default_rng(3).normal(size=(60, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = dpcov.covariance(rows, budget=dpcov.Rho(15), norm_bound=0.1)
    assert release.record["n"] == 60
    assert "nearly every row is at the norm bound" in capsys.readouterr().err


def test_rows_far_from_the_midpoints_are_told():
    table = 0.9 + 0.02 * np.random.default_rng(1).standard_normal((2000, 3))
    with pytest.warns(UserWarning, match=r"further from the midpoints .* passes=2"):
        dpcov.covariance(table, bounds=(-1, 1), budget=dpcov.Rho(1))
    # A moment has no rows to read again.
    moment = dpcov.SecondMoment(3, bounds=(-1, 1)).add(table)
    for call in (
        lambda: moment.release(dpcov.Rho(1)),
        lambda: dpcov.covariance(iter([table]), bounds=(-1, 1), budget=dpcov.Rho(1)),
        # Nor are they read again within another norm bound than that of the bounds.
        lambda: dpcov.covariance(table, bounds=(-1, 1), budget=dpcov.Rho(1), norm_bound=1.7),
    ):
        with pytest.warns(UserWarning, match=r"further from the midpoints") as told:
            call()
        assert not any("passes" in str(warning.message) for warning in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dpcov.covariance(table, bounds=(-1, 1), budget=dpcov.Rho(1), passes=2)
        dpcov.covariance(table, bounds=(0.8, 1), budget=dpcov.Rho(1))


def test_names_that_look_like_a_row_are_told():
    pd = pytest.importorskip("pandas")
    # What pandas makes of a file without a header: the first row becomes the names.
    table = pd.DataFrame([[0.5, 0.5]] * 400, columns=["54321.125", "2"])
    with pytest.warns(UserWarning, match="header=None") as told:
        dpcov.covariance(table, bounds=(0, 1), budget=dpcov.Rho(1))
    assert "54321" not in str(told[0].message)
    assert told[0].filename == __file__
    for names in (["2019", "2020"], ["age", "2.5"], [0, 1]):
        table.columns = names
        dpcov.covariance(table, bounds=(0, 1), budget=dpcov.Rho(1))
