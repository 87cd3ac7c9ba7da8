"""Sums over rows that can be merged, and the release that is drawn from them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeAlias

from . import _core
from ._arguments import (
    path_text,
    require_choice,
    require_dataset,
    require_number,
    require_whole,
    require_word,
)
from ._budgets import Budget
from ._errors import SecrecyWarning, UsageError
from ._labels import Source, labels_in, name_of, sources_of
from ._ledger import Ledger, Neighbours
from ._release import Release
from ._request import Kept, Request, Variant, threads_or_all
from ._schema import Bounds, Column, Scale, require_takable, select
from ._shown import shown
from ._tables import Table, table_of, table_without_rows

BadRows: TypeAlias = Literal["error", "zero"]


def zeroes_bad_rows(bad_rows: str) -> bool:
    """Return whether bad rows are taken as zeros; UsageError for another word."""
    if bad_rows not in ("error", "zero"):
        raise UsageError(f"bad_rows is {shown(bad_rows)}; it is 'error' or 'zero'")
    return bad_rows == "zero"


def norm_bound_for_unit(norm_bound: float, unit: float = 1.0) -> float:
    """Return a norm bound, at least `norm_bound`, that makes sums over whole numbers fast.

    It is the least one at which rows of whole multiples of `unit` are summed by products of 8 and
    16 bits. That is several times faster where the processor has instructions for it. The result is
    at most 1 % more than `norm_bound`, which is 2 % more noise. Where 1 % is not enough it is
    `norm_bound` itself. Spends nothing.

    Parameters
    ----------
    norm_bound : float
        The greatest Euclidean norm of a row, from 2^-200 to 2^200. Public.
    unit : float
        All values, after division by scales, are whole multiples of this number, above 0: 1 for
        counts and indicators, 1/255 for pixels that are divided by 255. Public.

    Raises
    ------
    UsageError
        Arguments that are out of range, or not finite.
    """
    return float(
        _core.norm_bound_for_unit(
            require_number(norm_bound, "norm_bound"), require_number(unit, "unit")
        )
    )


class SecondMoment:
    """The exact second moment of a table: rows go in, and only `release` gets anything out.

    SECRET. It holds un-noised sums over people: keep it, its file and its pickle like the table
    itself. The sums are exact integers, so a moment is the same for any order, split or merge of
    the rows.

    Parameters
    ----------
    columns : int or sequence of str or int
        The number of columns, from 1 to 32766, or their names. With names, `add` takes columns by
        name from a table that has names. A name `NAME=VALUE` is an indicator where the table has no
        column of that name: 1 where its column NAME has that value, else 0.
    bounds : dict, sequence or pair, optional
        The least and the greatest value of every column, in the table's units. A fill, if given,
        replaces a missing value; `missing` has codes, such as [-99, 999], that stand for one. One
        of: a dict `{name: (lower, upper[, fill[, missing]])}`, one such tuple for each column,
        one for all columns, or two arrays `(lower, upper)`. Public: take them from what is known
        about the columns, never from the rows. Values outside are clamped.
    norm_bound : float, optional
        The greatest Euclidean norm of a row, after bounds mapped its values to [-1, 1] or scales
        divided them. Longer rows are clipped to it. Public; from 2^-200 to 2^200. Required unless
        all columns have bounds. Then the default is the square root of their number, which also
        replaces a norm bound more than 2 % above it.
    column_scale : float, sequence or dict, optional
        Public divisors of the columns, in place of bounds: one for all, or by column. Finite, above
        0.
    keep_directions : bool
        Also keep the sums that methods need which clip rows below the norm bound.
    dataset : str, optional
        The data set of the rows, as a ledger names it. A release must then be charged to its
        account.

    Raises
    ------
    UsageError
        Facts that contradict each other, or neither bounds nor a norm bound.
    """

    __slots__ = ("_secret",)

    _secret: _core.Moment

    def __init__(
        self,
        columns: int | Sequence[str | int],
        *,
        bounds: Bounds | None = None,
        norm_bound: float | None = None,
        column_scale: Scale | None = None,
        keep_directions: bool = False,
        dataset: str | None = None,
    ) -> None:
        if isinstance(columns, str):
            raise UsageError("columns must be a number or a list of names, also where it is of one")
        named = isinstance(columns, Iterable)
        names = [name_of(name) for name in labels_in(columns, "columns")] if named else None
        width = (
            len(names)
            if names is not None
            else require_whole(columns, "columns", 1, _core.most_columns)
        )
        if width < 1:
            raise UsageError("a table has at least one column")
        order = None if names is not None else list(range(width))
        facts = select(names, width, bounds, order or names, column_scale).columns
        self._secret = new_core(facts, Kept(norm_bound, keep_directions), dataset)

    @classmethod
    def _of(cls, core: _core.Moment) -> SecondMoment:
        moment = object.__new__(cls)
        moment._secret = core
        return moment

    @property
    def columns(self) -> list[str] | int:
        """The columns' names, or their number where they have none."""
        names = [Column(*facts).name for facts in self._secret.columns]
        return names if any(names) else len(names)

    @property
    def norm_bound(self) -> float:
        """The greatest Euclidean norm of a mapped row; longer rows are clipped to it."""
        return self._secret.norm_bound

    @property
    def dataset(self) -> str | None:
        """The data set of the rows, as a ledger names it; None where there is none."""
        return self._secret.dataset or None

    def add(
        self, X: Any, *, bad_rows: BadRows = "error", threads: int | None = None
    ) -> SecondMoment:
        """Add the rows of a table. If anything is raised, no row was added.

        Spends nothing. Ctrl-C is heeded between blocks of rows.

        Parameters
        ----------
        X : table, (n, d)
            An array, data frame, Arrow table, CSR matrix, or an iterator of these. One row for each
            person, in the table's units. If both the moment and `X` have names, columns are taken
            by name. Else `X` must have exactly the moment's columns, in their order.
        bad_rows : {"error", "zero"}
            A row is bad if it holds NaN, null, a code or infinity, and no bounds or fill take care.
            "error" raises DataError. "zero" takes the row as zeros after mapping, each row by
            itself; lists are then refused (UsageError).
        threads : int, optional
            The greatest number of threads, from 1 to 4096; by default all processors of this
            process. The result does not depend on it.

        Returns
        -------
        SecondMoment
            This moment, so that calls can be chained.

        Raises
        ------
        UsageError
            Columns that are not the moment's, an indicator with codes for missing values, or a list
            with bad_rows="zero".
        TypeError
            `X` is not a table of real numbers.
        DataError
            A bad row; `row` and `column` say where.
        DeviceError
            A stream failed, or there is not enough memory.
        """
        zeroes = zeroes_bad_rows(bad_rows)
        width = len(self._secret.columns)
        table = table_of(X, by_row=zeroes, without_chunks=lambda: table_without_rows(None, width))
        self._add(table, self._sources(table), zeroes, threads_or_all(threads))
        return self

    def _sources(self, table: Table) -> list[Source]:
        mine = self.columns
        if isinstance(mine, list) and table.names is not None:
            sources = sources_of(mine, table.names, table.width, indicators=True)
            require_takable([Column(*facts) for facts in self._secret.columns], sources)
            return sources
        width = len(self._secret.columns)
        if table.width != width:
            raise UsageError(f"the rows have {table.width} columns, the moment has {width}")
        return [Source(place) for place in range(width)]

    def _add(self, table: Table, sources: list[Source], zeroes: bool, threads: int) -> None:
        declared = [facts[0] for facts in self._secret.columns]
        known = table.names or [""] * table.width
        labels = [
            (place, (name if name != str(place) else "") or known[place])
            for (place, _), name in zip(sources, declared, strict=False)
        ]
        part = _core.Part(self._secret, labels, zeroes, threads)
        table.feed(part, sources)
        part.add_to(self._secret)

    def declare_part(self, name: str) -> None:
        """Name the rows that will be added, before any is added: they are one part of the data.

        A part is merged once: a moment with a part of that name inside is refused. A name has 1 to
        200 bytes, and is public. UsageError for any other name, or where rows were added before.
        """
        self._secret.declare_part(require_word(name, "a part's name"))

    def merge(self, other: SecondMoment) -> SecondMoment:
        """Add another moment of the same columns, bounds and data set, and return itself.

        UsageError where it has other columns, bounds or another data set, or where a part of it is
        in this moment already.
        """
        if not isinstance(other, SecondMoment):
            raise TypeError(f"only a SecondMoment is merged, not {type(other).__name__}")
        self._secret.merge(other._secret)
        return self

    def __add__(self, other: SecondMoment) -> SecondMoment:
        if not isinstance(other, SecondMoment):
            return NotImplemented
        return SecondMoment._of(self._secret + other._secret)

    def __radd__(self, other: object) -> SecondMoment:
        """Allow `sum(moments)`, which begins with 0."""
        if other != 0 or not isinstance(other, int):
            return NotImplemented
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the moment to a file, which is as secret as the table.

        Only its owner can read a new file. A file that is replaced keeps its permissions and its
        group; if you may not set the group, no group may read it. DeviceError where it cannot be
        written.
        """
        self._secret.save(path_text(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SecondMoment:
        """Read a moment from a file that `save` or the program dpcov wrote.

        DataError for a damaged file, DeviceError where the file cannot be read.
        """
        return cls._of(_core.Moment.load(path_text(path)))

    def release(
        self,
        budget: Budget,
        *,
        method: str = "auto",
        variant: Variant = "best",
        neighbours: Neighbours = "replace",
        rows_per_person: int = 1,
        center: bool | None = None,
        clip: float | None = None,
        full_norms: bool = False,
        steps: int | None = None,
        scaled: bool = False,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        unaccounted: bool = False,
        insecure_seed: int | None = None,
        threads: int | None = None,
    ) -> Release:
        """Draw a private covariance of the rows so far. Each call spends the whole `budget`.

        The parameters are those of `dpcov.covariance`; `dataset` is not needed where the moment
        names it. A `clip` is the norm bound, or where the moment keeps directions the norm bound
        over 2, 4, ... or 2^39; with `center` only the norm bound.

        Raises
        ------
        UsageError
            Arguments that make no sense, or rows of a data set without a `ledger` or `unaccounted`.
        DataError
            There are no rows, where their number is public.
        BudgetError
            The ledger refuses; nothing is spent.
        DeviceError
            The ledger's file or the entropy source failed.
        """
        return self._draw(
            Request(
                budget=budget,
                method=method,
                variant=variant,
                neighbours=neighbours,
                rows_per_person=rows_per_person,
                center=center,
                clip=clip,
                full_norms=full_norms,
                steps=steps,
                scaled=scaled,
                ledger=ledger,
                dataset=dataset,
                unaccounted=unaccounted,
                insecure_seed=insecure_seed,
                threads=threads,
            )
        )

    def _draw(
        self,
        request: Request,
        norm_bound: float | None = None,
        add_again: Callable[[SecondMoment], None] | None = None,
        *,
        last: bool = False,
        twice_would_do: bool = False,
        keep: Callable[[Release], None] | None = None,
    ) -> Release:
        """Draw, as `Request.draw`."""
        again = None if add_again is None else lambda core: add_again(SecondMoment._of(core))
        return request.draw(
            self._secret, norm_bound, again, last=last, twice_would_do=twice_would_do, keep=keep
        )

    def __len__(self) -> int:
        raise TypeError("how many rows a moment holds is not told: that may be private")

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<SecondMoment of {len(self._secret.columns)} columns, SECRET>"

    def __copy__(self) -> SecondMoment:
        return SecondMoment._of(self._secret.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> SecondMoment:
        return self.__copy__()

    def __getstate__(self) -> bytes:
        warnings.warn(
            "a pickled SecondMoment holds un-noised sums over people: keep it like the table",
            SecrecyWarning,
            stacklevel=2,
        )
        state: bytes = self._secret.to_bytes()
        return state

    def __setstate__(self, state: bytes) -> None:
        self._secret = _core.Moment.from_bytes(state)


def require_bound(norm_bound: float | None, *, bounded: bool) -> None:
    """Raise UsageError where neither bounds nor a norm bound are given."""
    if norm_bound is not None:
        require_number(norm_bound, "norm_bound")
    elif not bounded:
        raise UsageError(
            "bounds, or norm_bound, is required: the least and the greatest value that each column "
            "can have, or the longest that a row can be. Both are public: take them from what is "
            "known about the columns, not from the rows"
        )


def new_core(facts: list[Column], kept: Kept, dataset: str | None) -> _core.Moment:
    """Return an empty moment. UsageError for facts that no moment can have."""
    require_dataset(dataset)
    for column in facts:
        require_word(column.name, "a column's name")
    norm_bound = kept.norm_bound
    require_bound(norm_bound, bounded=all(column.bounds for column in facts))
    directions = require_choice(kept.directions, "keep_directions")
    return _core.Moment(facts, norm_bound, directions, kept.norm_bins, dataset or "")
