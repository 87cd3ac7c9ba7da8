"""Differentially private covariance matrices.

    release = dpcov.covariance(X, budget=dpcov.Rho(0.1), bounds={"age": (0, 100), ...})
    release.covariance(), release.correlation(), release.pca(2)

Estimators for scikit-learn are in `dpcov.sklearn`, tables of clusters in `dpcov.dask` and
`dpcov.spark`.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from . import _native  # before what imports _core
from ._budgets import (
    ApproximateDP,
    Budget,
    Epsilon,
    Method,
    Rho,
    best_guess,
    delta_of,
    epsilon_of,
    methods,
    rho_for,
    rho_of,
)
from ._covariance import covariance
from ._errors import (
    BudgetError,
    DataError,
    DeviceError,
    Error,
    MissingFileError,
    SecrecyWarning,
    UsageError,
)
from ._ledger import Charge, Ledger, Statement
from ._moment import SecondMoment, norm_bound_for_unit
from ._plan import Plan, budget_for_correlation_error, plan
from ._release import PCA, Estimate, Interval, Regression, Release
from ._schema import read_bounds

__version__ = _native.version()

__all__ = [
    "PCA",
    "ApproximateDP",
    "Budget",
    "BudgetError",
    "Charge",
    "DataError",
    "DeviceError",
    "Epsilon",
    "Error",
    "Estimate",
    "Interval",
    "Ledger",
    "Method",
    "MissingFileError",
    "Plan",
    "Regression",
    "Release",
    "Rho",
    "SecondMoment",
    "SecrecyWarning",
    "Statement",
    "UsageError",
    "best_guess",
    "budget_for_correlation_error",
    "covariance",
    "delta_of",
    "epsilon_of",
    "methods",
    "norm_bound_for_unit",
    "plan",
    "read_bounds",
    "rho_for",
    "rho_of",
]

for _name in __all__:
    _object = globals()[_name]
    if getattr(_object, "__module__", "").startswith("dpcov."):
        _object.__module__ = "dpcov"
del _name, _object


# For a type checker `__getattr__` would make every name one of the package.
if TYPE_CHECKING:
    from . import dask, sklearn, spark  # noqa: F401
else:

    def __getattr__(name):
        """Import what needs another package where it is first used."""
        if name in ("dask", "sklearn", "spark"):
            return _import_module(f"dpcov.{name}")
        raise AttributeError(f"module 'dpcov' has no attribute {name!r}")
