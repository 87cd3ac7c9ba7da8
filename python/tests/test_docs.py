"""The code of the pages runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), flags=re.M | re.S)


@pytest.mark.parametrize(("page", "least"), [("docs/python.md", 8), ("README.md", 1)])
def test_code_of_a_page_runs(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert len(found) >= least
    exec(compile("\n".join(found), page, "exec"), {})
