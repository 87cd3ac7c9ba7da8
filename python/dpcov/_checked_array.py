"""What scikit-learn's check_array checks, with messages that tell no value.

The messages of check_array quote the text, or print the rows, that it could not convert. It copies
a table that holds NaN. Both would tell of one row.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.utils.validation import check_array

from ._errors import DataError, UsageError
from ._frames import is_table, numbers_of
from ._labels import labels_of
from ._schema import Column
from ._tables import (
    CHUNK_VALUES,
    has_mask,
    not_numeric,
    plain_array,
    unwrapped,
    words_for,
)

#: The name of the option in check_array, since scikit-learn 1.6 and before.
_FINITE = next(
    word
    for word in ("ensure_all_finite", "force_all_finite")
    if word in inspect.signature(check_array).parameters
)

#: Beginnings of messages, in all versions, that name shapes and types alone.
_TELL_NO_VALUE = (
    "Found array with",
    "Sparse data was passed",
    "A sparse matrix was passed",
    "Expected a 2",
)


def checked_array(X: Any, name: str, *, by_row: bool = False, **options: Any) -> Any:
    """Return check_array(X), called `name` in messages; NaN and infinity are let through.

    The result is an array, or with accept_sparse in the options perhaps a CSR matrix. With `by_row`
    no row may decide how others are read.
    """
    X = unwrapped(X)
    if has_mask(X):
        raise TypeError(f"{name} is masked; say what is missing by .filled(numpy.nan)")
    private = options.get("ensure_min_samples") == 0
    if (private or by_row) and not is_table(X):  # whose shape, or type, the rows may decide
        asked = "under 'add-remove'" if private else "with bad_rows='zero'"
        kind = "a list" if isinstance(X, (list, tuple)) else f"of type {type(X).__name__}"
        raise TypeError(
            f"{name} is {kind}; {asked} pass an array of two dimensions (numpy.asarray of it), a "
            "sparse matrix or a data frame"
        )
    _require_kind(X, name, by_row=by_row)
    _require_columns(X, name)
    table = numbers_of(X, name)
    # A warning would tell a row, whatever the caller's numpy.errstate. So would the context of an
    # error that is raised while another one is handled.
    problem: Exception | None = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            rows: Any = check_array(table, input_name=name, **{_FINITE: False}, **options)
            if rows.dtype.kind == "O":  # of lists, which check_array leaves as they are
                rows = rows.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            problem = _without_values(error, name, rows_private=private)
    if problem is not None:
        raise problem
    if issparse(rows):
        plain_array(rows.data, name)
        return rows
    return plain_array(rows, name)


def _require_kind(X: Any, name: str, *, by_row: bool) -> None:
    """Raise an error where the type or the shape of `X` alone rules it out."""
    if isinstance(X, np.matrix):
        raise TypeError(f"{name} is a numpy.matrix; pass numpy.asarray of it")
    if issparse(X) and len(X.shape) != 2:
        raise UsageError(f"{name} must have two dimensions, not {len(X.shape)}")
    if isinstance(X, (list, tuple)):
        lengths = {len(row) for row in X if isinstance(row, (list, tuple))}
        if len(lengths) > 1:
            raise TypeError(f"the rows of {name} are not of one length")
    # Objects may be numbers; one row would decide whether all of them are.
    refused = ("U", "S", "M", "m", "O") if by_row else ("U", "S", "M", "m")
    in_frame = hasattr(X, "iloc")  # whose types are looked at by column
    if not in_frame and getattr(getattr(X, "dtype", None), "kind", "") in refused:
        raise not_numeric(name, words_for(X.dtype))


def _require_columns(X: Any, name: str) -> None:
    """Raise ValueError where a data frame has no columns, or two of one name."""
    labels = labels_of(X)
    if labels is None:
        return
    if not labels:
        raise ValueError(f"{name} has no column")
    ((named, times),) = Counter(map(str, labels)).most_common(1)
    if times > 1:
        raise ValueError(f"{name} has several columns named {named!r}; give each a name of its own")


def written_out(rows: Any, first: int, last: int) -> npt.NDArray[Any]:
    """Return rows first to last - 1 of an array, or of a CSR matrix written out with its zeros.

    A sparse row with an index that is not a column becomes NaN in all columns. SciPy would read and
    write memory that is not its own.
    """
    if not issparse(rows):
        piece: npt.NDArray[Any] = rows[first:last]
        return piece
    ends = np.asarray(rows.indptr[first : last + 1])
    held = slice(int(ends[0]), int(ends[-1]))
    places, values = rows.indices[held], rows.data[held]
    of_row = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    inside = (places >= 0) & (places < rows.shape[1])
    dense = np.zeros((len(ends) - 1, rows.shape[1]), np.result_type(values.dtype, np.float64))
    with np.errstate(all="ignore"):  # a warning would tell a row
        np.add.at(dense, (of_row[inside], places[inside]), values[inside])
    dense[of_row[~inside]] = np.nan
    return dense


def astray(rows: Any) -> npt.NDArray[np.bool_]:
    """Say of each row of an array or a CSR matrix whether one of its indices is not a column."""
    found = np.zeros(rows.shape[0], dtype=bool)
    if issparse(rows):
        of_row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        places = rows.indices[: len(of_row)]
        found[of_row[(places < 0) | (places >= rows.shape[1])]] = True
    return found


def _without_values(error: Exception, name: str, *, rows_private: bool) -> Exception:
    """Return the error in words that tell no value, and no private number of rows."""
    said = str(error)
    if rows_private and said.startswith("Found array with 0 feature"):
        return ValueError(f"{name} has no column")
    if said.startswith(_TELL_NO_VALUE):
        return error
    shape = re.match(r"Expected 2D array, got \w+ array instead", said)
    if shape:
        return ValueError(
            f"{shape[0]}. Reshape your data: .reshape(-1, 1) where {name} is one column, "
            ".reshape(1, -1) where it is one row"
        )
    if said.startswith("Complex data not supported"):
        return ValueError(
            f"Complex data not supported: {name} holds complex numbers; take real and imaginary "
            "parts as columns of their own"
        )
    if said.startswith("dtype='numeric'"):  # a list with text in it
        return not_numeric(name, "text")
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(
        f"{name} holds text or other objects; each argument must be a string or a real number, and "
        "the string that of a number. Encode it as numbers by rules that are known without the "
        "rows, or leave the column out"
    )


def missing_in(rows: npt.NDArray[Any], columns: Sequence[Column]) -> npt.NDArray[np.bool_]:
    """Say of each value of an array (n, d) whether it is NaN, or one of its column's codes."""
    missing: npt.NDArray[np.bool_] = np.isnan(rows)
    for j, column in enumerate(columns):
        if column.missing:
            values = rows[:, j].astype(np.float64)
            for code in column.missing:
                missing[:, j] |= values == code
    return missing


def require_finite(rows: Any, name: str, columns: Sequence[Column] | None = None) -> None:
    """Raise DataError, with row and column, where `rows` (n, d) hold infinity, or NaN without fill.

    The memory does not depend on the values. `columns` are the known facts of the d columns, if
    there are any; a fill takes care of NaN, and codes for missing values are as NaN.
    """
    sparse = issparse(rows)
    strays = np.flatnonzero(astray(rows))
    if len(strays) > 0:
        row = int(strays[0])
        raise DataError(
            f"row {row} of {name} (counted from 0): an index is no column of the sparse matrix; "
            "repair the row",
            row,
        )
    known = columns or [Column("", None, None, (), 1.0)] * rows.shape[1]
    if rows.dtype.kind != "f" and not sparse and not any(column.missing for column in known):
        return
    fills = np.array([column.fill is not None for column in known])
    step = max(1, CHUNK_VALUES // max(1, rows.shape[1]))
    for first in range(0, rows.shape[0], step):
        piece = written_out(rows, first, min(first + step, rows.shape[0]))
        missing = missing_in(piece, known)
        bad = (missing & ~fills) | np.isinf(piece)
        if bad.any():
            i, j = (int(place) for place in np.argwhere(bad)[0])
            value = (
                "infinite"
                if not missing[i, j]
                else "missing (NaN)"
                if np.isnan(piece[i, j])
                else "a code for a missing one"
            )
            fillable = bool(missing[i, j]) and columns is not None
            raise _bad_value(first + i, j, name, known[j].name, value=value, fillable=fillable)


def _bad_value(
    row: int, place: int, name: str, column: str, *, value: str, fillable: bool
) -> DataError:
    remedy = "correct the row"
    if fillable:
        remedy = "give the column a fill in its bounds, (lower, upper, fill), or correct the row"
    named = f" {column!r}" if column else ""
    return DataError(
        f"row {row}, column {place}{named} of {name} (counted from 0): the value is {value}; "
        f"{remedy}",
        row,
        place,
    )
