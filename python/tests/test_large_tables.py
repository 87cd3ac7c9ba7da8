"""Tables that several threads read at once are the sums of their pieces, and fail as they do."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import same, seeded

import dpcov

COLUMNS = 8
ROWS = 2**22 // COLUMNS + 1000  # more values than one thread takes by itself
PIECE = 2**15
BOUNDS = [(-1.0, 1.0), (0.0, 3.0, 1.0), (-2.0, 2.0, 0.5, -9.0), *[(-3.0, 3.0)] * 5]


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    rows = np.random.default_rng(3).normal(size=(ROWS, COLUMNS))
    rows[::1000, 1] = np.nan
    rows[5::1000, 2] = -9.0
    rows[7::1000, 3] = np.inf
    return rows


def pieces(rows):
    return (rows[first : first + PIECE] for first in range(0, len(rows), PIECE))


def moment_of(rows, threads, bad_rows="error", **options):
    options.setdefault("bounds", BOUNDS)
    moment = dpcov.SecondMoment(COLUMNS, **options)
    return moment.add(rows, threads=threads, bad_rows=bad_rows)


def drawn(moment):
    return moment.release(dpcov.Rho(0.5), insecure_seed=11, threads=1)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("form", ["doubles", "columns", "floats", "frame", "arrow", "csr"])
def test_it_is_the_sum_of_its_pieces(values, threads, form):
    rows = values
    if form == "floats":
        rows = np.where(np.isfinite(values), values, 0.25).astype("f4")
    if form == "csr":
        rows = np.where(np.abs(values) < 1, 0.0, values)
    expected = drawn(moment_of(pieces(rows), 1))
    if form == "columns":
        rows = np.asfortranarray(rows)
    elif form == "frame":
        rows = pytest.importorskip("pandas").DataFrame(rows)
    elif form == "arrow":
        arrow = pytest.importorskip("pyarrow")
        rows = arrow.table({str(j): rows[:, j] for j in range(COLUMNS)})
    elif form == "csr":
        rows = pytest.importorskip("scipy.sparse").csr_matrix(rows)
    assert same(expected, drawn(moment_of(rows, threads)))


def test_without_bounds_or_with_scales(values):
    rows = np.where(np.isfinite(values), values, 0.25)
    for options in (
        {"norm_bound": 4.0},
        {"norm_bound": 4.0, "column_scale": {2: 2.0}},
    ):
        expected = seeded(pieces(rows), columns=range(COLUMNS), **options)
        for table in (rows, np.asfortranarray(rows), iter([rows[:10], rows[10:]])):
            assert same(expected, seeded(table, columns=range(COLUMNS), **options))


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_bad_row_is_named(values, threads):
    rows = values.copy()
    rows[ROWS - 5, 4] = np.nan
    rows[ROWS // 2, 6] = np.nan
    moment = moment_of(values[:10], 1)
    place = rf"row {ROWS // 2}, column 6 \(counted from 0\): the value is missing"
    for table in (rows, np.asfortranarray(rows)):
        with pytest.raises(dpcov.DataError, match=place) as caught:
            moment.add(table, threads=threads)
        assert (caught.value.row, caught.value.column) == (ROWS // 2, 6)
    behind = rf"row {ROWS // 2 + 10}, column 6"
    with pytest.raises(dpcov.DataError, match=behind):
        moment.add(iter([values[:10], rows]), threads=threads)
    assert moment.release(dpcov.Rho(1), method="zero").record["n"] == 10
    rows = np.nan_to_num(rows, posinf=0.0)
    unbounded = np.asfortranarray(rows)
    unbounded[ROWS // 2, 6] = np.inf
    for first, table in (
        (0, unbounded),
        (0, np.ascontiguousarray(unbounded)),
        (10, iter([rows[:10], np.ascontiguousarray(unbounded)])),
    ):
        place = rf"row {first + ROWS // 2}, column 6 .*infinite"
        with pytest.raises(dpcov.DataError, match=place) as caught:
            moment_of(table, threads, norm_bound=2.0, bounds=None)
        assert (caught.value.row, caught.value.column) == (first + ROWS // 2, 6)


@pytest.mark.parametrize("threads", [1, 3])
def test_bad_rows_become_zeros(values, threads):
    rows = values.copy()
    rows[::777, 5] = np.nan
    zeroed = rows.copy()
    zeroed[::777] = [(lower + upper) / 2 for lower, upper, *_ in BOUNDS]
    expected = drawn(moment_of(pieces(zeroed), 1))
    for table in (rows, np.asfortranarray(rows)):
        assert same(expected, drawn(moment_of(table, threads, bad_rows="zero")))
    # Control: they are not what they were.
    assert not same(expected, drawn(moment_of(pieces(np.nan_to_num(rows)), 1)))
