"""The common base of the estimators: rows, their moment, one release."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from .._budgets import methods
from .._checked_array import checked_array, missing_in, require_finite, written_out
from .._errors import UsageError
from .._labels import labels_of, names_of
from .._ledger import Ledger, Neighbours
from .._moment import BadRows, SecondMoment, new_core, require_bound, zeroes_bad_rows
from .._release import Release
from .._request import Request, tell_of_names
from .._schema import Bounds, Column, select
from .._shown import shown

if TYPE_CHECKING:
    from typing import TypeAlias

    from .._budgets import Budget

    LedgerPath: TypeAlias = "Ledger | str | os.PathLike[str] | None"

_E = TypeVar("_E", bound="PrivateEstimator")


def _names_of(X: Any) -> npt.NDArray[Any] | None:
    """Return the column names of a data frame, as scikit-learn takes them: strings, or none."""
    labels = labels_of(X)
    if labels is None:
        return None
    names = np.empty(len(labels), dtype=object)
    names[:] = labels
    strings = [isinstance(name, str) for name in labels]
    if any(strings) and not all(strings):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            "input has mixed types. Convert them all to strings, for example by "
            "X.columns = X.columns.astype(str)."
        )
    return names if len(names) and all(strings) else None


def _numbers_of(X: Any) -> list[int] | None:
    """Return the labels of a data frame's columns where they are whole numbers: years."""
    labels = labels_of(X)
    if not labels or not all(isinstance(label, (int, np.integer)) for label in labels):
        return None
    return [int(label) for label in labels]


def _difference(fitted: Sequence[str], given: Sequence[str]) -> str:
    """Say how names differ, in scikit-learn's words."""

    def listed(names: set[str]) -> str:
        shown = "".join(f"- {name}\n" for name in sorted(names)[:5])
        return shown + ("- ...\n" if len(names) > 5 else "")

    text = "The feature names should match those that were passed during fit.\n"
    unseen, missing = set(given) - set(fitted), set(fitted) - set(given)
    if unseen:
        text += f"Feature names unseen at fit time:\n{listed(unseen)}"
    if missing:
        text += f"Feature names seen at fit time, yet now missing:\n{listed(missing)}"
    if not unseen and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    return text


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """The common base of the three estimators: rows, their moment, one release."""

    budget: Budget | None
    bounds: Bounds | None
    norm_bound: float | None
    method: str
    neighbours: Neighbours
    rows_per_person: int
    ledger: LedgerPath
    dataset: str | None
    insecure_seed: int | None
    threads: int | None
    passes: Literal[1, 2] | None
    bad_rows: BadRows
    n_features_in_: int
    release_: Release
    _unfinished: bool  #: only set after an interrupted fit: `release_` alone is known
    _adding: Any  #: only set after `partial_fit`: the estimator that holds the added rows
    _moment: SecondMoment  #: the rows that were added to this estimator
    _numbers: list[int] | None  #: labels of the first rows' columns, where these are numbers
    _feature_columns: list[Column]  #: public facts of the features, known since the first rows

    def _rows_to_fit(self, X: Any, *, first: bool) -> Any:
        """Return X as an array, or a CSR matrix, of numbers; remember, or compare, its columns.

        The moment fills missing values later, so that no row decides how much memory is taken.
        """
        by_row = zeroes_bad_rows(self.bad_rows)
        rows = self._checked(X, first=first, by_row=by_row)
        if not by_row:
            require_finite(rows, "X", self._feature_columns)
        return rows

    def _rows_to_use(self, X: Any) -> npt.NDArray[Any]:
        """Return X as an array of numbers without missing values, after a fit."""
        rows = self._checked(X, first=False)
        rows = written_out(rows, 0, rows.shape[0])
        columns = self._feature_columns
        require_finite(rows, "X", columns)
        has_codes = any(column.missing for column in columns)
        may_be_missing = rows.dtype.kind == "f" or has_codes
        if not may_be_missing or all(column.fill is None for column in columns):
            return rows
        kind = rows.dtype if rows.dtype.kind == "f" else np.dtype(np.float64)
        fills = np.array([0.0 if c.fill is None else c.fill for c in columns], kind)
        filled: npt.NDArray[Any] = np.where(missing_in(rows, columns), fills, rows)
        return filled

    def _checked(self, X: Any, *, first: bool, by_row: bool = False) -> Any:
        names = _names_of(X)
        rows = checked_array(
            X,
            "X",
            by_row=by_row,
            accept_sparse="csr",
            dtype="numeric",
            ensure_min_samples=self._least_rows(),
        )
        if first:
            self.n_features_in_ = rows.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            self._numbers = _numbers_of(X) if names is None else None
            self._feature_columns = self._select_features()
            tell_of_names(self._feature_columns)
            return rows
        self._compare_names(names)
        numbers = _numbers_of(X)
        if self._numbers is not None and numbers is not None and numbers != self._numbers:
            raise ValueError(_difference([*map(str, self._numbers)], [*map(str, numbers)]))
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return rows

    def _least_rows(self) -> int:
        """Return the least number of rows: 0 where it is private, as an error would tell it."""
        return 0 if self.neighbours == "add-remove" else 1

    def _compare_names(self, names: npt.NDArray[Any] | None) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is not None and names is None:
            warnings.warn(
                "X does not have valid feature names, but "
                f"{type(self).__name__} was fitted with feature names",
                UserWarning,
                stacklevel=4,
            )
        elif fitted is None and names is not None:
            warnings.warn(
                f"X has feature names, but {type(self).__name__} was fitted without feature names",
                UserWarning,
                stacklevel=4,
            )
        elif fitted is not None and names is not None and list(fitted) != list(names):
            raise ValueError(_difference(list(fitted), list(names)))

    def _select_features(self) -> list[Column]:
        """Return the public facts of the features, from the present parameters."""
        names = getattr(self, "feature_names_in_", None)
        labels = names_of(self._numbers or ()) if names is None else list(names)
        width = self.n_features_in_
        return select(labels, width, self.bounds, labels or list(range(width)), None).columns

    def _columns(self) -> list[Column]:
        """Return the public facts of the columns that are released."""
        return self._feature_columns

    def _check_parameters(self) -> None:
        """Raise UsageError for parameters with which no rows could be fitted."""
        if self.method == "zero" and self._centered():
            raise UsageError(f"method 'zero' releases no mean, which {type(self).__name__} needs")
        if any(method.name == self.method and method.needs_clip for method in methods()):
            raise UsageError(
                f"method {self.method!r} is for dpcov.covariance, which has a clip; here take "
                f"{self.method.removeprefix('clip-')!r} and the norm bound to clip rows to"
            )
        zeroes_bad_rows(self.bad_rows)
        require_bound(self.norm_bound, bounded=self.bounds is not None)
        if self.dataset is not None and self.ledger is None:
            raise UsageError(
                f"the releases of {shown(self.dataset)} are accounted for: name its ledger with "
                "ledger=, or leave dataset= out"
            )

    def _request(self, passes: Literal[1, 2]) -> Request:
        """Return the request. All that can be refused without rows is refused here."""
        if self.budget is None:
            raise UsageError(f"{type(self).__name__} needs a budget: dpcov.Rho(0.1), for example")
        self._check_parameters()
        request = Request(
            budget=self.budget,
            method=self.method,
            neighbours=self.neighbours,
            rows_per_person=self.rows_per_person,
            center=self._centered(),
            ledger=self.ledger,
            dataset=self.dataset,
            insecure_seed=self.insecure_seed,
            threads=self.threads,
            passes=passes,
        )
        request.account()
        return request

    def _empty_moment(self, request: Request) -> SecondMoment:
        columns = self._columns()
        kept = request.kept(self.norm_bound, columns)
        return SecondMoment._of(new_core(columns, kept, self.dataset))

    def _passes_of_fit(self) -> Literal[1, 2]:
        """Return how often `fit` may read the rows; it depends on parameters alone."""
        return 1 if self.passes is None else self.passes

    def _release_tables(self, tables: Callable[[], Any]) -> None:
        """Release tables, which may be read twice, and keep nothing but the release."""
        request = self._request(self._passes_of_fit())
        twice_would_do = request.twice_would_do(self.norm_bound, self._columns())
        options: Any = {"bad_rows": self.bad_rows, "threads": self.threads}
        moment = self._empty_moment(request).add(tables(), **options)

        def add_again(moment: SecondMoment) -> None:
            moment.add(tables(), **options)

        moment._draw(
            request,
            add_again=add_again if request.passes == 2 else None,
            last=True,
            twice_would_do=twice_would_do,
            keep=self._keep,
        )

    def _keep(self, release: Release) -> None:
        self.release_ = release

    def _fresh(self: _E, passes: Literal[1, 2]) -> _E:
        """Return a new estimator without rows. What can be refused without rows is refused."""
        fresh = type(self)(**self.get_params(deep=False))
        PrivateEstimator._request(fresh, passes)  # how many columns there are is not known yet
        return fresh

    def _take_over(self, attributes: dict[str, Any]) -> None:
        """Take over the attributes of another estimator with the same parameters."""
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of rows before, which may have had names
        self.__dict__.update(attributes)

    def _finish(self, fresh: PrivateEstimator, draw: Callable[[], object]) -> None:
        """Take over the attributes that `fresh` gets from the release that `draw` gives it.

        A release that was drawn was paid for. So it is kept, whatever is raised from then on.
        Attributes of an earlier fit are then removed.
        """
        try:
            draw()
            fresh._set_fitted()
            self._take_over(fresh.__dict__)
            self.__dict__.pop("_unfinished", None)
        except BaseException:
            if hasattr(fresh, "release_"):
                fitted = [name for name in self.__dict__ if name[0] != "_" and name[-1] == "_"]
                for name in fitted:
                    del self.__dict__[name]
                secret = {"_moment", "_adding"}
                known = {name: x for name, x in fresh.__dict__.items() if name not in secret}
                self.__dict__.update(known, _unfinished=True)
            raise

    def _forget_rows(self) -> None:
        """Drop the rows that `partial_fit` added."""
        if hasattr(self, "_adding"):
            del self._adding

    def _fit(self: _E, tables_of: Callable[[_E], Callable[[], Any]]) -> _E:
        """Release the tables that `tables_of` returns for a new estimator."""
        self._forget_rows()
        fresh = self._fresh(self._passes_of_fit())
        tables = tables_of(fresh)
        self._finish(fresh, lambda: fresh._release_tables(tables))
        return self

    def _partial_fit(self: _E, table_of: Callable[[_E, bool], Any]) -> _E:
        """Add the table that `table_of` returns for the adding estimator."""
        if self.passes == 2:
            raise UsageError("partial_fit reads its rows once; passes=2 is for fit")
        adding = getattr(self, "_adding", None)
        first = adding is None
        if adding is None:
            adding = self._fresh(1)
        adding._add(table_of(adding, first))
        self._adding = adding
        if not hasattr(self, "release_"):  # as scikit-learn wants to know of the first rows
            names = {"n_features_in_", "feature_names_in_"} & adding.__dict__.keys()
            self._take_over({name: adding.__dict__[name] for name in names})
        return self

    def _add(self, tables: Any) -> None:
        if not hasattr(self, "_moment"):
            self._moment = self._empty_moment(self._request(1))
        self._moment.add(tables, bad_rows=self.bad_rows, threads=self.threads)

    def release(self: _E) -> _E:
        """Draw one release of all rows that `partial_fit` added, and drop the rows.

        Spends the whole `budget`. Returns the fitted estimator.

        If `fit` or `release` was interrupted after its release was drawn, there is a `release_`,
        but nothing else is fitted. This method then draws nothing: it computes the rest, and spends
        nothing.

        Raises
        ------
        UsageError
            No rows were added.
        BudgetError
            The ledger refuses.
        DeviceError
            The ledger's file or the entropy source failed.
        """
        if not hasattr(self, "_adding"):
            if not hasattr(self, "_unfinished"):
                raise UsageError("there are no rows to release; call partial_fit first")
            self._set_fitted()
            del self._unfinished
            return self
        adding = self._adding.set_params(**self.get_params(deep=False))

        def keep(release: Release) -> None:
            adding._keep(release)
            del adding._moment
            self._forget_rows()

        request = adding._request(1)
        self._finish(adding, lambda: adding._moment._draw(request, keep=keep))
        return self

    def __sklearn_is_fitted__(self) -> bool:
        # Rows that were added and not yet released set only the names and the number of columns.
        # After an interrupted fit there is a release, but the estimator is not fitted.
        return hasattr(self, "release_") and not hasattr(self, "_unfinished")

    @abstractmethod
    def _centered(self) -> bool:
        """Return whether the mean is released, too."""

    @abstractmethod
    def _set_fitted(self) -> None:
        """Set the fitted attributes from `release_`."""

    def _rows_released(self) -> int:
        record = self.release_.record
        return int(record.get("n", record.get("noisy_n", 0)))

    # Tags, as scikit-learn asks for them before 1.6 and from then on.
    def _more_tags(self) -> dict[str, Any]:
        return {
            "non_deterministic": self.insecure_seed is None,
            "X_types": ["2darray", "sparse"],
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.insecure_seed is None
        tags.input_tags.sparse = True
        return tags


class UnsupervisedEstimator(PrivateEstimator):
    def fit(self: _E, X: Any, y: Any = None) -> _E:
        """Release the covariance (and the mean) of the rows. Spends the whole `budget`.

        Parameters
        ----------
        X : array, data frame or SciPy sparse matrix, (n, d)
            One row for each person, in the table's units. NaN is allowed only where `bounds` have a
            fill, or with bad_rows="zero".
        y : ignored

        Raises
        ------
        UsageError
            No budget, or neither bounds nor a norm bound.
        BudgetError
            The ledger refuses; nothing is spent.
        """

        def tables_of(fresh: UnsupervisedEstimator) -> Callable[[], Any]:
            rows = fresh._rows_to_fit(X, first=True)
            return lambda: rows

        return self._fit(tables_of)

    def partial_fit(self: _E, X: Any, y: Any = None) -> _E:
        """Add rows. Spends and releases nothing: call `release` once, at the end.

        The first call begins a new table, with the parameters of that time. Rows of an earlier
        `fit` are not in it. Until `release` the earlier fit stays in use. The estimator then holds
        secret sums, and warns of them when it is pickled (SecrecyWarning).
        """
        return self._partial_fit(lambda adding, first: adding._rows_to_fit(X, first=first))
