"""Documented arguments pass a type checker."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpcov

CALLS = """
from typing import Any
import numpy as np
import dpcov

class Labelled:  # as a series of pandas
    iloc: Any = None
    def __len__(self) -> int: return 2

rho, rows = dpcov.Rho(1), np.ones((3, 2))
dpcov.covariance(rows, budget=rho, bounds={"a": (0, 1, None), "b": (0, 1)})
dpcov.covariance(rows, budget=rho, bounds={"a": np.array([0, 1]), 1: [0, 1]})
dpcov.covariance(rows, budget=rho, bounds={"a": (0, 1, None, -99), "b": (0, 1, 0.5, [7, 9])})
dpcov.covariance(rows, budget=rho, bounds=(0, 1, 0.5, [7, 9]))
dpcov.covariance(rows, budget=rho, bounds=Labelled())
dpcov.covariance(rows, budget=rho, bounds=dpcov.read_bounds("bounds.csv"))
dpcov.covariance(rows, budget=rho, norm_bound=1, column_scale=np.ones(2))
dpcov.covariance(rows, budget=rho, norm_bound=1, column_scale=Labelled())
dpcov.plan(10, budget=rho, bounds=(0, 1), columns=2, deviations=np.array([1, 2]))
dpcov.SecondMoment([0, 1], norm_bound=1)
dpcov.SecondMoment(["a", 1], norm_bound=1)
dpcov.covariance(rows, budget=rho, bounds=3)  # type: ignore[arg-type]
dpcov.covarianse(rows)  # type: ignore[attr-defined]
dpcov.sklearn.PrivateCovariances()  # type: ignore[attr-defined]
"""


@pytest.mark.unsanitized
def test_documented_arguments_have_their_types(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    calls = tmp_path / "calls.py"
    calls.write_text(CALLS)
    monkeypatch.setenv("MYPYPATH", str(Path(dpcov.__file__).parents[1]))
    options = ["--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
    told, problem, _ = api.run([*options, str(calls)])
    assert "Success" in told, told + problem
