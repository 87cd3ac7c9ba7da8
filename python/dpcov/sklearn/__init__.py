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
