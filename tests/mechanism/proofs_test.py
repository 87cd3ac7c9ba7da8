#!/usr/bin/env python3
"""Every mechanism says where its privacy is proved, and the proof is there.

    proofs_test.py PROJECT_FOLDER

A header of src/mechanism that spends a budget (it has a line "// Budget") names a section of
docs/privacy.md in a line "// Proof". Every entry of the catalogue is run by a function that such a
header declares, and the section that the header names exists, with more in it than its heading.
"""

import pathlib
import re
import sys

PROOF = re.compile(r"^// Proof +docs/privacy\.md#([\w-]+)$", re.MULTILINE)
FUNCTION = r"&detail::(?:keeping_rows<&detail::)?(?P<function>\w+)"
ENTRY = re.compile(rf'\.name = "(?P<name>[\w-]+)"(?:(?!\.name =).)*?\.mechanism = {FUNCTION}', re.DOTALL)


def proof_of(header):
    found = PROOF.search(header)
    return found.group(1) if found else None


def words_of_section(privacy, anchor):
    """How many words the section at <a id="anchor"> has below its heading; 0 where there is none."""
    section = re.search(rf'<a id="{anchor}"></a>\n#+ [^\n]*\n(.*?)(?=<a id=|\Z)', privacy, re.DOTALL)
    return len(section.group(1).split()) if section else 0


def complaints(headers, catalogue, privacy):
    for name, text in headers.items():
        if re.search(r"^// Budget ", text, re.MULTILINE) and not proof_of(text):
            yield f"{name} spends a budget and names no proof"
    for entry in ENTRY.finditer(catalogue):
        function = entry["function"]
        declaring = [text for text in headers.values() if re.search(rf"\bRelease {function}\(", text)]
        proof = proof_of(declaring[0]) if declaring else None
        if not proof:
            yield f"method {entry['name']}: no header declares {function} and names its proof"
        elif words_of_section(privacy, proof) < 10:
            yield f"method {entry['name']}: docs/privacy.md has no section '{proof}'"


def main():
    root = pathlib.Path(sys.argv[1])
    folder = root / "src" / "mechanism"
    headers = {path.name: path.read_text() for path in sorted(folder.glob("*.hpp"))}
    catalogue = (folder / "catalogue.cpp").read_text()
    privacy = (root / "docs" / "privacy.md").read_text()

    entries = len(re.findall(r'\.name = "', catalogue))
    assert entries >= 7 and entries == len(ENTRY.findall(catalogue)), "the catalogue was not understood"
    # Controls: an entry that nobody declares, a section that is gone, a header without its line.
    unknown = catalogue + '{.method = {.name = "new"}, .mechanism = &detail::new_cov},'
    assert any("method new" in line for line in complaints(headers, unknown, privacy))
    without = privacy.replace('<a id="gausscov"></a>', "")
    assert any("method gauss" in line for line in complaints(headers, catalogue, without))
    silent = {name: text.replace("// Proof", "//") for name, text in headers.items()}
    assert any("method zero" in line for line in complaints(silent, catalogue, privacy))

    found = list(complaints(headers, catalogue, privacy))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
