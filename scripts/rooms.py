#!/usr/bin/env python3
"""Draws the rooms of the code and the arrows between them from its includes, into docs/design.md.

    scripts/rooms.py check    fails where an arrow runs up, headers include each other in a circle,
                              or the drawing in docs/design.md is not that of the code
    scripts/rooms.py write    writes the drawing

A room is a folder. Its arrows are the headers of other rooms that its files include. A public
header, which stands in include/dpcov/, belongs to the room that implements it.
"""

import pathlib
import re
import sys

from pages import with_block

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/design.md"

# From the ground up: an arrow runs from a room to one before it.
ROOMS = {
    "ground": [
        "include/dpcov/eigen.hpp",
        "include/dpcov/error.hpp",
        "include/dpcov/export.hpp",
        "include/dpcov/limits.hpp",
        "include/dpcov/sparse_row.hpp",
        "include/dpcov/words.hpp",
    ],
    "text": ["src/text"],
    "arithmetic": ["src/arithmetic"],
    "random": ["src/random"],
    "privacy": ["src/privacy", "include/dpcov/budget.hpp", "include/dpcov/bounds.hpp"],
    "files": ["src/files"],
    "tables": ["src/tables", "include/dpcov/schema.hpp", "include/dpcov/table.hpp"],
    "moment": ["src/moment", "include/dpcov/second_moment.hpp"],
    "estimate": ["src/estimate", "include/dpcov/statistics.hpp"],
    "partition": ["src/partition"],
    "regression": ["src/regression"],
    "mechanism": [
        "src/mechanism",
        "include/dpcov/methods.hpp",
        "include/dpcov/version.hpp",
        "include/dpcov/accountant.hpp",
        "include/dpcov/release.hpp",
    ],
    "derive": ["src/derive", "include/dpcov/derive.hpp"],
    "plan": ["src/plan", "include/dpcov/plan.hpp"],
    "report": [
        "src/report",
        "include/dpcov/concerns.hpp",
        "include/dpcov/record.hpp",
        "include/dpcov/release_file.hpp",
    ],
    "ledger": ["src/ledger", "include/dpcov/ledger.hpp"],
    "library": ["include/dpcov/dpcov.hpp"],
    "audit": ["audit"],
    "command_line": ["apps/command_line"],
    "dpcov": ["apps/dpcov"],
    "dpcov-mpi": ["apps/dpcov-mpi"],
    "dpcov-lab": ["research"],
}
ORDER = list(ROOMS)
INCLUDE_FOLDERS = ["include", "src", "apps", "apps/dpcov", "apps/dpcov-mpi", "."]


def sources():
    """Every file of the rooms, with its room. Exits where a file has none."""
    rooms = {}
    for folder in ("include", "src", "audit", "apps", "research"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            name = path.relative_to(ROOT).as_posix()
            found = [
                room
                for room, places in ROOMS.items()
                if any(name == place or name.startswith(place + "/") for place in places)
            ]
            if len(found) != 1:
                sys.exit(f"{name} belongs to no room; give it one in scripts/rooms.py")
            rooms[name] = found[0]
    return rooms


def includes(name, files):
    """The files of the rooms that the file `name` includes."""
    for header in re.findall(r'^#include "([^"]+)"', (ROOT / name).read_text(), re.MULTILINE):
        for folder in INCLUDE_FOLDERS:
            candidate = header if folder == "." else f"{folder}/{header}"
            if candidate in files:
                yield candidate
                break


def circle(graph):
    """Files that include each other in a circle, or nothing."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        path.append(name)
        for other in graph[name]:
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(name)
        return None

    for name in graph:
        found = visit(name)
        if found:
            return found
    return None


def reachable(arrows, start):
    seen, todo = set(), list(arrows[start])
    while todo:
        room = todo.pop()
        if room not in seen:
            seen.add(room)
            todo += arrows[room]
    return seen


def drawing(arrows):
    """A graph without the arrows that follow from others."""
    lines = ["```mermaid", "graph TD"]
    for room in reversed(ORDER):
        shortened = [
            other
            for other in arrows[room]
            if not any(other in reachable(arrows, via) for via in arrows[room] if via != other)
        ]
        lines += [f"  {room} --> {other}" for other in sorted(shortened, key=ORDER.index)]
    lines += ["```", "", "| room | includes headers of |", "|---|---|"]
    for room in ORDER:
        names = [f"`{other}`" for other in sorted(arrows[room], key=ORDER.index)]
        lines.append(f"| `{room}` | {', '.join(names) or 'none'} |")
    return "\n".join(lines)


def main():
    if sys.argv[1:] not in (["check"], ["write"]):
        sys.exit(__doc__)
    rooms = sources()
    graph = {name: list(includes(name, rooms)) for name in rooms}
    arrows = {room: set() for room in ROOMS}
    complaints = []
    for name, others in graph.items():
        for other in others:
            if rooms[other] == rooms[name]:
                continue
            arrows[rooms[name]].add(rooms[other])
            if ORDER.index(rooms[other]) > ORDER.index(rooms[name]):
                complaints.append(f"{name} ({rooms[name]}) includes {other} ({rooms[other]}): up")
    found = circle(graph)
    if found:
        complaints.append("a circle of includes: " + " -> ".join(found))
    if complaints:
        sys.exit("\n".join(complaints))
    text = PAGE.read_text()
    current = with_block(text, "rooms", drawing(arrows))
    if sys.argv[1] == "write":
        PAGE.write_text(current)
    elif current != text:
        sys.exit("the rooms in docs/design.md are not those of the code; run scripts/rooms.py write")


if __name__ == "__main__":
    main()
