"""Private counterparts of scikit-learn's EmpiricalCovariance, PCA and Ridge.

Every `fit` spends the whole of `budget`: in a cross-validation or a grid search each candidate and
each fold does. With `ledger` and `dataset` every fit is charged before any noise is drawn, and
refused with BudgetError where too little is left (pass error_score="raise" to the search, which
would swallow that). What a search scores, it scores on rows as they are: scores, and the choice
made by them, are not private. Prefer what needs no second fit: `n_components` and `alpha` are
post-processing of one release.

A scaler fitted on the data before one of these is a leak: `bounds`, which are public, replace it.
"""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

try:
    from scipy import linalg
    from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
    from sklearn.covariance import empirical_covariance, log_likelihood
    from sklearn.utils.validation import check_consistent_length, check_is_fitted
except ImportError as error:
    raise ImportError("dpcov.sklearn needs scikit-learn: pip install 'dpcov[sklearn]'") from error

from ._budgets import methods
from ._checked_array import checked_array, require_finite
from ._errors import UsageError
from ._ledger import Ledger, Neighbours
from ._moment import SecondMoment, new_core
from ._release import Array, Release, nearest_semidefinite, units_of
from ._request import Request
from ._schema import Bounds, Column, require_number, select
from ._shown import shown

if TYPE_CHECKING:
    from typing import TypeAlias

    from ._budgets import Budget

    LedgerPath: TypeAlias = "Ledger | str | os.PathLike[str] | None"

_E = TypeVar("_E", bound="_PrivateEstimator")

__all__ = ["PrivateCovariance", "PrivatePCA", "PrivateRidge"]


def _names_of(X: Any) -> npt.NDArray[Any] | None:
    """Return the column names of a data frame, as scikit-learn takes them: strings, or none."""
    columns = getattr(X, "columns", None)
    if columns is None or isinstance(X, np.ndarray):
        return None
    names = np.asarray(list(columns), dtype=object)
    strings = [isinstance(name, str) for name in names]
    if any(strings) and not all(strings):
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            "input has mixed types. Convert them all to strings, for example by "
            "X.columns = X.columns.astype(str)."
        )
    return names if len(names) and all(strings) else None


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


class _PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """What the three have in common: rows, the moment that they add up to, one release."""

    budget: Budget | None
    bounds: Bounds | None
    norm_bound: float | None
    method: str
    neighbours: Neighbours
    ledger: LedgerPath
    dataset: str | None
    insecure_seed: int | None
    threads: int | None
    passes: Literal[1, 2]
    n_features_in_: int
    release_: Release

    def _rows_to_fit(self, X: Any, *, first: bool) -> npt.NDArray[Any]:
        """Return X as an array of numbers; remember, or compare, what its columns are.

        Missing values are left for the moment to fill: no row decides what memory is taken.
        """
        rows = self._checked(X, first=first)
        require_finite(rows, "X", self._feature_columns())
        return rows

    def _rows_to_use(self, X: Any) -> npt.NDArray[Any]:
        """Return X as an array of numbers without missing values, after a fit."""
        rows = self._checked(X, first=False)
        columns = self._feature_columns()
        require_finite(rows, "X", columns)
        if rows.dtype.kind != "f" or all(column.fill is None for column in columns):
            return rows
        fills = np.array([0.0 if c.fill is None else c.fill for c in columns], rows.dtype)
        filled: npt.NDArray[Any] = np.where(np.isnan(rows), fills, rows)
        return filled

    def _checked(self, X: Any, *, first: bool) -> npt.NDArray[Any]:
        names = _names_of(X)
        rows = checked_array(X, "X", dtype="numeric", ensure_min_samples=self._least_rows())
        if first:
            self.n_features_in_ = rows.shape[1]
            if names is not None:
                self.feature_names_in_ = names
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return rows
        self._compare_names(names)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        return rows

    def _least_rows(self) -> int:
        """Return how many rows there must be: where that is private, to refuse none would tell."""
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

    def _feature_columns(self) -> list[Column]:
        """Return what is publicly known of the columns of X."""
        names = getattr(self, "feature_names_in_", None)
        labels = None if names is None else list(names)
        width = self.n_features_in_
        selection = select(labels, width, self.bounds, labels or list(range(width)), None)
        return selection.columns

    def _columns(self) -> list[Column]:
        """Return what is publicly known of the columns that are released."""
        return self._feature_columns()

    def _request(self, passes: Literal[1, 2]) -> Request:
        """Return what is asked for: whatever can be refused without rows is refused here."""
        if self.budget is None:
            raise UsageError(f"{type(self).__name__} needs a budget: dpcov.Rho(0.1), for example")
        if self.method == "zero" and self._centered():
            raise UsageError(f"method 'zero' releases no mean, which {type(self).__name__} needs")
        if any(method.name == self.method and method.needs_clip for method in methods()):
            raise UsageError(
                f"method {self.method!r} is for dpcov.covariance, which has a clip; here take "
                f"{self.method.removeprefix('clip-')!r} and the norm bound to clip rows to"
            )
        request = Request(
            budget=self.budget,
            method=self.method,
            neighbours=self.neighbours,
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

    def _release_tables(self, tables: Callable[[], Any]) -> None:
        """Release these tables, which may be looked at twice, and keep nothing else of them."""
        request = self._request(self.passes)
        moment = self._empty_moment(request).add(tables(), threads=self.threads)

        def add_again(moment: SecondMoment) -> None:
            moment.add(tables(), threads=self.threads)

        self.release_ = moment._draw(request, add_again=add_again if self.passes == 2 else None)
        self._set_fitted()

    def _forget_rows(self) -> None:
        """Let go of what `partial_fit` added."""
        if hasattr(self, "_moment"):
            del self._moment

    def _begin(self) -> None:
        """Begin a fit anew: refuse, before any row is looked at, what needs none to be refused."""
        self._forget_rows()
        _PrivateEstimator._request(self, self.passes)  # how many columns there are is not known yet

    def _add(self, tables: Any) -> None:
        if not hasattr(self, "_moment"):
            self._moment = self._empty_moment(self._request(1))
        self._moment.add(tables, threads=self.threads)

    def release(self: _E) -> _E:
        """Draw one release from all rows that `partial_fit` added, and let go of them.

        Spends the whole of `budget`. Returns the fitted estimator.
        """
        if not hasattr(self, "_moment"):
            raise UsageError("there are no rows to release; call partial_fit first")
        self.release_ = self._moment._draw(self._request(1))
        self._forget_rows()
        self._set_fitted()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        # Rows that were added and not released yet set names and number of the columns only.
        return hasattr(self, "release_")

    @abstractmethod
    def _centered(self) -> bool:
        """Return whether the mean is to be released, too."""

    @abstractmethod
    def _set_fitted(self) -> None:
        """Set the fitted attributes from `release_`."""

    def _rows_released(self) -> int:
        record = self.release_.record
        return int(record.get("n", record.get("noisy_n", 0)))

    # Tags, as scikit-learn asks for them before 1.6 and from then on.
    def _more_tags(self) -> dict[str, Any]:
        return {"non_deterministic": self.insecure_seed is None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.insecure_seed is None
        return tags


class _UnsupervisedEstimator(_PrivateEstimator):
    def fit(self: _E, X: Any, y: Any = None) -> _E:
        """Release what is needed of the rows. Spends the whole of `budget`.

        Parameters
        ----------
        X : array or data frame, (n, d)
            One row a person, in the table's units; NaN only where `bounds` have a fill.
        y : ignored

        Raises
        ------
        UsageError
            No budget, or neither bounds nor a norm bound.
        BudgetError
            The ledger refuses.
        """
        self._begin()
        rows = self._rows_to_fit(X, first=True)
        self._release_tables(lambda: rows)
        return self

    def partial_fit(self: _E, X: Any, y: Any = None) -> _E:
        """Add rows. Spends nothing, and releases nothing: `release` does, once, at the end.

        The first call begins a table of its own, by the parameters as they are then: rows of a
        `fit` before are not in it. The estimator then holds un-noised sums, and its pickle warns of
        them (SecrecyWarning).
        """
        first = not hasattr(self, "_moment")
        self._add(self._rows_to_fit(X, first=first))
        return self


def _target_names_of(y: Any) -> list[str] | None:
    """Return what a frame or a column calls its targets, if anything."""
    if hasattr(y, "columns"):
        return [str(label) for label in y.columns]
    name = getattr(y, "name", None)
    return None if name in (None, "") else [str(name)]


class PrivateCovariance(_UnsupervisedEstimator):
    """A differentially private `sklearn.covariance.EmpiricalCovariance`.

    Parameters
    ----------
    budget : Rho, Epsilon or ApproximateDP
        What each `fit` spends. Required.
    bounds : dict, sequence or pair
        The least and the greatest value of every column, and perhaps what to take for a missing
        one, as for `dpcov.covariance`; one such tuple is for all columns. Public. Required, unless
        there is a norm bound.
    norm_bound : float, optional
        The longest that a row may be, after bounds. Public.
    store_precision : bool
        Whether `precision_` is kept.
    assume_centered : bool
        Release no mean; the covariance is then about zero, or the midpoints of the bounds.
    method : str
        One of `dpcov.methods()` that needs no clip: rows are clipped to `norm_bound`.
    neighbours : {"replace", "add-remove"}
        With "add-remove" the number of rows is private, too.
    ledger : Ledger or path, optional
        Every fit is charged here.
    dataset : str, optional
        The account to charge.
    insecure_seed : int, optional
        Deterministic noise for tests. NOT PRIVATE.
    threads : int, optional
        At most so many.
    passes : {1, 2}
        How often `fit` may read the rows, as for `dpcov.covariance`. `partial_fit` reads them once.

    Attributes
    ----------
    covariance_ : (d, d)
        In the table's units squared, positive semidefinite.
    location_ : (d,)
        The mean; what `assume_centered` says otherwise.
    precision_ : (d, d)
        The pseudo-inverse, where it is stored.
    n_features_in_ : int
        Columns seen during fit.
    feature_names_in_ : (d,)
        Their names, where all are strings.
    release_ : Release
        What was released.
    """

    def __init__(
        self,
        *,
        budget: Budget | None = None,
        bounds: Bounds | None = None,
        norm_bound: float | None = None,
        store_precision: bool = True,
        assume_centered: bool = False,
        method: str = "auto",
        neighbours: Neighbours = "replace",
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] = 1,
    ) -> None:
        self.budget = budget
        self.bounds = bounds
        self.norm_bound = norm_bound
        self.store_precision = store_precision
        self.assume_centered = assume_centered
        self.method = method
        self.neighbours = neighbours
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes

    def _centered(self) -> bool:
        return not self.assume_centered

    def _set_fitted(self) -> None:
        self.covariance_ = nearest_semidefinite(self.release_.covariance())
        self.location_ = self._location()
        self.precision_ = linalg.pinvh(self.covariance_) if self.store_precision else None

    def _location(self) -> Array:
        if not self.assume_centered:
            return self.release_.mean()
        return np.array(
            [0.5 * sum(column.bounds) if column.bounds else 0.0 for column in self._columns()]
        )

    def get_precision(self) -> Array:
        """Return the pseudo-inverse of the covariance, (d, d)."""
        check_is_fitted(self)
        stored: Array | None = self.precision_
        precision: Array = linalg.pinvh(self.covariance_) if stored is None else stored
        return precision

    def score(self, X_test: Any, y: Any = None) -> float:
        """Return the log-likelihood of rows as they are, which is not private."""
        check_is_fitted(self)
        rows = self._rows_to_use(X_test)
        measured = empirical_covariance(rows - self.location_, assume_centered=True)
        return float(log_likelihood(measured, self.get_precision()))

    def error_norm(
        self,
        comp_cov: Any,
        norm: str = "frobenius",
        scaling: bool = True,
        squared: bool = True,
    ) -> float:
        """Return the distance to another covariance, as EmpiricalCovariance does."""
        check_is_fitted(self)
        error = np.asarray(comp_cov) - self.covariance_
        if norm == "frobenius":
            distance = float(np.sum(error**2))
        elif norm == "spectral":
            distance = float(np.linalg.norm(error, 2) ** 2)
        else:
            raise UsageError("norm must be 'frobenius' or 'spectral'")
        distance = distance / len(error) if scaling else distance
        return distance if squared else float(np.sqrt(distance))

    def mahalanobis(self, X: Any) -> Array:
        """Return squared Mahalanobis distances of rows as they are, (n,)."""
        check_is_fitted(self)
        centered = self._rows_to_use(X) - self.location_
        distances: Array = np.einsum("ij,jk,ik->i", centered, self.get_precision(), centered)
        return distances


class PrivatePCA(TransformerMixin, _UnsupervisedEstimator):  # type: ignore[misc]
    """A differentially private `sklearn.decomposition.PCA`.

    Parameters
    ----------
    n_components : int or float, optional
        How many components to keep, or which share of the variance; all by default.
    budget, bounds, norm_bound, method, neighbours, ledger, dataset, insecure_seed, threads, passes
        As for `PrivateCovariance`.
    whiten : bool
        Divide what `transform` returns by the components' deviations.

    Attributes
    ----------
    components_ : (k, d)
        Orthonormal, the greatest variance first.
    explained_variance_, explained_variance_ratio_, singular_values_ : (k,)
        Variances are over n, not n - 1.
    mean_ : (d,)
        The private mean.
    n_components_, n_samples_, n_features_in_ : int
        `n_components_` is k. `n_samples_` is noisy where the number of rows is private.
    noise_variance_ : float
        The mean variance of the directions left out.
    feature_names_in_ : (d,)
        The columns' names, where all are strings.
    release_ : Release
        What was released.
    """

    def __init__(
        self,
        n_components: float | None = None,
        *,
        budget: Budget | None = None,
        bounds: Bounds | None = None,
        norm_bound: float | None = None,
        whiten: bool = False,
        method: str = "auto",
        neighbours: Neighbours = "replace",
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] = 1,
    ) -> None:
        self.n_components = n_components
        self.budget = budget
        self.bounds = bounds
        self.norm_bound = norm_bound
        self.whiten = whiten
        self.method = method
        self.neighbours = neighbours
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes

    def _centered(self) -> bool:
        return True

    def _request(self, passes: Literal[1, 2]) -> Request:
        count, d = self.n_components, self.n_features_in_
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        share = isinstance(count, float) and 0.0 < count < 1.0
        if count is not None and not share and not (whole and 1 <= count <= d):
            raise UsageError(
                f"n_components={shown(count)} must be from 1 to n_features={d}, or between 0 and 1"
            )
        return super()._request(passes)

    def _set_fitted(self) -> None:
        pca = self.release_.pca()
        self.mean_ = self.release_.mean()
        self.n_components_ = self._number(pca.explained_variance_ratio)
        kept = self.n_components_
        self.n_samples_ = self._rows_released()
        self.components_ = pca.components[:kept]
        self.explained_variance_ = pca.explained_variance[:kept]
        self.explained_variance_ratio_ = pca.explained_variance_ratio[:kept]
        self.singular_values_ = np.sqrt(self.explained_variance_ * self.n_samples_)
        rest = pca.explained_variance[kept:]
        self.noise_variance_ = float(rest.mean()) if len(rest) else 0.0

    def _number(self, ratio: Array) -> int:
        count = self.n_components
        if count is None:
            return len(ratio)
        if isinstance(count, float):
            return int(min(np.searchsorted(np.cumsum(ratio), count, side="right") + 1, len(ratio)))
        return int(count)

    def _scale(self) -> Array:
        """Return what `transform` divides by."""
        if not self.whiten:
            return np.ones(self.n_components_)
        # A direction in which nothing was seen to vary has no unit to be measured in.
        deviation = np.sqrt(self.explained_variance_)
        scale: Array = np.where(deviation > 0, deviation, 1.0)
        return scale

    def transform(self, X: Any) -> Array:
        """Return rows in terms of the components, (n, k). They are not private."""
        check_is_fitted(self)
        rows = self._rows_to_use(X)
        scores: Array = (rows - self.mean_) @ self.components_.T / self._scale()
        return scores

    def inverse_transform(self, X: Any) -> Array:
        """Return rows of the table's kind from rows of components."""
        check_is_fitted(self)
        scores = checked_array(X, "X", dtype=np.float64)
        require_finite(scores, "X")
        rows: Array = scores * self._scale() @ self.components_ + self.mean_
        return rows

    def get_covariance(self) -> Array:
        """Return the covariance of the components and the noise variance, (d, d)."""
        check_is_fitted(self)
        noise = self.noise_variance_
        above = np.maximum(self.explained_variance_ - noise, 0.0)
        covariance: Array = (self.components_.T * above) @ self.components_
        return covariance + noise * np.eye(len(self.mean_))

    def get_precision(self) -> Array:
        """Return the pseudo-inverse of `get_covariance`, (d, d)."""
        precision: Array = linalg.pinvh(self.get_covariance())
        return precision

    def score_samples(self, X: Any) -> Array:
        """Return the log-likelihood of each row as it is, (n,), which is not private."""
        check_is_fitted(self)
        centered = self._rows_to_use(X) - self.mean_
        precision = self.get_precision()
        distances = np.einsum("ij,jk,ik->i", centered, precision, centered)
        logdet = float(np.linalg.slogdet(precision)[1])
        scores: Array = -0.5 * (distances + len(self.mean_) * np.log(2.0 * np.pi) - logdet)
        return scores

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of `score_samples`."""
        return float(np.mean(self.score_samples(X)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return "privatepca0", "privatepca1", ..."""
        check_is_fitted(self)
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{k}" for k in range(self.n_components_)], dtype=object)


class PrivateRidge(RegressorMixin, _PrivateEstimator):  # type: ignore[misc]
    """A differentially private `sklearn.linear_model.Ridge`.

    Parameters
    ----------
    alpha : float, optional
        The penalty, 0 or above, added to the variances of features mapped to [-1, 1] (and not, as
        Ridge's, to sums of squares in the features' units). By default how far to shrink
        is decided by the release itself.
    budget : Rho, Epsilon or ApproximateDP
        What each `fit` spends. Required.
    bounds : dict, sequence or pair
        The features' bounds, public. Required.
    target_bounds : pair or sequence of pairs
        The targets' bounds, public. Required.
    fit_intercept : bool
        Release the means, too; without it, features and target are about the midpoints of their
        bounds.
    clip_predictions : bool
        Clip predictions to `target_bounds`.
    method, neighbours, ledger, dataset, insecure_seed, threads, passes
        As for `PrivateCovariance`.

    Attributes
    ----------
    coef_ : (d,) or (targets, d)
        Target's units over the feature's.
    intercept_ : float or (targets,)
        What is added.
    n_features_in_ : int
        Columns seen during fit.
    feature_names_in_ : (d,)
        Their names, where all are strings.
    release_ : Release
        What was released: the covariance of features and targets.
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
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] = 1,
    ) -> None:
        self.alpha = alpha
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.fit_intercept = fit_intercept
        self.clip_predictions = clip_predictions
        self.method = method
        self.neighbours = neighbours
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes

    def _centered(self) -> bool:
        return self.fit_intercept

    # A poor score: on tables as small as the checks' the noise is all there is.
    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "poor_score": True, "multioutput": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.target_tags.multi_output = True
        return tags

    def _request(self, passes: Literal[1, 2]) -> Request:
        if self.alpha is not None and not 0.0 <= require_number(self.alpha, "alpha") < np.inf:
            raise UsageError("alpha must be finite and at least 0")
        return super()._request(passes)

    def _target_columns(self) -> list[Column]:
        width, names = self._targets, self._target_names
        return select(names, width, self.target_bounds, names or list(range(width)), None).columns

    def _columns(self) -> list[Column]:
        if self.bounds is None or self.target_bounds is None:
            raise UsageError(
                "PrivateRidge needs bounds, of the features, and target_bounds: the least and the "
                "greatest value that each can have. Both are public: take them from what is known, "
                "not from the rows"
            )
        columns = self._feature_columns() + self._target_columns()
        names = {column.name for column in columns}
        if len(names) == len(columns) and "" not in names:
            return columns
        # Some have none, or a feature's is a target's, too.
        return [column._replace(name="") for column in columns]

    def _joint(self, X: Any, y: Any, *, first: bool) -> Callable[[], Iterator[npt.NDArray[Any]]]:
        """Return what gives the rows of features and targets, some at a time."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None"
            )
        rows = self._rows_to_fit(X, first=first)
        targets = checked_array(
            y, "y", dtype=np.float64, ensure_2d=False, ensure_min_samples=self._least_rows()
        )
        check_consistent_length(rows, targets)
        if targets.ndim > 2:
            raise ValueError("y must have one or two dimensions")
        columns = targets[:, np.newaxis] if targets.ndim == 1 else targets
        if first:
            self._targets, self._one_target = columns.shape[1], targets.ndim == 1
            self._target_names = _target_names_of(y)
        elif columns.shape[1] != self._targets:
            raise ValueError(f"y has {columns.shape[1]} columns, not {self._targets}")
        require_finite(columns, "y")
        step = max(1, (1 << 20) // (rows.shape[1] + columns.shape[1]))
        return lambda: (
            np.column_stack([rows[i : i + step], columns[i : i + step]])
            for i in range(0, max(1, len(rows)), step)  # one piece, also without rows
        )

    def fit(self, X: Any, y: Any) -> PrivateRidge:
        """Release the covariance of features and targets. Spends the whole of `budget`.

        Parameters
        ----------
        X : array or data frame, (n, d)
            Features, one row a person, in the table's units; NaN only where `bounds` have a fill.
        y : array, (n,) or (n, targets)
            What is to be predicted, without missing values.

        Raises
        ------
        UsageError
            No budget or no bounds.
        BudgetError
            The ledger refuses.
        """
        self._begin()
        joint = self._joint(X, y, first=True)
        self._release_tables(joint)
        return self

    def partial_fit(self, X: Any, y: Any) -> PrivateRidge:
        """Add rows. Spends nothing, and releases nothing: `release` does, once, at the end.

        The first call begins a table of its own, by the parameters as they are then: rows of a
        `fit` before are not in it.
        """
        first = not hasattr(self, "_moment")
        self._add(self._joint(X, y, first=first)())
        return self

    def _set_fitted(self) -> None:
        d = self.n_features_in_
        coefficients = self._coefficients(d)
        if self.fit_intercept:
            middles = self.release_.mean()
        else:
            middles = np.array([0.5 * sum(column.bounds or ()) for column in self._columns()])
        intercepts = middles[d:] - coefficients @ middles[:d]
        self.coef_ = coefficients[0] if self._one_target else coefficients
        self.intercept_ = float(intercepts[0]) if self._one_target else intercepts

    def _coefficients(self, d: int) -> Array:
        """Return coefficients, (targets, d)."""
        if self.alpha is None:
            return np.array(
                [
                    self.release_.regression(d + k, list(range(d))).coefficients
                    for k in range(self._targets)
                ]
            )
        units = units_of(self.release_.record)
        mapped = nearest_semidefinite(self.release_.covariance() / np.outer(units, units))
        gram = mapped[:d, :d] + self.alpha * np.eye(d)
        # Without a penalty the matrix may be singular: the shortest of all solutions, then.
        solution = np.linalg.lstsq(gram, mapped[:d, d:], rcond=None)[0].T
        coefficients: Array = solution * units[d:, np.newaxis] / units[:d]
        return coefficients

    def predict(self, X: Any) -> Array:
        """Return predictions, (n,) or (n, targets), within the targets' bounds."""
        check_is_fitted(self)
        rows = self._rows_to_use(X)
        predicted: Array = rows @ np.asarray(self.coef_).T + self.intercept_
        if self.clip_predictions:
            pairs = [column.bounds or (-np.inf, np.inf) for column in self._target_columns()]
            lower, upper = np.array(pairs).T
            predicted = np.clip(predicted.reshape(len(rows), -1), lower, upper)
            predicted = predicted[:, 0] if self._one_target else predicted
        return predicted
