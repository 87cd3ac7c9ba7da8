"""Moments of a table that lies on many machines: what each partition makes, and how they meet.

A partition becomes one partial moment, which travels as its saved bytes, is merged with others on
the workers, and reaches whoever asked as the only one. All of it is as secret as the rows: the
cluster is inside the vault.
"""

from __future__ import annotations

import inspect
import os
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from . import _core
from ._budgets import Budget
from ._errors import DataError, UsageError
from ._moment import (
    SecondMoment,
    _account,
    _check_norms,
    _new_core,
    _secret_folder,
    _zeroes,
    check_seed,
    threads_or_all,
)
from ._release import Release
from ._schema import Column, Selection


def pack(moment: SecondMoment) -> bytes:
    """Return a moment's file. Secret; the caller keeps it among the workers."""
    with _secret_folder() as folder:
        path = os.path.join(folder, "partial.moment")
        moment.save(path)
        with open(path, "rb") as file:
            return file.read()


def unpack(packed: bytes) -> SecondMoment:
    """Return the moment in a file's bytes."""
    with _secret_folder() as folder:
        path = os.path.join(folder, "partial.moment")
        with open(path, "wb") as file:
            file.write(packed)
        return SecondMoment.load(path)


def merged(moments: Iterable[bytes]) -> bytes | None:
    """Return the sum of moments, None where there is none. UsageError for a part in two of them.

    In memory are the sum and one of them.
    """
    total: SecondMoment | None = None
    for packed in moments:
        total = unpack(packed) if total is None else total.merge(unpack(packed))
    return None if total is None else pack(total)


class Plan(NamedTuple):
    """What is known of a moment before any row is read: public, and the same on every worker."""

    columns: list[Column]
    labels: list[tuple[int, str]]  #: place and name of each column in the whole table
    norm_bound: float | None
    keep_directions: bool
    dataset: str | None
    part: str
    zeroes: bool

    def empty(self) -> SecondMoment:
        """Return the moment of no rows."""
        core = _new_core(self.columns, self.norm_bound, self.keep_directions, self.dataset)
        return SecondMoment._of(core)

    def partial(
        self, number: int, feed: Callable[[_core.Part], None], first: int | None = None
    ) -> bytes:
        """Return the moment of one partition, whose rows `feed` hands out.

        An engine may run this twice for one partition. The result says which it is, so it cannot
        be inside a sum twice.

        Parameters
        ----------
        number : int
            Which partition, from 0.
        feed : callable
            Hands all rows to the part that it is given.
        first : int, optional
            The number of its first row in the whole table, where that is known.

        Raises
        ------
        DataError
            A bad row: `row` is the table's where `first` is known, else the partition's.
        """
        moment = self.empty()
        moment.declare_part(f"{self.part}/{number}")
        # One thread: what runs side by side are partitions.
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
    norm_bound: float | None,
    keep_directions: bool,
    dataset: str | None,
    bad_rows: str,
    part: str | None,
) -> Plan:
    """Return the plan of a moment over some of a table's columns.

    UsageError for facts of which no moment can be made, or a part's name that is none.
    """
    known = [names[place] if names is not None else "" for place in selection.places]
    labels = [
        (place, column.name or name)
        for place, column, name in zip(selection.places, selection.columns, known, strict=True)
    ]
    # Not the engine's token of the table, which may be a hash of its rows: a part's name is public.
    name = uuid.uuid4().hex if part is None else part
    plan = Plan(
        selection.columns,
        labels,
        norm_bound,
        keep_directions,
        dataset,
        name,
        _zeroes(bad_rows),
    )
    plan.empty().declare_part(f"{name}/{2**31}")
    return plan


def check_split_every(split_every: int) -> int:
    """Return how many moments meet in one task, at least 2."""
    if isinstance(split_every, bool) or split_every < 2:
        raise UsageError("split_every must be at least 2")
    return int(split_every)


class Request:
    """One release, checked as far as it can be before a cluster reads any row.

    Parameters
    ----------
    budget : Budget
        What it spends.
    norm_bound : float, optional
        As in `dpcov.covariance`.
    options : dict
        Keyword arguments of `SecondMoment.release`.
    """

    def __init__(self, budget: Budget, norm_bound: float | None, options: dict[str, Any]) -> None:
        call = inspect.signature(SecondMoment.release).bind(None, budget, **options)
        call.apply_defaults()
        given = dict(call.arguments)
        del given["self"], given["budget"]
        _check_norms(given["clip"], norm_bound)
        #: Whether the moment has to keep what the method asks for.
        self.keep_directions: bool
        self.keep_directions, _ = _core.check_request(
            budget, given["method"], given["variant"], given["neighbours"]
        )
        _account(given["ledger"], given["dataset"], None, given["unaccounted"])
        check_seed(given["insecure_seed"])
        threads_or_all(given["threads"])
        #: To clip at the public norm T while reading is the mechanism itself, at the norm bound T.
        self.norm_bound = norm_bound if given["clip"] is None else given["clip"]
        self.dataset: str | None = given["dataset"]
        self._budget = budget
        self._given = given | {"norm_bound": norm_bound}

    def release(self, moment: SecondMoment) -> Release:
        """Draw it. Spends the budget."""
        return moment._release(self._budget, **self._given)
