"""From a table to a release, in one call."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ._budgets import Budget
from ._errors import UsageError
from ._ledger import Ledger, Neighbours
from ._moment import BadRows, SecondMoment, new_core, zeroes_bad_rows
from ._release import Release
from ._request import Request, Variant, tell_of_names, threads_or_all
from ._schema import Bounds, Scale, Selection, by_label, select, width_of
from ._tables import NoChunksError, Table, names_to_find, table_of, table_without_rows


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
