"""What a release would be good for, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

#: By column, or one for each; None where nothing is known.
Guesses: TypeAlias = "Mapping[Any, float] | Sequence[float | None] | npt.NDArray[Any] | Series"


@dataclass(frozen=True, eq=False)
class Plan:
    """Typical deviations of what a release tells from what it would be without noise.

    Of several entries the root of the mean square. Columns are in units in which their bounds are
    [-1, 1]; without bounds, in the table's. Of methods whose releases have intervals these are
    standard errors; of others what estimates of a made-up table err by.

    Attributes
    ----------
    correlation : float
        Standard error of a correlation of two columns that are spread as guessed; at most 1. Of one
        column: with another like it.
    covariance : float or None
        Of the covariance of two columns; None where nothing would be drawn, and so nothing told.
    variance : float or None
        Of a variance.
    mean : float or None
        Of a mean; None without centring, too.
    estimated_correlation : float
        By how much the estimate of a correlation errs, in a made-up table of skewed columns with a
        common factor: as a rule less than the noise, the more so in two passes. To be trusted, to a
        factor of two, where `deviations` and `means` are known.
    frobenius : float
        Error of the whole matrix, in the Frobenius norm.
    frobenius_of_zero : float
        What the zero matrix errs by, which costs nothing.
    nothing_seen : bool
        Nothing would be seen: the release would be zero, or no better.
    delta_not_small : bool
        delta is not below 1/rows: publishing one row whole would meet it.
    methods : dict of str to float
        `frobenius` of each method, the smallest first; of those that cannot read rows twice in one
        pass.
    correlation_by_method : dict of str to float
        `correlation` of each method whose releases have intervals. The narrowest need not be those
        of the method whose matrix errs least.
    correlations : (d, d)
        Standard errors of each two columns' correlation, zero on the diagonal. They differ where
        `deviations` or `means` were given. Of shape (0, 0) where nothing would be drawn.
    covariances : (d, d)
        The same of covariances, and of variances on the diagonal; in the table's units.
    means : (d,)
        The same of means; of shape (0,) without centring, too.
    """

    correlation: float
    covariance: float | None
    variance: float | None
    mean: float | None
    estimated_correlation: float
    frobenius: float
    frobenius_of_zero: float
    nothing_seen: bool
    delta_not_small: bool
    methods: dict[str, float]
    correlation_by_method: dict[str, float]
    correlations: npt.NDArray[np.float64]
    covariances: npt.NDArray[np.float64]
    means: npt.NDArray[np.float64]


class _Columns(NamedTuple):
    """How many there are, the norm bound (0 for what bounds imply), and names and bounds."""

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
    """Return one for each column, or none at all."""
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
    bounds: Bounds | None, method: str, neighbours: Neighbours, center: bool | None, passes: int
) -> tuple[str, str, bool, int]:
    """Return how it would be released, as the extension takes it."""
    return (
        require_word(method, "method"),
        require_word(neighbours, "neighbours"),
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
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Plan:
    """Tell what a release would be good for, from public facts alone. Spends nothing.

    A table is made up as the facts say, and released; no other is looked at. Warns (UserWarning)
    of a delta that is not below one over `rows`.

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
    deviations : dict or sequence, optional
        What is known or guessed of columns' standard deviations, in the table's units, by name or
        one for each; the others are spread as `spread` says. Above 0, at most half of the range.
    means : dict or sequence, optional
        The same of their means, within the bounds. Columns of which none is told crowd at one end.
    passes : {1, 2}
        How often the rows are read, as for `covariance`.

    Raises
    ------
    UsageError
        Facts that contradict each other.
    """
    require_budget(budget)
    rows = require_whole(rows, "rows", 1, _core.most_rows)
    known = _columns(columns, norm_bound, bounds)
    typical, methods, correlations, covariances, means = _core.plan(
        _facts(rows, known, spread, deviations, means),
        budget,
        _release(bounds, method, neighbours, center, passes),
    )
    if known.bounds and covariances.size > 0:
        units = np.array([0.5 * upper - 0.5 * lower for _, (lower, upper) in known.bounds])
        covariances = covariances * np.outer(units, units)
        means = means * units if means.size > 0 else means
    told = Plan(
        *typical,
        methods={method: error for method, error, _ in methods},
        correlation_by_method={
            method: correlation for method, _, correlation in methods if correlation is not None
        },
        correlations=correlations,
        covariances=covariances,
        means=means,
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
    center: bool | None = None,
    spread: float | None = None,
    deviations: Guesses | None = None,
    means: Guesses | None = None,
    passes: Literal[1, 2] = 1,
) -> Rho | Epsilon:
    """Return the budget at which `plan` gives correlations a standard error of `error`.

    A Rho, or where `pure` an Epsilon. Spends nothing. The other parameters are those of `plan`.

    Raises
    ------
    UsageError
        Facts that contradict each other; an error that is not between 0 and 1.
    """
    rows = require_whole(rows, "rows", 1, _core.most_rows)
    found = _core.plan_budget(
        _facts(rows, _columns(columns, norm_bound, bounds), spread, deviations, means),
        require_number(error, "error"),
        require_choice(pure, "pure"),
        _release(bounds, method, neighbours, center, passes),
    )
    return cast("Rho | Epsilon", found)
