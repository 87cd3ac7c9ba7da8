#!/usr/bin/env python3
"""Writes a page of Breathe's directives for each public header, from doxygen's XML.

    scripts/site_headers.py XML_FOLDER OUT_FOLDER

Item by item: `doxygenfile` would declare the namespace anew on each page, and looking names up in so many copies of
it takes Sphinx many minutes.
"""

import collections
import pathlib
import sys
import xml.etree.ElementTree as ET

SECTIONS = [
    ("Functions", ("function",)),
    ("Types", ("struct", "class")),
    ("Enums, types and constants", ("enum", "typedef", "variable")),
]


def items(xml):
    """Triples (header, kind, what the directive is given), in the order of the header."""
    namespace = ET.parse(xml / "namespacedpcov.xml").getroot().find("compounddef")
    found = []
    for inner in namespace.iter("innerclass"):
        compound = ET.parse(xml / f"{inner.get('refid')}.xml").getroot().find("compounddef")
        place = compound.find("location")
        found.append((place, compound.get("kind"), compound.findtext("compoundname")))
    for member in namespace.iter("memberdef"):
        kind, name = member.get("kind"), f"dpcov::{member.findtext('name')}"
        given = name + (member.findtext("argsstring") or "") if kind == "function" else name
        found.append((member.find("location"), kind, given))
    found.sort(key=lambda item: int(item[0].get("line")))
    return [(pathlib.PurePath(place.get("file")).name, kind, given) for place, kind, given in found]


def main():
    xml, out = map(pathlib.Path, sys.argv[1:])
    pages = collections.defaultdict(list)
    for header, kind, given in items(xml):
        pages[header].append((kind, given))
    for header, entries in sorted(pages.items()):
        text = [f"# {header}\n"]
        for title, kinds in SECTIONS:
            chosen = [(kind, given) for kind, given in entries if kind in kinds]
            if chosen:
                text.append(f"## {title}\n")
            for kind, given in chosen:
                members = "\n:members:" if kind in ("struct", "class") else ""
                text.append(f"```{{doxygen{kind}}} {given}{members}\n```\n")
        (out / f"cpp-{pathlib.PurePath(header).stem}.md").write_text("\n".join(text))


if __name__ == "__main__":
    main()
