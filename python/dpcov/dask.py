"""Private covariances of Dask arrays and data frames.

    release = dpcov.dask.covariance(frame, budget=dpcov.Rho(0.1), bounds={"age": (0, 100), ...})

Each partition becomes an exact partial moment, a tree of tasks merges them, and the noise is drawn
once, by the client. The release is the one that `dpcov.covariance` draws from the whole table. The
scheduler and its workers see the rows and their sums: they are inside the vault.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

try:
    import dask
except ImportError as error:
    raise ImportError(f"dpcov.dask needs Dask: pip install 'dpcov[dask]' ({error})") from error

from . import _core
from ._budgets import Budget
from ._engines import (
    MomentPlan,
    check_split_every,
    drawn,
    merged,
    pack,
    plan_of,
    request_of,
    unpack,
)
from ._errors import DataError, DeviceError, Error, UsageError
from ._labels import Source, names_of
from ._moment import BadRows, SecondMoment
from ._release import Release
from ._request import Kept, ReleaseOptions
from ._schema import Bounds, Column, Scale, select
from ._tables import ColumnTable, SparseTable, Table, plain_array, table_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["covariance", "second_moment"]


class _Block(NamedTuple):
    """Some consecutive rows of the table, as tasks."""

    pieces: list[Any]  #: side by side
    first: int | None  #: the number of the first row, where known


class _Pieces(NamedTuple):
    """The pieces of a block, side by side."""

    widths: list[int]  #: how many columns each has
    where: list[tuple[int, Source]]  #: for each column taken: its piece, and where it is there


class _Problem(NamedTuple):
    """Why there is no moment. It is a result, as Dask logs the arguments of a task that fails."""

    number: int  #: the partition
    error: Exception


class _Collection(NamedTuple):
    names: list[str] | None
    width: int
    #: Returns, for some columns, the blocks and their pieces.
    blocks: Callable[[Sequence[Source]], tuple[list[_Block], _Pieces]]


def _of_array(array: Any) -> _Collection:
    if array.ndim != 2:
        raise UsageError(
            f"the array has {array.ndim} dimensions; a table has two, rows and columns"
        )
    row_chunks, column_chunks = array.chunks
    if any(np.isnan(size) for size in column_chunks):
        raise UsageError(
            "the array does not know how many columns its chunks have; call its "
            ".compute_chunk_sizes() first"
        )
    ends = np.cumsum(column_chunks)

    def blocks(sources: Sequence[Source]) -> tuple[list[_Block], _Pieces]:
        chunk_of = [int(np.searchsorted(ends, place, side="right")) for place, _ in sources]
        used = sorted(set(chunk_of))
        where = [
            (used.index(chunk), Source(int(place - (ends[chunk] - column_chunks[chunk])), value))
            for (place, value), chunk in zip(sources, chunk_of, strict=True)
        ]
        starts = np.concatenate([[0.0], np.cumsum(row_chunks)])  # NaN where unknown
        return [
            _Block([row[chunk] for chunk in used], None if np.isnan(start) else int(start))
            for row, start in zip(array.to_delayed(), starts[:-1], strict=True)
        ], _Pieces([int(column_chunks[chunk]) for chunk in used], where)

    return _Collection(None, int(ends[-1]), blocks)


def _of_frame(frame: Any) -> _Collection:
    if frame.ndim == 1:
        raise UsageError("a table has two dimensions, not 1; a single column is .to_frame()")
    labels = list(frame.columns)

    def blocks(sources: Sequence[Source]) -> tuple[list[_Block], _Pieces]:
        read = list(range(len(labels)))
        if len(set(labels)) == len(labels):  # then only those columns are read
            read = list(dict.fromkeys(place for place, _ in sources))
            partitions = frame[[labels[place] for place in read]].to_delayed()
        else:
            partitions = frame.to_delayed()
        where = [(0, Source(read.index(place), value)) for place, value in sources]
        return [_Block([piece], None) for piece in partitions], _Pieces([len(read)], where)

    return _Collection(names_of(labels), len(labels), blocks)


def _collection_of(collection: Any) -> _Collection:
    if not dask.is_dask_collection(collection):
        raise TypeError(
            f"{type(collection).__name__} is no Dask collection; dpcov.covariance takes tables of "
            "other kinds"
        )
    if hasattr(collection, "chunks") and hasattr(collection, "to_delayed"):
        return _of_array(collection)
    if hasattr(collection, "columns") and hasattr(collection, "to_delayed"):
        return _of_frame(collection)
    raise TypeError(
        f"{type(collection).__name__} is no Dask array or data frame; make one of it "
        "(dask.array.from_delayed, .to_frame(), .to_dataframe())"
    )


def _side_by_side(
    pieces: Sequence[Any],
    widths: Sequence[int],
    where: Sequence[tuple[int, Source]],
    *,
    by_row: bool,
) -> tuple[Table, list[Source]]:
    """Return the pieces as one table, and where in it the columns come from.

    `by_row` is that of `table_of`.
    """
    shapes: list[tuple[int, ...]] = [getattr(piece, "shape", ()) for piece in pieces]
    if any(len(s) == 2 and s[1] != width for s, width in zip(shapes, widths, strict=True)):
        raise DataError("a chunk has not as many columns as its collection says")
    if len({shape[:1] for shape in shapes}) > 1:
        raise DataError("the columns are not of one length")
    if len(pieces) == 1:
        return table_of(pieces[0], by_row=by_row), [source for _, source in where]
    if any(hasattr(piece, "tocsr") for piece in pieces):
        from scipy import sparse

        for piece in pieces:
            if not hasattr(piece, "tocsr"):
                table_of(piece, by_row=by_row)  # as below
        starts = np.cumsum([0] + [piece.shape[1] for piece in pieces])
        parts = [
            _with_strays_at(sparse.csr_matrix(piece), int(starts[-1] - start))
            for piece, start in zip(pieces, starts, strict=False)
        ]
        row = sparse.hstack(parts, format="csr")
        return SparseTable(row), [
            Source(int(starts[piece]) + place, value) for piece, (place, value) in where
        ]
    for piece in pieces:
        table_of(piece, by_row=by_row)  # refuses what is no table of numbers, such as masked arrays
    columns = [pieces[piece][:, place] for piece, (place, _) in where]
    sources = [Source(j, value) for j, (_, (_, value)) in enumerate(where)]
    return ColumnTable(None, columns, _as_array), sources


def _with_strays_at(piece: Any, place: int) -> Any:
    """Return a CSR matrix in which indices that are not columns are replaced by `place`.

    Beside other pieces they would be taken for columns of those.
    """
    inside = (piece.indices >= 0) & (piece.indices < piece.shape[1])
    moved = piece.copy()
    moved.indices = np.where(inside, piece.indices, piece.indices.dtype.type(place))
    moved.has_sorted_indices = False
    return moved


def _as_array(column: Any, label: str) -> np.ndarray[Any, Any]:
    return plain_array(np.asarray(column), label)


#: Errors of the machine, not of the rows: Dask may try again, on another worker.
_OF_THE_MACHINE = (OSError, MemoryError)


def _problem(number: int, error: Exception) -> _Problem:
    """Return an error as a result, without its cause and traceback, whose frames hold rows.

    Errors other than dpcov's and TypeError may quote a value, or fail to travel from a worker. They
    are replaced.
    """
    if not isinstance(error, (Error, TypeError)):
        error = DeviceError(
            f"what hands out the rows failed with {type(error).__name__}; it tells why when they "
            "are read without dpcov"
        )
    error.__cause__ = error.__context__ = None
    return _Problem(number, error.with_traceback(None))


def _partial(
    plan: MomentPlan,
    kind: _Pieces,
    number: int,
    first: int | None,
    pieces: Sequence[Any],
) -> bytes | _Problem:
    def feed(part: _core.Part) -> None:
        table, sources = _side_by_side(pieces, kind.widths, kind.where, by_row=plan.zeroes)
        table.feed(part, sources)

    try:
        return plan.partial(number, feed, first)
    except _OF_THE_MACHINE:
        raise
    except Exception as error:
        return _problem(number, error)


def _merged(results: Sequence[bytes | _Problem]) -> bytes | _Problem | None:
    problems = [result for result in results if isinstance(result, _Problem)]
    if problems:
        return min(problems, key=lambda problem: problem.number)
    try:
        return merged(result for result in results if isinstance(result, bytes))
    except _OF_THE_MACHINE:
        raise
    except Exception as error:
        return _problem(0, error)


def second_moment(
    collection: Any,
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
) -> SecondMoment:
    """Add up the rows of a Dask collection, on whatever scheduler Dask uses here.

    The result is SECRET, and so is all that the workers send to each other. Spends nothing.

    Parameters
    ----------
    collection : dask.array.Array or dask.dataframe.DataFrame
        One row for each person. An array may be chunked along its columns, too, and each chunk may
        be an array or a SciPy sparse matrix. Only the columns taken are computed.
    bounds, norm_bound, columns, column_scale, bad_rows
        As in `dpcov.covariance`.
    keep_directions, dataset
        As in `dpcov.SecondMoment`.
    part : str, optional
        The name of these rows as a part of the data. Choose it without looking at the rows; it is
        public. Moments that hold a part of the same name do not merge. By default a unique random
        name.
    split_every : int
        How many moments one task merges, at least 2.

    Returns
    -------
    SecondMoment
        The moment of all rows, with each partition once.

    Raises
    ------
    UsageError, TypeError
        The request makes no sense; raised before anything is computed.
    DataError
        A bad row, or chunks that are not as the collection says. `row` is counted in the whole
        array where Dask knows the sizes of its chunks, else in the partition. The message says
        which.
    """
    return _summed(
        collection,
        lambda _: Kept(norm_bound, keep_directions),
        bounds=bounds,
        columns=columns,
        column_scale=column_scale,
        dataset=dataset,
        bad_rows=bad_rows,
        part=part,
        split_every=split_every,
    )


def _summed(
    collection: Any,
    kept: Callable[[list[Column]], Kept],
    *,
    bounds: Bounds | None,
    columns: Sequence[Any] | None,
    column_scale: Scale | None,
    dataset: str | None,
    bad_rows: BadRows,
    part: str | None,
    split_every: int,
) -> SecondMoment:
    """Return the sum over all rows; `kept` says what to keep, given the columns taken."""
    fan = check_split_every(split_every)
    table = _collection_of(collection)
    selection = select(table.names, table.width, bounds, columns, column_scale, indicators=True)
    plan = plan_of(
        selection,
        table.names,
        kept=kept(selection.columns),
        dataset=dataset,
        bad_rows=bad_rows,
        part=part,
    )
    blocks, kind = table.blocks(selection.sources)
    # Each task of this call has one key and one result, even if it is run several times, so no
    # result is merged twice. The tasks of another call have other keys, also for rows with the same
    # name.
    run = uuid.uuid4().hex
    summed = dask.delayed(functools.partial(_partial, plan, kind), pure=False)
    moments = [
        summed(number, block.first, block.pieces, dask_key_name=f"dpcov-partial-{run}-{number}")
        for number, block in enumerate(blocks)
    ]
    merge, level = dask.delayed(_merged, pure=False), 0
    while len(moments) > 1:
        groups = [moments[first : first + fan] for first in range(0, len(moments), fan)]
        moments = [
            merge(group, dask_key_name=f"dpcov-merge-{run}-{level}-{number}")
            for number, group in enumerate(groups)
        ]
        level += 1
    (result,) = dask.compute(*moments) if moments else (pack(plan.empty()),)
    if isinstance(result, _Problem):
        raise result.error
    return plan.whole(unpack(result))


def covariance(
    collection: Any,
    *,
    budget: Budget,
    bounds: Bounds | None = None,
    norm_bound: float | None = None,
    columns: Sequence[Any] | None = None,
    column_scale: Scale | None = None,
    bad_rows: BadRows = "error",
    part: str | None = None,
    split_every: int = 8,
    **options: Unpack[ReleaseOptions],
) -> Release:
    """Release the covariance of a Dask collection. Each call spends the whole `budget`.

    The workers add up rows, and the client draws the noise. With a seed the release has the same
    bytes as that of `dpcov.covariance` on the whole table.

    Parameters
    ----------
    collection, part, split_every
        As in `second_moment`.
    budget, bounds, norm_bound, columns, column_scale, bad_rows, **options
        As in `dpcov.covariance`, without `passes`. `ledger` is a file of the client, and `threads`
        are the client's.

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
        collection,
        lambda taken: request.kept(norm_bound, taken),
        bounds=bounds,
        columns=columns,
        column_scale=column_scale,
        dataset=request.dataset,
        bad_rows=bad_rows,
        part=part,
        split_every=split_every,
    )
    return drawn(moment, request, norm_bound)
