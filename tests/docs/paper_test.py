#!/usr/bin/env python3
"""docs/paper.md goes through the whole of the paper.

    paper_test.py PROJECT_FOLDER

Every definition, lemma, theorem, algorithm and figure of the text has a line; every line says what
is the same, departs or is not here; whatever is here has a link to a file that there is. Ends with
its own negative controls: pages that lack one of these must be refused.
"""

import pathlib
import re
import sys

# What the text numbers.
ITEMS = {"Definition": 2, "Lemma": 19, "Theorem": 4, "Algorithm": 3, "Figure": 7, "Fact": 1, "Claim": 1,
         "Example": 1}
VERDICT = re.compile(r"(same|departs|not here)\b")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)[^)\s]*\)")


def lines_of(text):
    rows = [line.strip().strip("|") for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row.split(" | ")] for row in rows]
    return [c for c in cells if c[0] not in ("item", "---")]


def faults(text, folder):
    lines = lines_of(text)
    names = [line[0] for line in lines]
    for kind, count in ITEMS.items():
        for number in range(1, count + 1):
            if names.count(f"{kind} {number}") != 1:
                yield f"{kind} {number} has {names.count(f'{kind} {number}')} lines"
    for line in lines:
        if len(line) != 4:
            yield f"{line[0]}: {len(line)} cells"
        elif not VERDICT.match(line[3]):
            yield f"{line[0]}: says neither same, departs nor not here"
        else:
            links = LINK.findall(line[2])
            if not links and not line[3].startswith("not here"):
                yield f"{line[0]}: no link"
            for link in links:
                if link and not (folder / link).exists():
                    yield f"{line[0]}: {link} is dead"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve() / "docs"
    text = (folder / "paper.md").read_text()
    found = list(faults(text, folder))
    broken = {
        "a dead link": text.replace("priv_radius.hpp)", "no_such_file.hpp)", 1),
        "a missing lemma": re.sub(r"^\| Lemma 10 .*\n", "", text, flags=re.MULTILINE),
        "no verdict": re.sub(r"^(\| Theorem 3 .*)\| same[^|]*\|$", r"\1| perhaps |", text, flags=re.MULTILINE),
        "no link": text.replace("[sparse_vector](../src/mechanism/sparse_vector.hpp)", "somewhere"),
    }
    for what, page in broken.items():
        if page == text or not list(faults(page, folder)):
            found.append(f"control: {what} was not noticed")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
