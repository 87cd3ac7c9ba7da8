"""Plans are those of the program, and refuse nonsense."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpcov

BOUNDS = {"age": (18, 100), "pressure": (80, 220), "days": (0, 30)}


def test_a_plan_is_that_of_the_program(
    program: str,
    tmp_path: Path,
) -> None:
    file = tmp_path / "bounds.csv"
    file.write_text("".join(f"{name},{a},{b}\n" for name, (a, b) in BOUNDS.items()))
    arguments = ["plan", "--rows", "12000", "--bounds", str(file), "--rho", "0.1", "--json"]
    printed = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
    theirs = json.loads(printed.stdout)
    ours = dpcov.plan(12000, budget=dpcov.Rho(0.1), bounds=BOUNDS)
    assert ours.correlation_error == pytest.approx(
        theirs["standard_error"]["correlation"], rel=1e-12
    )
    assert ours.mean_error == pytest.approx(theirs["standard_error"]["mean"], rel=1e-12)
    assert list(ours.frobenius_error_by_method) == list(theirs["frobenius_error"])
    assert ours.correlation_error_by_method == theirs["standard_error_of_correlation"]
    assert ours.correlation_error_by_method[theirs["method"]] == ours.correlation_error
    assert not ours.nothing_seen
    printed = subprocess.run(
        [program, *arguments, "--neighbours", "add-remove"], check=True, capture_output=True
    )
    hidden = dpcov.plan(12000, budget=dpcov.Rho(0.1), bounds=BOUNDS, neighbours="add-remove")
    theirs = json.loads(printed.stdout)["standard_error"]
    assert hidden.correlation_error == pytest.approx(theirs["correlation"], rel=1e-12)
    assert hidden.mean_error != ours.mean_error


def test_the_budget_for_an_error_gives_that_error() -> None:
    found = dpcov.budget_for_correlation_error(0.02, 12000, bounds=BOUNDS)
    assert isinstance(found, dpcov.Rho)
    assert dpcov.plan(12000, budget=found, bounds=BOUNDS).correlation_error <= 0.02
    pure = dpcov.budget_for_correlation_error(0.02, 12000, bounds=BOUNDS, pure=True)
    assert isinstance(pure, dpcov.Epsilon)


def test_nothing_would_be_seen() -> None:
    planned = dpcov.plan(
        10, budget=dpcov.Rho(1e-6), columns=200, norm_bound=1.0, deviations=[0.1] * 200
    )
    assert planned.nothing_seen
    assert planned.covariance_error is None
    assert planned.correlation_errors.shape == (0, 0)
    assert planned.mean_errors.shape == (0,)


def test_what_is_known_of_columns_is_told_of_each(program: str, tmp_path: Path) -> None:
    file = tmp_path / "bounds.csv"
    file.write_text("".join(f"{name},{a},{b}\n" for name, (a, b) in BOUNDS.items()))
    told = ["--deviation", "age=15", "--deviation", "days=2", "--mean", "age=60", "--passes", "2"]
    printed = subprocess.run(
        [program, "plan", "--rows", "12000", "--bounds", str(file), "--rho", "1", *told, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    theirs = json.loads(printed.stdout)
    facts: dict[str, Any] = {"budget": dpcov.Rho(1.0), "bounds": BOUNDS, "passes": 2}
    ours = dpcov.plan(12000, **facts, deviations={"age": 15, "days": 2}, means={"age": 60})
    assert ours.estimated_correlation_error == pytest.approx(
        theirs["estimate_error"]["correlation"]
    )
    assert 0.0 < ours.estimated_correlation_error < ours.correlation_error
    np.testing.assert_allclose(ours.correlation_errors, theirs["correlation_standard_errors"])
    for place, column in enumerate(theirs["table_units"]):
        assert ours.covariance_errors[place, place] == pytest.approx(column["variance"])
        assert ours.mean_errors[place] == pytest.approx(column["mean"])
    assert list(ours.frobenius_error_by_method) == list(theirs["frobenius_error"])
    assert ours.frobenius_error_by_method["auto"] == ours.frobenius_error
    # Of the column that varies least correlations are told worst.
    assert ours.correlation_errors[0, 2] > ours.correlation_errors[0, 1]
    listed = dpcov.plan(12000, **facts, deviations=[15, None, 2], means=[60, None, None])
    np.testing.assert_array_equal(listed.correlation_errors, ours.correlation_errors)


def test_deviations_that_are_none() -> None:
    for deviations, words in (
        ({"ages": 3.0}, "did you mean 'age'"),
        ({"age": 0.0}, "'age' must be above 0"),
        ({"age": 50.0}, "half of the range"),
        ([1.0, 2.0], "2 entries for 3 columns"),
        (5.0, "a dict by column"),
        ({"age": "old"}, "deviations"),
    ):
        with pytest.raises(dpcov.UsageError, match=words):
            dpcov.plan(
                12000,
                budget=dpcov.Rho(0.1),
                bounds=BOUNDS,
                deviations=deviations,  # type: ignore[arg-type]
            )
    together: dict[str, Any] = {"budget": dpcov.Rho(0.1), "bounds": {"a": (0, 1), "b": (0, 1)}}
    dpcov.plan(3000, means={"a": 0.01}, deviations={"a": 0.0995}, **together)  # rounded
    with pytest.raises(dpcov.UsageError, match="beside that mean"):
        dpcov.plan(3000, means={"a": 0.01}, deviations={"a": 0.5}, **together)
    with pytest.raises(dpcov.UsageError, match="two passes"):
        dpcov.plan(100, budget=dpcov.Rho(0.1), columns=3, norm_bound=1.0, passes=2)
    with pytest.raises(dpcov.UsageError, match="passes"):
        dpcov.plan(100, budget=dpcov.Rho(0.1), bounds=BOUNDS, passes=3)  # type: ignore[arg-type]


def test_bounds_in_every_form_are_the_same_plan() -> None:
    def planned(**facts: Any) -> tuple[float, float]:
        told = dpcov.plan(12000, budget=dpcov.Rho(0.1), **facts)
        return told.correlation_error, told.frobenius_error

    wanted = planned(bounds=[(0, 1), (0, 1), (0, 1)])
    assert planned(bounds=(0, 1), columns=3) == wanted
    assert planned(bounds=(np.zeros(3), np.ones(3))) == wanted
    assert planned(bounds=(0.0, np.ones(3))) == wanted
    assert planned(bounds=np.array([[0, 1]] * 3)) == wanted
    assert planned(bounds={"a": (0, 1), 2: (0, 1), "c": (0, 1)}) == wanted
    assert planned(bounds=[(0, 1), (0, 1)]) != wanted  # of two columns
    for facts in ({"bounds": (0, 1)}, {"bounds": (0, 1, 0.5)}):
        with pytest.raises(dpcov.UsageError, match="columns="):
            planned(**facts)
        with pytest.raises(dpcov.UsageError, match="columns="):
            dpcov.budget_for_correlation_error(0.02, 12000, **facts)
    for columns in (None, 4):
        with pytest.raises(dpcov.UsageError, match="arrays"):
            planned(bounds=(np.zeros(2), np.ones(3)), columns=columns)


def test_bounds_with_labels_are_the_same_plan() -> None:
    pd = pytest.importorskip("pandas")
    bounds = pd.Series({"income": (0, 150_000), "age": (0, 100)})
    labelled, by_name = (
        dpcov.plan(100, budget=dpcov.Rho(1), bounds=each) for each in (bounds, dict(bounds))
    )
    assert labelled.covariance_errors is not None
    np.testing.assert_array_equal(labelled.covariance_errors, by_name.covariance_errors)


def test_facts_that_are_none() -> None:
    with pytest.raises(dpcov.UsageError, match=r"norm.bound"):
        dpcov.plan(10, budget=dpcov.Rho(1.0), columns=3)
    with pytest.raises(dpcov.UsageError, match="fill"):
        dpcov.plan(10, budget=dpcov.Rho(1.0), bounds={"a": (0, 1, 5), "b": (0, 1)})
    with pytest.raises(dpcov.UsageError, match="bounds is 3"):
        dpcov.plan(10, budget=dpcov.Rho(1.0), bounds=3)
    with pytest.raises(dpcov.UsageError, match="spread"):
        dpcov.plan(10, budget=dpcov.Rho(1.0), columns=3, norm_bound=1.0, spread=0.0)
    for none in (0.0, -3.0, float("nan"), float("inf")):
        with pytest.raises(dpcov.UsageError, match=r"norm.bound"):
            dpcov.plan(10, budget=dpcov.Rho(1.0), bounds=[(0, 1)] * 3, norm_bound=none)
    with pytest.raises(dpcov.UsageError, match="2 entries for 3 columns"):
        dpcov.plan(10, budget=dpcov.Rho(1.0), columns=3, bounds=[(0, 1)] * 2)
    with pytest.raises(dpcov.UsageError):
        dpcov.budget_for_correlation_error(2.0, 10, columns=3, norm_bound=1.0)


def test_ctrl_c_ends_a_plan() -> None:
    # Whoever looked for signals only when the plan is made would see one of them.
    seen = []

    def note(number: int, frame: object) -> None:
        seen.append(number)
        if len(seen) == 3:
            raise KeyboardInterrupt

    over = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        while not over.wait(0.02):
            signal.pthread_kill(main, signal.SIGINT)

    before = signal.signal(signal.SIGINT, note)
    thread = threading.Thread(target=interrupt)
    thread.start()
    made = []
    try:
        with pytest.raises(KeyboardInterrupt):
            made.append(dpcov.plan(10**6, budget=dpcov.Rho(1.0), columns=400, norm_bound=1.0))
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert not made


def test_a_delta_not_below_one_over_the_rows_is_warned_of():
    def planned(delta):
        return dpcov.plan(50, budget=dpcov.ApproximateDP(1.0, delta), bounds=[(0, 1)])

    with pytest.warns(UserWarning, match="delta is not below 1/n"):
        assert planned(0.02).delta_not_small
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not planned(0.0199).delta_not_small
