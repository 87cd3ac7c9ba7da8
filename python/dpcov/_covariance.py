"""From a table to a release, in one call."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._budgets import Budget
from ._errors import UsageError
from ._ledger import Ledger, Neighbours
from ._moment import BadRows, SecondMoment, new_core, zeroes_bad_rows
from ._release import Release
from ._request import Request, Variant, tell_of_names, threads_or_all
from ._schema import Bounds, Scale, Selection, by_label, require_takable, select, width_of
from ._tables import NoChunksError, Table, names_to_find, table_of, table_without_rows


def _declared_table(bounds: Bounds | None, columns: Sequence[Any] | None) -> Table:
    """Return a table without rows that has the columns that were asked for.

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
    """Return the rows, and which of their columns are taken.

    Where the number of rows is private, it is also private that there are none. So the columns of
    an iterator or a list are then declared before its first chunk or row is read, and have the
    names that they would have without rows.
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
    if not declared or hasattr(X, "__array__") or hasattr(X, "__dlpack__"):
        return table, select(
            table.names, table.width, bounds, columns, column_scale, indicators=True
        )
    names = names_to_find(table, declared[0])
    found = select(names, table.width, bounds, columns, column_scale, indicators=True)
    facts = select(declared[0].names, declared[0].width, bounds, columns, column_scale)
    require_takable(facts.columns, found.sources)
    return table, Selection(facts.columns, found.sources)


def covariance(
    X: Any,
    *,
    budget: Budget,
    bounds: Bounds | None = None,
    norm_bound: float | None = None,
    method: str = "auto",
    variant: Variant = "best",
    neighbours: Neighbours = "replace",
    rows_per_person: int = 1,
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
    """Release the covariance of a table of people. Each call spends the whole `budget`.

    Parameters
    ----------
    X : table, (n, d)
        One row for each person (or see `rows_per_person`): a NumPy array of real numbers in any
        memory order, a pandas or polars data frame, an object that hands out an Arrow stream
        (pyarrow tables and readers, duckdb relations), a pyarrow dataset or Parquet file, a SciPy
        sparse matrix, or an iterator of these. Only the columns taken are read.
    budget : Rho, Epsilon or ApproximateDP
        How much privacy loss the release may cause. Smaller is safer and noisier.
    bounds : dict, sequence or pair, optional
        The least and the greatest value of every column, in the table's units. A fill, if given,
        replaces a missing value; `missing` has codes, such as [-99, 999], that stand for one. One
        of: a dict `{name: (lower, upper[, fill[, missing]])}`, which also selects and orders
        the columns; one such tuple for each column; one for all columns; or two arrays
        `(lower, upper)`. Public: take them from what is known about the columns, never from the
        rows. Values outside are clamped. A name `NAME=VALUE` that is no column is an indicator: 1
        in rows whose column NAME, of text, categories or numbers, has that value; 0 in others;
        missing where the field is missing. It has no codes.
    norm_bound : float, optional
        The greatest Euclidean norm of a row, after bounds mapped its values to [-1, 1] or scales
        divided them. Longer rows are clipped to it. Public; from 2^-200 to 2^200. Required without
        bounds; with bounds the default is the square root of the number of columns.
    method : str
        One of `dpcov.methods()`.
    variant : {"best", "paper", "published"}
        Which form of the method: this project's, the paper's, or that of the paper's experiments.
    neighbours : {"replace", "add-remove"}
        Which tables must look alike. "replace": one row is replaced, and the number of rows is
        public. "add-remove": there is one row more or less, and the number of rows is private.
    rows_per_person : int
        The most rows that one person has, from 1 to 10^6. The budget is then kept for the whole
        person, at the cost of noise that is so many times as large. Nobody counts a person's rows:
        see to it that none has more.
    center : bool, optional
        If True, release the covariance about the mean, and the mean. If False, release the mean of
        x x^T, with bounds about their midpoints. By default True where there are bounds, else
        False.
    columns : sequence of str or int, optional
        The columns to take, by name or place, counted from 0, and indicators `NAME=VALUE`. For a
        table without names, a list of as many strings as it has columns gives the names.
    column_scale : float, sequence or dict, optional
        Public divisors of the columns, in place of bounds: one for all, or by column. Finite, above
        0.
    bad_rows : {"error", "zero"}
        A row is bad if it holds NaN, null, a code or infinity, and no bounds or fill take care.
        "error" raises DataError. "zero" takes the row as zeros after mapping, each row by itself;
        lists are then refused (UsageError).
    clip : float, optional
        For the methods clip-gauss, clip-laplace and clip-separate, which need it: the public norm
        to which rows are clipped. Above 0, at most the norm bound.
    full_norms : bool
        For the method adaptive: every row is publicly known to have a norm equal to the norm bound.
    steps : int, optional
        For the method coinpress: how often the rows are looked at, from 1 to 5; by default 2.
    scaled : bool
        Leave `covariance()` and `mean()` in the units in which bounds are [-1, 1]. Intervals,
        components and regressions are always in the table's units.
    ledger : Ledger or path, optional
        The ledger where the release is charged, before any noise is drawn. Needs `dataset`.
    dataset : str, optional
        The data set of the rows: the account to charge. Needs `ledger` or `unaccounted`.
    unaccounted : bool
        Allow a release with a `dataset` but without a ledger.
    insecure_seed : int, optional
        Deterministic noise for tests, from 0 to 2^64 - 1. NOT PRIVATE: whoever knows the seed can
        remove the noise. Refused together with `ledger`.
    threads : int, optional
        The greatest number of threads, from 1 to 4096; by default all processors of this process.
    passes : {1, 2}
        How often the rows may be read. 2 is for the methods "auto" and "stratified", with bounds,
        no `norm_bound` and `center`. They spend a share of the budget on a rough mean and rough
        deviations, and read the rows again, moved and stretched by these. Correlations and
        regressions then err less, the more so the wider the bounds are. Streams and iterators can
        be read only once.

    Returns
    -------
    Release
        In the table's units, unless `scaled`; columns with a scale are divided by it. Everything
        that is computed from the release costs no privacy.

    Raises
    ------
    UsageError
        Arguments that make no sense (also a ValueError).
    TypeError
        `X` is not a table of real numbers. (Indicators also take text.)
    DataError
        A bad row; `row` and `column` say where (also a ValueError). Or there are no rows, where
        their number is public.
    BudgetError
        The ledger refuses; nothing is spent.
    DeviceError
        A file, a stream or the entropy source failed (also an OSError).
    """
    # Everything that can be refused without rows is, before any is read.
    request = Request(
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
    moment._add(table, selection.sources, zeroes, count)

    def add_again(again: SecondMoment) -> None:
        second = table_of(
            X,
            by_row=zeroes,
            without_chunks=lambda: table_without_rows(table.names, table.width),
        )
        if second.width != table.width or second.names != table.names:
            raise UsageError("the table had other columns when it was read again")
        again._add(second, selection.sources, zeroes, count)

    asked = request.norm_bound_before_clip(norm_bound, selection.columns)
    return moment._draw(
        request,
        asked,
        add_again if request.passes == 2 else None,
        last=True,
        twice_would_do=twice_would_do,
    )
