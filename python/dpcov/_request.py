"""The request for a release, checked as far as possible before any row is read."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Literal, NamedTuple, TypeAlias, TypedDict

from . import _core
from ._arguments import (
    require_choice,
    require_dataset,
    require_number,
    require_whole,
    require_word,
)
from ._budgets import Budget, require_budget
from ._errors import UsageError
from ._labels import look_like_a_row
from ._ledger import Ledger, Neighbours, ledger_of
from ._release import Release
from ._schema import Column
from ._shown import shown

Variant: TypeAlias = Literal["best", "paper", "published"]


# Two concerns are not here: a norm bound that is too long is known before rows are read, and a seed
# was asked for by name.
TOLD = {
    "worse-than-zero": "the zero matrix, which costs nothing, is estimated to err no more than "
    "this release: more rows, a larger budget or fewer columns would help, or method 'auto'",
    "rows-at-norm-bound": "nearly every row is at the norm bound: longer ones were clipped, which "
    "no estimated error covers; take a larger one from what is known about the columns",
    "far-from-midpoints": "the rows are much further from the midpoints of their bounds than from "
    "each other: bounds that fit better, from what is known about the columns, would err less",
    "values-at-bound": "nearly all values of {} count as one of its bounds: are the bounds in the "
    "table's unit, and is the VALUE of NAME=VALUE written as in the table? Values beyond a bound "
    "count as the bound",
    "hides-nobody": "whoever knows all other rows guesses right about one row in 999 of 1000 cases "
    "or more: such a budget hides nobody",
    "delta-not-small": "delta is not below 1/n: a method that publishes one row whole would meet "
    "it; take a delta far below 1/n",
}

_TWICE = "; so would, mostly, passes=2; means and intervals become less sharp"

# Unless method 'zero' was asked for.
_ZERO = {
    "nothing-seen": "the released matrix is zero: the noise hides it as a whole, and single "
    "entries show in their intervals alone, if at all; more rows, a larger budget, fewer columns "
    "or tighter bounds would show more",
    "undetectable": "the released matrix is zero, and nothing was spent: with so few rows, so many "
    "columns, these bounds and this budget no table could show anything through the noise",
}


def _frames_inside() -> int:
    """Return how many frames up the caller of this package is, as `warnings` counts them."""
    frame: FrameType | None = sys._getframe(1)
    depth = 1
    package = __name__.partition(".")[0]
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    return depth


def _named_at_bound(release: Release) -> str:
    """Return the names of the first columns that the concern values-at-bound is about."""
    names, places = release.columns, release._core.columns_at_bound
    most = 3
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(repr(names[place]) for place in places[:most]) + more


def tell(text: str) -> None:
    """Warn the caller, but never raise: an error would lose a release that was paid for."""
    try:
        warnings.warn(text, UserWarning, stacklevel=_frames_inside())
    except UserWarning:
        print(f"UserWarning: {text}", file=sys.stderr)


def tell_of_names(columns: Sequence[Column]) -> None:
    """Warn if the names, which are published, look like a row that was read as a header."""
    if look_like_a_row([column.name for column in columns]):
        tell(
            "all columns are named by numbers, and names are published: if they are the first row "
            "of a file without a header, read it with header=None"
        )


def threads_or_all(threads: int | None) -> int:
    """Return a number of threads; None takes all processors of this process."""
    if threads is None:
        return len(os.sched_getaffinity(0))
    return require_whole(threads, "threads", 1, _core.most_threads)


class Kept(NamedTuple):
    """What a moment keeps of its rows: public, and known before any row is read."""

    norm_bound: float | None  #: what rows are clipped to as they are read
    directions: bool = False  #: for methods that clip rows below the norm bound
    norm_bins: bool = True  #: bins of norms, for strata of every resolution; else octaves


class ReleaseOptions(TypedDict, total=False):
    """The options of every release beside its budget, as in `dpcov.covariance`."""

    method: str
    variant: Variant
    neighbours: Neighbours
    rows_per_person: int
    center: bool | None
    clip: float | None
    full_norms: bool
    steps: int | None
    scaled: bool
    ledger: Ledger | str | os.PathLike[str] | None
    dataset: str | None
    unaccounted: bool
    insecure_seed: int | None
    threads: int | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """The request for one release. The fields are the parameters of `dpcov.covariance`.

    Raises UsageError for a request that no table could meet.
    """

    budget: Budget
    method: str = "auto"
    variant: Variant = "best"
    neighbours: Neighbours = "replace"
    rows_per_person: int = 1
    center: bool | None = None
    clip: float | None = None
    full_norms: bool = False
    steps: int | None = None
    scaled: bool = False
    ledger: Ledger | str | os.PathLike[str] | None = None
    dataset: str | None = None
    unaccounted: bool = False
    insecure_seed: int | None = None
    threads: int | None = None
    passes: Literal[1, 2] = 1

    def __post_init__(self) -> None:
        require_budget(self.budget)
        for name in ("center", "full_norms", "scaled", "unaccounted"):
            choice = getattr(self, name)
            if not (choice is None and name == "center"):
                object.__setattr__(self, name, require_choice(choice, name))
        for name in ("method", "variant", "neighbours"):
            require_word(getattr(self, name), name)
        require_dataset(self.dataset)
        rows = require_whole(self.rows_per_person, "rows_per_person", 1, _core.most_rows_per_person)
        object.__setattr__(self, "rows_per_person", rows)
        for name, count, least, most in (
            ("insecure_seed", self.insecure_seed, 0, 2**64 - 1),
            ("threads", self.threads, 1, _core.most_threads),
            ("steps", self.steps, 1, _core.most_steps),
            ("passes", self.passes, 1, 2),
        ):
            if count is not None:
                object.__setattr__(self, name, require_whole(count, name, least, most))
        if self.clip is not None:
            clip = require_number(self.clip, "clip")
            if not 0.0 < clip < math.inf:
                raise UsageError(f"clip is {shown(self.clip)}; it must be above 0, and finite")
        self._needs()  # refuses what no rows could be released with
        if self.ledger is not None:  # opened once
            object.__setattr__(self, "ledger", ledger_of(self.ledger))

    def _options(self, *, center: bool) -> _core.ReleaseOptions:
        options = _core.ReleaseOptions()
        options.center = center
        for name in (
            "method",
            "variant",
            "neighbours",
            "rows_per_person",
            "clip",
            "full_norms",
            "steps",
        ):
            setattr(options, name, getattr(self, name))
        options.unaccounted = self.unaccounted
        options.insecure_seed = self.insecure_seed
        return options

    def _needs(self) -> tuple[bool, bool]:
        """Return whether the moment has to keep directions, and to keep bins of norms apart."""
        directions, bins = _core.check_request(
            self.budget, self._options(center=False), self.passes
        )
        return bool(directions), bool(bins)

    def kept(self, norm_bound: float | None, columns: Sequence[Column]) -> Kept:
        """Return what a moment of these columns has to keep.

        With `clip` the rows are clipped to it as they are read. To clip rows to a public norm T
        while reading is the same mechanism with the norm bound T.
        """
        longest = self.norm_bound_before_clip(norm_bound, columns)
        if self.clip is not None and longest is not None and self.clip > longest:
            raise UsageError(
                f"clip {self.clip} is above the norm bound {longest:.6g}; it must be at most that"
            )
        return Kept(norm_bound if self.clip is None else self.clip, *self._needs())

    def norm_bound_before_clip(
        self, norm_bound: float | None, columns: Sequence[Column]
    ) -> float | None:
        """Return the norm bound that was asked for, where rows are clipped to `clip` on reading.

        It is `norm_bound`, or what the bounds imply. None without `clip`, or where neither is
        given.
        """
        if self.clip is None:
            return None
        if norm_bound is None and not all(column.bounds for column in columns):
            return None
        if norm_bound is not None:
            norm_bound = require_number(norm_bound, "norm_bound")
        return float(_core.norm_bound_of(list(columns), norm_bound))

    def _why_one_pass(
        self, norm_bound: float | None, columns: Sequence[Column], rereadable: bool
    ) -> str:
        """Return why the rows are read once; empty where a second pass may be worth it."""
        if not rereadable:
            return "passes=2 is for a table that can be read twice, not for a stream"
        bounded = all(column.bounds for column in columns)
        if norm_bound is not None or self.center is False or not bounded:
            return (
                "passes=2 reads the rows about a rough mean within their bounds: give every column "
                "bounds, no norm_bound, and leave the release about its mean"
            )
        return ""

    def twice_would_do(
        self, norm_bound: float | None, columns: Sequence[Column], *, rereadable: bool = True
    ) -> bool:
        """Return whether two passes were possible, but were not asked for.

        Raise UsageError where they were asked for, and are not possible.
        """
        reason = self._why_one_pass(norm_bound, columns, rereadable)
        if self.passes == 2 and reason:
            raise UsageError(reason)
        return self.passes == 1 and not reason

    def account(self, mine: str | None = None) -> str:
        """Return the account to charge, or "". `mine` is the data set that the moment names."""
        if mine and self.dataset and mine != self.dataset:
            raise UsageError(f"the moment holds rows of {mine!r}, not of {self.dataset!r}")
        account = self.dataset or mine or ""
        if self.ledger is None:
            if account and not self.unaccounted:
                raise UsageError(
                    f"the releases of {account!r} are accounted for: name its ledger with "
                    "ledger=, or say unaccounted=True"
                )
            return account
        if self.unaccounted:
            raise UsageError("ledger and unaccounted exclude each other")
        if self.insecure_seed is not None:
            raise UsageError(
                "a release with insecure_seed is not private at any budget, so no ledger can "
                "account for it; leave one of the two out"
            )
        if not account:
            raise UsageError("a ledger needs dataset, the name of the account to charge")
        # A mistyped name, or a release that is not payable, is an error at once.
        _core.check_account(
            ledger_of(self.ledger).path, account, self.budget, self._options(center=False)
        )
        return account

    def draw(
        self,
        moment: _core.Moment,
        norm_bound: float | None = None,
        add_again: Callable[[_core.Moment], None] | None = None,
        *,
        last: bool = False,
        twice_would_do: bool = False,
        keep: Callable[[Release], None] | None = None,
    ) -> Release:
        """Draw the release. Spends the budget.

        `norm_bound` is the one that was asked for, where rows were clipped to `clip` as they were
        read. `add_again` adds the same rows to a moment about another origin. After the `last`
        release the moment holds nothing, which takes less memory. `twice_would_do` says
        that two passes were possible, but were not asked for. `keep` gets the release before
        anything else is done, so that an interruption does not lose it.
        """
        bounded = any(Column(*facts).bounds is not None for facts in moment.columns)
        release = Release(
            _core.release(
                moment,
                self.budget,
                self._options(center=bounded if self.center is None else self.center),
                scaled=self.scaled,
                norm_bound=norm_bound,
                ledger="" if self.ledger is None else ledger_of(self.ledger).path,
                dataset=self.account(moment.dataset or None),
                threads=threads_or_all(self.threads),
                add_again=add_again,
                last=last,
            )
        )
        if keep is not None:
            keep(release)
        zero = release.record.get("zero_because")
        if zero in _ZERO:
            tell(_ZERO[zero])
        for concern in release._core.concerns:
            if concern in TOLD:
                passes = concern == "far-from-midpoints" and twice_would_do
                tell(TOLD[concern].format(_named_at_bound(release)) + (_TWICE if passes else ""))
        return release
