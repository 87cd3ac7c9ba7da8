"""What was released, and what follows from it at no cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError
from ._schema import place_of

Array: TypeAlias = npt.NDArray[np.float64]


class PCA(NamedTuple):
    """Principal components of a release, the greatest first."""

    mean: Array | None  #: (d,), where one was released
    components: Array  #: (k, d), orthonormal rows; in each the entry of greatest size is positive
    explained_variance: Array  #: (k,), units squared
    explained_variance_ratio: Array  #: (k,), of the whole variance


class Regression(NamedTuple):
    """A linear prediction: intercept + coefficients @ features."""

    target: str
    features: list[str]
    intercept: float  #: 0 where the release is not centred
    coefficients: Array  #: (len(features),), target's units over the feature's
    ridge: float  #: the penalty, added to variances of columns mapped to [-1, 1]


class Release:
    """A private covariance and the account of it. Public: nothing in it is un-noised.

    Made by `dpcov.covariance` and `SecondMoment.release`. Every method is post-processing: it
    spends nothing, as often as it is called.
    """

    __slots__ = ("_covariance", "_mean", "_record_text")

    _covariance: Array
    _mean: Array | None
    _record_text: str

    def __init__(self, core: _core.Release) -> None:
        self.__setstate__((core.covariance, core.mean, core.record))

    def __getstate__(self) -> tuple[Array, Array | None, str]:
        return self._covariance, self._mean, self._record_text

    def __setstate__(self, state: tuple[Array, Array | None, str]) -> None:
        self._covariance, self._mean, self._record_text = state
        self._covariance.flags.writeable = False
        if self._mean is not None:
            self._mean.flags.writeable = False

    @property
    def record(self) -> dict[str, Any]:
        """Everything that a reader of the release may know, as the program's record says it."""
        record: dict[str, Any] = json.loads(self._record_text)
        return record

    @property
    def columns(self) -> list[str]:
        """The columns' names; where they have none, their places, counted from 0."""
        names: list[str] = self.record.get("columns") or [
            str(j) for j in range(len(self._covariance))
        ]
        return names

    def covariance(self) -> Array:
        """Return the estimated covariance, (d, d), in the table's units squared.

        About the mean where that was released, else about zero, or the midpoints of the bounds.
        """
        matrix: Array = self._covariance.copy()
        return matrix

    def mean(self) -> Array:
        """Return the estimated mean, (d,), in the table's units. UsageError where none was."""
        if self._mean is None:
            raise UsageError("no mean was released; release with center=True")
        mean: Array = self._mean.copy()
        return mean

    def correlation(self) -> Array:
        """Return correlations, (d, d): positive semidefinite, with ones on the diagonal.

        A column that was not seen to vary correlates with nothing.
        """
        matrix = _nearest_semidefinite(self._covariance)
        deviations = np.sqrt(np.diag(matrix))
        seen = deviations > 0
        scale = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=seen)
        correlation = np.clip(matrix * np.outer(scale, scale), -1.0, 1.0)
        np.fill_diagonal(correlation, 1.0)
        result: Array = correlation
        return result

    def pca(self, n_components: int | None = None) -> PCA:
        """Return the first principal components, all by default.

        UsageError unless 1 <= n_components <= d.
        """
        d = len(self._covariance)
        k = d if n_components is None else n_components
        if isinstance(k, bool) or not 1 <= k <= d:
            raise UsageError(f"n_components must be from 1 to {d}")
        values, vectors = np.linalg.eigh(self._covariance)
        values = np.maximum(values[::-1], 0.0)
        components = vectors[:, ::-1].T[:k]
        greatest = np.argmax(np.abs(components), axis=1)
        components = components * np.sign(components[np.arange(k), greatest])[:, np.newaxis]
        whole = values.sum()
        ratio = values[:k] / whole if whole > 0 else np.zeros(k)
        return PCA(None if self._mean is None else self._mean.copy(), components, values[:k], ratio)

    def regression(
        self,
        target: Any,
        features: Sequence[Any] | None = None,
        *,
        ridge: float | None = None,
    ) -> Regression:
        """Return the linear regression of one column on others, all others by default.

        Parameters
        ----------
        target : str or int
            The column to predict, by name or counted from 0.
        features : sequence of str or int, optional
            The columns to predict it from.
        ridge : float, optional
            The penalty, 0 or above, added to the variances of columns mapped to [-1, 1]. By
            default the release's estimated error by dimension: noise that is taken for signal
            costs more than a little shrinkage.

        Raises
        ------
        UsageError
            Columns that are not there, named twice, or both target and feature.
        """
        record = self.record
        names, d = record.get("columns"), len(self._covariance)
        goal = place_of(target, names, d)
        if features is None:
            places = [j for j in range(d) if j != goal]
        else:
            places = [place_of(feature, names, d) for feature in features]
        if not places or goal in places or len(set(places)) < len(places):
            raise UsageError("features must be at least one, different, and not the target")
        penalty = self._penalty() if ridge is None else float(ridge)
        if not 0.0 <= penalty < np.inf:
            raise UsageError("ridge must be finite and at least 0")
        coefficients = self._solve(places, goal, penalty)
        intercept = 0.0
        if self._mean is not None:
            intercept = float(self._mean[goal] - coefficients @ self._mean[places])
        labels = self.columns
        return Regression(
            labels[goal], [labels[j] for j in places], intercept, coefficients, penalty
        )

    def noise_level(self) -> float | None:
        """Return the estimated error of one eigenvalue, in the table's units squared.

        The estimated Frobenius error, spread evenly over the directions; None where the method
        does not tell its error.
        """
        error = self.record.get("estimated_frobenius_error")
        if error is None:
            return None
        units = self._units()
        return float(error * np.mean(units**2) / np.sqrt(len(units)))

    def _units(self) -> Array:
        """Return what a mapped distance of 1 stands for, by column."""
        record = self.record
        units = np.ones(len(self._covariance))
        if record.get("units") == "table":
            for j, entry in enumerate(record.get("bounds", [])):
                if "lower" in entry:
                    units[j] = 0.5 * entry["upper"] - 0.5 * entry["lower"]
        return units

    def _penalty(self) -> float:
        error = self.record.get("estimated_frobenius_error", 0.0)
        return float(error) / float(np.sqrt(len(self._covariance) + 1.0))

    def _solve(self, places: Sequence[int], goal: int, penalty: float) -> Array:
        units = self._units()
        mapped = _nearest_semidefinite(self._covariance / np.outer(units, units))
        gram = mapped[np.ix_(places, places)] + penalty * np.eye(len(places))
        # Without a penalty the matrix may be singular: the shortest of all solutions, then.
        solution = np.linalg.lstsq(gram, mapped[places, goal], rcond=None)[0]
        result: Array = solution * units[goal] / units[places]
        return result

    def __repr__(self) -> str:
        record = self.record
        definition = ", ".join(
            f"{key}={value:g}"
            for key, value in record["definition"].items()
            if key in ("rho", "epsilon", "delta")
        )
        private = "" if record["private"] else ", NOT PRIVATE"
        return (
            f"<Release of {record['d']} columns by {record['method']}, "
            f"{record['definition']['name']} {definition}{private}>"
        )

    def _repr_html_(self) -> str:
        from ._html import release_html

        return release_html(self)


def _nearest_semidefinite(matrix: Array) -> Array:
    """Return the nearest matrix, in Frobenius norm, without eigenvalues below zero."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= 0.0:
        return matrix
    product = (vectors * np.maximum(values, 0.0)) @ vectors.T
    result: Array = 0.5 * (product + product.T)
    return result
