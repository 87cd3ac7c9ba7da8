"""Sums over rows that can be merged, and what is drawn from them."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

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
from ._request import Kept, Request, Variant, tell_of_names, threads_or_all
from ._schema import (
    Bounds,
    Column,
    Scale,
    Selection,
    by_label,
    select,
    width_of,
)
from ._shown import shown
from ._tables import NoChunksError, Table, names_to_find, table_of, table_without_rows

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


def _declared_table(bounds: Bounds | None, columns: Sequence[Any] | None) -> Table:
    """Return a table without rows that has the columns which are asked for.

    UsageError where neither bounds nor columns say how many there are.
    """
    wanted = list(bounds) if isinstance(bounds, Mapping) else columns
    if wanted is not None:
        places = [int(name) for name in wanted if isinstance(name, numbers.Integral)]
        if len(places) == len(wanted):
            return table_without_rows(None, max(places, default=-1) + 1)
        return table_without_rows([str(name) for name in wanted], len(wanted))
    width = None if bounds is None or isinstance(bounds, Mapping) else width_of(bounds)
    if width is None:
        raise UsageError(
            "there may be no row to take the columns from; name them with columns, or give each "
            "column its bounds"
        )
    return table_without_rows(None, width)


def _table_and_selection(
    X: Any,
    bounds: Bounds | None,
    columns: Sequence[Any] | None,
    column_scale: Scale | None,
    *,
    by_row: bool,
    private: bool,
) -> tuple[Table, Selection]:
    """Return the rows, and which columns of theirs are taken.

    Where the number of rows is private, that there are none is, too: then the columns of an
    iterator, or of a list, are asked for before its first chunk or row, and are called what they
    would be without rows.
    """
    declared: list[Table] = []  # one, where it was asked for

    def declare() -> Table:
        declared.append(_declared_table(bounds, columns))
        return declared[0]

    try:
        table = table_of(X, by_row=by_row, without_chunks=declare if private else None)
    except NoChunksError:
        table = _declared_table(bounds, columns)
    # An array was asked for its width alone: its rows have no names.
    if not declared or isinstance(X, np.ndarray):
        return table, select(table.names, table.width, bounds, columns, column_scale)
    names = names_to_find(table, declared[0])
    found = select(names, table.width, bounds, columns, column_scale)
    facts = select(declared[0].names, declared[0].width, bounds, columns, column_scale)
    return table, Selection(facts.columns, found.places)


def covariance(
    X: Any,
    *,
    budget: Budget,
    bounds: Bounds | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    variant: Variant = "best",
    neighbours: Neighbours = "replace",
    center: bool | None = None,
    columns: Sequence[Any] | None = None,
    column_scale: Scale | None = None,
    bad_rows: BadRows = "error",
    clip: float | None = None,
    full_norms: bool = False,
    steps: int | None = None,
    scaled: bool = False,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    unaccounted: bool = False,
    insecure_seed: int | None = None,
    threads: int | None = None,
    passes: Literal[1, 2] = 1,
) -> Release:
    """Release the covariance of a table of people. Spends all of `budget`, once a call.

    Parameters
    ----------
    X : table, (n, d)
        One row a person: a NumPy array of real numbers in any order, a pandas or polars data
        frame, whatever hands out an Arrow stream (pyarrow tables and readers, duckdb relations),
        a pyarrow dataset or Parquet file, a SciPy sparse matrix, or an iterator of such. Only
        the columns taken are read.
    budget : Rho, Epsilon or ApproximateDP
        How much the release may give away. Smaller is safer and noisier.
    bounds : dict, sequence or pair, optional
        The least and the greatest value of every column, in the table's units, and perhaps what
        to take for a missing value: `{name: (lower, upper[, fill])}`, which also selects and
        orders the columns; one such tuple for each column, one for all, or two arrays `(lower,
        upper)`. Public: take them from what is known about the columns, never from the rows.
        Values outside are clamped.
    norm_bound : float, optional
        The longest that a row may be, after bounds or scales; longer rows are clipped to it.
        Public. Required without bounds.
    method : str
        One of `dpcov.methods()`.
    variant : {"best", "paper", "published"}
        Which form of the method.
    neighbours : {"replace", "add-remove"}
        Tables that differ in one row look alike; with "add-remove" one row more or less is hidden,
        and so is their number.
    center : bool, optional
        Release the covariance about the mean, and the mean; without it the mean of x x^T (with
        bounds: about their midpoints). True where there are bounds.
    columns : sequence of str or int, optional
        The columns to take, by name or counted from 0; for a table without names, as many names
        as it has columns name them.
    column_scale : float, sequence or dict, optional
        Public divisors of the columns, in place of bounds.
    bad_rows : {"error", "zero"}
        What to do with a row that holds NaN, null or infinity which no bounds or fill take care
        of. "zero" takes each row by itself; not with lists.
    clip : float, optional
        clip-gauss, clip-laplace, clip-separate: the public norm to clip rows to.
    full_norms : bool
        adaptive: every row is known, publicly, to have the norm bound's length.
    steps : int, optional
        coinpress: how many times the rows are looked at, 1 to 5; 2 where it is not said.
    scaled : bool
        Leave `covariance()` and `mean()` of columns with bounds in units of [-1, 1]. Intervals,
        components and regressions are in the table's units all the same.
    ledger : Ledger or path, optional
        Charge the release here, before any noise is drawn.
    dataset : str, optional
        The account to charge.
    unaccounted : bool
        Release rows that bear a data set's name without a ledger.
    insecure_seed : int, optional
        Deterministic noise for tests. NOT PRIVATE: whoever knows the seed can remove it.
    threads : int, optional
        At most so many; all by default.
    passes : {1, 2}
        How often the rows may be read. With 2, and bounds, "auto" spends a share on a rough mean
        and rough deviations and reads the rows again, moved and stretched by these: correlations
        and regressions err less, the more so the wider the bounds are. Streams and iterators can
        be read only once.

    Returns
    -------
    Release
        In the table's units; columns with a scale are divided by it. Everything that follows from
        it is free.

    Raises
    ------
    UsageError
        Arguments that make no sense (also a ValueError).
    TypeError
        `X` is no table of real numbers.
    DataError
        A bad row, with its `row` and `column` (also a ValueError).
    BudgetError
        The ledger refuses.
    DeviceError
        A file, a stream or the entropy source failed (also an OSError).
    """
    # Everything that can be refused without rows is, before any is read.
    request = Request(
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
        passes=passes,
    )
    request.account()
    zeroes = zeroes_bad_rows(bad_rows)
    bounds = by_label(bounds)
    table, selection = _table_and_selection(
        X, bounds, columns, column_scale, by_row=zeroes, private=neighbours == "add-remove"
    )
    twice_would_do = request.twice_would_do(
        norm_bound, selection.columns, rereadable=table.rereadable
    )
    tell_of_names(selection.columns)
    kept = request.kept(norm_bound, selection.columns)
    moment = SecondMoment._of(new_core(selection.columns, kept, dataset))
    count = threads_or_all(threads)
    moment._add(table, selection.places, zeroes, count)

    def add_again(again: SecondMoment) -> None:
        second = table_of(
            X,
            by_row=zeroes,
            without_chunks=lambda: table_without_rows(table.names, table.width),
        )
        if second.width != table.width or second.names != table.names:
            raise UsageError("the table had other columns when it was read again")
        again._add(second, selection.places, zeroes, count)

    asked = request.norm_bound_before_clip(norm_bound, selection.columns)
    return moment._draw(
        request,
        asked,
        add_again if request.passes == 2 else None,
        twice_would_do=twice_would_do,
    )
