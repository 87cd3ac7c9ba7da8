"""Budgets as amounts: sums, shares, order, and no mixture of definitions."""

import pickle
import re
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest

import dpcov


@pytest.mark.parametrize("amount", [dpcov.Rho, dpcov.Epsilon])
def test_sums_shares_and_order(amount):
    assert amount(1) + amount(2) == amount(3)
    assert reduce(add, [amount(0.25)] * 4) == sum([amount(0.25)] * 4) == amount(1)
    assert amount(1) / 4 == amount(0.25) == 0.25 * amount(1) == amount(1) * 0.25
    assert amount(3) / amount(2) == 1.5
    assert amount(1) < amount(2) <= amount(2) < max(amount(3), amount(4)) == amount(4)
    assert amount(2) > amount(1) >= amount(1)
    assert pickle.loads(pickle.dumps(amount(1) / 3)) == amount(1) / 3
    # A share of nothing, or of everything and more, is no budget.
    for wrong in (lambda: amount(1) * 0, lambda: amount(1) / 0, lambda: amount(1) * -1):
        with pytest.raises((dpcov.UsageError, ZeroDivisionError)):
            wrong()


# As a ledger counts: in the decimals that people write, never less.
@pytest.mark.parametrize("amount", [dpcov.Rho, dpcov.Epsilon])
def test_sums_are_those_of_decimals(amount, tmp_path):
    assert 0.1 + 0.7 != 0.8  # control: doubles are rounded to the nearest
    assert amount(0.1) + amount(0.7) == amount(0.8)
    assert sum([amount(0.1)] * 10) == 10 * amount(0.1) == amount(0.1) * 10 == amount(1)
    assert 3 * amount(0.1) == amount(0.3)
    assert amount(1e-3) * 5000 == amount(5)
    assert amount(0.1) * 1001 == amount(100.1)
    # Its product with a power of two is a double, which is less than as many of its decimals.
    decimals = Fraction("0.6958328667684435") * 1024
    assert Fraction(str((amount(0.6958328667684435) * 1024).value)) >= decimals
    assert Fraction(str(0.6958328667684435 * 1024)) < decimals
    assert Fraction(str((amount(0.8247475118225733) / 1024).value)) * 1024 <= Fraction(
        "0.8247475118225733"
    )
    ledger = dpcov.Ledger(tmp_path / "ledger", create=True)
    ledger.declare("people", sum([amount(0.1)] * 10))
    for _ in range(10):
        dpcov.covariance(
            [[0.5]], bounds=(0, 1), budget=amount(0.1), ledger=ledger, dataset="people"
        )


@pytest.mark.parametrize("total", [0.1, 0.3, 0.7, 1.0, 2.1])
def test_shares_fill_an_account_and_no_more(tmp_path, total):
    table = [[0.5], [0.25]]
    for count in (3, 5, 6, 7, 9):
        ledger = dpcov.Ledger(tmp_path / f"{count}.ledger", create=True)
        ledger.declare("people", dpcov.Rho(total))
        share = dpcov.Rho(total) / count
        assert share.value == pytest.approx(total / count, rel=1e-15)
        for _ in range(count):
            dpcov.covariance(
                table, bounds=(0, 1), budget=share, ledger=ledger, dataset="people", method="gauss"
            )
        with pytest.raises(dpcov.BudgetError):
            dpcov.covariance(table, bounds=(0, 1), budget=share, ledger=ledger, dataset="people")
    many = dpcov.Rho(total) / 12345
    assert many.value * 12345 <= total


def test_definitions_do_not_mix():
    both = dpcov.ApproximateDP(1, 1e-9)
    for wrong in (
        lambda: dpcov.Rho(1) + dpcov.Epsilon(1),
        lambda: dpcov.Rho(1) < dpcov.Epsilon(1),
        lambda: dpcov.Rho(1) / dpcov.Epsilon(1),
        lambda: dpcov.Rho(1) + 1,
        lambda: 1 + dpcov.Rho(1),
        lambda: dpcov.Rho(1) < 1,
        lambda: dpcov.Rho(1) * dpcov.Rho(1),
        lambda: both + both,
        lambda: both / 2,
    ):
        with pytest.raises(TypeError):
            wrong()
    assert dpcov.Rho(1) != dpcov.Epsilon(1)
    assert both == dpcov.ApproximateDP(1, 1e-9)
    assert both not in (dpcov.ApproximateDP(1, 1e-8), dpcov.ApproximateDP(2, 1e-9), (1, 1e-9))


def test_a_number_is_no_budget():
    for call in (
        lambda: dpcov.delta_of(dpcov.Rho(0.1), 1.0),
        lambda: dpcov.delta_of(0.1, dpcov.Epsilon(1.0)),
        lambda: dpcov.epsilon_of(0.1, 1e-6),
        lambda: dpcov.rho_for((1.0, 1e-6)),
        lambda: dpcov.rho_of(1.0),
        lambda: dpcov.best_guess(0.1),
    ):
        with pytest.raises(dpcov.UsageError, match=r"dpcov\.(Rho|Epsilon|ApproximateDP)"):
            call()


@pytest.mark.parametrize("given", [{}, {"epsilon": 1}, {"delta": 1e-9}])
def test_what_an_approximate_budget_needs_is_told(given):
    with pytest.raises(TypeError, match=r"needs epsilon and delta.*dpcov\.Epsilon") as told:
        dpcov.ApproximateDP(**given)
    assert "incompatible" not in str(told.value)


@pytest.mark.parametrize(
    ("make", "name", "shown"),
    [
        (lambda: dpcov.Rho("0.1"), "rho", "'0.1'"),
        (lambda: dpcov.Rho(True), "rho", "True"),
        (lambda: dpcov.Rho(np.True_), "rho", ""),
        (lambda: dpcov.Epsilon(None), "epsilon", "None"),
        (lambda: dpcov.Epsilon([1.0]), "epsilon", "an object of type list"),
        (lambda: dpcov.ApproximateDP("1", 1e-6), "epsilon", "'1'"),
        (lambda: dpcov.ApproximateDP(1, False), "delta", "False"),
        (lambda: dpcov.epsilon_of(dpcov.Rho(1), "1e-6"), "delta", "'1e-6'"),
        (lambda: dpcov.epsilon_of(dpcov.Rho(1), None), "delta", "None"),
        (lambda: dpcov.norm_bound_for_unit(None), "norm_bound", "None"),
        (lambda: dpcov.plan(None, budget=dpcov.Rho(1), bounds=(0, 1)), "rows", "None"),
        (lambda: dpcov.Rho(10**5000), "rho", "an object of type int"),
        (lambda: dpcov.plan(10**400, budget=dpcov.Rho(1), bounds=(0, 1)), "rows", "an object of"),
    ],
)
def test_what_is_no_number_is_said(make, name, shown):
    with pytest.raises(dpcov.UsageError, match=re.escape(f"{name} is no number: {shown}")):
        make()


def test_a_curve_that_is_none_is_refused_for_every_budget():
    for budget in (dpcov.Rho(1), dpcov.Epsilon(1), dpcov.ApproximateDP(1, 1e-6)):
        with pytest.raises(dpcov.UsageError, match="curve is 'nonsense'"):
            dpcov.best_guess(budget, curve="nonsense")
    assert dpcov.best_guess(dpcov.Epsilon(1)) == dpcov.best_guess(
        dpcov.Epsilon(1), curve="gaussian"
    )


def test_numbers_of_numpy_are_numbers():
    assert dpcov.Rho(np.float32(0.5)) == dpcov.Rho(np.int64(1)) / 2 == dpcov.Rho(0.5)


def test_an_account_that_is_declared_again_just_so_is_left_as_it_is(tmp_path):
    ledger = dpcov.Ledger(tmp_path / "ledger.db", create=True)
    for total in (dpcov.Rho(0.3), dpcov.Epsilon(1.0), dpcov.ApproximateDP(1.0, 1e-6)):
        name = repr(total)
        ledger.declare(name, total)
        with pytest.raises(dpcov.UsageError):
            ledger.declare(name, total)
        ledger.declare(name, total, exist_ok=True)
        assert ledger.statement(name).total == total
    for other in ({"total": dpcov.Rho(0.4)}, {"total": dpcov.Epsilon(0.3)}):
        with pytest.raises(dpcov.UsageError):
            ledger.declare("Rho(0.3)", **other, exist_ok=True)
    with pytest.raises(dpcov.UsageError):
        ledger.declare("Rho(0.3)", dpcov.Rho(0.3), neighbours="add-remove", exist_ok=True)
    ledger.declare("other", dpcov.Rho(0.3), neighbours="add-remove")
    assert ledger.statement("other").neighbours == "add-remove"
    assert ledger.charges("other") == []
    with pytest.raises(dpcov.UsageError, match="other"):
        ledger.charges("another")
    with pytest.raises(dpcov.UsageError):  # no such name, however often
        ledger.declare("", dpcov.Rho(0.3), exist_ok=True)


def test_what_is_left_can_be_spent(tmp_path):
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    rows = np.random.default_rng(0).uniform(size=(50, 1))
    source = np.random.default_rng(1)
    for k in range(40):
        total = dpcov.Rho(float(source.uniform(0.1, 1)))
        ledger.declare(f"{k}", total)

        def spend(amount, k=k):
            dpcov.covariance(
                rows, budget=amount, bounds=(0, 1), ledger=ledger, dataset=f"{k}", method="gauss"
            )

        for share in source.uniform(0.1, 0.3, 2):
            spend(dpcov.Rho(total.value * share))
        spend(dpcov.Rho(ledger.statement(f"{k}").left))
        assert ledger.statement(f"{k}").spent <= total.value
