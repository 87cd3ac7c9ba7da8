"""How accurate a release would be, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, cast, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import require_choice, require_number, require_whole, require_word
from ._budgets import Budget, Epsilon, Rho, require_budget
from ._errors import UsageError
from ._ledger import Neighbours
from ._request import TOLD, tell
from ._schema import Bounds, Series, by_label, select, values_of_columns, width_of

#: A dict by column, or one value for each column; None where nothing is known.
Guesses: TypeAlias = "Mapping[Any, float] | Sequence[float | None] | npt.NDArray[Any] | Series"


@dataclass(frozen=True, eq=False)
class Plan:
    """Expected errors of a release: typical deviations from its values without noise.

    An error of several entries is the root of their mean square. Columns with bounds are in units
    in which the bounds are [-1, 1]; without bounds they are in the table's units. For methods whose
    releases have intervals the errors are standard errors. For other methods they are the errors of
    the estimates for a made-up table.

    Attributes
    ----------
    correlation_error : float
        Error of the correlation of two columns with the guessed deviations; at most 1. If there is
        one column: of its correlation with another one like it.
    covariance_error : float or None
        Error of the covariance of two columns. None where no noise would be drawn, because nothing
        could be seen in it; so are the next two.
    variance_error : float or None
        Error of the variance of a column.
    mean_error : float or None
        Error of the mean of a column; None also without centring.
    estimated_correlation_error : float
        Error of the estimate of a correlation, in a made-up table of skewed columns with a common
        factor; 0 for one column. As a rule it is less than `correlation_error`, and still less in
        two passes. Where `deviations` and `means` are known, it is right to a factor of two.
    frobenius_error : float
        Error of the whole matrix, in the Frobenius norm.
    frobenius_error_of_zero : float
        Error of the zero matrix, which costs nothing, in the same norm.
    nothing_seen : bool
        Nothing would be seen in the noise: the release would be zero, or no better than zero.
    delta_not_small : bool
        delta is not below 1/rows: publishing one row whole would meet such a delta.
    frobenius_error_by_method : dict of str to float
        `frobenius_error` of the methods that support the budget, the smallest first; without those
        that need a clip, and with many columns without those that take long. A method that cannot
        read rows twice is planned with one pass.
    correlation_error_by_method : dict of str to float
        `correlation_error` of each method whose releases have intervals, where anything would be
        drawn. The method with the least `frobenius_error` need not have the narrowest intervals.
    correlation_errors : (d, d)
        Errors of the correlation of each two columns, zero on the diagonal. They differ only where
        `deviations` or `means` were given. Of shape (0, 0) where no noise would be drawn.
    covariance_errors : (d, d)
        Errors of covariances, and on the diagonal of variances; in the table's units squared. Of
        shape (0, 0) where no noise would be drawn.
    mean_errors : (d,)
        Errors of means, in the table's units. Of shape (0,) where no noise would be drawn, and
        without centring.
    """

    correlation_error: float
    covariance_error: float | None
    variance_error: float | None
    mean_error: float | None
    estimated_correlation_error: float
    frobenius_error: float
    frobenius_error_of_zero: float
    nothing_seen: bool
    delta_not_small: bool
    frobenius_error_by_method: dict[str, float]
    correlation_error_by_method: dict[str, float]
    correlation_errors: npt.NDArray[np.float64] = field(repr=False)
    covariance_errors: npt.NDArray[np.float64] = field(repr=False)
    mean_errors: npt.NDArray[np.float64] = field(repr=False)


class _Columns(NamedTuple):
    """The number of columns, the norm bound (0: what bounds imply), and names and bounds."""

    number: int
    norm_bound: float
    bounds: list[tuple[str, tuple[float, float]]]


def _columns(columns: int | None, norm_bound: float | None, bounds: Bounds | None) -> _Columns:
    if columns is not None:
        columns = require_whole(columns, "columns", 1, _core.most_columns)
    norm = 0.0  # what follows of bounds
    if norm_bound is not None:
        norm = require_number(norm_bound, "norm_bound")
        if not norm > 0.0:
            raise UsageError("norm_bound must be above 0")
    if bounds is None:
        return _Columns(columns or 0, norm, [])
    bounds = by_label(bounds)
    if isinstance(bounds, Mapping):
        by_name = {str(name): entry for name, entry in bounds.items()}
        chosen = select(list(by_name), len(by_name), by_name, None, None)
    else:
        width = columns if columns is not None else width_of(bounds)
        if width is None:
            raise UsageError("one pair of bounds is for any number of columns; say columns=, too")
        chosen = select(None, width, bounds, None, None)
    pairs = []
    for place, column in enumerate(chosen.columns):
        if column.bounds is None:
            raise UsageError(
                f"column {column.name or place!r} has no bounds; give it some, or leave it out and "
                "plan by columns and norm_bound"
            )
        pairs.append((column.name, column.bounds))
    return _Columns(columns or len(pairs), norm, pairs)


def _told(what: str, guesses: Guesses | None, columns: _Columns) -> list[float | None]:
    """Return one value or None for each column; an empty list where nothing was given."""
    if guesses is None:
        return []
    names = [name for name, _ in columns.bounds]
    given = values_of_columns(guesses, what, names if any(names) else None, columns.number)
    return [None if value is None else require_number(value, what) for value in given]


def _facts(
    rows: int,
    columns: _Columns,
    spread: float | None,
    deviations: Guesses | None,
    means: Guesses | None,
) -> tuple[Any, ...]:
    """Return what is known of the table, as the extension takes it."""
    return (
        rows,
        *columns,
        None if spread is None else require_number(spread, "spread"),
        _told("deviations", deviations, columns),
        _told("means", means, columns),
    )


def _release(
    bounds: Bounds | None,
    method: str,
    neighbours: Neighbours,
    rows_per_person: int,
    center: bool | None,
    passes: int,
) -> tuple[str, str, int, bool, int]:
    """Return how the table would be released, as the extension takes it."""
    return (
        require_word(method, "method"),
        require_word(neighbours, "neighbours"),
        require_whole(rows_per_person, "rows_per_person", 1, _core.most_rows_per_person),
        bounds is not None if center is None else require_choice(center, "center"),
        require_whole(passes, "passes", 1, 2),
    )


def plan(
    rows: int,
    *,
    budget: Budget,
    bounds: Bounds | None = None,
    columns: int | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    neighbours: Neighbours = "replace",
    rows_per_person: int = 1,
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Plan:
    """Return the expected errors of a release, from public facts alone. Spends nothing.

    A table is made up as the facts say, and is released; no real table is looked at. Warns
    (UserWarning) of a delta that is not below 1 / `rows`.

    Parameters
    ----------
    rows : int
        The number of rows, or a guess of it; from 1 to 2^48.
    budget : Rho, Epsilon or ApproximateDP
        What the release would spend.
    bounds : dict, sequence or pair, optional
        As for `covariance`. Without them `columns` and `norm_bound` are required.
    columns : int, optional
        The number of columns, from 1 to 32766. Required where `bounds` do not tell it.
    norm_bound : float, optional
        The greatest Euclidean norm of a row, above 0, after bounds. Required without `bounds`.
    method : str
        One of `methods()` that needs no clip.
    neighbours : {"replace", "add-remove"}
        Tables that differ in this way must look alike: in one row replaced, or in one row more or
        less.
    rows_per_person : int
        The most rows that one person has, as for `covariance`: budgets are for a whole person.
    center : bool, optional
        Whether the covariance is about the mean. By default True with `bounds`, else False.
    spread : float, optional
        A guess of the columns' standard deviation, divided by half of the range between the bounds,
        or without bounds by norm_bound / sqrt(columns). Above 0, at most 1. By default 0.2 with
        bounds, and 0.5 without.
    deviations : dict or sequence, optional
        Standard deviations of columns, where they are known or guessed, in the table's units: a
        dict by name or place, or one value (or None) for each column. `spread` holds for the
        others. Above 0, at most half of the range between the bounds, or without bounds at most
        `norm_bound`. Of an indicator `NAME=VALUE` with bounds 0 and 1 it follows from the mean.
    means : dict or sequence, optional
        Means of columns, likewise; within the bounds, or without bounds at most `norm_bound` away
        from 0. A column without one is taken to crowd at one end of its bounds.
    passes : {1, 2}
        How often the rows would be read, as for `covariance`.

    Raises
    ------
    UsageError
        Facts that contradict each other, or a method that does not support the budget.
    """
    require_budget(budget)
    rows = require_whole(rows, "rows", 1, _core.most_rows)
    known = _columns(columns, norm_bound, bounds)
    typical, methods, correlations, covariances, mean_errors = _core.plan(
        _facts(rows, known, spread, deviations, means),
        budget,
        _release(bounds, method, neighbours, rows_per_person, center, passes),
    )
    if known.bounds and covariances.size > 0:
        units = np.array([0.5 * upper - 0.5 * lower for _, (lower, upper) in known.bounds])
        covariances = covariances * np.outer(units, units)
        mean_errors = mean_errors * units if mean_errors.size > 0 else mean_errors
    told = Plan(
        *typical,
        frobenius_error_by_method={method: error for method, error, _ in methods},
        correlation_error_by_method={
            method: correlation for method, _, correlation in methods if correlation is not None
        },
        correlation_errors=correlations,
        covariance_errors=covariances,
        mean_errors=mean_errors,
    )
    if told.delta_not_small:
        tell(TOLD["delta-not-small"])
    return told


@overload
def budget_for_correlation_error(
    error: float,
    rows: int,
    *,
    pure: Literal[False] = False,
    bounds: Bounds | None = None,
    columns: int | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    neighbours: Neighbours = "replace",
    rows_per_person: int = 1,
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Rho: ...
@overload
def budget_for_correlation_error(
    error: float,
    rows: int,
    *,
    pure: bool,
    bounds: Bounds | None = None,
    columns: int | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    neighbours: Neighbours = "replace",
    rows_per_person: int = 1,
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Rho | Epsilon: ...
def budget_for_correlation_error(
    error: float,
    rows: int,
    *,
    pure: bool = False,
    bounds: Bounds | None = None,
    columns: int | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    neighbours: Neighbours = "replace",
    rows_per_person: int = 1,
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Rho | Epsilon:
    """Return the budget at which `plan` gives correlations a standard error of `error`.

    It is the least such budget, to 1 %: a Rho, or an Epsilon where `pure` is True. `error` is a
    value of `Plan.correlation_error`, between 0 and 1. The other parameters are those of `plan`.
    Spends nothing.

    Raises
    ------
    UsageError
        Facts that contradict each other, an error that is not between 0 and 1, or one that no
        budget reaches.
    """
    rows = require_whole(rows, "rows", 1, _core.most_rows)
    found = _core.plan_budget(
        _facts(rows, _columns(columns, norm_bound, bounds), spread, deviations, means),
        require_number(error, "error"),
        require_choice(pure, "pure"),
        _release(bounds, method, neighbours, rows_per_person, center, passes),
    )
    return cast("Rho | Epsilon", found)
