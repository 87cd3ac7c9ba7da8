"""Budgets and the conversions between definitions of differential privacy."""

from __future__ import annotations

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
        What is spent.
    epsilon : Epsilon
        The epsilon of the pair.
    curve : {"zcdp", "gaussian"}
        "gaussian" is tighter. It holds only for rho that is spent on Gaussian noise alone: where
        the release's `record["curve"]` says so.

    Returns
    -------
    float
        delta, rounded up; at most 1.

    Raises
    ------
    UsageError
        Arguments of another kind.
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
        What is spent.
    delta : float
        Between 0 and 1.
    curve : {"zcdp", "gaussian"}
        "gaussian" is tighter. It holds only for rho that is spent on Gaussian noise alone: where
        the release's `record["curve"]` says so.

    Returns
    -------
    Epsilon
        Rounded up.

    Raises
    ------
    UsageError
        Arguments of another kind, or a delta that is not between 0 and 1.
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
        "gaussian" is tighter. It holds only for rho that is spent on Gaussian noise alone: where
        the release's `record["curve"]` says so.

    Raises
    ------
    UsageError
        Arguments of another kind.
    """
    _require(target, ApproximateDP, "target")
    return _core.rho_for(target, require_word(curve, "curve"))


def rho_of(epsilon: Epsilon) -> Rho:
    """Return the rho-zCDP that every epsilon-DP release satisfies: epsilon^2 / 2, rounded up.

    Spends nothing.

    Raises
    ------
    UsageError
        Arguments of another kind.
    """
    _require(epsilon, Epsilon, "epsilon")
    return _core.rho_of(epsilon)


def best_guess(budget: Budget, *, curve: Curve = "zcdp") -> float:
    """Return how often at most a guess about one row is right after a release.

    Whoever guesses sees the release, knows all other rows, and has to say which of two equally
    likely neighbouring tables it is of. Without the release half of such guesses are right. Spends
    nothing.

    Parameters
    ----------
    budget : Rho, Epsilon or ApproximateDP
        What a release satisfies.
    curve : {"zcdp", "gaussian"}
        Of `Rho`: "gaussian" is tighter. It holds only for rho that is spent on Gaussian noise
        alone: where the release's `record["curve"]` says so.

    Returns
    -------
    float
        From 0.5 to 1, rounded up.

    Raises
    ------
    UsageError
        Arguments of another kind.
    """
    require_budget(budget)
    return _core.best_guess(budget, require_word(curve, "curve"))


class Method(NamedTuple):
    """A mechanism that `covariance` can run.

    Attributes
    ----------
    name, summary, source : str
    zcdp : bool
        It meets Rho, and ApproximateDP through it.
    pure_dp : bool
        It meets Epsilon.
    needs_clip : bool
        It wants the argument `clip`; others refuse it.
    reads_twice : bool
        It may be told `passes=2`; others refuse it.
    takes_full_norms : bool
        It may be told `full_norms`; others refuse it.
    takes_steps : bool
        It may be told `steps`; others refuse it.
    has_intervals : bool
        In variant 'best' what is derived of its releases has intervals.
    """

    name: str
    summary: str
    source: str
    zcdp: bool
    pure_dp: bool
    needs_clip: bool
    reads_twice: bool
    takes_full_norms: bool
    takes_steps: bool
    has_intervals: bool


def methods() -> list[Method]:
    """Return all mechanisms, in the order in which the documentation lists them."""
    return [Method(*entry) for entry in _core.methods()]
