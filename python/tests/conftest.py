from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import dpcov
from _dpcov_program import program_path

# The same examples each time; the night's stages of scripts/test.sh look for new ones.
settings.register_profile("same", derandomize=True, database=None)
settings.register_profile("search")
settings.load_profile("same")

#: Public bounds of the columns of `people`.
BOUNDS = {"age": (0.0, 100.0), "height": (100.0, 220.0), "income": (0.0, 200_000.0)}


@pytest.fixture(scope="session")
def people() -> np.ndarray[Any, Any]:
    """A table of 3000 rows; some values are outside of the bounds."""
    source = np.random.default_rng(7)
    age = source.normal(45, 20, 3000)
    height = source.normal(170, 12, 3000)
    income = 1000 * age + source.normal(20_000, 15_000, 3000)
    return np.column_stack([age, height, income])


def seeded(table: Any, **options: Any) -> dpcov.Release:
    """A release whose noise is always the same."""
    options.setdefault("budget", dpcov.Rho(0.5))
    return dpcov.covariance(table, insecure_seed=11, threads=1, **options)


def same(a: dpcov.Release, b: dpcov.Release) -> bool:
    return a.covariance().tobytes() == b.covariance().tobytes()


@pytest.fixture(scope="session")
def program() -> str:
    """The program that the package brings along."""
    return str(program_path())
