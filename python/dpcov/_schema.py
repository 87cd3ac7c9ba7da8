"""Public facts of the columns: which to take, names, bounds, scales."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from . import _core
from ._arguments import path_text, require_number
from ._errors import UsageError
from ._labels import Source, labels_in, labels_of_series, places_of, sources_of
from ._shown import shown


class Series(Protocol):
    """A pandas series: values with labels."""

    @property
    def iloc(self) -> Any: ...

    def __len__(self) -> int: ...


#: (lower, upper), (lower, upper, fill) or (lower, upper, fill, missing)
ColumnBounds: TypeAlias = "Sequence[float | Sequence[float] | None] | np.ndarray[Any, Any]"
#: By column name; one for each column; or one pair of numbers or arrays for all columns.
Bounds: TypeAlias = "Mapping[Any, ColumnBounds] | Sequence[Any] | np.ndarray[Any, Any] | Series"
Scale: TypeAlias = "float | Sequence[float] | Mapping[Any, float] | np.ndarray[Any, Any] | Series"


class Column(NamedTuple):
    """One column, as the extension takes it."""

    name: str
    bounds: tuple[float, float] | None
    fill: float | None
    missing: Sequence[float]  #: codes: numbers that stand for a missing value
    scale: float

    @property
    def midpoint(self) -> float:
        """The midpoint of its bounds; 0 where there are none."""
        return 0.5 * sum(self.bounds) if self.bounds else 0.0


class Selection(NamedTuple):
    """Columns in the order in which they are released, and where they come from."""

    columns: list[Column]
    sources: list[Source]


_FORMS = "(lower, upper), (lower, upper, fill) or (lower, upper, fill, missing)"


def _is_missing(fill: Any) -> bool:
    """Say whether a fill is None, or NaN, as tables have it."""
    return fill is None or (isinstance(fill, (float, np.floating)) and bool(np.isnan(fill)))


def _numbers(values: Iterable[Any], what: str) -> list[float]:
    values = list(values)
    for value in values:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
            kind = type(value).__name__
            raise UsageError(f"{what} hold no number, but an object of type {kind}")
    return [require_number(value, what) for value in values]


def _is_one_value(entry: Any) -> bool:
    """Say whether it is no sequence; lists of lists of other lengths are no arrays."""
    return not isinstance(entry, (tuple, list)) and np.ndim(entry) == 0


def _codes(entry: Any, what: str) -> tuple[float, ...]:
    """Return codes for missing values, of which there may be one, several or none."""
    if _is_missing(entry):
        return ()
    codes = _numbers([entry] if _is_one_value(entry) else entry, what)
    if not np.isfinite(codes).all():
        raise UsageError(f"{what} have a code for missing values that is not finite")
    return tuple(codes)


def _facts(entry: Any, what: str) -> tuple[tuple[float, float], float | None, tuple[float, ...]]:
    """Return ((lower, upper), fill, missing)."""
    if not isinstance(entry, (tuple, list, np.ndarray)):
        raise UsageError(f"{what} must be {_FORMS}, not of type {type(entry).__name__}")
    missing = _codes(entry[3], what) if len(entry) == 4 else ()
    given = entry[:3] if len(entry) == 4 else entry
    if len(given) == 3 and _is_missing(given[2]):
        given = given[:2]
    numbers = _numbers(given, what)
    if len(numbers) not in (2, 3):
        found = shown(entry) if isinstance(entry, tuple) else f"of type {type(entry).__name__}"
        raise UsageError(f"{what} must be {_FORMS}, not {found}")
    if len(numbers) == 3 and not numbers[0] <= numbers[2] <= numbers[1]:
        raise UsageError(f"{what} have a fill that is not within them")
    return (numbers[0], numbers[1]), numbers[2] if len(numbers) == 3 else None, missing


def read_bounds(path: str | bytes | os.PathLike[Any]) -> dict[str | int, tuple[Any, ...]]:
    """Return bounds from a file that `dpcov estimate` takes: `name,lower,upper[,fill[,missing]]`.

    The keys are column names, or places (counted from 0) where a name is a number; in the order of
    the lines. The values are (lower, upper), (lower, upper, fill) or (lower, upper, fill, missing),
    where `missing` is a tuple of codes, and a fill of None is none.

    Raises
    ------
    DataError
        A line is not of that form, a name comes twice, or bounds, a fill or codes make no sense.
    DeviceError
        The file cannot be read.
    """
    bounds: dict[str | int, tuple[Any, ...]] = {}
    for name, lower, upper, fill, missing in _core.read_bounds(path_text(path)):
        key = int(name) if name.isascii() and name.isdigit() else name
        entry = (lower, upper, fill, tuple(missing))
        bounds[key] = entry[: 4 if missing else 2 if fill is None else 3]
    return bounds


def _is_one_for_all(entries: Sequence[Any]) -> bool:
    """Say whether bounds are (lower, upper[, fill[, missing]]), the same for every column.

    Four numbers are not: they could be two pairs.
    """
    if len(entries) == 4 and entries[2] is not None and _is_one_value(entries[3]):
        return False
    return len(entries) in (2, 3, 4) and all(map(_is_one_value, entries[:3]))


def _read_in_two_ways(bounds: Any) -> UsageError:
    return UsageError(
        f"bounds={shown(bounds)} can be read in two ways; give a dict by column name, a list "
        "of (lower, upper), one for each column, or a tuple of arrays, (lower, upper)"
    )


def _have_codes(entries: Sequence[Any]) -> bool:
    """Say whether any of the entries holds a sequence: the codes of a column."""
    listed = [entry for entry in entries if isinstance(entry, (tuple, list))]
    return not all(_is_one_value(value) for entry in listed for value in entry)


def _is_of_arrays(bounds: Sequence[Any] | np.ndarray[Any, Any]) -> bool:
    """Say whether bounds are two arrays, lower and upper, and not one pair for each column.

    Raises
    ------
    UsageError
        They can be read in both ways.
    """
    if len(bounds) not in (2, 3):
        return False
    if isinstance(bounds, np.ndarray):
        if bounds.shape in ((2, 2), (3, 3)):
            raise _read_in_two_ways(bounds)
        return False
    if any(hasattr(entry, "__array__") for entry in bounds):
        return True
    if not isinstance(bounds, tuple) or _have_codes(bounds):
        return False
    lengths = {len(entry) if isinstance(entry, Sized) else 0 for entry in bounds}
    if lengths <= {2, 3}:
        raise _read_in_two_ways(bounds)
    return 0 not in lengths


def by_label(bounds: Any) -> Any:
    """Return bounds that are series with labels, or hold such, as a dict by label.

    Raises
    ------
    UsageError
        They are no bounds, a data frame, or series of which one has labels that another has not.
    """
    if bounds is None:
        return None
    if isinstance(bounds, (str, bytes)) or not (
        isinstance(bounds, Iterable) and isinstance(bounds, Sized)
    ):
        raise UsageError(
            f"bounds is {shown(bounds)}; it is one (lower, upper), one for each column, two arrays "
            "(lower, upper), or a dict by column name, as dpcov.read_bounds(path) gives of a file"
        )
    if hasattr(bounds, "columns") and hasattr(bounds, "index"):
        raise UsageError(
            "bounds is a table; give a dict by column name, "
            "dict(zip(table.index, zip(table.lower, table.upper))), or, of its file, "
            "dpcov.read_bounds(path)"
        )
    labels = labels_of_series(bounds)
    if labels is not None:
        if all(map(_is_one_value, bounds)):
            raise UsageError("bounds is a series of numbers; one pair for all is (lower, upper)")
        return dict(zip(labels, bounds, strict=True))
    if not isinstance(bounds, (tuple, list)) or len(bounds) not in (2, 3):
        return bounds
    labelled = [labels_of_series(entry) for entry in bounds]
    known = next((found for found in labelled if found is not None), None)
    if known is None:
        return bounds
    columns = []
    for found, entry in zip(labelled, bounds, strict=True):
        if _is_one_value(entry):
            columns.append([entry] * len(known))
        elif found is None or set(found) != set(known):
            raise UsageError("the bounds' series have other labels than each other; give a dict")
        else:
            values = dict(zip(found, entry, strict=True))
            columns.append([values[label] for label in known])
    return dict(zip(known, zip(*columns, strict=True), strict=True))


def width_of(bounds: Any) -> int | None:
    """Return how many columns bounds are for that are not given by name; None for any number."""
    entries = list(bounds)
    if _is_one_for_all(entries):
        return None
    if _is_of_arrays(bounds):
        most = max(np.size(entry) for entry in entries)
        return most if most > 1 else None
    return len(entries)


def _spread(bounds: Any, width: int) -> list[Any]:
    """Return one entry for each column, of bounds that are not given by name."""
    entries: list[Any] = list(bounds)
    if _is_one_for_all(entries):
        return [tuple(entries)] * width
    if _is_of_arrays(bounds):
        if width == len(entries) and not isinstance(bounds, tuple):
            raise UsageError(
                f"a list of {width} arrays for {width} columns can be read in two ways; give a "
                "tuple of arrays, (lower, upper), or a list of tuples, one for each column"
            )
        shapes = {np.shape(entry) for entry in entries}
        if not shapes <= {(), (1,), (width,)}:
            raise UsageError(f"bounds are arrays of other lengths than the {width} columns")
        return list(zip(*np.broadcast_arrays(*entries, np.empty(width))[:-1], strict=True))
    if len(entries) != width:
        raise UsageError(
            f"bounds has {len(entries)} entries for {width} columns; give one (lower, upper) for "
            "each column, one for all, two arrays (lower, upper), or a dict by column name"
        )
    return entries


def _with_given_names(
    names: Sequence[str] | None, width: int, columns: Sequence[Any] | None
) -> tuple[Sequence[str] | None, Sequence[Any] | None]:
    """For a table without names, take one string for each column as the names.

    UsageError for one that may as well be an indicator.
    """
    whole = names is None and columns is not None and len(columns) == width
    if not whole or columns is None or not all(isinstance(column, str) for column in columns):
        return names, columns
    for name in columns:
        if name.partition("=")[1] and name.partition("=")[0].strip().isdecimal():
            raise UsageError(
                f"{shown(name)} may be a name, for there is one for each column of this table, or "
                "the indicator of a column: call indicators by bounds, a dict, and give other names"
            )
    return list(columns), None


def require_takable(columns: Sequence[Column], sources: Sequence[Source]) -> None:
    """Raise UsageError where a column is taken twice, or an indicator has codes."""
    if len(set(sources)) < len(sources):
        raise UsageError("a column is taken twice")
    for column, source in zip(columns, sources, strict=True):
        if source.value is not None and column.missing:
            raise UsageError(
                f"the bounds of column {column.name!r} have codes for missing values; it is made "
                "of another column's values, of which a code is one like others, and counts as 0: "
                "leave the codes out, or give a code a column of its own, 'NAME=CODE'"
            )


def _by_source(values: Mapping[Any, Any], sources: Sequence[Any]) -> dict[Any, Any]:
    """Return values of columns by their sources; UsageError where a column comes twice."""
    if len(set(sources)) < len(sources):
        raise UsageError("a column is taken twice")
    return dict(zip(sources, values.values(), strict=True))


def select(
    names: Sequence[str] | None,
    width: int,
    bounds: Bounds | None,
    columns: Sequence[Any] | None,
    scale: Scale | None,
    *,
    indicators: bool = False,
) -> Selection:
    """Resolve what a caller says about the columns of a table of `width` columns.

    With `indicators` a column may be NAME=VALUE, which is made of the column NAME.

    Raises
    ------
    UsageError
        Columns that do not exist or are taken twice; bounds together with scales; codes for missing
        values of an indicator.
    """
    if bounds is not None and scale is not None:
        raise UsageError("bounds say how to scale the columns, too; leave column_scale out")
    if isinstance(columns, str):
        raise UsageError("columns must be a list, also where it is of one")
    if columns is not None:
        columns = labels_in(columns, "columns")
    bounds = by_label(bounds)
    names, columns = _with_given_names(names, width, columns)
    wanted = list(bounds) if isinstance(bounds, Mapping) and columns is None else columns
    sources = (
        [Source(place) for place in range(width)]
        if wanted is None
        else sources_of(wanted, names, width, indicators=indicators)
    )
    if not sources:
        raise UsageError("no column is taken")
    if names is None and all(source == (j, None) for j, source in enumerate(sources)):
        labels = [""] * len(sources)  # they are counted anyway
    else:
        labels = [source.label(names) for source in sources]

    given: list[Any] = [None] * len(sources)
    if isinstance(bounds, Mapping):
        at = _by_source(bounds, sources_of(bounds, names, width, indicators=indicators))
        for j, source in enumerate(sources):
            if source not in at:
                raise UsageError(
                    f"column {labels[j] or source.place!r} has no bounds; give it some, or leave "
                    "it out of the table"
                )
            given[j] = at[source]
    elif bounds is not None:
        given = _spread(bounds, len(sources))
    if isinstance(scale, Mapping) or labels_of_series(scale) is not None:
        divisors = _as_mapping(scale)
        at = _by_source(divisors, sources_of(divisors, names, width, indicators=indicators))
        scale = [1.0 if at.get(source) is None else at[source] for source in sources]
    scales = _scales(scale, len(sources))

    selected = []
    for j, entry in enumerate(given):
        what = f"the bounds of column {labels[j] or sources[j].place!r}"
        pair, fill, missing = (None, None, ()) if entry is None else _facts(entry, what)
        selected.append(Column(labels[j], pair, fill, missing, scales[j]))
    require_takable(selected, sources)
    return Selection(selected, sources)


def values_of_columns(values: Any, what: str, names: Sequence[str] | None, width: int) -> list[Any]:
    """Return one value for each of `width` columns, in the order of the table.

    `values` is a dict or a series with labels, by name or place, or has one value for each column.
    A column that is not named gets None.

    Raises
    ------
    UsageError
        Columns that do not exist; another number of values.
    """
    values = _as_mapping(values)
    if isinstance(values, Mapping):
        at = _by_source(values, places_of(values, names, width))
        return [at.get(place) for place in range(width)]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise UsageError(f"{what} is {shown(values)}; it is a dict by column, or one for each")
    listed = list(values)
    if len(listed) != width:
        raise UsageError(f"{what} has {len(listed)} entries for {width} columns")
    return listed


def _as_mapping(values: Any) -> Any:
    """Return a series with labels as a dict; other values as they are."""
    labels = labels_of_series(values)
    return values if labels is None else dict(zip(labels, values, strict=True))


def _scales(scale: Any, width: int) -> list[float]:
    if scale is None:
        return [1.0] * width
    if np.ndim(scale) == 0:
        return [require_number(scale, "column_scale")] * width
    scales = values_of_columns(scale, "column_scale", None, width)
    return [require_number(value, "a column's scale") for value in scales]
