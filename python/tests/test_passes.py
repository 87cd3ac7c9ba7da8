"""Rows that are read again about a rough mean."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pyarrow
import pytest
from conftest import same, seeded

import dpcov
from dpcov.sklearn import PrivateCovariance, PrivateRidge

BOUNDS = {"age": (0.0, 200.0), "gain": (0.0, 1e5), "hours": (0.0, 400.0)}
NAMES = list(BOUNDS)


@pytest.fixture(scope="module")
def skewed():
    """4000 people whose values are far from the midpoints of their bounds."""
    source = np.random.default_rng(3)
    age = source.normal(40, 10, 4000)
    return np.column_stack(
        [age, source.exponential(900, 4000), age / 2 + source.normal(0, 5, 4000)]
    )


def error(release, rows):
    units = np.array([(upper - lower) / 2 for lower, upper in BOUNDS.values()])
    difference = release.covariance() - np.cov(rows.T, bias=True)
    return np.linalg.norm(difference / np.outer(units, units))


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("budget", [dpcov.Rho(0.5), dpcov.Epsilon(2.0)])
def test_a_second_pass_errs_less(skewed, budget, neighbours):
    options = {"columns": NAMES, "bounds": BOUNDS, "budget": budget, "neighbours": neighbours}
    twice = seeded(skewed, **options, passes=2)
    once = seeded(skewed, **options)
    assert "origin" in twice.record
    assert len(twice.record["stretch"]) == 3
    assert min(twice.record["stretch"]) >= 1
    assert "origin" not in once.record
    assert "stretch" not in once.record
    assert error(twice, skewed) < 0.5 * error(once, skewed)
    half_ranges = np.array([(upper - lower) / 2 for lower, upper in BOUNDS.values()])
    assert np.all(np.abs(twice.mean() - skewed.mean(0)) < 0.02 * half_ranges)


def test_the_histogram_by_which_strata_were_chosen_is_kept(skewed, tmp_path):
    # The sum of all bins has normal noise: beyond five deviations in fewer than one of a million.
    for passes in (1, 2):
        release = seeded(skewed, columns=NAMES, bounds=BOUNDS, budget=dpcov.Rho(0.5), passes=passes)
        release.save(tmp_path / "release.npz")
        with np.load(tmp_path / "release.npz") as saved:
            counts, radii = saved["norm_counts"], saved["norm_radii"]
            facts = json.loads(bytes(saved["release.json"]))
        deviation = facts["statistics"]["norms_deviation"]
        assert abs(counts.sum() - len(skewed)) < 5 * deviation * len(counts) ** 0.5
        assert radii.shape == counts.shape
        assert radii[-1] == 1
        # Control: the second histogram is of moved rows, of which more are short.
        short = counts[radii < 0.2].sum() / len(skewed)
        assert (short > 0.5) == (passes == 2), (passes, short)


def test_columns_with_wide_bounds_keep_their_correlations(skewed):
    rows = np.column_stack([skewed[:, 0], skewed[:, 2]])
    bounds = [(0.0, 150.0), (-2_000.0, 2_000.0)]  # the second is hidden beside the first
    truth = np.corrcoef(rows.T)[0, 1]

    def error_of(passes, seed):
        options = {"bounds": bounds, "budget": dpcov.Rho(1.0), "insecure_seed": seed}
        release = dpcov.covariance(rows, passes=passes, **options)
        return abs(release.correlation()[0, 1] - truth)

    twice, once = (np.mean([error_of(passes, seed) for seed in range(20)]) for passes in (2, 1))
    assert twice < 0.6 * once


def test_whatever_holds_its_rows_is_read_twice(skewed):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    expected = seeded(skewed, bounds=BOUNDS, columns=NAMES, passes=2)
    assert "origin" in expected.record
    for table in (
        pandas.DataFrame(skewed, columns=NAMES),
        polars.DataFrame(skewed, schema=NAMES),
        pyarrow.table(dict(zip(NAMES, skewed.T, strict=True))),
    ):
        assert same(seeded(table, bounds=BOUNDS, passes=2), expected), type(table)


def test_a_second_pass_over_what_is_read_once_is_refused(skewed):
    table = pyarrow.table(dict(zip(NAMES, skewed.T, strict=True)))
    for once in (iter([skewed]), table.to_reader()):
        with pytest.raises(dpcov.UsageError, match="read twice"):
            seeded(once, bounds=list(BOUNDS.values()), passes=2)
    with pytest.raises(dpcov.UsageError, match="passes"):
        seeded(skewed, bounds=list(BOUNDS.values()), passes=3)
    bounds = list(BOUNDS.values())
    for cannot in ({"bounds": bounds, "norm_bound": 1.0}, {"bounds": bounds, "center": False}):
        with pytest.raises(dpcov.UsageError, match="bounds, no norm_bound"):
            seeded(skewed, **cannot, passes=2)
    with pytest.raises(dpcov.UsageError, match="every column bounds"):
        seeded(skewed, norm_bound=9.0, center=True, passes=2)


def test_an_error_in_the_second_pass_comes_out(skewed):
    class Vanishing:
        """An Arrow table that can be read once, though it knows how many rows it has."""

        num_rows = len(skewed)
        streams = 0

        def __arrow_c_stream__(self, requested_schema=None):
            self.streams += 1
            if self.streams > 1:
                raise ConnectionError("gone")
            table = pyarrow.table(dict(zip(NAMES, skewed.T, strict=True)))
            return table.__arrow_c_stream__(requested_schema)

    with pytest.raises(ConnectionError, match="gone"):
        seeded(Vanishing(), bounds=BOUNDS, passes=2)


@pytest.mark.parametrize("names", [NAMES[::-1], [*NAMES, "more"], NAMES[:2]])
def test_other_columns_in_the_second_pass_are_refused(skewed, names):
    class Changing:
        num_rows = len(skewed)
        names_of_pass = iter([NAMES, names])

        def __arrow_c_stream__(self, requested_schema=None):
            table = pyarrow.table(dict.fromkeys(next(self.names_of_pass), skewed[:, 0]))
            return table.__arrow_c_stream__(requested_schema)

    with pytest.raises(dpcov.UsageError, match="other columns when it was read again"):
        seeded(Changing(), bounds=BOUNDS, passes=2)


def test_the_same_bytes_as_the_program(program, tmp_path, skewed):
    np.save(tmp_path / "rows.npy", skewed)
    lines = [f"{j},{lower!r},{upper!r}" for j, (lower, upper) in enumerate(BOUNDS.values())]
    (tmp_path / "bounds.csv").write_text("name,lower,upper\n" + "\n".join(lines) + "\n")
    table = [tmp_path / "rows.npy", "--bounds", tmp_path / "bounds.csv"]
    how = ["--rho", "0.5", "--insecure-seed", "11", "--threads", "1", "--quiet", "--passes", "2"]
    to = ["--output", tmp_path / "c.npy", "--release", tmp_path / "c.npz"]
    subprocess.run([program, "estimate", *table, *how, *to], check=True)
    mine = seeded(skewed, bounds=list(BOUNDS.values()), passes=2)
    assert "origin" in mine.record
    assert np.load(tmp_path / "c.npy").tobytes() == mine.covariance().tobytes()
    theirs = dpcov.Release.load(tmp_path / "c.npz")
    assert theirs.record["origin"] == mine.record["origin"]
    assert theirs.record["stretch"] == mine.record["stretch"]
    assert np.array_equal(np.load(tmp_path / "c.npz")["stretch"], mine.record["stretch"])
    assert np.array_equal(theirs.mean(), mine.mean())


def test_estimators_fit_in_two_passes(skewed):
    options = {"budget": dpcov.Rho(0.5), "insecure_seed": 1, "passes": 2}
    bounds = list(BOUNDS.values())
    fitted = PrivateCovariance(bounds=bounds, **options).fit(skewed)
    assert "origin" in fitted.release_.record
    added = PrivateCovariance(bounds=bounds, **options)
    with pytest.raises(dpcov.UsageError, match="partial_fit"):
        added.partial_fit(skewed)
    added.set_params(passes=1).partial_fit(skewed)
    assert "origin" not in added.release().release_.record
    ridge = PrivateRidge(bounds=bounds[:2], target_bounds=bounds[2], **options)
    ridge.fit(skewed[:, :2], skewed[:, 2])
    assert "origin" in ridge.release_.record
    predicted = ridge.predict(skewed[:, :2])
    assert np.corrcoef(predicted, skewed[:, 2])[0, 1] > 0.6
    with pytest.raises(dpcov.UsageError, match="passes"):
        PrivateCovariance(bounds=bounds, budget=dpcov.Rho(0.5), passes=3).fit(skewed)


def test_ridge_takes_two_passes_where_the_method_does(skewed):
    options = {"budget": dpcov.Rho(0.5), "insecure_seed": 1}
    bounds = list(BOUNDS.values())

    def fitted(**more):
        ridge = PrivateRidge(bounds=bounds[:2], target_bounds=bounds[2], **options, **more)
        return ridge.fit(skewed[:, :2], skewed[:, 2])

    ridge = fitted()
    assert "origin" in ridge.release_.record
    line = ridge.release_.regression(2, [0, 1])
    assert np.array_equal(ridge.coef_, line.coefficients)
    assert ridge.intercept_ == line.intercept
    for once in ({"passes": 1}, {"method": "gauss"}, {"fit_intercept": False}):
        assert "origin" not in fitted(**once).release_.record
    with pytest.raises(dpcov.UsageError, match="gauss"):
        fitted(method="gauss", passes=2)
