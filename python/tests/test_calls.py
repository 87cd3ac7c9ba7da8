"""Calls in any order, with arguments of any kind: an exception or a result, never a crash."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpcov
from dpcov._request import ReleaseOptions, Request

# Of concerns about bounds and releases, which are made up.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NUMBERS = st.one_of(
    st.floats(),
    st.integers(-(2**70), 2**70),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.just(np.float64("nan")),
)
BUDGETS = st.sampled_from(
    [dpcov.Rho(1), dpcov.Epsilon(1), dpcov.ApproximateDP(1, 1e-6), 1.0, None, "rho"]
)
ARRAYS = st.one_of(
    st.builds(
        lambda rows, columns, dtype: np.ones((rows, columns)).astype(dtype),
        st.integers(0, 5),
        st.integers(0, 4),
        st.sampled_from("?bhfdgOcSU"),
    ),
    st.lists(st.lists(NUMBERS, max_size=3), max_size=3),
    st.just(iter([np.ones((2, 2)), np.zeros((2, 2))])),
    NUMBERS,
)
BOUNDS = st.one_of(
    st.none(),
    st.just((-1.0, 1.0)),
    st.tuples(NUMBERS, NUMBERS),
    st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3),
    st.dictionaries(
        st.one_of(st.integers(-1, 3), st.text(max_size=1)), st.just((0, 1)), max_size=3
    ),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "method": st.sampled_from([method.name for method in dpcov.methods()] + ["", "no"]),
        "variant": st.sampled_from(["best", "paper", "published", "x"]),
        "neighbours": st.sampled_from(["replace", "add-remove", ""]),
        "center": st.one_of(st.none(), st.booleans()),
        "clip": NUMBERS,
        "full_norms": st.booleans(),
        "steps": st.integers(-1, 6),
        "scaled": st.booleans(),
        "insecure_seed": st.integers(-1, 2**65),
        "threads": st.one_of(st.none(), st.integers(-1, 3)),
    },
)
#: What a wrong argument may raise. BaseException is no such thing, and neither is SystemError.
REFUSED = (dpcov.Error, TypeError, ValueError, OverflowError, MemoryError, AttributeError)


def attempt(call: Any, *arguments: Any, **options: Any) -> Any:
    try:
        return call(*arguments, **options)
    except SystemError:
        raise
    except REFUSED:
        return None


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(rows=ARRAYS, budget=BUDGETS, bounds=BOUNDS, norm_bound=NUMBERS, options=OPTIONS)
def test_one_call(rows, budget, bounds, norm_bound, options):
    release = attempt(
        dpcov.covariance, rows, budget=budget, bounds=bounds, norm_bound=norm_bound, **options
    )
    if release is not None:
        assert np.isfinite(release.covariance()).all()
        assert repr(release)
        assert release._repr_html_()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["new", "add", "merge", "sum", "release", "copy", "derive", "part", "columns", "drop"]
        ),
        st.integers(0, 5),
        st.integers(0, 5),
        ARRAYS,
        OPTIONS,
        BUDGETS,
    ),
    max_size=12,
)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps=STEPS)
def test_sequences_of_calls(steps):
    moments = [dpcov.SecondMoment(2, bounds=(-1, 1)), dpcov.SecondMoment(["a", "b"], norm_bound=1)]
    releases: list[dpcov.Release] = []
    for step, i, j, rows, options, budget in steps:
        one = moments[i % len(moments)]
        other = moments[j % len(moments)]
        if step == "new":
            moments.append(dpcov.SecondMoment(1 + i, norm_bound=1.0))
        elif step == "add":
            attempt(one.add, rows)
            attempt(one.add, np.full((i, 2), 0.1 * j))
        elif step == "merge":
            attempt(one.merge, other)
        elif step == "sum":
            total = attempt(lambda a, b: a + b, one, other)
            moments += [total] if total is not None else []
        elif step == "copy":
            moments.append(attempt(copy.copy, one) or one)
        elif step == "part":
            attempt(one.declare_part, str(i))
        elif step == "columns":
            assert one.columns
        elif step == "drop" and len(moments) > 1:
            moments.pop(i % len(moments))
        elif step == "release":
            made = attempt(one.release, budget, **options)
            releases += [made] if made is not None else []
        elif step == "derive" and releases:
            made = releases[i % len(releases)]
            attempt(made.pca, j)
            attempt(made.regression, i, [j])
            made.correlation()


def test_options_of_a_release_are_the_same_wherever_they_are_listed():
    """For editors and help they stand in several places, with their defaults."""
    fields = {field.name: field.default for field in dataclasses.fields(Request)}
    options = set(ReleaseOptions.__annotations__)
    assert options == fields.keys() - {"budget", "passes"}
    for call in (dpcov.SecondMoment.release, dpcov.covariance):
        listed = inspect.signature(call).parameters
        assert {name: listed[name].default for name in options} == {
            name: fields[name] for name in options
        }
