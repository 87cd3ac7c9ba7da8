"""The private counterpart of EmpiricalCovariance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import linalg
from sklearn.covariance import empirical_covariance, log_likelihood
from sklearn.utils.validation import check_is_fitted

from .._arguments import require_choice
from .._errors import UsageError
from .._ledger import Neighbours
from .._moment import BadRows
from .._release import Array, nearest_semidefinite
from .._schema import Bounds
from ._estimator import UnsupervisedEstimator

if TYPE_CHECKING:
    from .._budgets import Budget
    from ._estimator import LedgerPath


class PrivateCovariance(UnsupervisedEstimator):
    """A differentially private `sklearn.covariance.EmpiricalCovariance`.

    Parameters
    ----------
    budget : Rho, Epsilon or ApproximateDP
        The budget that each `fit` spends. Required.
    bounds : dict, sequence or pair
        The least and the greatest value of every column, in the table's units, and perhaps a fill
        and codes for missing values, as for `dpcov.covariance`. One tuple holds for all columns.
        Public. Required, unless there is a norm bound.
    norm_bound : float, optional
        The greatest Euclidean norm of a row, after bounds; longer rows are clipped to it. Public.
    store_precision : bool
        Whether to keep `precision_`.
    assume_centered : bool
        If True, no mean is released. The covariance is then about zero, or with bounds about their
        midpoints.
    method : str
        One of `dpcov.methods()` that needs no clip; rows are clipped to `norm_bound` instead.
    neighbours : {"replace", "add-remove"}
        Which tables must look alike: "replace" one row, or "add-remove" one row. With "add-remove"
        the number of rows is private, too.
    rows_per_person : int
        The most rows that one person has, as for `dpcov.covariance`: the budget is for the whole
        person.
    ledger : Ledger or path, optional
        The ledger where every fit is charged.
    dataset : str, optional
        The account to charge. Needs `ledger`.
    insecure_seed : int, optional
        Deterministic noise for tests. NOT PRIVATE: whoever knows the seed can remove the noise.
    threads : int, optional
        The greatest number of threads; by default all processors of this process.
    passes : {1, 2}
        How often `fit` may read the rows, as for `dpcov.covariance`. `partial_fit` reads rows once.
    bad_rows : {"error", "zero"}
        A row is bad if it holds infinity, or NaN or a code without a fill. "error" raises
        DataError, as scikit-learn requires for infinity. "zero" takes the row as zeros (with
        bounds: the midpoints), each row by itself; infinity is then clamped to the bounds, as in
        `dpcov.covariance`. "zero" is not for lists and arrays of Python objects. In use (`score`,
        `transform`, ...) a bad row is always an error.

    Attributes
    ----------
    covariance_ : (d, d)
        The covariance, in the table's units squared; positive semidefinite.
    location_ : (d,)
        The mean. With `assume_centered` zero, or the midpoints of the bounds.
    precision_ : (d, d)
        The pseudo-inverse of `covariance_`; None without `store_precision`.
    n_features_in_ : int
        The number of columns seen during fit.
    feature_names_in_ : (d,)
        The columns' names, where all are strings.
    release_ : Release
        The release; everything else is computed from it.
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
        rows_per_person: int = 1,
        ledger: LedgerPath = None,
        dataset: str | None = None,
        insecure_seed: int | None = None,
        threads: int | None = None,
        passes: Literal[1, 2] = 1,
        bad_rows: BadRows = "error",
    ) -> None:
        self.budget = budget
        self.bounds = bounds
        self.norm_bound = norm_bound
        self.store_precision = store_precision
        self.assume_centered = assume_centered
        self.method = method
        self.neighbours = neighbours
        self.rows_per_person = rows_per_person
        self.ledger = ledger
        self.dataset = dataset
        self.insecure_seed = insecure_seed
        self.threads = threads
        self.passes = passes
        self.bad_rows = bad_rows

    def _check_parameters(self) -> None:
        require_choice(self.store_precision, "store_precision")
        require_choice(self.assume_centered, "assume_centered")
        super()._check_parameters()

    def _centered(self) -> bool:
        return not self.assume_centered

    def _set_fitted(self) -> None:
        self.covariance_ = nearest_semidefinite(self.release_.covariance())
        self.location_ = self._location()
        self.precision_ = linalg.pinvh(self.covariance_) if self.store_precision else None

    def _location(self) -> Array:
        if not self.assume_centered:
            return self.release_.mean()
        return np.array([column.midpoint for column in self._columns()])

    def get_precision(self) -> Array:
        """Return the pseudo-inverse of the covariance, (d, d)."""
        check_is_fitted(self)
        stored: Array | None = self.precision_
        precision: Array = linalg.pinvh(self.covariance_) if stored is None else stored
        return precision

    def score(self, X_test: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows, without noise: it is not private."""
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
        """Return the distance to another covariance, (d, d), as EmpiricalCovariance does."""
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
        """Return squared Mahalanobis distances of rows, (n,), without noise: not private."""
        check_is_fitted(self)
        centered = self._rows_to_use(X) - self.location_
        distances: Array = np.einsum("ij,jk,ik->i", centered, self.get_precision(), centered)
        return distances
