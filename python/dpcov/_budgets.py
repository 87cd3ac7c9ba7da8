"""Budgets and the conversions between definitions of differential privacy."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple, TypeAlias

from . import _core
from ._arguments import require_number, require_word
from ._core import ApproximateDP, Epsilon, Rho
from ._errors import UsageError
from ._shown import shown

__all__ = ["ApproximateDP", "Budget", "Epsilon", "Method", "Rho"]

Budget: TypeAlias = Rho | Epsilon | ApproximateDP
Curve: TypeAlias = Literal["zcdp", "gaussian"]

for _type in (Rho, Epsilon, ApproximateDP):
    _type.__module__ = "dpcov"


def require_budget(budget: object) -> None:
    """Raise UsageError unless `budget` is one."""
    if not isinstance(budget, (Rho, Epsilon, ApproximateDP)):
        raise UsageError(
            f"budget is {shown(budget)}; it is Rho, Epsilon or ApproximateDP: dpcov.Rho(0.1), for "
            "example"
        )


def _require(value: object, kind: type[Rho | Epsilon | ApproximateDP], name: str) -> None:
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {shown(value)}; it must be a dpcov.{kind.__name__}")


def delta_of(rho: Rho, epsilon: Epsilon, *, curve: Curve = "zcdp") -> float:
    """Return the smallest delta for which a release that spends `rho` is (epsilon, delta)-DP.

    Spends nothing.

    Parameters
    ----------
    rho : Rho
        The budget that is spent.
    epsilon : Epsilon
        The epsilon of the pair (epsilon, delta).
    curve : {"zcdp", "gaussian"}
        "gaussian" gives a tighter result. It is valid only if all noise is Gaussian: where the
        release's `record["curve"]` is "gaussian".

    Returns
    -------
    float
        delta, rounded up; above 0, at most 1.

    Raises
    ------
    UsageError
        Arguments of another type.
    """
    _require(rho, Rho, "rho")
    _require(epsilon, Epsilon, "epsilon")
    return _core.delta_of(rho, epsilon, require_word(curve, "curve"))


def epsilon_of(rho: Rho, delta: float, *, curve: Curve = "zcdp") -> Epsilon:
    """Return the smallest epsilon for which a release that spends `rho` is (epsilon, delta)-DP.

    Spends nothing.

    Parameters
    ----------
    rho : Rho
        The budget that is spent.
    delta : float
        The delta of the pair (epsilon, delta); above 0, below 1.
    curve : {"zcdp", "gaussian"}
        "gaussian" gives a tighter result. It is valid only if all noise is Gaussian: where the
        release's `record["curve"]` is "gaussian".

    Returns
    -------
    Epsilon
        The epsilon of the pair, rounded up.

    Raises
    ------
    UsageError
        Arguments of another type, or a delta that is not between 0 and 1.
    """
    _require(rho, Rho, "rho")
    return _core.epsilon_of(rho, require_number(delta, "delta"), require_word(curve, "curve"))


def rho_for(target: ApproximateDP, *, curve: Curve = "zcdp") -> Rho:
    """Return the largest rho whose releases are all (epsilon, delta)-DP, rounded down.

    Spends nothing.

    Parameters
    ----------
    target : ApproximateDP
        The pair to meet.
    curve : {"zcdp", "gaussian"}
        "gaussian" gives a tighter result. It is valid only if all noise is Gaussian: where the
        release's `record["curve"]` is "gaussian".

    Raises
    ------
    UsageError
        Arguments of another type.
    """
    _require(target, ApproximateDP, "target")
    return _core.rho_for(target, require_word(curve, "curve"))


def rho_of(epsilon: Epsilon) -> Rho:
    """Return the rho of the zCDP that every epsilon-DP release has: epsilon^2 / 2, rounded up.

    Spends nothing.

    Raises
    ------
    UsageError
        Arguments of another type.
    """
    _require(epsilon, Epsilon, "epsilon")
    return _core.rho_of(epsilon)


def best_guess(budget: Budget, *, curve: Curve = "zcdp") -> float:
    """Return the greatest probability of a right guess about one row, after a release.

    Whoever guesses sees the release and knows all other rows. The guess is which of two equally
    likely neighbouring tables was released. Without the release the probability is 0.5. Spends
    nothing.

    Parameters
    ----------
    budget : Rho, Epsilon or ApproximateDP
        The budget that the release satisfies.
    curve : {"zcdp", "gaussian"}
        For `Rho` alone. "gaussian" gives a tighter result. It is valid only if all noise is
        Gaussian: where the release's `record["curve"]` is "gaussian".

    Returns
    -------
    float
        A probability from 0.5 to 1, rounded up.

    Raises
    ------
    UsageError
        Arguments of another type.
    """
    require_budget(budget)
    return _core.best_guess(budget, require_word(curve, "curve"))


class Method(NamedTuple):
    """A mechanism that `covariance` can run.

    Attributes
    ----------
    name, summary, source : str
        The argument `method`; one line about it; the theorem or algorithm that it comes from.
    zcdp : bool
        It supports Rho, and ApproximateDP through it.
    pure_dp : bool
        It supports Epsilon.
    neighbours : tuple of str
        The `neighbours` that it can hide: "replace", "add-remove", or both.
    needs_clip : bool
        It needs the argument `clip`; others refuse it.
    reads_twice : bool
        It allows `passes=2`, in variant "best"; others refuse it.
    takes_full_norms : bool
        It allows `full_norms`; others refuse it.
    takes_steps : bool
        It allows `steps`; others refuse it.
    has_intervals : bool
        In variant "best" results that are derived from its releases have intervals.
    """

    name: str
    summary: str
    source: str
    zcdp: bool
    pure_dp: bool
    neighbours: tuple[str, ...]
    needs_clip: bool
    reads_twice: bool
    takes_full_norms: bool
    takes_steps: bool
    has_intervals: bool


def methods() -> list[Method]:
    """Return all mechanisms, in the order in which the documentation lists them."""
    return [
        Method(
            **{fact: entry[fact] for fact in Method._fields}
            | {"neighbours": tuple(entry["neighbours"])}
        )
        for entry in json.loads(_core.methods())
    ]
