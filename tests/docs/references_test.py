#!/usr/bin/env python3
"""Every reference into the documentation leads somewhere.

    references_test.py PROJECT_FOLDER

Looks at relative links in the Markdown files, and at the places in source files and Markdown that
name docs/FILE.md or docs/FILE.md#heading. Lists the references that lead nowhere and fails.
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MENTION = re.compile(r"\bdocs/[\w/-]+\.md(?:#[\w-]+)?")
READ = {".md", ".hpp", ".cpp", ".py", ".sh", ".cmake", ".in"}


def anchors(path):
    """What a # may name in a Markdown file: <a id="..."> and, as GitHub forms them, headings."""
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+\s+(.*)$", text, flags=re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def leads_somewhere(target, folder):
    name, _, anchor = target.partition("#")
    path = folder / name
    return path.exists() and (not anchor or anchor in anchors(path))


def references(path, root):
    """Pairs (target, the folder that it is relative to)."""
    text = path.read_text()
    for target in MENTION.findall(text):
        yield target, root
    if path.suffix == ".md":
        for target in LINK.findall(text):
            if "://" not in target and not target.startswith("mailto:"):
                yield (path.name + target if target.startswith("#") else target), path.parent


def dead_references(root):
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[0].startswith((".", "build")) or path == pathlib.Path(__file__).resolve():
            continue
        if path.is_file() and path.suffix in READ:
            for target, folder in sorted(set(references(path, root)), key=str):
                if not leads_somewhere(target, folder):
                    yield f"{relative}: {target} leads nowhere"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    dead = list(dead_references(root))
    print("\n".join(dead))
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
