"""The private counterpart of Ridge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._arguments import require_choice, require_number
from .._budgets import methods
from .._checked_array import astray, checked_array, require_finite, written_out
from .._errors import UsageError
from .._labels import label_of, labels_of
from .._ledger import Neighbours
from .._moment import BadRows, zeroes_bad_rows
from .._release import Array, nearest_semidefinite, units_of
from .._schema import Bounds, Column, select
from .._tables import CHUNK_VALUES
from ._estimator import PrivateEstimator

if TYPE_CHECKING:
    from .._budgets import Budget
    from ._estimator import LedgerPath


def _target_names_of(y: Any) -> list[str] | None:
    """Return the names of targets in a frame or a column, if there are any."""
    labels = labels_of(y)
    if labels is not None:
        return [str(label) for label in labels]
    name = label_of(y)
    return None if name in (None, "") else [str(name)]


class PrivateRidge(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """A differentially private `sklearn.linear_model.Ridge`.

    Parameters
    ----------
    alpha : float, optional
        The penalty, finite and at least 0. It is added to the variances of features mapped to
        [-1, 1], as by `Ridge(alpha * n)` on mapped features. By default the release itself decides
        how far coefficients are shrunk.
    budget : Rho, Epsilon or ApproximateDP
        The budget that each `fit` spends. Required.
    bounds : dict, sequence or pair
        The features' bounds, as for `PrivateCovariance`. Public. Required.
    target_bounds : pair or sequence of pairs
        The targets' bounds, in their units, and perhaps a fill and codes for missing values.
        Public. Required. `score`, which is scikit-learn's own, takes `y` as it is.
    fit_intercept : bool
        If True, the means are released, too. If False, the line goes through the midpoints of the
        bounds of features and targets.
    clip_predictions : bool
        If True, predictions are clipped to `target_bounds`.
    method, neighbours, rows_per_person, ledger, dataset, insecure_seed, threads
        As for `PrivateCovariance`.
    bad_rows : {"error", "zero"}
        As for `PrivateCovariance`, for rows of features and targets together.
    passes : {1, 2}, optional
        As for `PrivateCovariance`. By default 2 where the method supports it and the intercept is
        fitted, else 1. Two passes make predictions err less, the more so the wider the bounds are.

    Attributes
    ----------
    coef_ : (d,) or (targets, d)
        The coefficients, in units of the target over units of the feature.
    intercept_ : float or (targets,)
        The intercept, in the target's units.
    n_features_in_ : int
        The number of features seen during fit.
    feature_names_in_ : (d,)
        The features' names, where all are strings.
    release_ : Release
        The release: the covariance of features and targets together.
    """

    norm_bound = None

    def __init__(
        self,
        alpha: float | None = None,
        *,
        budget: Budget | None = None,
        bounds: Bounds | None = None,
        target_bounds: Any = None,
        fit_intercept: bool = True,
        clip_predictions: bool = True,
        method: str = "auto",
        neighbours: Neighbours = "replace",
        rows_per_person: int = 1,
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] | None = None,
        bad_rows: BadRows = "error",
    ) -> None:
        self.alpha = alpha
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept
        self.clip_predictions = clip_predictions
        self.method = method
        self.neighbours = neighbours
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes
        self.bad_rows = bad_rows

    def _centered(self) -> bool:
        return self.fit_intercept

    def _passes_of_fit(self) -> Literal[1, 2]:
        if self.passes is not None:
            return self.passes
        takes_two = any(method.name == self.method and method.reads_twice for method in methods())
        return 2 if takes_two and self.fit_intercept else 1

    # A poor score: on tables as small as the checks' the noise is all there is.
    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "poor_score": True, "multioutput": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags

    def _check_parameters(self) -> None:
        require_choice(self.fit_intercept, "fit_intercept")
        require_choice(self.clip_predictions, "clip_predictions")
        if self.alpha is not None and not 0.0 <= require_number(self.alpha, "alpha") < np.inf:
            raise UsageError("alpha must be finite and at least 0")
        if self.bounds is None or self.target_bounds is None:
            raise UsageError(
                "PrivateRidge needs bounds, of the features, and target_bounds: the least and the "
                "greatest value that each can have. Both are public: take them from what is known, "
                "not from the rows"
            )
        super()._check_parameters()

    def _select_targets(self, names: list[str] | None) -> list[Column]:
        width = self._targets
        return select(names, width, self.target_bounds, names or list(range(width)), None).columns

    def _columns(self) -> list[Column]:
        columns = self._feature_columns + self._target_columns
        taken = {column.name for column in self._feature_columns}
        if len(taken) < len(self._feature_columns) or "" in taken:
            return [column._replace(name="") for column in columns]
        named = list(self._feature_columns)
        for k, target in enumerate(self._target_columns):
            # A target without a name, or with a feature's name, is called target.
            name = target.name or ("target" if self._targets == 1 else f"target{k}")
            while name in taken:
                name = f"{name}_" if name.startswith("target") else "target"
            taken.add(name)
            named.append(target._replace(name=name))
        return named

    def _joint(self, X: Any, y: Any, *, first: bool) -> Callable[[], Iterator[npt.NDArray[Any]]]:
        """Return a function that gives the rows of features and targets, some at a time."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        rows = self._rows_to_fit(X, first=first)
        by_row = zeroes_bad_rows(self.bad_rows)
        targets = checked_array(
            y,
            "y",
            by_row=by_row,
            dtype="numeric",
            ensure_2d=False,
            ensure_min_samples=self._least_rows(),
        )
        count = rows.shape[0]
        if count != len(targets):  # how many there are may be private
            raise ValueError("X and y have different numbers of rows")
        if targets.ndim > 2:
            raise ValueError("y must have one or two dimensions")
        columns = targets[:, np.newaxis] if targets.ndim == 1 else targets
        names = _target_names_of(y)
        if first:
            self._targets, self._one_target = columns.shape[1], targets.ndim == 1
            self._target_names = names
            self._target_columns = self._select_targets(names)
        elif columns.shape[1] != self._targets:
            raise ValueError(f"y has {columns.shape[1]} columns, not {self._targets}")
        elif names is not None and self._target_names is not None and names != self._target_names:
            raise ValueError(f"y has the columns {names}, in place of {self._target_names}")
        if not by_row:
            require_finite(columns, "y", self._target_columns)
        step = max(1, CHUNK_VALUES // (rows.shape[1] + columns.shape[1]))
        middles = np.array([column.midpoint for column in self._columns()])
        strays = astray(rows)  # a bad row, whatever the fills

        def piece(first: int) -> npt.NDArray[Any]:
            last = min(first + step, count)
            with np.errstate(all="ignore"):  # a warning would tell a row
                joint = np.column_stack([written_out(rows, first, last), columns[first:last]])
            joint[strays[first:last]] = middles  # which the release maps to zero
            return joint

        # One piece, also without rows.
        return lambda: (piece(first) for first in range(0, max(1, count), step))

    def fit(self, X: Any, y: Any) -> PrivateRidge:
        """Release the covariance of features and targets. Spends the whole `budget`.

        Parameters
        ----------
        X : array, data frame or SciPy sparse matrix, (n, d)
            Features, one row for each person, in the table's units. NaN is allowed only where
            `bounds` have a fill, or with bad_rows="zero".
        y : array, (n,) or (n, targets)
            Targets, to be predicted. NaN is allowed only where `target_bounds` have a fill, or with
            bad_rows="zero".

        Raises
        ------
        UsageError
            No budget or no bounds.
        BudgetError
            The ledger refuses; nothing is spent.
        """
        return self._fit(lambda fresh: fresh._joint(X, y, first=True))

    def partial_fit(self, X: Any, y: Any) -> PrivateRidge:
        """Add rows. Spends and releases nothing: call `release` once, at the end.

        The first call begins a new table, with the parameters of that time. Rows of an earlier
        `fit` are not in it. The estimator then holds secret sums until `release`.
        """
        return self._partial_fit(lambda adding, first: adding._joint(X, y, first=first)())

    def _set_fitted(self) -> None:
        coefficients, intercepts = self._lines()
        self.coef_ = coefficients[0] if self._one_target else coefficients
        self.intercept_ = float(intercepts[0]) if self._one_target else intercepts

    def _lines(self) -> tuple[Array, Array]:
        """Return coefficients, (targets, d), and intercepts, (targets,)."""
        d = self.n_features_in_
        if self.fit_intercept:
            middles = self.release_.mean()
        else:
            middles = np.array([column.midpoint for column in self._columns()])
        if self.alpha is not None:
            coefficients = self._ridge_coefficients(self.alpha)
            return coefficients, middles[d:] - coefficients @ middles[:d]
        features = list(range(d))
        lines = [self.release_._regression_at(d + k, features) for k in range(self._targets)]
        intercepts = [
            middles[d + k] if line.intercept is None else line.intercept  # as of method 'zero'
            for k, line in enumerate(lines)
        ]
        return np.array([line.coefficients for line in lines]), np.array(intercepts)

    def _ridge_coefficients(self, alpha: float) -> Array:
        """Return the coefficients of ridge regression on mapped columns, (targets, d)."""
        d = self.n_features_in_
        units = units_of(self.release_.record)
        mapped = nearest_semidefinite(self.release_.covariance() / np.outer(units, units))
        gram = mapped[:d, :d] + alpha * np.eye(d)
        # Without a penalty the matrix may be singular. Then the solution of least norm is taken.
        solution = np.linalg.lstsq(gram, mapped[:d, d:], rcond=None)[0].T
        coefficients: Array = solution * units[d:, np.newaxis] / units[:d]
        return coefficients

    def predict(self, X: Any) -> Array:
        """Return predictions, (n,) or (n, targets), clipped with `clip_predictions`."""
        check_is_fitted(self)
        rows = self._rows_to_use(X)
        predicted: Array = rows @ np.asarray(self.coef_).T + self.intercept_
        if self.clip_predictions:
            pairs = [column.bounds or (-np.inf, np.inf) for column in self._target_columns]
            lower, upper = np.array(pairs).T
            predicted = np.clip(predicted.reshape(len(rows), -1), lower, upper)
            predicted = predicted[:, 0] if self._one_target else predicted
        return predicted
