"""Data frames and Arrow tables as one array. Their types alone say whether they hold numbers.

The libraries of these tables are not imported here.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._labels import Source, label_of, labels_of
from ._tables import (
    CHUNK_VALUES,
    StreamTable,
    has_mask,
    pandas_column,
    plain_array,
)


class _ArrowColumn:
    """A column of polars or pyarrow, whose missing values become NaN, a piece at a time."""

    def __init__(self, column: Any, doubles_of: Callable[[Any], Any]) -> None:
        self._column = column
        self._doubles_of = doubles_of

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        doubles: np.ndarray[Any, Any] = self._doubles_of(self._column[rows])
        return doubles


def _is(value: Any, library: str, *kinds: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(value, tuple(getattr(module, kind) for kind in kinds))


def _as_series(value: Any) -> Any:
    """Return a pandas array as a series; other values as they are."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.api.extensions.ExtensionArray):
        return pandas.Series(value)
    return value


def is_table(value: Any) -> bool:
    """Say whether no value decides the shape of `value`, or the types of its columns."""
    if isinstance(value, np.ndarray) or hasattr(value, "tocsr"):
        return True
    return _columns_in(_as_series(value)) is not None


def _columns_in(table: Any) -> list[Any] | None:
    """Return the columns of a data frame or an Arrow table; a single column as a list of one."""
    if _is(table, "pandas", "DataFrame"):
        return [table.iloc[:, j] for j in range(table.shape[1])]
    if _is(table, "polars", "DataFrame"):
        return list(table.get_columns())
    if _is(table, "pyarrow", "Table", "RecordBatch"):
        return list(table.columns)
    return [table] if _is_column(table) else None


def _is_column(value: Any) -> bool:
    return (
        _is(value, "pandas", "Series")
        or _is(value, "polars", "Series")
        or _is(value, "pyarrow", "Array", "ChunkedArray")
    )


def _require_numbers(empty: Any, place: int, name: str) -> None:
    """Raise TypeError, as a release does, where an Arrow table of one column has no numbers."""
    moment = _core.Moment([("", None, None, (), 1.0)], 1.0, False, False, "")
    StreamTable(empty).feed(_core.Part(moment, [(place, name)], False, 1), [Source(0)])


# A piece without a missing value would not be copied, and one with a missing value would: memory
# would tell of a row. So a missing value is appended to each piece.
def _doubles_of_polars(piece: Any) -> Any:
    polars = sys.modules["polars"]
    missing = polars.Series([None], dtype=polars.Float64)
    return polars.concat([piece.cast(polars.Float64), missing]).to_numpy()[:-1]


def _doubles_of_arrow(piece: Any) -> Any:
    pyarrow = sys.modules["pyarrow"]
    missing = pyarrow.nulls(1, pyarrow.float64())
    doubles = piece.cast(missing.type, safe=False)
    chunks = doubles.chunks if _is(doubles, "pyarrow", "ChunkedArray") else [doubles]
    return pyarrow.chunked_array([*chunks, missing]).to_numpy()[:-1]


def _readable(column: Any, place: int, name: str) -> Any:
    """Return an object that gives a column's numbers by slices; TypeError for other types."""
    if _is(column, "pandas", "Series"):
        return pandas_column(column, f"column {place}" + (f" {name!r}" if name else ""))
    if _is(column, "polars", "Series"):
        _require_numbers(column[:0].to_frame(), place, name)
        return _ArrowColumn(column, _doubles_of_polars)
    _require_numbers(sys.modules["pyarrow"].table([column[:0]], names=[name]), place, name)
    return _ArrowColumn(column, _doubles_of_arrow)


def _written_out(columns: Sequence[Any]) -> np.ndarray[Any, Any]:
    rows = len(columns[0])
    values = np.empty((rows, len(columns)), order="F")
    step = max(1, CHUNK_VALUES // len(columns))
    with np.errstate(all="ignore"):  # a warning would tell a row
        for j, column in enumerate(columns):
            for first in range(0, rows, step):
                values[first : first + step, j] = column[first : first + step]
    return values


def _is_query(table: Any) -> bool:
    """Say whether `table` has columns, but hands out no array of its rows."""
    streams = hasattr(table, "__arrow_c_stream__") or hasattr(table, "collect")
    return streams and not hasattr(table, "__array__")


def numbers_of(table: Any, what: str, places: Sequence[int] | None = None) -> Any:
    """Return a data frame or an Arrow table, called `what` in messages, as an array.

    Missing values are NaN. Other objects are returned as they are, and so are frames that NumPy
    reads without a conversion. `places` are the columns to take, where there are columns.

    Raises
    ------
    TypeError
        A column's type is not one of numbers, or the table is a query, which has no rows yet.
    """
    table = _as_series(table)
    columns = _columns_in(table)
    if columns is None:
        if places is not None or _is_query(table):
            raise TypeError(
                f"{what}: {type(table).__name__} is not taken here; make a data frame or an Arrow "
                "table of it first"
            )
        return table
    known = [label_of(table)] if _is_column(table) else labels_of(table) or [""] * len(columns)
    names = ["" if name is None else str(name) for name in known]
    taken = range(len(columns)) if places is None else places
    problem = ""
    try:
        readable = [_readable(columns[place], place, names[place]) for place in taken]
    except TypeError as error:
        problem = str(error).removesuffix(" with columns or bounds")
    if problem:
        raise TypeError(f"{what}: {problem}")
    if places is None and all(isinstance(column, np.ndarray) for column in readable):
        return table
    values = _written_out(readable)
    return values[:, 0] if _is_column(table) else values


def doubles_of(rows: Any, what: str) -> np.ndarray[Any, Any]:
    """Return an array, or lists, as doubles; TypeError for anything but numbers.

    It is raised after the handler, as NumPy's own error may quote a value.
    """
    if has_mask(rows):
        raise TypeError(f"{what}: masked; say what is missing by .filled(numpy.nan)")
    array = np.empty((), dtype=object)
    with (
        contextlib.suppress(TypeError, ValueError, OverflowError),
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        array = np.asarray(rows)
        if array.dtype.kind == "O":  # each may be a number
            array = array.astype(np.float64)
    if array.dtype.kind == "O":
        raise TypeError(
            f"{what}: {type(rows).__name__} does not hold numbers alone, in rows of one length; "
            "pass an array of numbers (of a sparse matrix .toarray()), a data frame or an Arrow "
            "table"
        )
    return plain_array(array, what).astype(np.float64, copy=False)
