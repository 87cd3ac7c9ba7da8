"""Dask: the numbers of the whole table, whatever its chunks are and whoever dies on the way."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import BOUNDS, same, seeded
from test_docs import blocks

import dpcov

pytest.importorskip("dask.array", reason="Dask is not installed: pip install 'dpcov[dask]'")
pytest.importorskip("dask.dataframe", reason="Dask is not installed: pip install 'dpcov[dask]'")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd

import dpcov.dask
from dpcov._engines import pack

NAMES = list(BOUNDS)
FACTS = {"columns": NAMES, "bounds": BOUNDS}


@pytest.fixture(autouse=True)
def one_process():
    """Where no cluster is: tasks one after the other, which takes no time to start."""
    with dask.config.set(scheduler="synchronous"):
        yield


def drawn(collection, **options):
    options.setdefault("budget", dpcov.Rho(0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a pickled SecondMoment would warn
        return dpcov.dask.covariance(collection, insecure_seed=11, threads=1, **options)


@pytest.mark.parametrize("chunks", [(3000, 3), (500, 3), (700, 1), ((0, 1, 2990, 9, 0), (2, 1))])
@pytest.mark.parametrize("split_every", [2, 8])
def test_chunks_of_any_shape(people, chunks, split_every):
    array = da.from_array(people, chunks=chunks)
    expected = seeded(people, **FACTS)
    assert same(expected, drawn(array, split_every=split_every, **FACTS))


@pytest.mark.parametrize("dtype", ["category", "str", "string[python]"])
def test_indicators_of_text_and_of_numbers(dtype):
    region = ["north", "south", None, "west", "north"] * 20
    frame = pd.DataFrame({"region": pd.Series(region, dtype=dtype), "code": [1.0, 2.0] * 50})
    bounds = {"region=south": (0, 1, 0), "code=2": (0, 1), "region=north": (0, 1, 0.5)}
    expected = seeded(frame, bounds=bounds)
    assert expected.columns == list(bounds)
    collection = dd.from_pandas(frame, npartitions=3)
    assert same(expected, drawn(collection, bounds=bounds))
    with pytest.raises(dpcov.UsageError, match="codes for missing values"):
        drawn(collection, bounds={"region=south": (0, 1, 0, [9])})
    array = frame[["code", "code"]].to_numpy()
    assert same(
        seeded(array, bounds={"1=2": (0, 1), 0: (0, 2)}),
        drawn(da.from_array(array, chunks=(30, 1)), bounds={"1=2": (0, 1), 0: (0, 2)}),
    )


def test_codes_are_missing_values(people):
    coded, filled = people.copy(), people.copy()
    coded[::5, 1], filled[::5, 1] = -99, 160
    options = {"columns": NAMES, "bounds": {**BOUNDS, "height": (100, 220, 160, [-99, 999])}}
    array = da.from_array(coded, chunks=(700, 1))
    assert same(seeded(filled, **FACTS), drawn(array, **options))


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_schedulers(people, scheduler):
    array = da.from_array(people, chunks=(1000, 2))
    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert same(seeded(people, **FACTS), drawn(array, **FACTS))


def test_columns_of_an_array_are_selected_and_others_not_computed(people):
    array = da.from_array(people, chunks=(1000, 1))
    options = {"columns": [2, 0], "bounds": [BOUNDS["income"], BOUNDS["age"]]}

    def untouched(block):
        raise AssertionError("this column was not asked for")

    others = array[:, 1:2].map_blocks(untouched, dtype=float, meta=np.empty((0, 0)))
    array = da.concatenate([array[:, :1], others, array[:, 2:]], axis=1)
    assert same(seeded(people, **options), drawn(array, **options))
    with pytest.raises(AssertionError):
        drawn(array, **FACTS)


def sparse_table():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    return scipy_sparse.random(900, 6, density=0.2, format="csr", random_state=3)


def sparsely(block):
    from scipy import sparse

    return sparse.csr_matrix(block)


@pytest.mark.parametrize("columns", [3, 1])
def test_masks_are_not_lost(people, columns):
    masked = da.from_array(np.ma.masked_greater(people, 60.0), chunks=(1000, columns))
    with pytest.raises(TypeError, match="masked"):
        drawn(masked, **FACTS)


def test_calls_at_once_have_their_own_tasks(people, monkeypatch):
    """Of rows that are called the same: the keys of their tasks are no two the same."""
    keys = []
    compute = dask.compute

    def noted(*wanted, **options):
        keys.append({str(key) for one in wanted for key in one.__dask_graph__()})
        return compute(*wanted, **options)

    monkeypatch.setattr(dask, "compute", noted)
    for _ in range(2):
        dpcov.dask.second_moment(da.from_array(people, chunks=(1000, 3)), part="a", **FACTS)
    mine, others = ({key for key in one if "dpcov" in key} for one in keys)
    assert len(mine) == 4
    assert not mine & others


@pytest.mark.parametrize("columns", [6, 4, 1])
def test_sparse_chunks(columns):
    table = sparse_table()
    expected = seeded(table.toarray(), norm_bound=2.0)
    array = da.from_array(table.toarray(), chunks=(200, columns))
    assert same(expected, drawn(array.map_blocks(sparsely), norm_bound=2.0))
    assert same(expected, drawn(array, norm_bound=2.0))


# A stray index of one chunk would be a column of the next: rows are then bad, however they are cut.
@pytest.mark.parametrize("stray", [-7, -1, 2, 3, 6, 100])
def test_an_index_that_is_no_column_of_its_chunk_is_none_of_others(stray):
    table = sparse_table()
    zeroed = table.toarray()
    zeroed[3] = 0.0

    def broken(block, block_info=None):
        row, column = block_info[0]["chunk-location"]
        chunk = sparsely(np.where(block == 0.0, 0.0, block))
        if (row, column) == (0, 1):
            chunk = sparsely(np.vstack([block[:3], np.ones((1, 2)), block[4:]]))
            chunk.indices[chunk.indptr[3]] = stray
        return chunk

    array = da.from_array(table.toarray(), chunks=(200, 2))
    cut = array.map_blocks(broken, dtype=float, meta=np.empty((0, 0)))
    options = {"norm_bound": 2.0, "bad_rows": "zero"}
    assert same(seeded(zeroed, **options), drawn(cut, **options))
    with pytest.raises(dpcov.DataError):
        drawn(cut, norm_bound=2.0)


# Whether a list is a table all of its rows decide.
def test_lists_are_refused_by_their_type_where_bad_rows_are_zeros():
    for rows in ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [None, 4.0]], [[1.0, 2.0], [3.0]]):
        lists = dask.delayed(lambda rows=rows: rows)()
        array = da.from_delayed(lists, (2, 2), float)
        with pytest.raises(dpcov.UsageError, match="list"):
            dpcov.dask.second_moment(array, bounds=(-9, 9), bad_rows="zero")


@pytest.mark.parametrize("axis", [0, 1])
def test_mixed_chunks(axis):
    table = sparse_table()

    def some(block, block_info=None):
        return sparsely(block) if block_info[0]["chunk-location"][axis] % 2 else block

    array = da.from_array(table.toarray(), chunks=(200, 2))
    mixed = array.map_blocks(some, dtype=float, meta=np.empty((0, 0)))
    options = {"norm_bound": 2.0, "columns": [5, 0, 3]}
    assert same(seeded(table.toarray(), **options), drawn(mixed, **options))


def test_frames_by_column_name(people):
    frame = pd.DataFrame(people, columns=NAMES)
    frame["name"] = "text does no harm"
    expected = seeded(frame, bounds=BOUNDS)
    table = dd.from_pandas(frame[["income", "name", "age", "height"]], npartitions=4)
    assert same(expected, drawn(table, bounds=BOUNDS))
    empty = dd.from_pandas(frame[:0], npartitions=1)
    assert same(expected, drawn(dd.concat([empty, table, empty]), bounds=BOUNDS))
    # Sizes that nobody knows before the rows are there.
    assert same(expected, drawn(table[["age", "height", "income"]].values, **FACTS))
    with pytest.raises(dpcov.UsageError, match="'weight'"):
        drawn(table, bounds={"weight": (0, 100)})
    with pytest.raises(dpcov.UsageError, match="to_frame"):
        drawn(table["age"], bounds=[(0, 100)])


def test_no_rows_at_all(people):
    frame = dd.from_pandas(pd.DataFrame(people[:0], columns=NAMES), npartitions=1)
    moment = dpcov.dask.second_moment(frame, bounds=BOUNDS)
    whole = moment.merge(dpcov.SecondMoment(NAMES, bounds=BOUNDS).add(people))
    assert same(seeded(people, **FACTS), whole.release(dpcov.Rho(0.5), insecure_seed=11, threads=1))


def test_partitions_of_many_rows(people):
    rows = np.tile(people, (300, 1))
    array = da.from_array(rows, chunks=(450_000, 3), name=False)
    once = dpcov.dask.second_moment(array, part="all", **FACTS)
    assert same(seeded(rows, **FACTS), once.release(dpcov.Rho(0.5), insecure_seed=11, threads=1))
    with pytest.raises(dpcov.UsageError, match="inside"):
        once.merge(dpcov.dask.second_moment(array[:5], part="all", **FACTS))


def test_methods_that_want_more_of_the_moment(people):
    array = da.from_array(people, chunks=(1000, 3))
    for options in (
        {"method": "adaptive", "budget": dpcov.Rho(1.0)},
        {"method": "clip-gauss", "clip": 0.5, "center": False},
        {"neighbours": "add-remove"},
    ):
        assert same(seeded(people, **FACTS, **options), drawn(array, **FACTS, **options))


def test_a_clip_above_the_norm_bound_is_refused(people):
    array = da.from_array(people, chunks=(1000, 3))
    with pytest.raises(dpcov.UsageError, match=r"clip 5.0 is above the norm bound 1.73205"):
        drawn(array, **FACTS, method="clip-gauss", clip=5.0)


def test_a_bad_row_is_named(people):
    rows = people.copy()
    rows[2345, 1] = np.nan
    with pytest.raises(dpcov.DataError) as whole:
        seeded(rows, **FACTS)
    for chunks in ((1000, 3), (1000, 1)):
        with pytest.raises(dpcov.DataError) as caught:
            drawn(da.from_array(rows, chunks=chunks), **FACTS)
        assert (caught.value.row, caught.value.column) == (2345, 1)
        assert str(caught.value) == str(whole.value)
    frame = dd.from_pandas(pd.DataFrame(rows, columns=NAMES), npartitions=3)
    with pytest.raises(dpcov.DataError, match=r"partition 2: row 345, column 1 'height'") as caught:
        drawn(frame, bounds=BOUNDS)
    assert (caught.value.row, caught.value.column) == (345, 1)
    zeroed = {"bad_rows": "zero", **FACTS}
    assert same(seeded(rows, **zeroed), drawn(da.from_array(rows, chunks=(700, 2)), **zeroed))


# A task that fails is one whose arguments, rows, some versions of Dask write to logs.
@pytest.mark.parametrize("bad", [np.nan, "text"])
def test_no_task_that_has_rows_fails(people, bad):
    rows = people[:100].astype(object)
    rows[33, 1] = bad
    array = da.from_array(rows if bad == "text" else rows.astype(float), chunks=(10, 3))
    ended = []
    with (
        dask.config.set(scheduler="sync"),
        dask.callbacks.Callback(posttask=lambda key, *_: ended.append(str(key))),
        pytest.raises((dpcov.DataError, TypeError)) as caught,
    ):
        drawn(array, bounds=list(BOUNDS.values()))
    assert sum("dpcov-partial" in key for key in ended) == 10
    assert sum("dpcov-merge" in key for key in ended) == 3
    assert caught.value.__context__ is None
    if bad != "text":
        assert caught.value.row == 33


def test_chunks_that_are_not_what_the_collection_says(people):
    def some_sparse(block, block_info=None):
        return sparsely(block) if block_info[0]["chunk-location"][1] else block

    array = da.from_array(people[:40, :2], chunks=(10, 2))
    first, second = array[:, :1], array[:, 1:]
    some, fewer = first[:, 0] > 30, first[:, 0] > 50
    for pieces in ([first[some], second[fewer]], [first[fewer], second[some]]):
        cut = da.concatenate(pieces, axis=1, allow_unknown_chunksizes=True)
        sparse = cut.map_blocks(some_sparse, dtype=float, meta=np.empty((0, 0)))
        for collection in (cut, sparse):
            with pytest.raises(dpcov.DataError, match=r"partition \d: .* not of one length"):
                drawn(collection, bounds=(0, 100))
    equal = da.concatenate([first[some], second[some]], axis=1, allow_unknown_chunksizes=True)
    drawn(equal, bounds=(0, 100))  # control
    wide = array.map_blocks(lambda block: np.hstack([block, block]), dtype=float)
    with pytest.raises(dpcov.DataError, match="not as many columns"):
        drawn(wide, bounds=(0, 100))


# What the machine lacks for a moment fails the task, which Dask may run again.
def test_an_error_of_the_machine_is_no_result(people, monkeypatch):
    def failing(*_):
        raise dpcov.DeviceError("no room on the disk")

    array = da.from_array(people[:40, :2], chunks=(10, 2))
    monkeypatch.setattr("dpcov._engines.pack", failing)
    ended = []
    with (
        dask.callbacks.Callback(posttask=lambda key, *_: ended.append(str(key))),
        pytest.raises(dpcov.DeviceError, match="no room"),
    ):
        drawn(array, bounds=(0, 100))
    assert not any("dpcov-partial" in key for key in ended)


def test_parts_count_once(people):
    array = da.from_array(people, chunks=(1000, 3))
    monday = dpcov.dask.second_moment(array, part="monday", **FACTS)
    again = dpcov.dask.second_moment(array, part="monday", **FACTS)
    tuesday = dpcov.dask.second_moment(array, **FACTS)
    with pytest.raises(dpcov.UsageError, match="inside"):
        monday.merge(again)
    # Nor where somebody else called the same rows so.
    here = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    here.declare_part("monday")
    with pytest.raises(dpcov.UsageError, match="monday"):
        here.add(people).merge(monday)
    twice = monday.merge(tuesday).release(dpcov.Rho(0.5), insecure_seed=11, threads=1)
    assert same(seeded(np.tile(people, (2, 1)), **FACTS), twice)
    monday.merge(dpcov.dask.second_moment(array, **FACTS))  # each call has a name of its own


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"bounds": None}, dpcov.UsageError),
        ({"split_every": 1}, dpcov.UsageError),
        ({"part": "a\nb"}, dpcov.UsageError),
        ({"bad_rows": "skip"}, dpcov.UsageError),
        ({"method": "laplace"}, dpcov.UsageError),
        ({"columns": [7]}, dpcov.UsageError),
        ({"budget": 1.0}, dpcov.UsageError),
        ({"dataset": "patients"}, dpcov.UsageError),
        ({"colour": "red"}, TypeError),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_row_is_read(wrong, error):
    def read(block):
        raise AssertionError("rows were read")

    array = da.zeros((10, 3), chunks=5).map_blocks(read, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(error):
        drawn(array, **{"bounds": (0.0, 1.0), **wrong})


def test_what_is_no_table_is_refused(people):
    for other in (people, da.zeros(3), da.zeros((2, 2, 2)), dask.delayed(people)):
        with pytest.raises((TypeError, dpcov.UsageError)):
            drawn(other, **FACTS)


def test_code_of_the_page_runs():
    found = [block for block in blocks("docs/engines.md") if "pyspark" not in block]
    assert len(found) == 2
    exec(compile("\n".join(found), "docs/engines.md", "exec"), {})


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        warnings.catch_warnings(),
        dask.config.set({"distributed.comm.timeouts.connect": "20s"}),
    ):
        warnings.simplefilter("ignore")  # ports taken by others on this machine
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as local:
            yield local


def test_one_two_four_workers_and_one_killed(people, cluster, tmp_path):
    from distributed import Client

    killed = tmp_path / "killed"

    def dies_once(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 9 and not Path(killed).exists():
            Path(killed).write_text("")
            os._exit(1)
        return block

    expected = seeded(people, **FACTS)
    with dask.config.set(scheduler=None), Client(cluster) as client:
        for workers in (1, 2, 4):
            cluster.scale(workers)
            client.wait_for_workers(workers, timeout=60)
            array = da.from_array(people, chunks=(200, 2))
            assert same(expected, drawn(array, **FACTS))
        bad = people.copy()
        bad[1234, 0] = np.nan
        with pytest.raises(dpcov.DataError) as caught:
            drawn(da.from_array(bad, chunks=(200, 3)), **FACTS)
        assert (caught.value.row, caught.value.column) == (1234, 0)
        dying = array.map_blocks(dies_once, dtype=float, meta=np.empty((0, 0)))
        assert same(expected, drawn(dying, **FACTS))
        assert killed.exists()


def peak_above(call):
    """Return how many bytes the process took while it ran, at most, above those before."""

    def kilobytes(what):
        return int(re.search(what + r":\s+(\d+)", Path("/proc/self/status").read_text())[1])

    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    before = kilobytes("VmRSS")
    kept = call()
    taken = 1024 * (kilobytes("VmHWM") - before)
    del kept
    return taken


@pytest.mark.unsanitized
def test_the_client_holds_one_moment(cluster):
    from distributed import Client

    array = da.random.default_rng(1).random((1600, 400), chunks=(50, 400))
    options = {"bounds": (0.0, 1.0), "split_every": 4}
    with dask.config.set(scheduler=None), Client(cluster):
        size = len(pack(dpcov.dask.second_moment(array, **options)))  # all is made once
        one = peak_above(lambda: dpcov.dask.second_moment(array[:50], **options))
        merged = peak_above(lambda: dpcov.dask.second_moment(array, **options))
        # What it would be if all of them came to the client: the measure sees it.
        pieces = [dask.delayed(np.ones)(size, np.uint8) for _ in range(32)]
        collected = peak_above(
            lambda: (dask.compute(*pieces), dpcov.dask.second_moment(array[:50], **options))
        )
    print(f"{size=} {one=} {merged=} {collected=}")
    assert merged < one + 4 * size
    assert collected > one + 16 * size
