"""What a release would be good for, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast, overload

from . import _core
from ._arguments import require_choice, require_number, require_whole, require_word
from ._budgets import Budget, Epsilon, Rho, require_budget
from ._errors import UsageError
from ._ledger import Neighbours
from ._schema import Bounds, by_label, select, width_of


class Plan(NamedTuple):
    """Typical deviations of what a release tells from what it would be without noise.

    Columns are in units in which their bounds are [-1, 1]; without bounds, in the table's.

    Attributes
    ----------
    correlation : float
        Standard error of a correlation of two columns that are spread as guessed; at most 1.
    covariance : float or None
        Of the covariance of two columns; None where nothing would be drawn, and so nothing told.
    variance : float or None
        Of a variance.
    mean : float or None
        Of a mean; None without centring, too.
    frobenius : float
        Error of the whole matrix, in the Frobenius norm.
    frobenius_of_zero : float
        What the zero matrix errs by, which costs nothing.
    nothing_seen : bool
        Nothing would be seen: the release would be zero, or no better.
    methods : dict of str to float
        `frobenius` of each method, the smallest first.
    """

    correlation: float
    covariance: float | None
    variance: float | None
    mean: float | None
    frobenius: float
    frobenius_of_zero: float
    nothing_seen: bool
    methods: dict[str, float]


def _facts(
    columns: int | None, norm_bound: float | None, bounds: Bounds | None
) -> tuple[int, float, list[tuple[str, tuple[float, float]]]]:
    if columns is not None:
        columns = require_whole(columns, "columns", 1, _core.most_columns)
    norm = 0.0  # what follows of bounds
    if norm_bound is not None:
        norm = require_number(norm_bound, "norm_bound")
        if not norm > 0.0:
            raise UsageError("norm_bound must be above 0")
    if bounds is None:
        return columns or 0, norm, []
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
    return columns or len(pairs), norm, pairs


def _table(
    rows: int,
    columns: int | None,
    norm_bound: float | None,
    bounds: Bounds | None,
    spread: float | None,
) -> tuple[int, int, float, list[tuple[str, tuple[float, float]]], float | None]:
    """Return what is known of the table, as the extension takes it."""
    return (
        require_whole(rows, "rows", 1, _core.most_rows),
        *_facts(columns, norm_bound, bounds),
        None if spread is None else require_number(spread, "spread"),
    )


def _release(
    bounds: Bounds | None, method: str, neighbours: Neighbours, center: bool | None
) -> tuple[str, str, bool]:
    """Return how it would be released, as the extension takes it."""
    return (
        require_word(method, "method"),
        require_word(neighbours, "neighbours"),
        bounds is not None if center is None else require_choice(center, "center"),
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
    center: bool | None = None,
    spread: float | None = None,
) -> Plan:
    """Tell what a release would be good for, from public facts alone. Spends nothing.

    A table is made up as the facts say, and released; no other is looked at.

    Parameters
    ----------
    rows : int
        The number of rows, or a guess of it.
    budget : Rho, Epsilon or ApproximateDP
        What the release would spend.
    bounds : dict, sequence or pair, optional
        As for `covariance`; or `columns` and `norm_bound` in place of it.
    columns : int, optional
        The number of columns, where the bounds do not tell it.
    norm_bound : float, optional
        The longest that a row may be.
    method : str
        Of `methods()`.
    neighbours : {"replace", "add-remove"}
        Which tables must look alike.
    center : bool, optional
        About the mean; with `bounds` the default.
    spread : float, optional
        A guess of the columns' standard deviation, over half of the range between the bounds, or
        over norm_bound / sqrt(columns); above 0, at most 1. None takes 0.2 with bounds, and 0.5
        without.

    Raises
    ------
    UsageError
        Facts that contradict each other.
    """
    require_budget(budget)
    told = _core.plan(
        *_table(rows, columns, norm_bound, bounds, spread),
        budget,
        *_release(bounds, method, neighbours, center),
    )
    return Plan(*told[:7], methods=dict(told[7]))


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
    center: bool | None = None,
    spread: float | None = None,
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
    center: bool | None = None,
    spread: float | None = None,
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
    center: bool | None = None,
    spread: float | None = None,
) -> Rho | Epsilon:
    """Return the budget at which `plan` gives correlations a standard error of `error`.

    A Rho, or where `pure` an Epsilon. Spends nothing. The other parameters are those of `plan`.

    Raises
    ------
    UsageError
        Facts that contradict each other; an error that is not between 0 and 1.
    """
    found = _core.plan_budget(
        *_table(rows, columns, norm_bound, bounds, spread),
        require_number(error, "error"),
        require_choice(pure, "pure"),
        *_release(bounds, method, neighbours, center),
    )
    return cast("Rho | Epsilon", found)
