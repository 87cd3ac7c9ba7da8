"""Releases, and what is computed from them at no cost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import intervals_for, path_text, require_choice, require_number
from ._errors import UsageError
from ._frames import doubles_of, numbers_of
from ._labels import labels_in, labels_of, place_in, places_of, require_one_kind
from ._shown import shown

if TYPE_CHECKING:
    import pandas as pd

Array: TypeAlias = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """Values, each with a standard error and an interval; NaN where these are not known.

    Intervals are those of the noisy statistics themselves. They cover the value of the table that
    was released (its rows as mapped and clipped), or that of a population, where one was asked for.
    Estimates are shrunk, and may lie outside their intervals.

    Attributes
    ----------
    estimate, standard_error, lower, upper : array
        All in the shape and the units of the value that was asked for.
    why : str
        Why there is no interval, or a wide one; else empty.
    """

    estimate: Array
    standard_error: Array
    lower: Array
    upper: Array
    why: str


class Interval(NamedTuple):
    """The standard error of a number, and an interval that covers it.

    Attributes
    ----------
    standard_error, lower, upper : float
    """

    standard_error: float
    lower: float
    upper: float


def _in_short(words: Iterable[str], between: str) -> str:
    """Return the first six words, and how many more there are."""
    told = list(words)
    more = f" and {len(told) - 6} more" if len(told) > 6 else ""
    return between.join(told[:6]) + more


class PCA(NamedTuple):
    """Principal components of a release, the greatest variance first.

    Attributes
    ----------
    mean : (d,) or None
        The mean, in the table's units; None where none was released.
    components : (k, d)
        Orthonormal rows. The entry of greatest absolute value in each row is positive.
    explained_variance : (k,)
        The components' variances, in units squared; with `standardize` of the divided columns.
    explained_variance_ratio : (k,)
        Their shares of the whole variance, from 0 to 1.
    explained_variance_interval, explained_variance_ratio_interval : Estimate
        The same values, with standard errors and intervals.
    deviations : (d,) or None
        The standard deviations by which columns were divided; None without `standardize`. Zero for
        a column that was not seen to vary; it takes no part. Scores are (x - mean) / deviations @
        components.T.
    """

    mean: Array | None
    components: Array
    explained_variance: Array
    explained_variance_ratio: Array
    explained_variance_interval: Estimate
    explained_variance_ratio_interval: Estimate
    deviations: Array | None

    def __repr__(self) -> str:
        shares = _in_short((f"{share:.3g}" for share in self.explained_variance_ratio), ", ")
        return f"<PCA of {self.components.shape[1]} columns, shares of the variance {shares}>"


class Regression(NamedTuple):
    """A linear prediction: intercept + coefficients @ features.

    Attributes
    ----------
    target : str
        The column that is predicted.
    features : list of str
        The columns that it is predicted from.
    intercept : float or None
        In the target's units. The line goes through the mean of a centred release (with bounds:
        through its estimate within them), else through the midpoints of the bounds. None for a
        release without centring and bounds.
    coefficients : (len(features),)
        In units of the target over units of the feature. They are for predicting other people: they
        are shrunk because of noise, and because the rows are a sample.
    interval : Estimate
        Standard errors and intervals of least squares on this table (see `least_squares`), or on
        the population where that was asked for.
        `interval.estimate` is `coefficients`. A coefficient of a weak relation may lie outside its
        interval.
    ridge : float or None
        The penalty at which ridge regression, on columns as mapped (and stretched), has a vector of
        coefficients of the same norm. None where all coefficients are zero.
    r_squared : float
        An estimate of the share of the target's variance in this table that the line explains;
        without centring, of its mean square about the midpoints. From 0 to 1.
    intercept_interval : Interval or None
        Standard error and interval of the intercept of least squares on this table. None where the
        coefficients have no intervals, or there is no intercept.
    scales : (len(features) + 1,) or None
        The divisors of the features, and last of the target, where columns have scales and no
        bounds; coefficients and intercept are then in units of the divided columns. None where
        nothing was divided.
    target_bounds : (float, float) or None
        The least and the greatest value that the target can have: its public bounds. None where it
        has none.
    """

    target: str
    features: list[str]
    intercept: float | None
    coefficients: Array
    interval: Estimate
    ridge: float | None
    r_squared: float
    intercept_interval: Interval | None
    scales: Array | None
    target_bounds: tuple[float, float] | None

    def __repr__(self) -> str:
        named = zip(self.coefficients, self.features, strict=True)
        terms = _in_short((f"{value:.4g} * {name}" for value, name in named), " + ")
        intercept = "" if self.intercept is None else f"{self.intercept:.4g} + "
        return f"<Regression {self.target} = {intercept}{terms}, r_squared {self.r_squared:.3g}>"

    @property
    def least_squares(self) -> Array:
        """The coefficients of least squares, (len(features),), which describe this table.

        They are the middles of the intervals: noisy, and not shrunk. The standard errors are
        theirs. NaN where there is no interval.
        """
        return 0.5 * (self.interval.lower + self.interval.upper)

    def predict(self, features: Any, *, clip: bool = False) -> Array:
        """Return predictions, (n,), from features, (n, len(features)); both in the table's units.

        Columns of a data frame (pandas, polars) or of a pyarrow table are taken by their names.
        Values of features outside their bounds are not clamped. For a row with a missing value the
        prediction is NaN. A code for a missing value is a number here: make it NaN first.

        Parameters
        ----------
        features : array, data frame or Arrow table
            One row for each prediction.
        clip : bool
            If True, predictions are clipped to `target_bounds`, as those of
            `dpcov.sklearn.PrivateRidge` are by default. Of a target within its bounds no clipped
            prediction errs more.

        Raises
        ------
        UsageError
            Another number of columns, a data frame without one of the features, or `clip` where the
            target has no bounds.
        TypeError
            `features` is not an array, data frame or Arrow table of real numbers, or is masked.
        """
        if require_choice(clip, "clip") and self.target_bounds is None:
            raise UsageError(
                f"the target {shown(self.target)} has no bounds to clip predictions to; release "
                "with bounds, or leave clip out"
            )
        labels = labels_of(features)
        places = None
        if labels is not None:
            places = places_of(self.features, [str(label) for label in labels], len(labels))
        values = doubles_of(numbers_of(features, "features", places), "features")
        if values.ndim != 2 or values.shape[1] != len(self.features):
            raise UsageError(
                f"features have shape {values.shape}; it should be (n, {len(self.features)})"
            )
        scales = np.ones(len(self.features) + 1) if self.scales is None else self.scales
        predicted = values / scales[:-1] @ self.coefficients + (self.intercept or 0.0)
        in_units: Array = predicted * scales[-1]
        return np.clip(in_units, *self.target_bounds) if clip and self.target_bounds else in_units


class Release:
    """A private covariance, and what it cost. Public: all numbers from rows have noise.

    Made by `dpcov.covariance` and `SecondMoment.release`. Every method is post-processing: it
    spends nothing, however often it is called.
    """

    __slots__ = ("_core", "_record")

    def __init__(self, core: _core.Release) -> None:
        self._core = core
        self._record: str | None = None

    @property
    def record(self) -> dict[str, Any]:
        """All that a reader of the release may know: the JSON record of the program, as a dict."""
        if self._record is None:  # of (epsilon, delta) it has the rho, which takes a search
            self._record = self._core.record
        record: dict[str, Any] = json.loads(self._record)
        return record

    @property
    def columns(self) -> list[str]:
        """The columns' names; for a column without a name its place, counted from 0."""
        names: list[str] = self._core.columns.names
        return names

    def covariance(self) -> Array:
        """Return the estimated covariance, (d, d), over n, in the table's units squared.

        With `scaled` the units are those of the mapped columns; a column with a scale and no bounds
        is in units of its scale. The covariance is about the mean where one was released, else
        about zero, or about the midpoints of the bounds.
        """
        return self._core.covariance

    def mean(self) -> Array:
        """Return the estimated mean, (d,), in the units of `covariance`.

        That of methods auto and stratified is shrunk by its noise, toward the midpoints of the
        bounds. Of a column with bounds it is what is then expected within them, by any method.
        `interval` is about the mean before either.

        UsageError where none was released.
        """
        mean = self._core.mean
        if mean is None:
            raise UsageError(
                "no mean was released: nothing noisy was drawn"
                if self.record["centered"]
                else "no mean was released; release with center=True"
            )
        return mean

    def correlation(self) -> Array:
        """Return the correlations, (d, d): positive semidefinite, with ones on the diagonal.

        A column that was not seen to vary has correlation 0 with every other one. Correlations
        that noise may have made are shrunk.
        """
        return self._core.correlation_matrix()

    def interval(
        self,
        of: Literal["covariance", "correlation", "mean"],
        *,
        level: float = 0.95,
        population: bool | Literal["any"] = False,
    ) -> Estimate:
        """Return an estimate, a standard error and an interval for each single entry.

        Always in the table's units, also where the release is `scaled`; a column without bounds is
        in units of its scale. The same holds for components and regressions.

        Parameters
        ----------
        of : {"covariance", "correlation", "mean"}
            The value to describe: of shape (d, d), (d, d) or (d,).
        level : float
            The probability with which an interval covers the table's value; above 0, below 1.
        population : bool or "any"
            With True intervals cover the value of the population from which the table's rows were
            drawn, independently of each other; its values count as clipped to the bounds. Means and
            variances may be those of any population; of covariances and correlations sampling
            errors are taken to be no greater than those of normal columns. With "any" all may be
            those of any population within the bounds: such intervals are wider.

        Raises
        ------
        UsageError
            Another word for `of` or `population`, a level that is not between 0 and 1, or a mean
            that was not released.
        """
        derive = {
            "covariance": self._core.derive_covariance,
            "correlation": self._core.derive_correlation,
            "mean": self._core.derive_mean,
        }
        if not isinstance(of, str) or of not in derive:
            known = ", ".join(derive)
            raise UsageError(f"there is no interval of {shown(of)}; of is one of {known}")
        return Estimate(*derive[of](require_number(level, "level"), intervals_for(population)))

    def to_frame(
        self,
        of: Literal["covariance", "correlation", "mean"],
        *,
        level: float = 0.95,
        population: bool | Literal["any"] = False,
    ) -> pd.DataFrame:
        """Return estimates with standard errors and intervals as a data frame of pandas.

        It has a row for each column (of a mean) or for each pair of columns; for a covariance also
        for each column with itself. The index names the columns. Parameters and errors are those of
        `interval`. Needs pandas.
        """
        import pandas as pd

        told = self.interval(of, level=level, population=population)
        names = self.columns
        if of == "mean":
            index = pd.Index(names, name="column")
            places: Any = np.arange(len(names))
        else:
            places = np.tril_indices(len(names), 0 if of == "covariance" else -1)
            index = pd.MultiIndex.from_arrays(
                [[names[j] for j in side] for side in places], names=["column", "with"]
            )
        fields = ("estimate", "standard_error", "lower", "upper")
        return pd.DataFrame({field: getattr(told, field)[places] for field in fields}, index=index)

    def pca(
        self,
        n_components: int | None = None,
        *,
        level: float = 0.95,
        standardize: bool = False,
        population: bool | Literal["any"] = False,
    ) -> PCA:
        """Return the first `n_components` principal components, all by default.

        With `standardize` they are components of the correlations: columns are divided by their
        estimated standard deviations, so that columns of large variance do not dominate. Intervals
        are then not known. `level` is the probability with which an interval covers the table's
        value. Of a `population` no intervals are known.

        UsageError unless 1 <= n_components <= d, or the level is not between 0 and 1.
        """
        columns = self.record["d"]
        count = columns if n_components is None else n_components
        whole = isinstance(count, (int, np.integer)) and not isinstance(count, bool)
        if not whole or not 1 <= count <= columns:
            raise UsageError(f"n_components must be from 1 to {columns}, not {shown(count)}")
        mean, components, variance, ratio, deviations = self._core.derive_pca(
            int(count),
            require_number(level, "level"),
            require_choice(standardize, "standardize"),
            intervals_for(population),
        )
        return PCA(
            mean,
            components,
            variance[0],
            ratio[0],
            Estimate(*variance),
            Estimate(*ratio),
            deviations,
        )

    def regression(
        self,
        target: Any,
        features: Sequence[Any] | None = None,
        *,
        level: float = 0.95,
        population: bool | Literal["any"] = False,
    ) -> Regression:
        """Return the linear regression of one column on others, all others by default.

        The release alone decides how far coefficients are shrunk.

        Parameters
        ----------
        target : str or int
            The column to predict, by name or place, counted from 0. Where a column's name is a
            number, that number means this column, as a label does in pandas.
        features : sequence of str or int, optional
            The columns to predict it from, likewise. With `target`, whole numbers are either all
            names or all places.
        level : float
            The probability with which an interval covers its value; above 0, below 1.
        population : bool or "any"
            As for `interval`. With True residuals are taken to vary alike, whatever the features
            are; with "any" intervals are several times as wide.

        Raises
        ------
        UsageError
            Columns that do not exist, that are named twice, or that are both target and feature;
            whole numbers of which some are names and others places.
        """
        columns = self._core.columns
        goal = place_in(columns, target)
        if features is None:
            places = [j for j in range(columns.width) if j != goal]
        else:
            labels = labels_in(features, "features")
            places = [place_in(columns, label) for label in labels]
            require_one_kind([target, *labels], columns, "Call all columns by their names")
        if not places:
            raise UsageError("a regression needs at least one feature")
        return self._regression_at(
            goal, places, require_number(level, "level"), intervals_for(population)
        )

    def _regression_at(
        self, goal: int, places: list[int], level: float = 0.95, of: str = "table"
    ) -> Regression:
        """Return the regression of columns by their places, whatever their names."""
        intercept, of_intercept, coefficients, ridge, r_squared = self._core.derive_regression(
            goal, places, level, of
        )
        labels = self._core.columns.names
        return Regression(
            labels[goal],
            [labels[j] for j in places],
            intercept,
            coefficients[0],
            Estimate(*coefficients),
            ridge,
            r_squared,
            Interval(*of_intercept) if of_intercept else None,
            self._scales_at([*places, goal]),
            self._bounds_at(goal),
        )

    def _scales_at(self, places: list[int]) -> Array | None:
        """Return the divisors of those columns; None where nothing was divided."""
        scales: Array = np.array(self._core.scales)[places]
        return None if (scales == 1.0).all() else scales

    def _bounds_at(self, place: int) -> tuple[float, float] | None:
        """Return that column's bounds, in the table's units; None where it has none."""
        bounds = self.record["bounds"]
        column = bounds[place] if bounds else {}
        return (column["lower"], column["upper"]) if "lower" in column else None

    def noise_level(self) -> float | None:
        """Return about the greatest eigenvalue that noise alone would have.

        It is that of the sum of all strata, with columns mapped to [-1, 1]. None where the
        distribution of the method's noise is not known, or where nothing was drawn. Where columns
        were stretched it is approximately an upper bound; with very different factors it is up to
        three times too great.
        """
        return self._core.noise_level

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole release to an .npz file, which `numpy.load` and the program dpcov open.

        DeviceError where it cannot be written.
        """
        self._core.save(path_text(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Release:
        """Read a release from a file that `save` or the program dpcov wrote.

        DataError where the file is damaged, DeviceError where it cannot be read.
        """
        return cls(_core.Release.load(path_text(path)))

    def __getstate__(self) -> bytes:
        state: bytes = self._core.to_bytes()
        return state

    def __setstate__(self, state: bytes) -> None:
        self._core = _core.Release.from_bytes(state)
        self._record = None

    def __repr__(self) -> str:
        record = self.record
        definition = ", ".join(
            f"{key}={value:g}"
            for key, value in record["definition"].items()
            if key in ("rho", "epsilon", "delta")
        )
        several = record.get("rows_per_person", 1)
        whom = "" if several == 1 else f", rows_per_person={several}"
        zero = ", ZERO" if record["zero"] else ""
        private = "" if record["private"] else ", NOT PRIVATE"
        return (
            f"<Release of {record['d']} columns by {record['method']}, "
            f"{record['definition']['name']} {definition}{whom}{zero}{private}>"
        )

    def _repr_html_(self) -> str:
        from ._html import release_html

        return release_html(self)


def units_of(record: dict[str, Any]) -> Array:
    """Return the length of 1 in mapped columns, in the units of a release, (d,)."""
    units = np.ones(record["d"])
    if record.get("units") == "table":
        for j, entry in enumerate(record.get("bounds") or []):
            if "lower" in entry:
                units[j] = 0.5 * entry["upper"] - 0.5 * entry["lower"]
    return units


def nearest_semidefinite(matrix: Array) -> Array:
    """Return the nearest matrix, in Frobenius norm, without eigenvalues below zero."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= 0.0:
        return matrix
    product = (vectors * np.maximum(values, 0.0)) @ vectors.T
    result: Array = 0.5 * (product + product.T)
    return result
