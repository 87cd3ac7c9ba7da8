"""The estimators, by scikit-learn's own checks and beside their originals."""

from __future__ import annotations

import pickle
import warnings
from collections import UserList, deque
from decimal import Decimal

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.covariance import EmpiricalCovariance
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import dpcov
from dpcov._labels import labels_of
from dpcov.sklearn import PrivateCovariance, PrivatePCA, PrivateRidge

RHO = dpcov.Rho(1.0)
#: What the checks' tables hold is within these.
ESTIMATORS = [
    PrivateCovariance(budget=RHO, bounds=(-1e3, 1e3), insecure_seed=1),
    PrivatePCA(budget=RHO, bounds=(-1e3, 1e3), insecure_seed=1),
    PrivateRidge(budget=RHO, bounds=(-1e3, 1e3), target_bounds=(-1e3, 1e3), insecure_seed=1),
]


@parametrize_with_checks(ESTIMATORS)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    source = np.random.default_rng(3)
    factors = source.normal(size=(20_000, 2))
    X = factors @ np.array([[1.0, 0.5, -1.0, 0.2], [0.3, -1.0, 0.4, 0.8]])
    X = np.clip(X + source.normal(scale=0.3, size=X.shape), -4, 4)
    y = np.clip(X @ [0.5, -0.2, 0.1, 0.0] + 1 + source.normal(scale=0.1, size=len(X)), -5, 5)
    return X, y


# Here and below the seed is fixed, so that nothing fails by chance. Limits are far above the noise
# (0.001 in a covariance), and far below what columns differ by (0.07 and more in their variances).
def test_covariance_is_near_its_original(table):
    X, _ = table
    private = PrivateCovariance(budget=dpcov.Rho(10), bounds=(-4, 4), insecure_seed=1).fit(X)
    public = EmpiricalCovariance().fit(X)
    assert np.abs(private.covariance_ - public.covariance_).max() < 0.02
    assert np.abs(private.location_ - public.location_).max() < 0.01
    assert private.score(X) == pytest.approx(public.score(X), abs=0.1)
    assert np.allclose(private.mahalanobis(X[:50]), public.mahalanobis(X[:50]), rtol=0.2, atol=0.1)
    assert private.error_norm(public.covariance_, norm="spectral", squared=False) < 0.02
    distance = private.error_norm(np.eye(4))
    assert private.error_norm(np.eye(4), squared=False) == pytest.approx(distance**0.5)
    assert np.array_equal(private.get_precision(), private.precision_)
    release = dpcov.covariance(X, budget=dpcov.Rho(10), bounds=(-4, 4), insecure_seed=1)
    assert private.release_.covariance().tobytes() == release.covariance().tobytes()


@pytest.mark.parametrize("method", dpcov.methods(), ids=lambda method: method.name)
@pytest.mark.parametrize("assume_centered", [False, True])
@pytest.mark.parametrize("budget", [RHO, dpcov.Epsilon(1.0)], ids=["zcdp", "pure"])
@pytest.mark.filterwarnings("ignore:the zero matrix", "ignore:nearly every row")
def test_every_method_fits_or_is_refused_before_rows(method, assume_centered, budget, monkeypatch):
    estimator = PrivateCovariance(
        budget=budget,
        bounds=(0, 1),
        method=method.name,
        assume_centered=assume_centered,
        insecure_seed=1,
    )
    meets = method.pure_dp if isinstance(budget, dpcov.Epsilon) else method.zcdp
    if meets and not method.needs_clip and (assume_centered or method.name != "zero"):
        rows = np.random.default_rng(0).uniform(0, 1, (300, 3))
        fitted = estimator.fit(rows)
        alike = dpcov.covariance(
            rows,
            budget=budget,
            bounds=(0, 1),
            method=method.name,
            center=not assume_centered,
            insecure_seed=1,
        )
        assert fitted.covariance_.tobytes() == alike.covariance().tobytes()
    else:
        monkeypatch.setattr(dpcov.SecondMoment, "add", None)
        with pytest.raises(dpcov.UsageError, match=method.name):
            estimator.fit(np.zeros((3, 3)))


def test_a_clip_is_told_to_be_the_norm_bound():
    estimator = PrivateCovariance(budget=RHO, norm_bound=1.0, method="clip-gauss")
    with pytest.raises(dpcov.UsageError, match="here take 'gauss' and the norm bound"):
        estimator.fit(np.zeros((3, 2)))


def test_an_account_without_a_ledger_is_refused_at_the_first_row():
    estimator = PrivateCovariance(budget=RHO, bounds=(0, 1), dataset="people")
    with pytest.raises(dpcov.UsageError, match="name its ledger"):
        estimator.partial_fit(np.zeros((3, 2)))


def test_pca_is_near_its_original(table):
    X, _ = table
    private = PrivatePCA(2, budget=dpcov.Rho(10), bounds=(-4, 4), insecure_seed=1).fit(X)
    public = PCA(2).fit(X)
    # Of the planes that both project to, the cosines of the angles between them.
    cosines = np.linalg.svd(private.components_ @ public.components_.T)[1]
    assert cosines.min() > 0.999
    for name in ("explained_variance_ratio_", "explained_variance_", "singular_values_"):
        assert np.allclose(getattr(private, name), getattr(public, name), rtol=0.05), name
    assert private.noise_variance_ == pytest.approx(public.noise_variance_, rel=0.2)
    assert np.allclose(private.get_covariance(), public.get_covariance(), atol=0.05)
    assert private.score(X) == pytest.approx(public.score(X), abs=0.1)
    scores = private.transform(X)
    assert np.allclose(
        private.inverse_transform(scores), public.inverse_transform(public.transform(X)), atol=0.1
    )
    white = clone(private).set_params(whiten=True).fit(X)
    assert np.allclose(white.transform(X).std(axis=0), 1.0, rtol=0.05)
    assert np.allclose(
        white.inverse_transform(white.transform(X)), private.inverse_transform(scores)
    )
    most = clone(private).set_params(n_components=0.9).fit(X)
    assert most.explained_variance_ratio_.sum() > 0.9


def test_ridge_is_near_its_original(table):
    X, y = table
    public = LinearRegression().fit(X, y)
    options = {"budget": dpcov.Rho(10), "bounds": (-4, 4), "insecure_seed": 1}
    private = PrivateRidge(target_bounds=(-5, 5), **options).fit(X, y)
    assert np.abs(private.coef_ - public.coef_).max() < 0.05
    assert private.intercept_ == pytest.approx(public.intercept_, abs=0.05)
    assert private.score(X, y) > 0.95
    both = PrivateRidge(target_bounds=[(-5, 5), (-10, 10)], **options).fit(X, np.c_[y, 2 * y])
    assert both.coef_.shape == (2, 4)
    assert both.predict(X).shape == (len(X), 2)
    assert np.abs(both.coef_[1] - 2 * public.coef_).max() < 0.1
    assert private.predict(1e6 * X).max() == 5.0
    zeroed = clone(private).set_params(alpha=1e9).fit(X, y)
    assert np.abs(zeroed.coef_).max() < 1e-6
    through = clone(private).set_params(fit_intercept=False).fit(X, y)
    assert through.intercept_ == 0.0  # the middles of all bounds
    assert np.abs(through.coef_ - private.coef_).max() < 0.1


def test_missing_facts_are_told(table):
    X, y = table
    with pytest.raises(dpcov.UsageError, match="budget"):
        PrivateCovariance(bounds=(0, 1)).fit(X)
    with pytest.raises(dpcov.UsageError, match="bounds"):
        PrivatePCA(budget=RHO).fit(X)
    with pytest.raises(dpcov.UsageError, match="target_bounds"):
        PrivateRidge(budget=RHO, bounds=(0, 1)).fit(X, y)
    with pytest.raises(dpcov.UsageError, match="leave dataset= out"):
        PrivatePCA(budget=RHO, bounds=(0, 1), dataset="people").fit(X)
    with pytest.raises(dpcov.UsageError, match="n_components"):
        PrivatePCA(9, budget=RHO, bounds=(0, 1)).fit(X)
    with pytest.raises(dpcov.UsageError, match="partial_fit"):
        PrivatePCA(budget=RHO, bounds=(0, 1)).release()


def test_components_of_standardized_columns_are_those_behind_a_scaler(table):
    X, _ = table
    X = X * np.array([1.0, 100.0, 0.01, 1.0])
    bounds = [(-4 * s, 4 * s) for s in X.std(axis=0)]
    options = {"budget": dpcov.Rho(1e6), "bounds": bounds, "insecure_seed": 1}
    private = PrivatePCA(2, standardize=True, **options).fit(X)
    clipped = np.clip(X, *np.transpose(bounds))
    scaler = StandardScaler().fit(clipped)
    exact = PCA(2).fit(scaler.transform(clipped))
    np.testing.assert_allclose(private.scale_, scaler.scale_, rtol=1e-2)
    np.testing.assert_allclose(
        private.explained_variance_ratio_, exact.explained_variance_ratio_, rtol=1e-2
    )
    np.testing.assert_allclose(np.abs(private.components_), np.abs(exact.components_), atol=0.05)
    whole = PrivatePCA(standardize=True, **options).fit(X)
    np.testing.assert_allclose(whole.inverse_transform(whole.transform(X)), X, rtol=1e-6)
    assert PrivatePCA(2, **options).fit(X).scale_ is None
    with pytest.raises(dpcov.UsageError, match="standardize"):
        PrivatePCA(2, standardize="no", **options).fit(X)


def test_rows_in_parts_are_not_read_twice(table):
    X, y = table
    for estimator in (
        PrivatePCA(1, budget=RHO, bounds=(-4, 4), passes=2),
        PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), passes=2),
    ):
        with pytest.raises(dpcov.UsageError, match="passes=2 is for fit"):
            estimator.partial_fit(X, y)


def test_partial_fit_spends_once(table, tmp_path):
    X, y = table
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(2))
    options = {"bounds": (-4, 4), "ledger": ledger, "dataset": "people"}
    estimator = PrivateCovariance(budget=RHO, **options)
    for part in np.array_split(X, 5):
        assert estimator.partial_fit(part) is estimator
    assert ledger.statement("people").releases == 0
    with pytest.warns(dpcov.SecrecyWarning):
        pickle.dumps(estimator)
    estimator.release()
    assert ledger.statement("people").releases == 1
    assert estimator.release_.record["n"] == len(X)
    ridge = PrivateRidge(budget=RHO, target_bounds=(-5, 5), **options)
    ridge.partial_fit(X[:9000], y[:9000]).partial_fit(X[9000:], y[9000:]).release()
    assert ledger.statement("people").releases == 2
    with pytest.raises(dpcov.BudgetError):
        estimator.fit(X)


@pytest.mark.parametrize("failing", ["budget", "gap", "width"])
def test_a_fit_that_fails_keeps_no_rows(table, tmp_path, failing):
    X, _ = table
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(0.5 if failing == "budget" else 2))
    estimator = PrivateCovariance(budget=RHO, bounds=(-4, 4), ledger=ledger, dataset="people")
    bad = np.where(np.arange(len(X))[:, np.newaxis] == 5, np.nan, X)
    if failing == "width":  # after rows that partial_fit added
        estimator.partial_fit(X[:, :2])
    with pytest.raises((dpcov.BudgetError, ValueError)):
        estimator.fit(X if failing == "budget" else bad)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.dumps(estimator)  # holds no un-noised sums, of which it would warn
    ledger.declare("more", dpcov.Rho(2))
    estimator.set_params(dataset="more")
    assert estimator.partial_fit(X).release().release_.record["n"] == len(X)


def test_a_fit_that_fails_leaves_the_fit_before(table, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = table
    people, others = pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(X[:, :3])
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(0.5))
    spent_up = {"ledger": ledger, "dataset": "people"}
    pca = PrivatePCA(2, budget=RHO, bounds=(-4, 4)).set_output(transform="pandas").fit(people)
    scores = pca.transform(people)
    pca.set_params(**spent_up)
    for fails in (lambda: pca.fit(others), lambda: pca.fit(people[["d", "c", "b", "a"]])):
        with pytest.raises(dpcov.BudgetError):
            fails()
        assert pca.transform(people).equals(scores)  # a frame still, too
        assert list(pca.feature_names_in_) == list("abcd")
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5)).fit(X, y)
    predicted = ridge.predict(X)
    ridge.set_params(target_bounds=(-0.1, 0.1), **spent_up)
    for targets in (y, np.column_stack([y, y])):
        with pytest.raises(dpcov.BudgetError):
            ridge.fit(X, targets)
        assert np.array_equal(ridge.predict(X), predicted)


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("where", ["telling", "computing"])
@pytest.mark.parametrize("fitted_before", [False, True])
def test_what_was_paid_for_outlives_an_interruption(
    table, tmp_path, monkeypatch, in_parts, where, fitted_before
):
    X, y = table
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(2))

    def fit(estimator):
        if in_parts:
            return estimator.partial_fit(X, y).release()
        return estimator.fit(X, y)

    def interrupted(*_):
        raise KeyboardInterrupt

    options = {"ledger": ledger, "dataset": "people"}
    for estimator, computed in (
        (PrivateCovariance(budget=dpcov.Rho(0.25), bounds=(-4, 4)), "precision_"),
        (PrivatePCA(2, budget=dpcov.Rho(0.25), bounds=(-4, 4)), "components_"),
        (
            PrivateRidge(budget=dpcov.Rho(0.25), bounds=(-4, 4), target_bounds=(-5, 5), passes=1),
            "coef_",
        ),
    ):
        if fitted_before:
            estimator.fit(X[:5000], y[:5000])
            before = estimator.release_
        estimator.set_params(**options)
        charged = ledger.statement("people").releases
        with monkeypatch.context() as patched:
            if where == "telling":
                patched.setattr(dpcov.Release, "record", property(interrupted))
            else:
                patched.setattr(type(estimator), "_set_fitted", interrupted)
            with pytest.raises(KeyboardInterrupt):
                fit(estimator)
        assert ledger.statement("people").releases == charged + 1
        kept = estimator.release_
        assert kept.record["n"] == len(X)
        assert not fitted_before or kept is not before
        assert not hasattr(estimator, computed)  # of the fit before, it would be another's
        with pytest.raises(NotFittedError):
            estimator.score(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pickle.dumps(estimator)  # holds no un-noised sums, of which it would warn
        assert estimator.release() is estimator
        assert estimator.release_ is kept
        assert ledger.statement("people").releases == charged + 1  # nothing was drawn
        assert np.isfinite(getattr(estimator, computed)).all()
        assert np.isfinite(estimator.score(X, y))
        with pytest.raises(dpcov.UsageError, match="no rows to release"):
            estimator.release()


def test_rows_that_are_added_do_not_touch_the_fit_before(table):
    pd = pytest.importorskip("pandas")
    X, _ = table
    people = pd.DataFrame(X, columns=list("abcd"))
    pca = PrivatePCA(2, budget=RHO, bounds=(-4, 4)).fit(people)
    scores = pca.transform(people)
    pca.partial_fit(X[:, :3])
    assert np.array_equal(pca.transform(people), scores)
    with pytest.raises(ValueError, match="3 features"):  # as the rows that are added have
        pca.partial_fit(X)
    pca.release()
    assert not hasattr(pca, "feature_names_in_")
    assert pca.transform(X[:, :3]).shape == (len(X), 2)
    with pytest.raises(dpcov.UsageError, match="no rows"):
        pca.release()


def test_rows_not_released_yet_are_no_fit(table):
    X, y = table
    estimator = PrivatePCA(budget=RHO, bounds=(-4, 4)).partial_fit(X)
    with pytest.raises(NotFittedError):
        estimator.transform(X)
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5)).partial_fit(X, y)
    with pytest.raises(NotFittedError):
        ridge.predict(X)


def test_a_wrong_penalty_is_refused_before_it_costs(table, tmp_path):
    X, y = table
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(2))
    ridge = PrivateRidge(
        -1.0, budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), ledger=ledger, dataset="people"
    )
    with pytest.raises(dpcov.UsageError, match="alpha"):
        ridge.fit(X, y)
    assert ledger.statement("people").releases == 0


@pytest.mark.parametrize(
    "secret",
    [
        [["Smith", 1.0], ["y", 2.0]],
        [[1.0, {"Smith": 1}], [2.0, 3.0]],
        [[1.0 + 77.0j, 2.0], [3.0, 4.0]],
        [[7 * 10**400, 1.0], [2.0, 3.0]],
        [77.0, 78.0],
        77.0,
    ],
)
@pytest.mark.parametrize("where", ["X", "y", "transform"])
def test_messages_tell_no_value(table, secret, where):
    X, _ = table
    fitted = PrivatePCA(budget=RHO, bounds=(-4, 4)).fit(X[:, :2])
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5))
    values = np.array(secret, dtype=object if np.ndim(secret) and "Smith" in str(secret) else None)
    if where == "y" and np.ndim(values) < 2 and values.size > 1:
        pytest.skip("a target may have one dimension")
    uses = {
        "X": lambda: PrivatePCA(budget=RHO, bounds=(-4, 4)).fit(values),
        "y": lambda: ridge.fit(X[:2, :2], values),
        "transform": lambda: fitted.transform(values),
    }
    with pytest.raises((TypeError, ValueError)) as caught:
        uses[where]()
    assert "Smith" not in str(caught.value)
    assert "77" not in str(caught.value)


def test_messages_name_row_column_and_remedy(table):
    X, y = table
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:50], columns=list("abcd"))
    private = PrivateCovariance(budget=RHO, bounds=(-4, 4))
    gaps = frame.copy()
    gaps.loc[7, "c"] = np.nan
    with pytest.raises(dpcov.DataError, match=r"row 7, column 2 'c' of X .*fill") as caught:
        private.fit(gaps)
    assert (caught.value.row, caught.value.column) == (7, 2)
    with pytest.raises(TypeError, match="X: column 1 'b' holds"):
        private.fit(frame.assign(b="text"))
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5))
    with pytest.raises(dpcov.DataError, match=r"row 3, column 0 of y .*infinite"):
        ridge.fit(X[:50], np.where(np.arange(50) == 3, np.inf, y[:50]))


def test_a_notebook_shows_an_estimator():
    assert "PrivatePCA" in PrivatePCA(budget=RHO)._repr_html_()


def test_gaps_take_the_fill_of_the_bounds(table):
    X, y = table
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    filled = np.where(np.isnan(gaps), 1.5, gaps)
    some = [(-4, 4), (-4, 4, 1.5), (-4, 4), (-4, 4)]
    private = PrivateCovariance(budget=RHO, bounds=some, insecure_seed=1)
    same = clone(private).fit(filled).covariance_
    assert np.array_equal(private.fit(gaps).covariance_, same)
    assert np.array_equal(clone(private).partial_fit(gaps).release().covariance_, same)
    ridge = PrivateRidge(budget=RHO, bounds=some, target_bounds=(-5, 5), insecure_seed=1)
    assert np.array_equal(ridge.fit(gaps, y).predict(gaps), ridge.predict(filled))
    gaps[3, 0] = np.nan  # this column has none
    with pytest.raises(ValueError, match="NaN"):
        private.fit(gaps)
    with pytest.raises(ValueError, match="NaN"):
        ridge.predict(gaps)


def test_no_rows_are_a_table_where_their_number_is_private(table):
    X, y = table
    options = {"budget": RHO, "bounds": (-4, 4), "neighbours": "add-remove", "insecure_seed": 1}
    for rows in (0, 1):
        PrivateCovariance(**options).fit(X[:rows])
        PrivatePCA(2, **options).partial_fit(X[:rows]).partial_fit(X[:0]).release()
        PrivateRidge(**options, target_bounds=(-5, 5)).fit(X[:rows], y[:rows])
    with pytest.raises(ValueError, match="0 sample"):
        PrivateCovariance(budget=RHO, bounds=(-4, 4)).fit(X[:0])


def test_arrow_tables_have_names_and_no_message_their_values():
    pyarrow = pytest.importorskip("pyarrow")
    values = {"a": [0.1, 0.25, 0.375], "b": [0.1, 0.25, 0.375]}
    bounds = {"a": (0, 1), "b": (0, 2)}
    table = pyarrow.table(values)
    for rows in (table, table.to_batches()[0]):
        pca = PrivatePCA(budget=RHO, bounds=bounds).fit(rows)
        assert list(pca.feature_names_in_) == ["a", "b"]
        ridge = PrivateRidge(budget=RHO, bounds=bounds, target_bounds={"salary": (0, 1)})
        ridge.fit(rows, pyarrow.table({"salary": [0.3] * 3}))
        assert ridge.release_.columns == ["a", "b", "salary"]
    for wrong, words in (
        (pyarrow.table({**values, "s": ["x", "y", "z"]}), "column 2 's' holds text"),
        (pyarrow.table([[0.25]] * 2, "aa"), "X has several columns named 'a'"),
    ):
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            PrivatePCA(budget=RHO, bounds=(0, 1)).fit(wrong)
        assert "0.25" not in str(caught.value)


def test_columns_that_are_no_labels_are_not_published():
    rows = np.random.default_rng(0).uniform(size=(50, 2))

    class Holder:
        columns = tuple(rows.T)

        def __array__(self, dtype=None, copy=None):
            return rows

    pca = PrivatePCA(budget=RHO, bounds=(0, 1)).fit(Holder())
    assert "columns" not in pca.release_.record


def test_a_row_called_columns_is_no_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [0.1, 0.2]})
    names = []
    for value in (0.25, 0.75):
        y = pd.Series([value, 0.5], index=["columns", "name"])
        ridge = PrivateRidge(budget=RHO, bounds=(0, 1), target_bounds=(0, 10)).fit(frame, y)
        names.append(ridge.release_.record.get("columns"))
    assert names == [["age", "target"]] * 2
    assert labels_of(pd.Series(["37", "0.5"], index=["columns", "name"])) is None
    assert labels_of(pd.DataFrame({"collect": [0.5], "schema": [1.0]})) == ["collect", "schema"]
    two = pd.DataFrame([[0.1, 0.2]] * 2, columns=[None, "name"])
    PrivateRidge(budget=RHO, bounds=(0, 1), target_bounds=(0, 10)).fit(frame, two)


def test_no_context_tells_what_could_not_be_converted():
    rows = np.array([[0.1], ["Smith"], [0.3]], dtype=object)
    for wrong in (rows, rows[:, 0], np.array([[0.1], [0.5 + 2j]], dtype=object)):
        with pytest.raises((TypeError, ValueError)) as caught:
            PrivateCovariance(budget=RHO, bounds=(0, 1)).fit(wrong)
        assert caught.value.__context__ is None


def test_lists_are_refused_where_rows_are_private():
    options = {"budget": RHO, "bounds": [(0, 1)] * 2, "neighbours": "add-remove"}
    for rows in ([], [[0.5, 0.25]]):
        with pytest.raises(TypeError, match="X is a list"):
            PrivateCovariance(**options).fit(rows)


class OfUnknownKind:
    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.array(self.rows, dtype=dtype)


# What NumPy makes of them their rows decide: ragged ones, a word among numbers, none at all.
@pytest.mark.parametrize("kind", [UserList, deque, OfUnknownKind])
def test_what_rows_may_decide_the_shape_of_is_refused_by_its_type(kind):
    tables = ([[1, 2], [3, 4]], [[1, 2], ["?", 4]], [[1, 2], [3]], [])
    for options in ({"bad_rows": "zero"}, {"neighbours": "add-remove"}):
        told = set()
        for rows in tables:
            with pytest.raises(TypeError) as caught:
                PrivateCovariance(budget=RHO, bounds=(0, 9), **options).fit(kind(rows))
            told.add(str(caught.value))
        assert len(told) == 1, told


# Its own stream has types that it makes of the values of columns of objects.
@pytest.mark.parametrize("last", [3, "x", 2**70, Decimal("1e-39")])
def test_frames_that_narwhals_wraps_are_those_inside(last):
    pd = pytest.importorskip("pandas")
    nw = pytest.importorskip("narwhals")
    frame = nw.from_native(pd.DataFrame({"a": [1, 2, last], "b": [1.0, 2.0, 3.0]}).astype(object))
    with pytest.raises(TypeError, match="object"):
        dpcov.covariance(frame, budget=RHO, bounds=(0, 9), bad_rows="zero")
    with pytest.raises(TypeError, match="object"):
        PrivateCovariance(budget=RHO, bounds=(0, 9), bad_rows="zero").fit(frame)
    numbers = nw.from_native(pd.DataFrame({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]}))
    fitted = PrivateCovariance(budget=RHO, bounds=(0, 9)).fit(numbers)
    assert fitted.release_.columns == ["a", "b"]


def test_targets_of_later_parts_are_the_same(table):
    pd = pytest.importorskip("pandas")
    X, y = table
    both = pd.DataFrame({"u": y, "v": -y})
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5))
    ridge.partial_fit(X[:10], both[:10])
    with pytest.raises(ValueError, match=r"'v', 'u'.* in place of .*'u', 'v'"):
        ridge.partial_fit(X[10:20], both[10:20][["v", "u"]])
    ridge.partial_fit(X[10:20], both[10:20])


def test_without_columns_no_message_tells_how_many_rows(table):
    X, _ = table
    pd = pytest.importorskip("pandas")
    options = {"budget": RHO, "bounds": (0, 1), "neighbours": "add-remove"}
    ridge = PrivateRidge(**options, target_bounds=(0, 1))
    for fit in (
        lambda: PrivatePCA(**options).fit(np.empty((17, 0))),
        lambda: PrivatePCA(**options).fit(pd.DataFrame(index=range(17))),
        lambda: ridge.fit(X[:17], np.empty((17, 0))),
    ):
        with pytest.raises(ValueError, match="has no column"):
            fit()


def test_a_row_for_a_header_is_told_of(table):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table[0][:, :2], columns=["63.2", "1.75"])
    with pytest.warns(UserWarning, match="header=None"):
        PrivateCovariance(budget=RHO, bounds=(-4, 4)).fit(frame)


def test_parts_are_the_whole(table):
    X, y = table
    whole = PrivateRidge(
        budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), insecure_seed=1, passes=1
    )
    parts = clone(whole)
    for i in range(0, len(X), 7000):
        parts.partial_fit(X[i : i + 7000], y[i : i + 7000])
    assert np.array_equal(parts.release().coef_, whole.fit(X, y).coef_)


def test_a_search_is_accounted(table, tmp_path):
    X, y = table
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(10))
    ridge = PrivateRidge(
        budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), ledger=ledger, dataset="people"
    )
    search = GridSearchCV(ridge, {"alpha": [0.0, 0.1]}, cv=2, error_score="raise", n_jobs=2)
    search.fit(X, y)
    assert ledger.statement("people").spent == 5.0  # 2 alphas in 2 folds, and the best on all
    assert search.best_score_ > 0.9
    search.fit(X, y)
    with pytest.raises(dpcov.BudgetError):
        cross_val_score(ridge, X, y, cv=2, error_score="raise")


def test_in_a_pipeline_with_names(table):
    pd = pytest.importorskip("pandas")
    X, y = table
    frame = pd.DataFrame(X, columns=list("abcd"))
    bounds = dict.fromkeys("dcba", (-4, 4))
    pca = PrivatePCA(2, budget=RHO, bounds=bounds, insecure_seed=1).set_output(transform="pandas")
    scores = pca.fit_transform(frame)
    assert list(scores.columns) == ["privatepca0", "privatepca1"]
    assert list(pca.feature_names_in_) == list("abcd")
    plain = PrivatePCA(2, budget=RHO, bounds=(-4, 4), insecure_seed=1).fit_transform(X)
    assert np.array_equal(scores.to_numpy(), plain)
    chain = make_pipeline(
        PrivatePCA(2, budget=RHO, bounds=(-4, 4)),
        PrivateRidge(budget=RHO, bounds=(-8, 8), target_bounds=(-5, 5)),
    )
    assert chain.fit(frame, y).score(frame, y) > 0.1
    assert pickle.loads(pickle.dumps(chain)).predict(frame).shape == (len(X),)


def test_columns_in_another_order_are_refused(table):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table[0], columns=list("abcd"))
    fitted = PrivatePCA(budget=RHO, bounds=(-4, 4)).fit(frame)
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.transform(frame[list("bacd")])


def test_scores_are_finite_numbers(table):
    X = np.column_stack([table[0], np.zeros(len(table[0]))])
    options = {"budget": dpcov.Rho(1e6), "bounds": (-4, 4), "insecure_seed": 1}
    pca = PrivatePCA(standardize=True, neighbours="add-remove", **options).fit(X)
    assert pca.n_samples_ == pytest.approx(len(X), rel=0.01)
    assert np.isfinite(pca.transform(X)).all()
    with pytest.raises(dpcov.DataError, match="row 0, column 1 of X"):
        pca.inverse_transform([[0.0, np.nan, 0.0, 0.0, 0.0]])


def test_gaps_and_codes_take_one_fill(table):
    fitted = PrivatePCA(budget=RHO, bounds=[(-4, 4, 1, (-9, 99))] * 4).fit(table[0])
    scores = [fitted.transform([[gap, 0, 0, 0.5]]) for gap in (1, np.nan, -9, 99)]
    assert all(np.array_equal(score, scores[0]) for score in scores)


# Arrow refuses to round a whole number, in words that quote it.
def test_whole_numbers_beyond_the_doubles_are_rounded():
    pa = pytest.importorskip("pyarrow")
    large = pa.table({"a": [2**60 + 1] * 50})
    assert PrivateCovariance(budget=RHO, bounds=(0, 2**61)).fit(large).n_features_in_ == 1


def test_a_fit_after_an_interruption_is_one(table, monkeypatch):
    estimator = PrivateCovariance(budget=RHO, bounds=(-4, 4))

    def interrupted(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(PrivateCovariance, "_set_fitted", interrupted)
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(table[0])
    assert np.isfinite(estimator.fit(table[0]).score(table[0]))


def test_masks_are_refused():
    masked = np.ma.masked_greater(np.full((20, 2), 0.5), 0.4)
    plain = np.full((20, 2), 0.5)
    for rows in (masked, list(masked)):
        with pytest.raises(TypeError, match="X is masked"):
            PrivateCovariance(budget=dpcov.Rho(1), bounds=(0, 1)).fit(rows)
    ridge = PrivateRidge(budget=dpcov.Rho(1), bounds=(0, 1), target_bounds=(0, 1))
    with pytest.raises(TypeError, match="y is masked"):
        ridge.fit(plain, masked[:, 0])
    # One element that is masked, in a list, is a missing value. NumPy's warning would tell of it.
    with pytest.raises(dpcov.DataError, match="row 1, column 0 of X"):
        PrivateCovariance(budget=dpcov.Rho(1), bounds=(0, 1)).fit([[0.5], [np.ma.masked]])


def test_ridge_releases_names_where_all_features_have_one():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.uniform(0, 1, (400, 2)), columns=["age", "hours"])
    y = pd.DataFrame(rng.uniform(0, 1, (400, 2)), columns=["income", "rent"])

    def columns(features, targets, target_bounds):
        ridge = PrivateRidge(budget=dpcov.Rho(1), bounds=(0, 1), target_bounds=target_bounds)
        return ridge.fit(features, targets).release_.columns

    assert columns(X, y, {"income": (0, 1), "rent": (0, 1)}) == ["age", "hours", "income", "rent"]
    assert columns(X, y["rent"], (0, 1)) == ["age", "hours", "rent"]
    assert columns(X.to_numpy(), y.to_numpy(), (0, 1)) == ["0", "1", "2", "3"]
    assert columns(X, y["rent"].to_numpy(), (0, 1)) == ["age", "hours", "target"]
    assert columns(X, y["rent"].rename("age"), (0, 1)) == ["age", "hours", "target"]
    called = X.rename(columns={"hours": "target"})
    assert columns(called, y["rent"].to_numpy(), (0, 1)) == ["age", "target", "target_"]
    assert columns(X, y.to_numpy(), (0, 1)) == ["age", "hours", "target0", "target1"]


@pytest.mark.parametrize("names", [["1", "0"], ["1", "2"], ["2", "b"], [1, 2]])
def test_ridge_takes_columns_where_they_are_though_names_are_numbers(names):
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(0).uniform(0, 1, (2000, 2))
    y = pd.Series(3 * X[:, 0] + X[:, 1], name="0")
    for target in (y, y.rename("rent")):
        ridge = PrivateRidge(
            budget=dpcov.Rho(100), bounds=(0, 1), target_bounds=(0, 4), insecure_seed=1
        )
        ridge.fit(pd.DataFrame(X, columns=names), target)
        np.testing.assert_allclose(ridge.coef_, [3, 1], atol=0.2)  # they differ by 2


def test_what_needs_no_rows_is_refused_before_they_are_looked_at() -> None:
    rows = np.full((3, 2), np.nan)
    for estimator in (PrivateCovariance(bounds=(0, 1)), PrivatePCA(bounds=(0, 1))):
        with pytest.raises(dpcov.UsageError, match="needs a budget"):
            estimator.fit(rows)
    with pytest.raises(dpcov.UsageError, match="needs a budget"):
        PrivateRidge(bounds=(0, 1), target_bounds=(0, 1)).fit(rows, rows[:, 0])
    rho = dpcov.Rho(1.0)
    for estimator in (
        PrivateCovariance(budget=rho),
        PrivatePCA(-1, budget=rho, bounds=(0, 1)),
        PrivateRidge(budget=rho, bounds=(0, 1)),
        PrivateRidge(alpha=-1, budget=rho, bounds=(0, 1), target_bounds=(0, 1)),
    ):
        for begin in (estimator.fit, estimator.partial_fit):
            with pytest.raises(dpcov.UsageError):
                begin(rows, rows[:, 0])
    # After a fit on other columns, too.
    fitted = PrivatePCA(2, budget=dpcov.Rho(1.0), bounds=(0, 1)).fit(np.ones((9, 2)))
    assert fitted.set_params(n_components=3).fit(np.ones((9, 3))).n_components_ == 3


def test_targets_are_numbers_in_the_tables_units(table):
    pd = pytest.importorskip("pandas")
    X, y = table
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5))
    stay = pd.Series(pd.to_timedelta(np.abs(y), unit="D"))
    with pytest.raises(TypeError, match="since a public date"):
        ridge.fit(X, stay)
    dates = pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(TypeError, match="since a public date"):
        PrivatePCA(1, budget=RHO, bounds=(-4, 4)).fit(X[:, :1]).transform(dates)
    with pytest.raises(ValueError, match="numbers of rows") as told:
        ridge.set_params(neighbours="add-remove").fit(X, y[:-1])
    assert str(len(y)) not in str(told.value)


def test_a_targets_fill_is_taken(table):
    X, y = table
    options = {"budget": RHO, "bounds": (-4, 4), "insecure_seed": 1}
    gaps, filled = y.copy(), y.copy()
    gaps[::7], filled[::7] = np.nan, 0.5
    fitted = PrivateRidge(target_bounds=(-5, 5, 0.5), **options).fit(X, gaps)
    assert np.array_equal(
        fitted.coef_, PrivateRidge(target_bounds=(-5, 5), **options).fit(X, filled).coef_
    )
    with pytest.raises(dpcov.DataError, match="fill in its bounds"):
        PrivateRidge(target_bounds=(-5, 5), **options).fit(X, gaps)


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "sparse"])
def test_codes_are_missing_values_in_fit_and_in_use(table, kind):
    X, y = (np.rint(values) for values in table)
    coded, filled, coded_y, filled_y = X.copy(), X.copy(), y.copy(), y.copy()
    coded[::7, 1], filled[::7, 1] = -99, 1
    coded[X[:, 2] == 2, 2] = filled[X[:, 2] == 2, 2] = 3  # so that 2 is a code within the bounds
    coded[::5, 2], filled[::5, 2] = 2, 0
    coded_y[::3], filled_y[::3] = 999, 0
    bounds = [(-4, 4), (-4, 4, 1, -99), (-4, 4, 0, [2]), (-4, 4)]
    sparse = pytest.importorskip("scipy.sparse")
    given = sparse.csr_array(coded) if kind == "sparse" else coded.astype(kind)
    options = {"budget": RHO, "insecure_seed": 1}
    private = PrivateCovariance(bounds=bounds, **options)
    same = PrivateCovariance(bounds=(-4, 4), **options).fit(filled)
    assert np.array_equal(private.fit(given).covariance_, same.covariance_)
    if kind != "sparse":
        # Products of 32-bit numbers are rounded more.
        tolerance = 1e-4 if kind == "f4" else 1e-12
        assert np.allclose(private.mahalanobis(given), same.mahalanobis(filled), rtol=tolerance)
        assert not np.allclose(same.mahalanobis(given), same.mahalanobis(filled), rtol=tolerance)
    ridge = PrivateRidge(bounds=bounds, target_bounds=(-5, 5, 0, [999]), **options)
    plain = PrivateRidge(bounds=(-4, 4), target_bounds=(-5, 5), **options).fit(filled, filled_y)
    assert np.array_equal(ridge.fit(given, coded_y).coef_, plain.coef_)
    bad = coded.astype(int)
    no_fill = PrivateCovariance(bounds=[(-4, 4, None, -99)] * 4, **options)
    with pytest.raises(dpcov.DataError, match=r"row 0, column 1 of X .*a code .*fill"):
        no_fill.fit(bad)
    zeroed = X.copy()
    bad = X.astype(int)
    bad[3, 0], zeroed[3] = -99, 0
    expected = PrivateCovariance(bounds=(-4, 4), **options).fit(zeroed).covariance_
    by_row = clone(no_fill).set_params(bad_rows="zero").fit(bad)
    assert np.array_equal(by_row.covariance_, expected)


def test_what_was_added_by_some_bounds_is_released_by_them(table):
    X, y = table
    covariance = PrivateCovariance(budget=RHO, bounds=(0, 10), assume_centered=True)
    covariance.partial_fit(X).set_params(bounds=(0, 100)).release()
    assert np.array_equal(covariance.location_, [5.0] * 4)
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), insecure_seed=1)
    ridge.partial_fit(X, y).set_params(target_bounds=(-0.1, 0.1)).release()
    assert np.abs(ridge.predict(X)).max() > 1.0


def test_bounds_by_number_mean_labels_where_they_are_numbers(table):
    pd = pytest.importorskip("pandas")
    X, _ = table
    frame = pd.DataFrame(X[:, :2] + [2020.0, 0.0], columns=[1, 0])
    bounds = {0: (-4, 4), 1: (2000, 2040)}
    budget = dpcov.Rho(1e6)
    fitted = PrivateCovariance(budget=budget, bounds=bounds, insecure_seed=1).fit(frame)
    assert np.allclose(fitted.location_, frame.mean(), atol=0.01)
    assert fitted.release_.columns == ["1", "0"]
    with pytest.raises(ValueError, match="same order"):
        fitted.mahalanobis(frame[[0, 1]])


def test_sparse_rows_are_those_written_out(table):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = table
    X = np.where(np.abs(X) < 1, 0.0, X)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        for estimator in (
            PrivateCovariance(budget=RHO, bounds=(-4, 4), insecure_seed=1),
            PrivateCovariance(budget=RHO, norm_bound=4, assume_centered=True, insecure_seed=1),
            PrivatePCA(2, budget=RHO, bounds=(-4, 4), passes=2, insecure_seed=1),
            PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), insecure_seed=1),
        ):
            dense = clone(estimator).fit(X, y)
            fitted = clone(estimator).fit(kind(X), y)
            assert fitted.release_.covariance().tobytes() == dense.release_.covariance().tobytes()
            use = "transform" if hasattr(fitted, "transform") else "predict"
            if not hasattr(fitted, use):
                use = "mahalanobis"
            assert np.array_equal(getattr(fitted, use)(kind(X)), getattr(dense, use)(X))
            if estimator.get_params()["passes"] == 1:
                in_parts = clone(estimator)
                for k in (0, 7000, 14000):
                    in_parts.partial_fit(kind(X[k : k + 7000]), y[k : k + 7000])
                whole = in_parts.release().release_
                assert whole.covariance().tobytes() == dense.release_.covariance().tobytes()


def test_a_sparse_row_that_cannot_be_used_is_named_or_taken_as_zeros(table):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = table[0][:300].copy(), table[1][:300]
    X[7, 2] = np.nan
    zeroed = X.copy()
    zeroed[7] = 0.0
    outside = sparse.csr_matrix(np.where(np.isnan(X), 1.0, X))
    outside.indices[outside.indptr[7]] = 1 << 20  # no column: SciPy would write past its memory
    options = {"budget": RHO, "bounds": (-4, 4), "insecure_seed": 1}
    for estimator in (
        PrivateCovariance(**options),
        PrivateRidge(**options, target_bounds=(-5, 5), passes=1),
    ):
        expected_y = y.copy()
        expected_y[7] = 0.0  # the row is one of features and targets
        expected = clone(estimator).fit(zeroed, expected_y).release_.covariance()
        for rows in (sparse.csr_matrix(X), outside, X):
            said = "index is no column" if rows is outside else "row 7, column"
            with pytest.raises(dpcov.DataError, match=said) as caught:
                clone(estimator).fit(rows, y)
            assert caught.value.row == 7
            fitted = clone(estimator).set_params(bad_rows="zero").fit(rows, y)
            assert fitted.release_.covariance().tobytes() == expected.tobytes()
            with pytest.raises(dpcov.DataError, match="row 7"):
                fitted.score(rows, y)


# A gap is filled, an index that is no column is not: it makes a bad row. So the sum is that of
# the same table without fills, in which a gap makes the row bad.
def test_a_fill_does_not_mend_an_index_that_is_no_column(table):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = table[0][:300], table[1][:300]
    outside = sparse.csr_matrix(X)
    outside.indices[outside.indptr[7]] = -1
    gap = X.copy()
    gap[7, 0] = np.nan
    facts = {"budget": RHO, "target_bounds": (-5, 5), "insecure_seed": 1, "passes": 1}
    zeroed = PrivateRidge(bounds=(-4, 4), bad_rows="zero", **facts).fit(gap, y)
    filled = PrivateRidge(bounds=(-4, 4, 1.0), bad_rows="zero", **facts).fit(outside, y)
    assert filled.release_.covariance().tobytes() == zeroed.release_.covariance().tobytes()
    with pytest.raises(dpcov.DataError, match="row 7 of X"):
        PrivateRidge(bounds=(-4, 4, 1.0), **facts).fit(outside, y)


# NumPy would warn of one row, or fail by it where the caller has errors raised.
def test_no_row_warns_where_bad_ones_are_taken_as_zeros():
    sparse = pytest.importorskip("scipy.sparse")
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), bad_rows="zero")
    for twice in ([np.inf, -np.inf], [1e308, 1e308], [1.0, 2.0]):
        X = sparse.csr_matrix(([*twice, 1.0, 2.0], [0, 0, 1, 1], [0, 2, 3, 4]), shape=(3, 2))
        y = np.array([1.0, 2.0, 3.0])
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ridge.fit(X, y).release_.record["n"] == 3


def test_bad_rows_is_a_word_and_not_for_lists(table):
    X, y = table[0][:100], table[1][:100]
    estimator = PrivateCovariance(budget=RHO, bounds=(-4, 4), bad_rows="drop")
    with pytest.raises(dpcov.UsageError, match="'error' or 'zero'"):
        estimator.fit(X)
    with pytest.raises(TypeError, match="bad_rows='zero'"):
        estimator.set_params(bad_rows="zero").fit(X.tolist())
    ridge = PrivateRidge(budget=RHO, bounds=(-4, 4), target_bounds=(-5, 5), bad_rows="zero")
    with pytest.raises(TypeError, match="y is a list"):
        ridge.fit(X, y.tolist())
    y = y.copy()
    y[3] = np.inf
    assert ridge.fit(X, y).release_.record["n"] == 100


#: Types of columns that are taken, and that are not.
TYPES = {
    "pandas": (
        ["Int64", "Float64", "boolean", "Int64 category", "float category"],
        ["string", "object", "category"],
    ),
    "polars": (["Int8", "Float32", "Boolean"], ["String"]),
    "pyarrow": (["int8", "float32", "bool"], ["string"]),
}


def column_of(library, kind, values):
    module = pytest.importorskip(library)
    if library == "pandas":
        first, *then = kind.split()
        column = module.Series(values, dtype=first)
        return module.DataFrame({"c": column.astype(*then) if then else column})
    if library == "polars":
        return module.DataFrame({"c": module.Series(values).cast(getattr(module, kind))})
    return module.table({"c": module.array(values).cast(kind)})


@pytest.mark.parametrize("gap", [[], [None]], ids=["whole", "gap"])
@pytest.mark.parametrize("bad_rows", ["error", "zero"])
@pytest.mark.parametrize("library", TYPES)
def test_types_alone_say_what_is_fitted(library, bad_rows, gap):
    taken, refused = TYPES[library]
    options = {"budget": RHO, "insecure_seed": 1, "bad_rows": bad_rows}
    private = PrivateCovariance(bounds={"c": (0, 1, 0.5)}, **options)
    for kind in taken:
        table = column_of(library, kind, [False, True, *gap])
        fitted = private.fit(table).release_.covariance()
        alike = dpcov.covariance(table, bounds=private.bounds, **options).covariance()
        assert fitted.tobytes() == alike.tobytes()
    ridge = PrivateRidge(bounds=(0, 1), target_bounds=(0, 1, 0.5), **options)
    for kind in refused:
        table = column_of(library, kind, ["1", "2", *gap])
        with pytest.raises(TypeError, match=r"X: column 0 'c' holds .*no real numbers"):
            private.fit(table)
        with pytest.raises(TypeError, match=r"y: column 0 'c' holds .*no real numbers"):
            ridge.fit(np.zeros((len(table), 1)), table)


def test_objects_in_an_array_are_no_type_where_rows_are_by_themselves():
    private = PrivateCovariance(budget=RHO, bounds=(0, 1), bad_rows="zero")
    for value in (0.5, "unknown"):
        with pytest.raises(TypeError, match="X holds Python objects"):
            private.fit(np.array([[0.5], [value]], dtype=object))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_what_is_no_table_of_numbers_is_named_by_what_it_is():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    sparse = pytest.importorskip("scipy.sparse")
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    dates = "since a public date"
    X = np.full((2, 1), 0.5)
    for wrong, words in (
        (np.asmatrix(X), "numpy.matrix"),
        ([[0.5, 0.5], [0.5]], "not of one length"),
        ([["a", 0.5]], "X holds text"),
        (sparse.coo_array(np.ones(3)), "two dimensions, not 1"),
        (pd.DataFrame({"c": days}), dates),
        (pd.DataFrame({"c": days.to_period("D")}), dates),
        (
            pd.DataFrame({"c": pd.interval_range(0, 2)}),
            "column 0 'c' holds values of type interval",
        ),
        (pl.DataFrame({"c": pl.Series(days)}), dates),
        (pl.DataFrame({"c": pl.Series(days).dt.date()}), dates),
        (pl.DataFrame({"c": pl.Series(days - days[0])}), dates),
        (pl.DataFrame({"c": [0.5, 0.5]}).lazy(), "LazyFrame is not taken"),
        (duckdb.sql("SELECT 0.5::DOUBLE AS c"), "DuckDBPyRelation is not taken"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            PrivateCovariance(budget=RHO, bounds=(0, 1)).fit(wrong)
    ridge = PrivateRidge(budget=RHO, bounds=(0, 1), target_bounds=(0, 1))
    for text in (["a", "b"], np.array(["a", "b"]), pd.Series(["a", "b"], name="c")):
        with pytest.raises(TypeError, match=r"y(: column 0 'c')? holds"):
            ridge.fit(X, text)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (PrivateCovariance, ["store_precision", "assume_centered"]),
        (PrivatePCA, ["whiten", "standardize"]),
        (PrivateRidge, ["fit_intercept", "clip_predictions"]),
    ],
)
def test_a_word_is_no_truth_value_and_spends_nothing(table, kind, names):
    targets = {"target_bounds": (-5, 5)} if kind is PrivateRidge else {}
    for name in names:
        estimator = kind(budget=RHO, bounds=(-4, 4), **targets, **{name: "no"})
        for begin in (estimator.fit, estimator.partial_fit):
            with pytest.raises(dpcov.UsageError, match=f"{name} is True or False"):
                begin(*table)
        assert not hasattr(estimator, "release_")
