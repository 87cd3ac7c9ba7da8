"""What columns are called: the labels of a table or a series, and those of a caller."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._errors import UsageError
from ._shown import shown

#: Types that labels can have. A column of values has none of them.
_LABELS = (
    *(str, bytes, int, float, tuple, type(None)),
    *(datetime.date, datetime.timedelta, np.generic),
)


class Source(NamedTuple):
    """Where a column comes from."""

    place: int  #: in the table, from 0
    #: None for the column itself. For an indicator, NAME=VALUE, the text that is to be 1.
    value: str | None = None

    def label(self, names: Sequence[str] | None) -> str:
        """Return what the column is called in results; by its place where there are no names."""
        name = str(self.place) if names is None else names[self.place]
        return name if self.value is None else f"{name}={self.value}"


def names_of(labels: Iterable[Any]) -> list[str] | None:
    """Return column labels as names; None where they are 0, 1, 2, ..."""
    known = list(labels)
    numbers = all(isinstance(label, (int, np.integer)) for label in known)
    if numbers and known == list(range(len(known))):
        return None
    return [str(label) for label in known]


def labels_of(table: Any) -> list[Any] | None:
    """Return the column labels of a data frame or an Arrow table; None where there are none.

    There are none where `columns` is something else, as in Arrow, where it holds values. There are
    none for a single column: in pandas a row that is called "columns" would be found under that
    name. There are none for a query, which would have to be planned first.
    """
    if getattr(table, "ndim", 2) == 1 or hasattr(type(table), "collect"):
        return None
    # Arrow's schema, not a column of a frame that is called schema.
    labels = getattr(table.schema, "names", None) if hasattr(type(table), "schema") else None
    if not isinstance(labels, list):
        labels = getattr(table, "columns", None)
    if labels is None or isinstance(table, np.ndarray) or not isinstance(labels, Iterable):
        return None
    known = list(labels)
    return known if all(isinstance(label, _LABELS) for label in known) else None


def label_of(column: Any) -> Any:
    """Return the label of one column, or None."""
    label = getattr(column, "name", None) if getattr(column, "ndim", 1) == 1 else None
    return label if isinstance(label, _LABELS) else None


def labels_of_series(entry: Any) -> list[Any] | None:
    """Return what a pandas series calls its values; None of all else, and where it only counts.

    UsageError where two have one label.
    """
    index = getattr(entry, "index", None)
    if index is None or callable(index) or np.ndim(entry) != 1:
        return None
    labels = list(index)
    if labels == list(range(len(labels))):
        return None
    if len(set(labels)) < len(labels):
        raise UsageError("a series of bounds or scales has a label twice")
    return labels


def look_like_a_row(names: Sequence[str]) -> bool:
    """Say whether all names are numbers, and not all of them whole ones such as years."""
    try:
        values = [float(name) for name in names]
    except ValueError:
        return False
    return bool(values) and not all(value.is_integer() for value in values)


def name_of(label: Any) -> str:
    """Return a column's name, as text, from its label in a call: text, or a whole number."""
    if not isinstance(label, (str, int, np.integer)):
        raise UsageError(
            f"a column is called by its name or its place, not by an object of type "
            f"{type(label).__name__}"
        )
    return str(label)


def labels_in(labels: Any, what: str) -> list[Any]:
    """Return a list, tuple or index of labels as a list. A table or a column is refused."""
    indices = ("Index", "MultiIndex", "RangeIndex", "dict_keys", "range")  # pandas', and Python's
    if not (
        isinstance(labels, (list, tuple, dict, np.ndarray)) or type(labels).__name__ in indices
    ):
        raise UsageError(f"{what} is a list of names or places, not {shown(labels)}")
    return list(labels)


def places_of(wanted: Iterable[Any], names: Sequence[str] | None, width: int) -> list[int]:
    """Return the places in a table, from 0, of the columns `wanted`: by name, or by place."""
    return [source.place for source in sources_of(wanted, names, width, indicators=False)]


def sources_of(
    wanted: Iterable[Any], names: Sequence[str] | None, width: int, *, indicators: bool
) -> list[Source]:
    """Return the same, or with `indicators` also columns NAME=VALUE."""
    columns = _core.CalledColumns([_text_of(name) for name in names or ()], width)
    labels = list(wanted)
    sources = [_source_in(columns, label, indicators=indicators) for label in labels]
    require_one_kind(
        labels,
        columns,
        "If the first line of a file has names, call all columns by them; if it is a row, read the "
        "file without a header (header=None)",
    )
    return sources


def require_one_kind(labels: Iterable[Any], columns: _core.CalledColumns, remedy: str) -> None:
    """Refuse whole numbers of which some are names of columns and others are places.

    A "0" may be a value of a row that was taken for a header. All labels are those of columns.
    """
    named = place = None
    for label in labels:
        text = _text_of(label)
        if text.strip(" \t") and _core.is_place(text):
            called = _called(columns, label, indicators=True)
            if called.by_index:
                place = place or (label, called)
            else:
                named = named or (label, called)
    if named is not None and place is not None:
        raise UsageError(
            f"either names or places, not both: {shown(named[0])} is the name of column "
            f"{named[1].place} (counted from 0), {shown(place[0])} is a place. {remedy}"
        )


def place_in(columns: _core.CalledColumns, wanted: Any) -> int:
    """Return the place of one column; UsageError where there is none, or several."""
    return _source_in(columns, wanted, indicators=False).place


def _called(columns: _core.CalledColumns, wanted: Any, *, indicators: bool) -> _core.CalledColumn:
    """Return which column is meant, with `indicators` also NAME=VALUE.

    A place is a whole number, and text is a name. NAME, which is text, is a place only where no
    column has a name. (The program takes all text for a place that is a number and no name.)
    """
    text = _text_of(wanted)
    if indicators and isinstance(wanted, str) and "=" in text:
        return columns.find_or_indicator(text, not columns.names)
    return columns.find(text, _counts(wanted))


def _counts(label: Any) -> bool:
    return isinstance(label, (int, np.integer))


def _source_in(columns: _core.CalledColumns, wanted: Any, *, indicators: bool) -> Source:
    called = _called(columns, wanted, indicators=indicators)
    if not called.problem:
        # Of all values: null alone is missing in a data frame, NA and ? are texts. (A file has no
        # other way to say that a value is missing, so its readers refuse them.)
        if called.value == "":
            raise UsageError(
                f"column {shown(wanted)}: no value stands behind the '='; give the column's other "
                "values, and perhaps a fill for what is missing"
            )
        return Source(called.place, called.value)
    if called.problem == "several":
        raise UsageError(
            f"several columns are named {shown(wanted)}; take one by its place"
            if called.value is None
            else f"several columns have the name in {shown(wanted)}; give each a name of its own"
        )
    absent = f"there is no column {wanted if _counts(wanted) else shown(wanted)}"
    if called.problem == "beyond" or (_counts(wanted) and wanted < 0):
        raise UsageError(f"{absent}; the table has {columns.width}, counted from 0")
    name_of(wanted)
    if called.problem == "nameless":
        raise UsageError(
            f"{absent}, for the table names none; give a data frame (in "
            'a pipeline by set_output(transform="pandas")), or take columns by their place, '
            "counted from 0; dpcov.covariance takes all names in order as columns=[...]"
        )
    instead_of = columns.instead_of_indicator if indicators else columns.instead_of
    raise UsageError(absent + instead_of(_text_of(wanted)))


def _text_of(label: Any) -> str:
    """Return a label as text that the extension takes, without lone surrogates."""
    return str(label).encode("utf-8", "backslashreplace").decode()
