"""Private covariances of Spark data frames.

    release = dpcov.spark.covariance(frame, budget=dpcov.Rho(0.1), bounds={"age": (0, 100), ...})

Each partition becomes an exact partial moment, executors merge them in a tree, and the noise is
drawn once, by the driver. The release is the one that `dpcov.covariance` draws from the whole
table. Executors, their disks for shuffles, and the driver see the rows or their sums: they are
inside the vault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyspark import TaskContext
except ImportError as error:
    raise ImportError(
        f"dpcov.spark needs Spark and Arrow: pip install 'dpcov[spark]' ({error})"
    ) from error

from . import _core
from ._budgets import Budget
from ._engines import MomentPlan, check_split_every, drawn, merged, plan_of, request_of, unpack
from ._errors import DataError, UsageError
from ._labels import Source
from ._moment import BadRows, SecondMoment
from ._release import Release
from ._request import Kept, ReleaseOptions
from ._schema import Bounds, Column, Scale, select
from ._shown import shown
from ._tables import StreamTable

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["covariance", "second_moment"]

#: Rows between the stages: one for each moment, or for the problem of a partition.
_PARTIALS = "number int, moment binary, problem string"
_ARROW_PARTIALS = pa.schema(
    [("number", pa.int32()), ("moment", pa.binary()), ("problem", pa.string())]
)
_PROBLEMS: dict[str, type[Exception]] = {
    "DataError": DataError,
    "UsageError": UsageError,
    "TypeError": TypeError,
}

Batches = Iterable[pa.RecordBatch]
Feed = Callable[[_core.Part, pa.RecordBatch, int], None]


class _Source(NamedTuple):
    """The data frame, cut down to what is taken, and how executors read its batches."""

    frame: Any
    feed: Feed


def _row(number: int, moment: bytes | None, problem: str | None) -> pa.RecordBatch:
    return pa.record_batch([[number], [moment], [problem]], schema=_ARROW_PARTIALS)


def _partial_of(plan: MomentPlan, feed: Feed, batches: Batches) -> Iterator[pa.RecordBatch]:
    # The same number in each attempt at the partition. Spark takes the rows of one attempt.
    number: int = TaskContext.get().partitionId()

    def feed_all(part: _core.Part) -> None:
        first = 0
        for batch in batches:
            feed(part, batch, first)
            first += batch.num_rows

    try:
        yield _row(number, plan.partial(number, feed_all), None)
    except tuple(_PROBLEMS.values()) as error:
        # As a value: another attempt would fail in the same way, and the driver would get only a
        # text.
        kind = next(name for name, kind in _PROBLEMS.items() if isinstance(error, kind))
        yield _row(number, None, json.dumps([kind, *error.args]))


def _merged_of(batches: Batches) -> Iterator[pa.RecordBatch]:
    numbers: list[int] = []
    problems: list[tuple[int, str]] = []

    def moments() -> Iterator[bytes]:
        for batch in batches:
            for row in range(batch.num_rows):
                number, moment, problem = (column[row].as_py() for column in batch.columns)
                numbers.append(number)
                if problem is not None:
                    problems.append((number, problem))
                elif not problems:
                    yield moment

    total = merged(moments())
    if problems:
        number, problem = min(problems)
        yield _row(number, None, problem)
    elif numbers:
        yield _row(min(numbers), total, None)


class _FeedColumns:
    """Reads columns of which each is where one of `sources` says."""

    def __init__(self, sources: list[Source]) -> None:
        self._sources = sources

    def __call__(self, part: _core.Part, batch: pa.RecordBatch, first: int) -> None:
        StreamTable(batch).feed(part, self._sources)


class _FeedVectors:
    """Reads vectors of Spark's ML, dense and sparse ones mixed, as one sparse matrix."""

    def __init__(self, width: int, places: list[int], *, zeroes: bool) -> None:
        self._width = width
        self._places = places
        self._zeroes = zeroes

    def __call__(self, part: _core.Part, batch: pa.RecordBatch, first: int) -> None:
        kind, size, indices, values = batch.column(0).flatten()
        missing = kind.is_null().to_numpy(zero_copy_only=False)
        sparse = pc.fill_null(pc.equal(kind, 0), False).to_numpy(zero_copy_only=False)
        stored = pc.fill_null(pc.list_value_length(values), 0).to_numpy().astype(np.int64)
        indexed = pc.fill_null(pc.list_value_length(indices), 0).to_numpy().astype(np.int64)
        sizes = np.where(sparse, pc.fill_null(size, 0).to_numpy(), stored)
        # A row must have as many indices as values, or its indices would be taken for another
        # row's.
        wrong = ~missing & ((sizes != self._width) | (sparse & (indexed != stored)))
        if wrong.any() and not self._zeroes:
            row = first + int(np.flatnonzero(wrong)[0])
            raise DataError(
                f"row {row}: its vector has not {self._width} values, or not an index for each; "
                "correct the row, or take such rows as zeros with bad_rows='zero'",
                row,
            )
        good = ~(missing | wrong)
        counts = np.where(good, stored, self._width)
        starts = np.concatenate([[0], np.cumsum(counts)])
        taken = np.full(starts[-1], np.nan)  # a bad vector has no value known
        taken[np.repeat(good, counts)] = _filled(values, np.nan)[np.repeat(good, stored)]
        places = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
        kept = np.repeat(good & sparse, indexed)
        places[np.repeat(good & sparse, counts)] = _filled(indices, -1)[kept]  # -1 is no column
        part.take_sparse(taken, places, starts, self._width, self._places)


def _filled(lists: pa.ListArray, fill: float) -> np.ndarray[Any, Any]:
    """Return what lists hold, with `fill` for a null, which others than Spark's ML may write."""
    filled: np.ndarray[Any, Any] = pc.fill_null(lists.flatten(), fill).to_numpy()
    return filled


def _attributes_of(metadata: dict[str, Any]) -> tuple[int | None, list[str] | None]:
    """Return the length of a column's vectors and their values' names, where Spark knows."""
    known = metadata.get("ml_attr", {})
    width = known.get("num_attrs")
    listed = [entry for kind in known.get("attrs", {}).values() for entry in kind]
    names = {entry["idx"]: entry["name"] for entry in listed if "name" in entry}
    if width is None or set(names) != set(range(width)):
        return width, None
    return width, [names[j] for j in range(width)]


def _width_of(vector: str, known: int | None, given: int | None) -> int:
    if given is None and known is None:
        raise UsageError(
            f"Spark does not know how long the vectors in {shown(vector)} are; say so with "
            "vector_size"
        )
    if given is not None and known is not None and given != known:
        raise UsageError(f"the vectors in {shown(vector)} have {known} values, not {given}")
    width = known if given is None else given
    if width is None or width < 1:
        raise UsageError("vector_size must be at least 1")
    return width


def _check_frame(frame: Any) -> None:
    if not hasattr(frame, "mapInArrow"):
        raise TypeError(
            f"{type(frame).__name__} is no Spark data frame; make one with spark.createDataFrame "
            "or .toDF(), or use dpcov.covariance for tables of other kinds"
        )
    if frame.isStreaming:
        raise UsageError(
            "a streaming data frame has no end; add up each batch by foreachBatch, and merge"
        )


def _mergers(frame: Any, fan: int) -> list[int]:
    """Return the number of merging tasks in each stage; the first has as many as run at a time."""
    session = frame.sparkSession
    try:
        count = int(session.sparkContext.defaultParallelism)
    except Exception:  # Spark Connect has no context
        count = int(session.conf.get("spark.sql.shuffle.partitions", "200"))
    levels = []
    while count > 1:
        levels.append(count)
        count = -(-count // fan)
    return [*levels, 1]


def second_moment(
    frame: Any,
    *,
    bounds: Bounds | None = None,
    norm_bound: float | None = None,
    columns: Sequence[Any] | None = None,
    column_scale: Scale | None = None,
    keep_directions: bool = False,
    dataset: str | None = None,
    bad_rows: BadRows = "error",
    part: str | None = None,
    split_every: int = 8,
    vector: str | None = None,
    vector_size: int | None = None,
) -> SecondMoment:
    """Add up the rows of a Spark data frame.

    The result is SECRET, and so is all that the executors send to each other. Spends nothing.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        One row for each person. Only the columns taken are read.
    bounds, norm_bound, columns, column_scale, bad_rows
        As in `dpcov.covariance`.
    keep_directions, dataset
        As in `dpcov.SecondMoment`.
    part : str, optional
        The name of these rows as a part of the data. Choose it without looking at the rows; it is
        public. Moments that hold a part of the same name do not merge. By default a unique random
        name.
    split_every : int
        How many moments one task merges in the later stages of the tree, at least 2.
    vector : str, optional
        A column that holds vectors of Spark's ML, dense or sparse. Their values are then the
        table's columns.
    vector_size : int, optional
        The length of the vectors. Required where Spark does not know it.

    Returns
    -------
    SecondMoment
        The moment of all rows, with each partition once.

    Raises
    ------
    UsageError, TypeError
        The request makes no sense; mostly raised before any job runs.
    DataError
        A bad row. `row` is counted from 0 within its partition, which the message names.
    """
    return _summed(
        frame,
        lambda _: Kept(norm_bound, keep_directions),
        bounds=bounds,
        columns=columns,
        column_scale=column_scale,
        dataset=dataset,
        bad_rows=bad_rows,
        part=part,
        split_every=split_every,
        vector=vector,
        vector_size=vector_size,
    )


def _summed(
    frame: Any,
    kept: Callable[[list[Column]], Kept],
    *,
    bounds: Bounds | None,
    columns: Sequence[Any] | None,
    column_scale: Scale | None,
    dataset: str | None,
    bad_rows: BadRows,
    part: str | None,
    split_every: int,
    vector: str | None,
    vector_size: int | None,
) -> SecondMoment:
    """Return the sum over all rows; `kept` says what to keep, given the columns taken."""
    fan = check_split_every(split_every)
    _check_frame(frame)
    # By place: names may hold dots, or come twice.
    numbered = frame.toDF(*[str(place) for place in range(len(frame.columns))])
    names: list[str] | None = list(frame.columns)
    if vector is None:
        width = len(frame.columns)
    elif vector in frame.columns:
        known, names = _attributes_of(frame.schema[vector].metadata)
        width = _width_of(vector, known, vector_size)
    else:
        raise UsageError(f"there is no column {shown(vector)}")
    selection = select(names, width, bounds, columns, column_scale, indicators=vector is None)
    plan = plan_of(
        selection,
        names,
        kept=kept(selection.columns),
        dataset=dataset,
        bad_rows=bad_rows,
        part=part,
    )
    if vector is None:
        read = list(dict.fromkeys(place for place, _ in selection.sources))
        sources = [Source(read.index(place), value) for place, value in selection.sources]
        source = _Source(numbered.select(*map(str, read)), _FeedColumns(sources))
    else:
        place = frame.columns.index(vector)
        places = [place for place, _ in selection.sources]
        source = _Source(
            numbered.select(str(place)), _FeedVectors(width, places, zeroes=plan.zeroes)
        )
    return _tree(source, plan, _mergers(frame, fan))


def _tree(source: _Source, plan: MomentPlan, mergers: Sequence[int]) -> SecondMoment:
    feed = source.feed

    def partials(batches: Batches) -> Iterator[pa.RecordBatch]:
        return _partial_of(plan, feed, batches)

    def merge(batches: Batches) -> Iterator[pa.RecordBatch]:
        return _merged_of(batches)

    moments = source.frame.mapInArrow(partials, _PARTIALS)
    for count in mergers:
        moments = moments.repartition(count, "number").mapInArrow(merge, _PARTIALS)
    rows = moments.collect()
    if not rows:  # not one partition
        return plan.whole(plan.empty())
    (row,) = rows
    if row.problem is not None:
        kind, *arguments = json.loads(row.problem)
        raise _PROBLEMS[kind](*arguments)
    return plan.whole(unpack(bytes(row.moment)))


def covariance(
    frame: Any,
    *,
    budget: Budget,
    bounds: Bounds | None = None,
    norm_bound: float | None = None,
    columns: Sequence[Any] | None = None,
    column_scale: Scale | None = None,
    bad_rows: BadRows = "error",
    part: str | None = None,
    split_every: int = 8,
    vector: str | None = None,
    vector_size: int | None = None,
    **options: Unpack[ReleaseOptions],
) -> Release:
    """Release the covariance of a Spark data frame. Each call spends the whole `budget`.

    The executors add up rows, and the driver draws the noise. With a seed the release has the same
    bytes as that of `dpcov.covariance` on the whole table.

    Parameters
    ----------
    frame, part, split_every, vector, vector_size
        As in `second_moment`.
    budget, bounds, norm_bound, columns, column_scale, bad_rows, **options
        As in `dpcov.covariance`, without `passes`. `ledger` is a file of the driver, and `threads`
        are the driver's.

    Returns
    -------
    Release
        The release, in the table's units unless `scaled`.

    Raises
    ------
    UsageError, TypeError, DataError, BudgetError, DeviceError
        As `second_moment` and `dpcov.covariance`.
    """
    request = request_of(budget, options)
    moment = _summed(
        frame,
        lambda taken: request.kept(norm_bound, taken),
        bounds=bounds,
        columns=columns,
        column_scale=column_scale,
        dataset=request.dataset,
        bad_rows=bad_rows,
        part=part,
        split_every=split_every,
        vector=vector,
        vector_size=vector_size,
    )
    return drawn(moment, request, norm_bound)
