"""What is generated in a page: the blocks from <!-- begin NAME --> to <!-- end NAME -->."""

import re
import sys


def markdown(header, rows):
    """A table of Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def names(text):
    """The names of the blocks of a text."""
    return re.findall(r"<!-- begin ([\w-]+) -->", text)


def _of(text, name):
    found = list(re.finditer(f"<!-- begin {name} -->\n(.*?)\n<!-- end {name} -->", text, re.DOTALL))
    if len(found) != 1:
        sys.exit(f"there must be one block '{name}' in the page, and there are {len(found)}")
    return found[0]


def block(text, name):
    """What stands in a block."""
    return _of(text, name)[1]


def with_block(text, name, content):
    """The text with that in the block."""
    found = _of(text, name)
    return text[: found.start(1)] + content + text[found.end(1) :]


def put(page, name, content):
    """Writes that into a block of the page, a path."""
    page.write_text(with_block(page.read_text(), name, content))
