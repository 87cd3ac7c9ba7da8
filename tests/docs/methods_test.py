#!/usr/bin/env python3
"""What pages, and the audit from outside, say of methods by name is what the catalogue says.

    methods_test.py PROJECT_FOLDER PROGRAM

PROGRAM is the built `dpcov`. README.md's table is made of the catalogue by scripts/readme.py. Ends
with its own negative control: files that say another name must be refused.
"""

import json
import pathlib
import re
import subprocess
import sys

FILES = ("docs/cli.md", "docs/deriving.md", "docs/privacy.md", "audit/outside/properties.py")


def between(text, begin, end):
    """What stands behind `begin`, up to `end`. Fails where the page has no such place."""
    found = re.search(re.escape(begin) + "(.*?)" + re.escape(end), text, re.DOTALL)
    if not found:
        raise SystemExit(f"no file has a text from {begin!r} to {end!r}; bring this test up to date")
    return found[1]


def first_cells(table):
    return "".join(re.findall(r"^(\|[^|]*\|)", table, re.MULTILINE))


def wrong(texts, dpcov):
    """A line for every place that says something else."""
    cli, deriving, privacy, audit = (texts[name] for name in FILES)
    facts = json.loads(dpcov("methods", "--json"))
    all_of_them = {method["name"] for method in facts}
    gaussian = json.loads(dpcov("budget", "--rho", "1", "--json"))["gaussian"]["methods"]

    def where(fact, holds=True):
        return {method["name"] for method in facts if method[fact] == holds}

    def named(text):
        return set(re.findall(r"[`\"]([\w-]+)[`\"]", text)) & all_of_them

    def helped(command, option):
        """Those that the help of an option names, which is made of the catalogue or held against it."""
        help_of_it = between(dpcov(*command.split(), "--help"), f"\n  {option} ", "\n  --")
        return set(re.findall(r"[\w-]+", help_of_it)) & all_of_them

    for command in ("methods", "budget --epsilon 1 --delta 1e-6"):
        # The page may have other ends of lines.
        if between(cli, f"$ dpcov {command}\n", "```").split() != dpcov(*command.split()).split():
            yield f"docs/cli.md shows other output of: dpcov {command}"
    keys = set(re.findall(r"`(\w+)`", between(cli, "array of objects with", ".\n")))
    if not keys >= set(facts[0]):
        yield f"docs/cli.md does not name what `methods --json` has: {set(facts[0]) - keys}"

    yes = "\n".join(row for row in between(deriving, "| method | noise |", "\n\n").split("\n")
                    if row.endswith("| yes |"))
    for place, text, names in (
        ("docs/cli.md, --clip", between(cli, "| `--clip T` |", "|\n"), where("needs_clip")),
        ("docs/cli.md, --full-norms", between(cli, "| `--full-norms` |", "|\n"), where("takes_full_norms")),
        ("docs/cli.md, --steps", between(cli, "| `--steps S` |", "|\n"), where("takes_steps")),
        ("docs/cli.md, --center", between(cli, "| `--center` |", "|\n"), helped("estimate", "--center")),
        ("docs/cli.md, --keep-directions", between(cli, "methods that clip below B need (", ")"),
         helped("moment add", "--keep-directions")),
        ("docs/cli.md, no intervals", between(cli, "If no interval is known (", ", and the variants"),
         where("has_intervals", False)),
        ("docs/deriving.md, intervals", first_cells(yes), where("has_intervals")),
        ("docs/privacy.md, Gaussian curve", first_cells(between(privacy, "| method | what it draws |", "\n\n")),
         set(gaussian)),
        ("audit/outside/properties.py, METHODS", between(audit, "\nMETHODS = (", ")"),
         where("zcdp") - where("needs_clip") - {"zero"}),
    ):
        if named(text) != names:
            yield f"{place}: it names {sorted(named(text))}, and it should {sorted(names)}"


def main():
    root, program = sys.argv[1:]

    def dpcov(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout

    texts = {name: (pathlib.Path(root) / name).read_text() for name in FILES}
    found = list(wrong(texts, dpcov))
    print("\n".join(found))
    for name, text in texts.items():
        other = texts | {name: re.sub(r"([`\"])gauss\1", r"\1clip-laplace\1", text)}
        if not any(line.startswith(name) for line in wrong(other, dpcov)):
            found.append(name)
            print(f"control: a wrong name in {name} was not found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
