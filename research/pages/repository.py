"""Where the repository is, and what writes tables into its pages (scripts/pages.py)."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "scripts"))
from pages import block, markdown, names, put, with_block  # noqa: E402

__all__ = ["ROOT", "block", "markdown", "names", "put", "with_block"]
