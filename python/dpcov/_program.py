"""The program `dpcov`, which the package brings along."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Run the program in place of this process, with its arguments."""
    program = str(Path(__file__).with_name("bin") / "dpcov")
    os.execv(program, [program, *sys.argv[1:]])
