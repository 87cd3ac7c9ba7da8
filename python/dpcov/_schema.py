"""Public facts of the columns: which to take, names, bounds, scales."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from . import _core
from ._arguments import path_text, require_number
from ._errors import UsageError
from ._labels import labels_in, labels_of_series, places_of
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
    """Columns in the order in which they are released, and their places in the table."""

    columns: list[Column]
    places: list[int]


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
    """For a table without names, take one string for each column as the names."""
    whole = names is None and columns is not None and len(columns) == width
    if whole and columns is not None and all(isinstance(column, str) for column in columns):
        return list(columns), None
    return names, columns


def _by_place(values: Mapping[Any, Any], names: Sequence[str] | None, width: int) -> dict[int, Any]:
    """Return values of columns by their places; UsageError where a column comes twice."""
    places = places_of(values, names, width)
    if len(set(places)) < len(places):
        raise UsageError("a column is taken twice")
    return dict(zip(places, values.values(), strict=True))


def select(
    names: Sequence[str] | None,
    width: int,
    bounds: Bounds | None,
    columns: Sequence[Any] | None,
    scale: Scale | None,
) -> Selection:
    """Resolve what a caller says about the columns of a table of `width` columns.

    Raises
    ------
    UsageError
        Columns that do not exist or are taken twice; bounds together with scales.
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
    places = list(range(width)) if wanted is None else places_of(wanted, names, width)
    if len(set(places)) < len(places):
        raise UsageError("a column is taken twice")
    if not places:
        raise UsageError("no column is taken")
    if names is not None:
        labels = [names[place] for place in places]
    else:  # by their index, where that is not what they are counted by anyway
        labels = (
            [""] * len(places) if places == list(range(len(places))) else list(map(str, places))
        )

    given: list[Any] = [None] * len(places)
    if isinstance(bounds, Mapping):
        at = _by_place(bounds, names, width)
        for j, place in enumerate(places):
            if place not in at:
                raise UsageError(
                    f"column {labels[j] or place!r} has no bounds; give it some, or leave it out "
                    "of the table"
                )
            given[j] = at[place]
    elif bounds is not None:
        given = _spread(bounds, len(places))
    scales = _scales(scale, names, width, places)

    selected = []
    for j, entry in enumerate(given):
        what = f"the bounds of column {labels[j] or places[j]!r}"
        pair, fill, missing = (None, None, ()) if entry is None else _facts(entry, what)
        selected.append(Column(labels[j], pair, fill, missing, scales[j]))
    return Selection(selected, places)


def values_of_columns(values: Any, what: str, names: Sequence[str] | None, width: int) -> list[Any]:
    """Return one value for each of `width` columns, in the order of the table.

    `values` is a dict or a series with labels, by name or place, or has one value for each column.
    A column that is not named gets None.

    Raises
    ------
    UsageError
        Columns that do not exist; another number of values.
    """
    labels = labels_of_series(values)
    if labels is not None:
        values = dict(zip(labels, values, strict=True))
    if isinstance(values, Mapping):
        at = _by_place(values, names, width)
        return [at.get(place) for place in range(width)]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise UsageError(f"{what} is {shown(values)}; it is a dict by column, or one for each")
    listed = list(values)
    if len(listed) != width:
        raise UsageError(f"{what} has {len(listed)} entries for {width} columns")
    return listed


def _scales(
    scale: Scale | None, names: Sequence[str] | None, width: int, places: list[int]
) -> list[float]:
    if scale is None:
        return [1.0] * len(places)
    if np.ndim(scale) == 0 and not isinstance(scale, Mapping):  # type: ignore[arg-type]
        return [require_number(scale, "column_scale")] * len(places)
    if isinstance(scale, Mapping) or labels_of_series(scale) is not None:
        given = values_of_columns(scale, "column_scale", names, width)
        scales = [1.0 if given[place] is None else given[place] for place in places]
    else:
        scales = values_of_columns(scale, "column_scale", None, len(places))
    return [require_number(value, "a column's scale") for value in scales]
