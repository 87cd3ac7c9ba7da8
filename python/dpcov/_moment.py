"""Sums over rows that can be merged, and what is drawn from them."""

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
from ._columns import labels_in, name_of, places_of
from ._errors import SecrecyWarning, UsageError
from ._ledger import Ledger, Neighbours
from ._release import Release
from ._request import Kept, Request, Variant, threads_or_all
from ._schema import Bounds, Column, Scale, select
from ._shown import shown
from ._tables import Table, table_of, table_without_rows

BadRows: TypeAlias = Literal["error", "zero"]


def zeroes_bad_rows(bad_rows: str) -> bool:
    """Return whether rows that cannot be used are taken as zeros; UsageError for another word."""
    if bad_rows not in ("error", "zero"):
        raise UsageError(f"bad_rows is {shown(bad_rows)}; it is 'error' or 'zero'")
    return bad_rows == "zero"


def norm_bound_for_unit(norm_bound: float, unit: float = 1.0) -> float:
    """Return the least norm bound from `norm_bound` on that makes sums over whole numbers fast.

    Rows whose values are whole multiples of `unit` are summed by products of 8 and 16 bits at that
    bound, several times as fast where the processor has instructions for them. The result is at
    most a hundredth more than `norm_bound`, which is two hundredths more noise, or `norm_bound`
    itself where that is not enough.

    Parameters
    ----------
    norm_bound : float
        The longest that a row may be, above 0. Public.
    unit : float
        What all values are multiples of, above 0, after they were divided by scales: 1 for counts
        and indicators, 1/255 for pixels that are divided by 255. Public.

    Raises
    ------
    UsageError
        Arguments that are not above 0, or not finite.
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
        How many columns the rows have, or what they are called. With names, `add` takes them by
        name from a table that has names.
    bounds : dict, sequence or pair, optional
        The least and the greatest value of every column, in the table's units, and perhaps what
        to take for a missing value: `{name: (lower, upper[, fill])}`, one such tuple for each
        column, one for all, or two arrays. Public: take them from what is known about the
        columns, never from the rows. Values outside are clamped.
    norm_bound : float, optional
        The longest that a row may be, in its Euclidean norm, after its values were mapped to
        [-1, 1] by bounds or divided by scales; longer rows are clipped to it. Public. Where
        all columns have bounds, by default the square root of their number, which is also taken
        for one that is more than a fiftieth longer.
    column_scale : float, sequence or dict, optional
        Public divisors, in place of bounds.
    keep_directions : bool
        Keep what the methods that clip below the norm bound need.
    dataset : str, optional
        Whose rows these are, as a ledger names them. A release then has to be charged to it.

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
        """The columns' names, or how many they are where they have none."""
        names = [Column(*facts).name for facts in self._secret.columns]
        return names if any(names) else len(names)

    @property
    def norm_bound(self) -> float:
        """The longest that a mapped row may be."""
        return self._secret.norm_bound

    @property
    def dataset(self) -> str | None:
        """Whose rows these are, as a ledger names them."""
        return self._secret.dataset or None

    def add(
        self, X: Any, *, bad_rows: BadRows = "error", threads: int | None = None
    ) -> SecondMoment:
        """Add the rows of a table; all or, whatever is raised, none.

        Spends nothing. Ctrl-C is heeded between blocks of rows.

        Parameters
        ----------
        X : table, (n, d)
            An array, data frame, Arrow table, CSR matrix, or an iterator of such; a row for each
            person, in the table's units. Where both have names, columns are taken by name; else
            `X` must have just the moment's columns, in their order.
        bad_rows : {"error", "zero"}
            What to do with a row that holds NaN, null or infinity which no bounds or fill take
            care of: raise DataError, or take it as zeros, each row by itself; not with lists.
        threads : int, optional
            At most so many; all by default. The result does not depend on it.

        Returns
        -------
        SecondMoment
            Itself.

        Raises
        ------
        UsageError
            Other columns than the moment's.
        TypeError
            `X` is no table of real numbers.
        DataError
            A bad row, with its `row` and `column`.
        DeviceError
            A stream failed, or there is too little memory.
        """
        zeroes = zeroes_bad_rows(bad_rows)
        mine = self.columns
        width = mine if isinstance(mine, int) else len(mine)
        table = table_of(X, by_row=zeroes, without_chunks=lambda: table_without_rows(None, width))
        self._add(table, self._places(table), zeroes, threads_or_all(threads))
        return self

    def _places(self, table: Table) -> list[int]:
        mine = self.columns
        if isinstance(mine, list) and table.names is not None:
            return places_of(mine, table.names, table.width)
        width = mine if isinstance(mine, int) else len(mine)
        if table.width != width:
            raise UsageError(f"the rows have {table.width} columns, the moment has {width}")
        return list(range(width))

    def _add(self, table: Table, places: list[int], zeroes: bool, threads: int) -> None:
        declared = [facts[0] for facts in self._secret.columns]
        known = table.names or [""] * table.width
        labels = [
            (place, (name if name != str(place) else "") or known[place])
            for place, name in zip(places, declared, strict=False)
        ]
        part = _core.Part(self._secret, labels, zeroes, threads)
        table.feed(part, places)
        part.add_to(self._secret)

    def declare_part(self, name: str) -> None:
        """Before anything is added: say which part of the data it is.

        A part is merged once: a moment with a part of that name inside is refused.
        """
        self._secret.declare_part(require_word(name, "a part's name"))

    def merge(self, other: SecondMoment) -> SecondMoment:
        """Add another moment of the same columns, bounds and data set, and return itself.

        UsageError where a part of it is inside already.
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
        """Begin a `sum`, which adds to 0."""
        if other != 0 or not isinstance(other, int):
            return NotImplemented
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the moment to a file, which is as secret as the table.

        A new file is for its owner alone; one that is replaced keeps its permissions and its group,
        or is for no group where you may not give it to that one.
        DeviceError where it cannot be written.
        """
        self._secret.save(path_text(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SecondMoment:
        """Read a moment, also one of the program's.

        DataError for a damaged file, DeviceError where it cannot be read.
        """
        return cls._of(_core.Moment.load(path_text(path)))

    def release(
        self,
        budget: Budget,
        *,
        method: str = "auto",
        variant: Variant = "best",
        neighbours: Neighbours = "replace",
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
        """Draw a private covariance from the rows so far. Spends all of `budget`, once a call.

        The parameters are those of `dpcov.covariance`.

        Raises
        ------
        UsageError
            Arguments that make no sense, or rows of a data set without a ledger.
        DataError
            Where their number is public, no rows.
        BudgetError
            The ledger refuses.
        DeviceError
            The ledger's file or the entropy source failed.
        """
        return self._draw(
            Request(
                budget=budget,
                method=method,
                variant=variant,
                neighbours=neighbours,
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
        twice_would_do: bool = False,
        keep: Callable[[Release], None] | None = None,
    ) -> Release:
        """Draw, as `Request.draw`."""
        again = None if add_again is None else lambda core: add_again(SecondMoment._of(core))
        return request.draw(
            self._secret, norm_bound, again, twice_would_do=twice_would_do, keep=keep
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
    """Raise UsageError where nothing says how long rows can be."""
    if norm_bound is not None:
        require_number(norm_bound, "norm_bound")
    elif not bounded:
        raise UsageError(
            "bounds, or norm_bound, is required: the least and the greatest value that each column "
            "can have, or the longest that a row can be. Both are public: take them from what is "
            "known about the columns, not from the rows"
        )


def new_core(facts: list[Column], kept: Kept, dataset: str | None) -> _core.Moment:
    """Return the moment of no rows. UsageError for facts of which there is none."""
    require_dataset(dataset)
    for column in facts:
        require_word(column.name, "a column's name")
    norm_bound = kept.norm_bound
    require_bound(norm_bound, bounded=all(column.bounds for column in facts))
    directions = require_choice(kept.directions, "keep_directions")
    return _core.Moment(facts, norm_bound, directions, kept.norm_bins, dataset or "")
