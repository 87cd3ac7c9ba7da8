#!/usr/bin/env python3
"""Parses every source by itself, as whoever adds dpcov to a project compiles it.

    scripts/alone.py BUILD    a folder configured without unity builds; nothing is built in it

Other builds put many sources into one, where a source can live on what another one includes.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ("src", "apps", "audit", "research", "examples", "python/src")


def errors_of(command):
    """What the compiler says of a source; empty where it is well."""
    words = [*shlex.split(command["command"]), "-fsyntax-only"]
    done = subprocess.run(words, cwd=command["directory"], capture_output=True, text=True, check=False)
    return done.stderr or "it failed" if done.returncode != 0 else ""


def main():
    database = pathlib.Path(sys.argv[1]) / "compile_commands.json"
    commands = [
        command
        for command in json.loads(database.read_text(encoding="utf-8"))
        if any(
            pathlib.Path(command["file"]).resolve().is_relative_to(ROOT / room) for room in ROOMS
        )
    ]
    if not commands:
        sys.exit(f"alone: {database} has no source of {ROOT}")
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        told = list(pool.map(errors_of, commands))
    for command, errors in zip(commands, told, strict=True):
        if errors:
            print(f"{command['file']} does not compile by itself:\n{errors}", file=sys.stderr)
    print(f"alone: {told.count('')} of {len(told)} sources compile by themselves")
    return 1 if any(told) else 0


if __name__ == "__main__":
    sys.exit(main())
