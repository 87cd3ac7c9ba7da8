"""Moments of a table on many machines: partial moments, and how they are merged.

A partition becomes one partial moment, which travels as its saved bytes. The workers merge these
moments, and the caller gets the last one. All of them are as secret as the rows: the cluster is
inside the vault.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from . import _core
from ._arguments import require_whole
from ._budgets import Budget
from ._errors import DataError, UsageError
from ._moment import SecondMoment, new_core, zeroes_bad_rows
from ._release import Release
from ._request import Kept, ReleaseOptions, Request, tell_of_names
from ._schema import Column, Selection


def pack(moment: SecondMoment) -> bytes:
    """Return a moment's bytes. They are secret; the caller keeps them among the workers."""
    packed: bytes = moment._secret.to_bytes()
    return packed


def unpack(packed: bytes) -> SecondMoment:
    """Return the moment of which `pack` made these bytes."""
    return SecondMoment._of(_core.Moment.from_bytes(packed))


def merged(moments: Iterable[bytes]) -> bytes | None:
    """Return the sum of moments; None for no moment. UsageError for a part in two of them.

    Only the sum and one moment are in memory at a time.
    """
    total: SecondMoment | None = None
    for packed in moments:
        total = unpack(packed) if total is None else total.merge(unpack(packed))
    return None if total is None else pack(total)


class MomentPlan(NamedTuple):
    """The facts of a moment, known before rows are read: public, the same on every worker."""

    columns: list[Column]
    labels: list[tuple[int, str]]  #: place and name of each column in the whole table
    kept: Kept
    dataset: str | None
    part: str
    zeroes: bool

    def empty(self) -> SecondMoment:
        """Return an empty moment."""
        return SecondMoment._of(new_core(self.columns, self.kept, self.dataset))

    def whole(self, total: SecondMoment) -> SecondMoment:
        """Return the sum of all partitions, as one part with the name `part`."""
        named = self.empty()
        named.declare_part(self.part)
        return named.merge(total)

    def partial(
        self, number: int, feed: Callable[[_core.Part], None], first: int | None = None
    ) -> bytes:
        """Return the moment of one partition, whose rows `feed` hands out.

        An engine may run this twice for one partition. The result names its partition, so no sum
        can hold a partition twice.

        Parameters
        ----------
        number : int
            The number of the partition, from 0.
        feed : callable
            Hands all rows to the part that it is given.
        first : int, optional
            The number of the partition's first row in the whole table, where it is known.

        Raises
        ------
        DataError
            A bad row. `row` is counted in the table where `first` is known, else in the partition.
        """
        moment = self.empty()
        moment.declare_part(f"{self.part}/{number}")
        # One thread, because partitions run side by side.
        part = _core.Part(moment._secret, self.labels, self.zeroes, 1)
        try:
            feed(part)
            part.add_to(moment._secret)
        except DataError as error:
            raise _placed(error, number, first) from None
        return pack(moment)


def _placed(error: DataError, number: int, first: int | None) -> DataError:
    if error.row is None or first is None:
        return DataError(f"partition {number}: {error}", error.row, error.column)
    rest = str(error).removeprefix(f"row {error.row}")
    return DataError(f"row {first + error.row}{rest}", first + error.row, error.column)


def plan_of(
    selection: Selection,
    names: Sequence[str] | None,
    *,
    kept: Kept,
    dataset: str | None,
    bad_rows: str,
    part: str | None,
) -> MomentPlan:
    """Return the plan of a moment over some of a table's columns.

    UsageError for facts that no moment can have, or a name that no part can have.
    """
    tell_of_names(selection.columns)
    labels = [
        (place, column.name or ("" if names is None else names[place]))
        for (place, _), column in zip(selection.sources, selection.columns, strict=True)
    ]
    # Not the engine's token of the table, which may be a hash of its rows: a part's name is public.
    name = uuid.uuid4().hex if part is None else part
    plan = MomentPlan(
        selection.columns,
        labels,
        kept,
        dataset,
        name,
        zeroes_bad_rows(bad_rows),
    )
    plan.empty().declare_part(f"{name}/{2**31}")
    return plan


def check_split_every(split_every: int) -> int:
    """Return how many moments one task merges; UsageError for less than 2."""
    return require_whole(split_every, "split_every", 2, 1 << 20)


def request_of(budget: Budget, options: ReleaseOptions) -> Request:
    """Return the request to a cluster, checked as far as possible before rows are read."""
    if dict(options).get("passes", 1) != 1:
        raise UsageError("passes is 1 on a cluster: partitions are read once")
    for name in dict(options).keys() - ReleaseOptions.__annotations__.keys() - {"passes"}:
        raise TypeError(f"covariance() got an unexpected keyword argument {name!r}")
    request = Request(budget=budget, **options)
    request.account()
    return request


def drawn(moment: SecondMoment, request: Request, norm_bound: float | None) -> Release:
    """Return the release of a cluster's rows; `norm_bound` is the one that was asked for."""
    columns = [Column(*facts) for facts in moment._secret.columns]
    return moment._draw(request, request.norm_bound_before_clip(norm_bound, columns), last=True)
