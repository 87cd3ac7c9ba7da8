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
    sources = []
    for one in labels:
        found = _indicator_in(columns, one) if indicators and isinstance(one, str) else None
        sources.append(Source(place_in(columns, one)) if found is None else found)
    require_one_kind(
        labels,
        [source.place for source in sources],
        columns.names,
        "If the first line of a file has names, call all columns by them; if it is a row, read the "
        "file without a header (header=None)",
    )
    return sources


def _indicator_in(columns: _core.CalledColumns, wanted: str) -> Source | None:
    """Return what NAME=VALUE comes from; None for what is a column's name, or has no such form.

    Of several NAMEs it is the longest. Where the table names no columns, NAME is a place.
    """
    text = _text_of(wanted)
    if columns.find(text, False)[1] in ("", "several"):
        return None
    for at in reversed([place for place, letter in enumerate(text) if letter == "="]):
        name, value = text[:at].strip(" \t"), text[at + 1 :].strip(" \t")
        place, problem = columns.find(name, not columns.names)
        if problem in ("unknown", "nameless"):
            continue
        if problem:
            place_in(columns, name if columns.names else int(name))  # says what is wrong
        if not value:
            raise UsageError(
                f"{shown(wanted)} has no value behind '='; a missing value is none, so it can have "
                "no column of zeros and ones"
            )
        if columns.find(f"{name}={value}", False)[1] in ("", "several"):  # without blanks around =
            return Source(place_in(columns, f"{name}={value}"))
        return Source(place, value)
    if not columns.names or "=" not in text:
        return None
    name = text.partition("=")[0].strip(" \t")
    raise UsageError(
        f"there is no column {shown(wanted)}, and no {shown(name)}{columns.instead_of(name)}"
    )


def require_one_kind(
    labels: Sequence[Any], places: Sequence[int], names: Sequence[str], remedy: str
) -> None:
    """Refuse whole numbers of which some are names of columns and others are places.

    A "0" may be a value of a row that was taken for a header.
    """
    known = set(names)
    named = place = None
    for j, label in enumerate(labels):
        text = _text_of(label)
        if text.isascii() and text.isdigit():
            if text in known:
                named = j if named is None else named
            else:
                place = j if place is None else place
    if named is not None and place is not None:
        raise UsageError(
            f"either names or places, not both: {shown(labels[named])} is the name of column "
            f"{places[named]} (counted from 0), {shown(labels[place])} is a place. {remedy}"
        )


def place_in(columns: _core.CalledColumns, wanted: Any) -> int:
    """Return the place of one column; UsageError where there is none, or several."""
    counts = isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool)
    text = _text_of(wanted)
    place, problem = columns.find(text, counts and wanted >= 0)
    if not problem:
        return place
    if problem == "several":
        raise UsageError(f"several columns are named {shown(wanted)}; take one by its place")
    if problem == "beyond" or (counts and wanted < 0):
        raise UsageError(
            f"there is no column {wanted}; the table has {columns.width}, counted from 0"
        )
    name_of(wanted)
    if problem == "nameless":
        raise UsageError(
            f"there is no column {shown(wanted)}, for the table names none; give a data frame (in "
            'a pipeline by set_output(transform="pandas")), or take columns by their place, '
            "counted from 0; dpcov.covariance takes all names in order as columns=[...]"
        )
    raise UsageError(f"there is no column {shown(wanted)}{columns.instead_of(text)}")


def _text_of(label: Any) -> str:
    """Return a label as text that the extension takes, without lone surrogates."""
    return str(label).encode("utf-8", "backslashreplace").decode()
