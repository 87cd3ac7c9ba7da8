"""The code of the pages runs as it stands there, and the reference leaves out no public name."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str) -> list[str]:
    text = (ROOT / page).read_text()
    found = re.finditer(r"^( *)```python\n(.*?)^\1```", text, flags=re.M | re.S)
    return [textwrap.dedent(block[2]) for block in found]


def run(page: str, least: int) -> None:
    found = blocks(page)
    assert len(found) >= least
    exec(compile("\n".join(found), page, "exec"), {})


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("docs/python.md", 8),
        ("README.md", 1),
        ("docs/scikit-learn.md", 8),
        ("docs/site/index.md", 1),
    ],
)
def test_code_of_a_page_runs(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(page, least)


def test_tutorial_runs(tmp_path, monkeypatch):
    table = Path(os.environ.get("DPCOV_DATA", "")) / "adult/adult.data.gz"
    if not table.is_file():
        pytest.skip("the tutorial's table, adult/adult.data.gz, is not in the folder DPCOV_DATA")
    monkeypatch.chdir(tmp_path)
    run("docs/tutorial.md", 12)


# The libraries warn of each other.
@pytest.mark.filterwarnings("ignore")
def test_calls_of_other_libraries_are_as_the_guide_says(tmp_path, monkeypatch):
    for needed in ("diffprivlib", "opendp"):
        pytest.importorskip(needed, reason=f"{needed}, of the group peers, is not installed")
    monkeypatch.chdir(tmp_path)
    run("docs/migrating.md", 10)


@pytest.mark.parametrize(("module", "page"), [("dpcov", "python"), ("dpcov.sklearn", "sklearn")])
def test_reference_has_every_public_name(module, page):
    text = (ROOT / f"docs/reference/{page}.md").read_text()
    listed = set(
        re.findall(r"^\.\. (?:autoclass|autofunction|autoexception|data):: (\w+)", text, flags=re.M)
    )
    assert listed == set(importlib.import_module(module).__all__)


@pytest.mark.parametrize("module", ["dpcov", "dpcov.sklearn"])
def test_names_of_a_field_stand_on_one_line(module):
    """The rest on a second line would be another field, which stops the site."""
    names = importlib.import_module(module)
    documented = [getattr(names, name) for name in names.__all__]
    for one in documented:
        assert not re.findall(r"^\w+(?:, \w+)*,$", inspect.getdoc(one) or "", flags=re.M), one
