"""The program `dpcov`, which the package brings along.

Apart from the package, whose import takes longer than most of what the program does.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def program_path() -> Path:
    """Return where the program is: this file is installed beside what is compiled."""
    return Path(__file__).parent / "dpcov" / "bin" / "dpcov"


def main() -> NoReturn:
    """Run the program in place of this process, with its arguments."""
    program = str(program_path())
    os.execv(program, [program, *sys.argv[1:]])
