"""Private counterparts of scikit-learn's EmpiricalCovariance, PCA and Ridge.

Every `fit` spends the whole `budget`. In a cross-validation or a grid search each candidate and
each fold spends it. With `ledger` and `dataset` every fit is charged before any noise is drawn, and
refused with BudgetError where too little is left. Pass error_score="raise" to a search, which would
hide that error. A search computes scores on rows without noise: scores, and a choice by scores, are
not private. Prefer choices that need no second fit: `n_components` and `alpha` are post-processing
of one release.

A scaler that was fitted on the data before one of these estimators leaks data. Use `bounds`, which
are public, in its place.
"""

from __future__ import annotations

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"dpcov.sklearn needs scikit-learn: pip install 'dpcov[sklearn]' ({error})"
    ) from error

from ._covariance import PrivateCovariance
from ._pca import PrivatePCA
from ._ridge import PrivateRidge

__all__ = ["PrivateCovariance", "PrivatePCA", "PrivateRidge"]

for _type in (PrivateCovariance, PrivatePCA, PrivateRidge):
    _type.__module__ = __name__
