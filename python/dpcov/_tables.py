"""Tables of every kind, which the extension reads where they are in memory.

No library of data frames is imported here. The kind of a table is known by its methods.
"""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import DataError, DeviceError, UsageError
from ._labels import Source, names_of

#: Kinds of NumPy types that are real numbers.
_NUMBERS = "biuf"
#: Names of pandas' types of text; in brackets behind them stands how it is stored.
_TEXT = ("str", "string", "large_string", "string_view")
#: In older versions a missing value decides the type of some columns.
_LEAST_PANDAS = 2
#: How many values are looked at, or converted, at a time.
CHUNK_VALUES = 1 << 20


class Table(ABC):
    """Rows that can be added once."""

    names: list[str] | None
    width: int
    #: Whether `table_of` gives the same rows another time.
    rereadable = True

    @abstractmethod
    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        """Hand all rows to `part`, with these columns."""


def plain_array(array: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
    """Return an array if it holds numbers; else raise a TypeError with a remedy."""
    kind = array.dtype.kind
    if kind not in _NUMBERS:
        raise not_numeric(what, words_for(array.dtype))
    return array


def words_for(dtype: Any) -> str:
    """Return words for values of a type. Units of dates are left out: one value decides them."""
    named = {"O": "Python objects", "c": "complex numbers", "U": "text", "S": "text"}
    named |= {"M": "dates or times (datetime64)", "m": "durations (timedelta64)"}
    of_values = {} if not isinstance(dtype, np.dtype) and dtype.kind in "OUS" else named
    return of_values.get(dtype.kind, f"values of type {dtype}")


def not_numeric(what: str, holds: str) -> TypeError:
    remedy = "convert it with .astype(float)"
    if any(word in holds for word in ("date", "time", "duration", "period")):
        remedy = "take the time since a public date, as a number"
    elif "Python objects" in holds:
        remedy = (
            "if they are numbers (Decimal, None for a missing one), convert it with "
            ".astype(float); of categories convert it with pandas' .astype('string'), and take "
            "'NAME=VALUE', a column of zeros and ones, for each value on a public list"
        )
    elif any(word in holds for word in ("text", "str", "category", "enum")):
        # Codes of categories would be an order that nobody meant.
        remedy = (
            "if they are numbers (one cell of text makes a whole column text), convert it with "
            "pandas.to_numeric(column, errors='coerce') or polars' .cast(float, strict=False), and "
            "give the column a fill; of categories take 'NAME=VALUE', a column of zeros and ones, "
            "for each value on a public list (for scikit-learn make these columns)"
        )
    elif "complex" in holds:
        remedy = "give its real and imaginary parts as columns of their own"
    return TypeError(f"{what} holds {holds}, no real numbers; {remedy}, or leave the column out")


def _readable(array: np.ndarray[Any, Any]) -> bool:
    size = array.dtype.itemsize
    steps = all(stride % size == 0 for stride in array.strides)
    return array.dtype.isnative and size <= 8 and steps


def _as_doubles(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Convert without a warning, which would tell a row, whatever the caller's numpy.errstate."""
    with np.errstate(all="ignore"):
        doubles: np.ndarray[Any, Any] = array.astype(np.float64)
    return doubles


def _read(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return array if _readable(array) else _as_doubles(array)


def _chunks(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """Give an array as it is where the extension can read it, else in pieces, as doubles."""
    if _readable(array):
        yield array
        return
    step = max(1, CHUNK_VALUES // max(1, array[:1].size))
    for first in range(0, len(array), step):
        yield _as_doubles(array[first : first + step])


class ArrayTable(Table):
    """A two-dimensional array."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        if array.ndim != 2:
            remedy = "; a single column is .reshape(-1, 1)" if array.ndim == 1 else ""
            raise UsageError(f"a table has two dimensions, not {array.ndim}{remedy}")
        self._array = plain_array(array, "the array")
        self.names = None
        self.width = array.shape[1]

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        if any(value is not None for _, value in sources):
            columns = [self._array[:, place] for place in range(self.width)]
            ColumnTable(None, columns, plain_array).feed(part, sources)
            return
        for chunk in _chunks(self._array):
            part.take_matrix(chunk, [place for place, _ in sources])


class _NullableColumn:
    """A pandas column whose missing values become NaN, a piece at a time."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        piece = self._column.iloc[rows]
        # pandas copies more where a value is missing. So that much memory is always taken first.
        np.ones(3 * len(piece))
        with np.errstate(all="ignore"):
            values: np.ndarray[Any, Any] = piece.to_numpy(
                dtype=np.float64, na_value=np.nan, copy=True
            )
        return values


class _CategoricalColumn:
    """A pandas column of categories that stand for numbers, a piece at a time."""

    def __init__(self, column: Any, numbers: np.ndarray[Any, Any]) -> None:
        self._numbers = np.append(numbers, np.nan)  # a missing value has the code -1
        self._codes = column.array.codes

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        values: np.ndarray[Any, Any] = self._numbers[self._codes[rows]]
        return values


class _EqualNumbers:
    """A column of ones where a column of numbers has a number, and of zeros elsewhere."""

    def __init__(self, column: Any, number: float) -> None:
        self._column = column
        self._number = number

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        values = _as_doubles(self._column[rows])
        equal: np.ndarray[Any, Any] = (values == self._number).astype(np.float64)
        np.copyto(equal, np.nan, where=np.isnan(values))
        return equal


class _EqualObjects:
    """The same of a pandas column of text that are Python's objects."""

    def __init__(self, column: Any, value: str) -> None:
        self._column = column
        self._equality = _equality(value)

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        piece = self._column.array[rows].to_numpy(dtype=object)
        return np.fromiter(map(self._equality, piece), np.float64, len(piece))


class _EqualInArrow:
    """The same of a pandas column in Arrow's memory."""

    def __init__(self, column: Any, label: str, value: str) -> None:
        self._column = column
        self._label = label
        self._value = value
        self[:0]  # its type, or the value, may be refused

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, rows: slice) -> np.ndarray[Any, Any]:
        pyarrow = sys.modules["pyarrow"]
        piece = pyarrow.array(self._column.array[rows])
        equal = np.empty(len(piece))
        stream = _stream_of(pyarrow.table([piece], names=[""]))
        stream.fill((0, self._value), self._label, equal)
        return equal


def _equality(value: str) -> Callable[[Any], float]:
    """Return what is 1 of the text `value`, 0 of other text, and NaN of a missing value.

    It copies no text, which would tell how long it is.
    """
    matches = re.compile(rf"[ \t]*{re.escape(value)}[ \t]*").fullmatch

    def equality(found: Any) -> float:
        if isinstance(found, str):
            return 1.0 if matches(found) else 0.0
        return np.nan

    return equality


def _equality_of_objects(value: str) -> Callable[[Any], bool]:
    """Return what is true of the objects that a column of their own type would have as `value`."""
    text = _equality(value)
    truth = _number_or_none(np.dtype(bool), value)
    double = _number_or_none(np.dtype(float), value)
    nearest = {size: _number_or_none(np.dtype(f"f{size}"), value) for size in (2, 4)}

    def equality(found: Any) -> bool:
        if isinstance(found, (bool, np.bool_)):
            return bool(found) == truth
        if isinstance(found, (float, np.floating)):
            return float(found) == nearest.get(getattr(found, "itemsize", 8), double)
        if isinstance(found, (int, np.integer)) and not isinstance(found, np.timedelta64):
            whole = int(found)
            return (whole if abs(whole) >> 64 else float(whole)) == double  # rounded as in a column
        return text(found) == 1.0

    return equality


def _number_for(dtype: Any, label: str, value: str) -> float:
    """Return what is nearest to a number in a column of that type; UsageError for other text."""
    float_bytes = getattr(dtype, "itemsize", 8) if dtype.kind == "f" else 8
    return float(_core.number_of_value(label, value, dtype.kind == "b", float_bytes))


def _number_or_none(dtype: Any, value: str) -> float | None:
    with contextlib.suppress(UsageError):
        return _number_for(dtype, "", value)
    return None


class ColumnTable(Table):
    """One-dimensional arrays of the same length, made when they are asked for."""

    def __init__(
        self,
        names: list[str] | None,
        columns: Sequence[Any],
        make: Callable[[Any, str], Any],
        make_indicator: Callable[[Any, str, str], Any] | None = None,
    ) -> None:
        self.names = names
        self.width = len(columns)
        self._columns = columns
        self._make = make
        self._make_indicator = make_indicator or self._equal_numbers

    def _equal_numbers(self, column: Any, label: str, value: str) -> _EqualNumbers:
        numbers = self._make(column, label)
        return _EqualNumbers(numbers, _number_for(numbers.dtype, label, value))

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        columns = [
            self._make(self._columns[place], part.label(j))
            if value is None
            else self._make_indicator(self._columns[place], part.label(j), value)
            for j, (place, value) in enumerate(sources)
        ]
        rows = len(columns[0])
        if any(len(column) != rows for column in columns):  # longer ones would be cut short
            raise DataError("the columns are not of one length")
        in_place = all(isinstance(c, np.ndarray) and _readable(c) for c in columns)
        step = max(1, rows if in_place else CHUNK_VALUES // len(columns))
        for first in range(0, rows, step):
            part.take_columns([_read(column[first : first + step]) for column in columns])


class StreamTable(Table):
    """An object that hands out an Arrow stream."""

    def __init__(self, source: Any) -> None:
        # An object that knows its number of rows holds them. A reader is empty after it was read.
        self.rereadable = hasattr(source, "__len__") or hasattr(source, "num_rows")
        self._stream = _stream_of(source)
        self.names = list(self._stream.names)
        self.width = len(self.names)

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        part.take_stream(self._stream, list(sources))


class ProjectedTable(Table):
    """A table on disk, stored by column. Only the columns taken are read."""

    def __init__(self, names: list[str], open_reader: Callable[[list[str] | None], Any]) -> None:
        self.names: list[str] = names
        self.width = len(names)
        self._open_reader = open_reader

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        taken = {place for place, _ in sources}
        columns = [name for place, name in enumerate(self.names) if place in taken]
        # With such names, a name does not select exactly one column.
        if len(set(self.names)) < self.width or any("." in name for name in columns):
            part.take_stream(_stream_of(self._open_reader(None)), list(sources))
            return
        stream = _stream_of(self._open_reader(columns))
        at = {name: place for place, name in enumerate(stream.names)}
        part.take_stream(stream, [(at[self.names[place]], value) for place, value in sources])


def _handed_out(make: Callable[[], Any]) -> Any:
    """Return what a producer of rows makes; DeviceError for its error, which may quote a value.

    The error is raised after the handler, so that it has no context that tells a value.
    """
    try:
        return make()
    except (ImportError, MemoryError, OSError):  # of no value
        raise
    except Exception:
        pass
    raise DeviceError(
        "what should hand out an Arrow stream failed; it tells why when its rows are read without "
        "dpcov"
    )


def _stream_of(source: Any) -> _core.ArrowStream:
    return _core.ArrowStream(_handed_out(source.__arrow_c_stream__))


def _of_dataset(dataset: Any) -> ProjectedTable:
    return ProjectedTable(
        list(dataset.schema.names),
        lambda columns: _handed_out(lambda: dataset.scanner(columns=columns).to_reader()),
    )


def _of_parquet(file: Any) -> ProjectedTable:
    pyarrow = sys.modules["pyarrow"]
    schema = file.schema_arrow

    def reader(columns: list[str] | None) -> Any:
        fields = schema if columns is None else pyarrow.schema(map(schema.field, columns))
        return pyarrow.RecordBatchReader.from_batches(fields, file.iter_batches(columns=columns))

    return ProjectedTable(list(schema.names), reader)


class SparseTable(Table):
    """A sparse matrix, row by row."""

    def __init__(self, matrix: Any) -> None:
        if len(matrix.shape) != 2:
            raise UsageError(f"a table has two dimensions, not {len(matrix.shape)}")
        self._matrix = matrix
        self.names = None
        self.width = matrix.shape[1]

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        if any(value is not None for _, value in sources):
            raise UsageError(
                "a sparse matrix has no columns 'NAME=VALUE'; add columns of zeros and ones to it"
            )
        matrix = self._matrix
        values = plain_array(matrix.data, "the sparse matrix")
        if not _readable(values):
            values = _as_doubles(values)
        places = [place for place, _ in sources]
        part.take_sparse(values, matrix.indices, matrix.indptr, self.width, places)


class NoChunksError(UsageError):
    """An iterator was at its end before the first table, or a list of rows had none."""


def unwrapped(table: Any) -> Any:
    """Return the frame that Narwhals wraps; any other table as it is.

    The wrapper makes the types of its Arrow stream from the values, so one row would decide them.
    """
    if type(table).__module__.partition(".")[0] == "narwhals" and hasattr(table, "to_native"):
        return table.to_native()
    return table


def _has_no_row_and_no_width(rows: Any) -> bool:
    """Say whether rows are numpy.array([]). An array with named fields has columns all the same."""
    fields = getattr(getattr(rows, "dtype", None), "names", None)
    return getattr(rows, "shape", None) == (0,) and fields is None


def _require_several_rows(chunk: Any) -> None:
    """Raise UsageError for what looks like one row: a remedy would make its columns into rows."""
    one_row = isinstance(chunk, dict) or getattr(chunk, "ndim", None) == 1
    if isinstance(chunk, (list, tuple)):
        # For lists in lists NumPy's error would tell how long they are.
        one_row = any(not isinstance(item, (list, tuple)) and np.ndim(item) == 0 for item in chunk)
    structured = isinstance(chunk, np.ndarray) and chunk.dtype.names is not None
    if one_row and not structured:
        raise UsageError(
            "an iterator hands out chunks, which are tables of several rows, and this one hands "
            "out single rows; collect them first, all by numpy.array(list(rows), dtype=float), or "
            "some thousands at a time, as a cursor's fetchmany does"
        )


def _tables_of(chunks: Iterator[Any], *, by_row: bool) -> Iterator[tuple[int, Table]]:
    """Give chunks as tables, counted from 0. An empty iterator as a chunk is left out."""
    for number, chunk in enumerate(chunks):
        if _has_no_row_and_no_width(chunk):
            continue
        _require_several_rows(chunk)
        tables = []
        with contextlib.suppress(NoChunksError):
            tables.append(table_of(chunk, by_row=by_row))
        del chunk  # not kept until the next
        while tables:
            yield number, tables.pop()


class ChunkTable(Table):
    """One table after another; all must have the columns of the first."""

    def __init__(self, chunks: Iterator[Any], *, by_row: bool = False) -> None:
        self.rereadable = False
        self._rest = _tables_of(chunks, by_row=by_row)
        found = next(self._rest, None)
        if found is None:
            raise NoChunksError("there is no chunk to take the columns from")
        self._first = [found[1]]
        self.names = self._names = found[1].names
        self.width = found[1].width

    def feed(self, part: _core.Part, sources: Sequence[Source]) -> None:
        self._first.pop().feed(part, sources)  # not kept until the next
        for number, table in self._rest:
            if table.width != self.width or table.names != self._names:
                raise UsageError(f"chunk {number}, from 0, has other columns than the first")
            table.feed(part, sources)
            del table


def table_without_rows(names: list[str] | None, width: int) -> Table:
    """Return a table that has columns and no rows."""
    table = ArrayTable(np.empty((0, width)))
    table.names = names
    return table


def names_to_find(table: Table, declared: Table) -> list[str] | None:
    """Return the names by which declared columns are found in a table.

    UsageError where a table without names has another number of columns than were declared.
    """
    if declared.names is None or table.names is not None:
        return table.names
    if table.width != declared.width:
        raise UsageError(
            f"the rows have {table.width} columns without names, and {declared.width} were named"
        )
    return declared.names


def pandas_column(column: Any, label: str) -> Any:
    """Return a column's numbers. Its type alone decides whether and how they can be read.

    Except for an empty column, which is accepted as an object column: pandas makes one of [].
    """
    kind = column.dtype.kind
    if isinstance(column.dtype, np.dtype):
        if kind == "O" and len(column) == 0:
            return np.empty(0)
        return plain_array(column.to_numpy(), label)
    if kind in _NUMBERS:
        return _NullableColumn(column)
    if column.dtype.name == "category" and column.cat.categories.dtype.kind in _NUMBERS:
        with np.errstate(all="ignore"):
            numbers = column.cat.categories.to_numpy(dtype=np.float64)
        return _CategoricalColumn(column, numbers)
    raise not_numeric(label, words_for(column.dtype))


def pandas_indicator(column: Any, label: str, value: str) -> Any:
    """Return a column that is 1 where a pandas column has `value`, a piece at a time.

    Its type alone decides whether and how they are compared; of categories each one's own does.
    """
    dtype = column.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        return _EqualInArrow(column, label, value)
    if dtype.name in _TEXT:
        of_objects = dtype.storage == "python"
        return _EqualObjects(column, value) if of_objects else _EqualInArrow(column, label, value)
    if dtype.name == "category":
        return _equal_category(column, label, value)
    numbers = pandas_column(column, label)
    if dtype.kind == "O":  # an empty one
        return numbers
    return _EqualNumbers(numbers, _number_for(dtype, label, value))


def _equal_category(column: Any, label: str, value: str) -> Any:
    """Compare as each category's own type says; what is no text and no number is not equal.

    No value and no type is refused: pandas derives the type of categories from all of them, and so
    from what is in the rows.
    """
    categories = column.cat.categories
    kind = categories.dtype
    if kind.kind in _NUMBERS:
        number = _number_or_none(kind, value)
        return _EqualNumbers(pandas_column(column, label), np.nan if number is None else number)
    if kind.name.partition("[")[0] in _TEXT:
        return _CategoricalColumn(column, pandas_indicator(categories, label, value)[:])
    equal = np.fromiter(map(_equality_of_objects(value), categories), np.float64, len(categories))
    return _CategoricalColumn(column, equal)


def _of_pandas(frame: Any, version: str) -> Table:
    if int(version.partition(".")[0]) < _LEAST_PANDAS:
        # Its columns of Arrow's types have another type where a value is missing.
        raise TypeError(f"pandas {version} is too old for dpcov; it takes {_LEAST_PANDAS}.0 on")
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    return ColumnTable(names_of(frame.columns), columns, pandas_column, pandas_indicator)


def has_mask(rows: Any) -> bool:
    """Say whether rows are a masked array, or a list of them, whose masks NumPy would drop."""
    inside = rows if isinstance(rows, (list, tuple)) else ()
    return any(isinstance(part, np.ma.MaskedArray) for part in (rows, *inside))


def _masked() -> TypeError:
    return TypeError("masked arrays are not taken; say what is missing by .filled(numpy.nan)")


def _of_array(array: np.ndarray[Any, Any], *, without_chunks: Callable[[], Table] | None) -> Table:
    if without_chunks is not None and _has_no_row_and_no_width(array):
        return table_without_rows(None, without_chunks().width)
    if has_mask(array):
        raise _masked()
    if array.dtype.names is not None and array.ndim == 1:
        names = list(array.dtype.names)
        return ColumnTable(names, names, lambda name, label: plain_array(array[name], label))
    return ArrayTable(array)


def _array_of_rows(rows: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Return the array of a list of rows; TypeError where their lengths differ.

    It is raised after the handler: NumPy's error, which would be its context, tells how many rows
    there are.
    """
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numpy.ma.masked in one row, which is NaN
        return np.asarray(rows)
    raise TypeError("the rows of the list are not of one length")


def _of_list(
    rows: list[Any] | tuple[Any, ...], *, by_row: bool, without_chunks: Callable[[], Table] | None
) -> Table:
    if by_row:
        raise UsageError(
            "bad_rows='zero' takes no list: what one row holds would decide how all are read; "
            "pass numpy.array(rows, dtype=float)"
        )
    if has_mask(rows):
        raise _masked()
    # Asked before the rows are: nothing else may tell whether there is a row.
    declared = None if without_chunks is None else without_chunks()
    if len(rows) == 0:
        if declared is None:
            raise NoChunksError("there is no row to take the columns from")
        return declared
    if any(getattr(item, "ndim", 1) > 1 or hasattr(item, "columns") for item in rows):
        raise TypeError(
            f"the {type(rows).__name__} holds tables, not rows; if they are chunks of one "
            "table, pass iter(...) of it"
        )
    if any(isinstance(item, dict) for item in rows):
        raise TypeError(
            f"the {type(rows).__name__} holds dicts, not rows; make a data frame of them, by "
            "pandas.DataFrame for example"
        )
    return ArrayTable(_array_of_rows(rows))


def _of_chunks(
    chunks: Iterator[Any], *, by_row: bool, without_chunks: Callable[[], Table] | None
) -> Table:
    declared = None if without_chunks is None else without_chunks()
    if declared is not None:
        declared.rereadable = False  # as it would be with a chunk
    try:
        return ChunkTable(chunks, by_row=by_row)
    except NoChunksError:
        if declared is None:
            raise
        return declared


def table_of(
    rows: Any, *, by_row: bool = False, without_chunks: Callable[[], Table] | None = None
) -> Table:
    """Return `rows` as a table.

    For an iterator or a list, `without_chunks` is called before the first chunk or row is read. It
    returns the table to use where there is none: nothing else may tell whether there is one.

    Raises
    ------
    TypeError
        `rows` is not a known kind of table; the message says what to do.
    UsageError
        With `by_row` each row is taken by itself, so a list is refused: all its rows together
        decide its type.
    """
    rows = unwrapped(rows)
    if isinstance(rows, np.ndarray):
        return _of_array(rows, without_chunks=without_chunks)
    if hasattr(rows, "tocsr"):  # of which one kind is a dict
        return SparseTable(rows.tocsr())
    if isinstance(rows, memoryview):
        return _of_array(np.asarray(rows), without_chunks=without_chunks)
    if isinstance(rows, dict):
        raise TypeError(
            "dict is no table; make one of its columns by pandas.DataFrame or pyarrow.table"
        )
    if isinstance(rows, (str, bytes)) or hasattr(rows, "__fspath__"):
        raise TypeError(
            f"{type(rows).__name__} is no table; load a file first (numpy.load(path, "
            "mmap_mode='r'), pyarrow.parquet.ParquetFile(path)), or use the program dpcov"
        )
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(rows, pandas.DataFrame):
        return _of_pandas(rows, pandas.__version__)
    if hasattr(rows, "__arrow_c_stream__"):
        return StreamTable(rows)
    if hasattr(rows, "scanner") and hasattr(rows, "schema"):  # a pyarrow dataset
        return _of_dataset(rows)
    if hasattr(rows, "iter_batches") and hasattr(rows, "schema_arrow"):  # a Parquet file
        return _of_parquet(rows)
    if hasattr(rows, "__dask_graph__"):
        raise TypeError(
            f"{type(rows).__name__} is of Dask: covariance of the module dpcov.dask takes it, or "
            ".compute() it"
        )
    if hasattr(rows, "collect") and not hasattr(rows, "__array__"):
        raise TypeError(f"{type(rows).__name__} has no rows yet; call its .collect() first")
    if isinstance(rows, (list, tuple)):
        return _of_list(rows, by_row=by_row, without_chunks=without_chunks)
    if hasattr(rows, "__array__"):
        if hasattr(rows, "columns"):
            raise TypeError(
                f"{type(rows).__name__} has columns, but hands out no Arrow stream; take a newer "
                "version of its library, or compute a pandas or Arrow table of it"
            )
        return _of_array(np.asanyarray(rows), without_chunks=without_chunks)
    if hasattr(rows, "__dlpack__"):
        return _of_array(np.from_dlpack(rows), without_chunks=without_chunks)
    if hasattr(rows, "__iter__"):
        return _of_chunks(iter(rows), by_row=by_row, without_chunks=without_chunks)
    raise TypeError(
        f"{type(rows).__name__} is no table; pass a two-dimensional array, a data frame, an Arrow "
        "table, a CSR matrix or an iterator of such"
    )
