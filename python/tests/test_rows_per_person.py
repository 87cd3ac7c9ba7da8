"""A budget for people who may have several rows."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import dpcov
from dpcov.sklearn import PrivateCovariance, PrivatePCA, PrivateRidge

BOUNDS = [(0, 300)] * 3


def drawn(people: np.ndarray[Any, Any], budget: Any, **options: Any) -> dpcov.Release:
    return dpcov.covariance(people, budget=budget, bounds=BOUNDS, insecure_seed=5, **options)


@pytest.mark.parametrize(
    ("of_person", "of_row"),
    [(dpcov.Rho(0.9), dpcov.Rho(0.1)), (dpcov.Epsilon(1.5), dpcov.Epsilon(0.5))],
)
def test_it_is_the_release_of_single_rows_at_less(people, of_person, of_row):
    person = drawn(people, of_person, rows_per_person=3)
    row = drawn(people, of_row)
    np.testing.assert_array_equal(person.covariance(), row.covariance())
    np.testing.assert_array_equal(
        person.interval("correlation").lower, row.interval("correlation").lower
    )
    assert person.record["rows_per_person"] == 3
    assert "rows_per_person" not in row.record
    assert "rows_per_person=3" in repr(person)
    assert "at most 3 rows" in person._repr_html_()
    assert "at most" not in row._repr_html_()
    assert np.any(drawn(people, of_person).covariance() != person.covariance())  # control


def test_a_saved_release_says_so(people, tmp_path):
    person = drawn(people, dpcov.Rho(0.9), rows_per_person=3)
    person.save(tmp_path / "r.npz")
    assert dpcov.Release.load(tmp_path / "r.npz").record == person.record
    assert pickle.loads(pickle.dumps(person)).record == person.record


def test_moments_and_two_passes_take_it(people):
    moment = dpcov.SecondMoment(3, bounds=BOUNDS).add(people)
    released = moment.release(dpcov.Rho(0.9), rows_per_person=3, insecure_seed=5)
    assert released.record == drawn(people, dpcov.Rho(0.9), rows_per_person=3).record
    twice = drawn(people, dpcov.Rho(9.0), rows_per_person=3, passes=2)
    np.testing.assert_array_equal(
        twice.covariance(), drawn(people, dpcov.Rho(1.0), passes=2).covariance()
    )
    assert sum(stage["rho"] for stage in twice.record["stages"]) <= 9.0 * (1 + 1e-12)


def test_an_account_is_for_one_number_of_rows(people, tmp_path):
    ledger = dpcov.Ledger(tmp_path / "spent.ledger", create=True)
    ledger.declare("visits", dpcov.Rho(1.0), rows_per_person=3)
    ledger.declare("visits", dpcov.Rho(1.0), rows_per_person=3, exist_ok=True)
    with pytest.raises(dpcov.UsageError):
        ledger.declare("visits", dpcov.Rho(1.0), exist_ok=True)
    assert ledger.statement("visits").rows_per_person == 3
    options = {"bounds": BOUNDS, "ledger": ledger, "dataset": "visits"}
    for wrong in (1, 2, 4):
        with pytest.raises(dpcov.BudgetError, match="rows per person"):
            dpcov.covariance(people, budget=dpcov.Rho(0.1), rows_per_person=wrong, **options)
    dpcov.covariance(people, budget=dpcov.Rho(0.25), rows_per_person=3, **options)
    assert ledger.statement("visits").spent == 0.25


@pytest.mark.parametrize("wrong", [0, -1, 1.5, 1_000_001, None, "3", True])
def test_nobody_has_so_many_rows(people, tmp_path, wrong):
    with pytest.raises((dpcov.UsageError, TypeError), match="rows_per_person"):
        drawn(people, dpcov.Rho(0.1), rows_per_person=wrong)
    with pytest.raises((dpcov.UsageError, TypeError), match="rows_per_person"):
        dpcov.plan(1000, budget=dpcov.Rho(0.1), bounds=BOUNDS, rows_per_person=wrong)
    ledger = dpcov.Ledger(tmp_path / "spent.ledger", create=True)
    with pytest.raises((dpcov.UsageError, TypeError), match="rows_per_person"):
        ledger.declare("people", dpcov.Rho(0.1), rows_per_person=wrong)


def test_a_plan_is_of_what_a_row_gets():
    facts: dict[str, Any] = {"bounds": BOUNDS}
    person = dpcov.plan(20_000, budget=dpcov.Rho(0.9), rows_per_person=3, **facts)
    row = dpcov.plan(20_000, budget=dpcov.Rho(0.1), **facts)
    assert person.correlation_error == row.correlation_error
    found = dpcov.budget_for_correlation_error(0.05, 20_000, rows_per_person=3, **facts)
    single = dpcov.budget_for_correlation_error(0.05, 20_000, **facts)
    assert found.value == pytest.approx(9 * single.value, rel=0.02)


def test_estimators_take_it(people):
    asked = {"bounds": BOUNDS, "rows_per_person": 3, "insecure_seed": 5}
    for estimator in (
        PrivateCovariance(budget=dpcov.Rho(0.9), **asked).fit(people),
        PrivatePCA(budget=dpcov.Rho(0.9), **asked).fit(people),
    ):
        assert estimator.release_.record["rows_per_person"] == 3
        np.testing.assert_array_equal(
            estimator.release_.covariance(), drawn(people, dpcov.Rho(0.1)).covariance()
        )
    ridge = PrivateRidge(
        budget=dpcov.Rho(0.9),
        bounds=BOUNDS[:2],
        target_bounds=(0, 300),
        rows_per_person=3,
        insecure_seed=5,
    ).fit(people[:, :2], people[:, 2])
    assert ridge.release_.record["rows_per_person"] == 3
