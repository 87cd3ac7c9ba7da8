"""The program `dpcov`, which the package brings along."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn


def program_path() -> Path:
    """Return where the program is: beside what is compiled, which may be apart from the sources."""
    module = find_spec("dpcov._core")
    compiled = module.origin if module is not None else None
    return Path(compiled or __file__).with_name("bin") / "dpcov"


def main() -> NoReturn:
    """Run the program in place of this process, with its arguments."""
    program = str(program_path())
    os.execv(program, [program, *sys.argv[1:]])
