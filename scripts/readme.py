#!/usr/bin/env python3
"""Keeps README.md in step with what it shows.

    scripts/readme.py check PROGRAM    fails, saying what to do, where README.md is out of date
    scripts/readme.py write PROGRAM    writes the current text into it

PROGRAM is the built `dpcov`. Two blocks, each between <!-- begin NAME --> and <!-- end NAME -->:
quickstart holds examples/quickstart.cpp, methods a table made of `dpcov methods --json`.
"""

import json
import pathlib
import subprocess
import sys

from pages import markdown, with_block

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def quickstart():
    return "```cpp\n" + (ROOT / "examples/quickstart.cpp").read_text() + "```"


def methods(program):
    listing = subprocess.run([program, "methods", "--json"], check=True, capture_output=True)
    rows = []
    for method in json.loads(listing.stdout):
        meets = ["yes" if method[definition] else "" for definition in ("zcdp", "pure_dp")]
        rows.append([f"`{method['name']}`", *meets, method["summary"], method["source"]])
    return markdown(["method", "zCDP", "pure DP", "what it does", "source"], rows)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("check", "write"):
        sys.exit(__doc__)
    action, program = sys.argv[1:]
    old = README.read_text()
    new = with_block(old, "quickstart", quickstart())
    new = with_block(new, "methods", methods(program))
    if action == "write":
        README.write_text(new)
    elif new != old:
        sys.exit(f"README.md is out of date; run: scripts/readme.py write {program}")


if __name__ == "__main__":
    main()
