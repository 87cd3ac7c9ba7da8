"""The private counterpart of PCA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import linalg
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._arguments import require_choice
from .._checked_array import checked_array, require_finite
from .._errors import UsageError
from .._ledger import Neighbours
from .._moment import BadRows
from .._release import Array
from .._request import Request
from .._schema import Bounds
from .._shown import shown
from ._estimator import UnsupervisedEstimator

if TYPE_CHECKING:
    from .._budgets import Budget
    from ._estimator import LedgerPath


class PrivatePCA(TransformerMixin, UnsupervisedEstimator):  # type: ignore[misc]
    """A differentially private `sklearn.decomposition.PCA`.

    Parameters
    ----------
    n_components : int or float, optional
        How many components to keep, from 1 to d, or which share of the variance, between 0 and 1.
        All by default.
    budget, bounds, norm_bound, method, neighbours, rows_per_person, passes, bad_rows
        As for `PrivateCovariance`.
    ledger, dataset, insecure_seed, threads
        As for `PrivateCovariance`.
    whiten : bool
        If True, `transform` divides scores by the components' standard deviations.
    standardize : bool
        If True, columns are first divided by their private standard deviations, so that columns of
        large variance do not dominate. Use it in place of a scaler, which would leak data.
        Variances are then those of the divided columns.

    Attributes
    ----------
    components_ : (k, d)
        Orthonormal rows, the greatest variance first.
    explained_variance_, explained_variance_ratio_, singular_values_ : (k,)
        As in scikit-learn's PCA, but variances are over n, not n - 1.
    mean_ : (d,)
        The private mean.
    scale_ : (d,) or None
        The standard deviations by which columns are divided; None without `standardize`. 1 for a
        column that was not seen to vary.
    n_components_, n_samples_, n_features_in_ : int
        `n_components_` is k. `n_samples_` is noisy where the number of rows is private.
    noise_variance_ : float
        The mean variance of the components left out.
    feature_names_in_ : (d,)
        The columns' names, where all are strings.
    release_ : Release
        The release; everything else is computed from it.
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
        rows_per_person: int = 1,
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] = 1,
        standardize: bool = False,
        bad_rows: BadRows = "error",
    ) -> None:
        self.n_components = n_components
        self.budget = budget
        self.bounds = bounds
        self.norm_bound = norm_bound
        self.whiten = whiten
        self.method = method
        self.neighbours = neighbours
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes
        self.standardize = standardize
        self.bad_rows = bad_rows

    def _centered(self) -> bool:
        return True

    def _check_components(self, most: int | None) -> None:
        count: Any = self.n_components
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        share = isinstance(count, float) and 0.0 < count < 1.0
        fits = whole and count >= 1 and (most is None or count <= most)
        if count is not None and not share and not fits:
            raise UsageError(
                f"n_components={shown(count)} must be from 1 to n_features"
                f"{'' if most is None else f'={most}'}, or between 0 and 1"
            )

    def _check_parameters(self) -> None:
        self._check_components(None)
        require_choice(self.whiten, "whiten")
        require_choice(self.standardize, "standardize")
        super()._check_parameters()

    def _request(self, passes: Literal[1, 2]) -> Request:
        self._check_components(self.n_features_in_)
        return super()._request(passes)

    def _set_fitted(self) -> None:
        pca = self.release_.pca(standardize=self.standardize)
        self.mean_ = self.release_.mean()
        deviations = pca.deviations
        self.scale_ = None if deviations is None else np.where(deviations > 0, deviations, 1.0)
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

    def _standardized(self, X: Any) -> Array:
        """Return rows minus the mean, divided by `scale_` with `standardize`."""
        rows: Array = self._rows_to_use(X) - self.mean_
        return rows if self.scale_ is None else rows / self.scale_

    def _whitening(self) -> Array:
        """Return the divisors of scores, (k,)."""
        if not self.whiten:
            return np.ones(self.n_components_)
        # A direction in which nothing was seen to vary has no unit to be measured in.
        deviation = np.sqrt(self.explained_variance_)
        scale: Array = np.where(deviation > 0, deviation, 1.0)
        return scale

    def transform(self, X: Any) -> Array:
        """Return the scores of rows on the components, (n, k). They are not private."""
        check_is_fitted(self)
        scores: Array = self._standardized(X) @ self.components_.T / self._whitening()
        return scores

    def inverse_transform(self, X: Any) -> Array:
        """Return rows in the table's units, (n, d), from scores, (n, k)."""
        check_is_fitted(self)
        scores = checked_array(X, "X", dtype=np.float64)
        require_finite(scores, "X")
        rows: Array = scores * self._whitening() @ self.components_
        if self.scale_ is not None:
            rows = rows * self.scale_
        return rows + self.mean_

    def get_covariance(self) -> Array:
        """Return the covariance by the kept components and `noise_variance_`, (d, d).

        With `standardize` it is of the divided columns; so are `get_precision`, `score_samples` and
        `score`.
        """
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
        """Return the log-likelihood of each row, (n,), without noise: it is not private."""
        check_is_fitted(self)
        centered = self._standardized(X)
        precision = self.get_precision()
        distances = np.einsum("ij,jk,ik->i", centered, precision, centered)
        logdet = float(np.linalg.slogdet(precision)[1])
        scores: Array = -0.5 * (distances + len(self.mean_) * np.log(2.0 * np.pi) - logdet)
        return scores

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of `score_samples`, which is not private."""
        return float(np.mean(self.score_samples(X)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the names of the scores, (k,): "privatepca0", "privatepca1", ..."""
        check_is_fitted(self)
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{k}" for k in range(self.n_components_)], dtype=object)
