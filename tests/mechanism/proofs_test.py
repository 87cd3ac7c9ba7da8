#!/usr/bin/env python3
"""Every mechanism says where its privacy is proved.

    proofs_test.py PROJECT_FOLDER

A header of src/mechanism that spends a budget (it has a line "// Budget") names a section of
docs/privacy.md in a line "// Proof". That the section exists is for tests/docs to check.
"""

import pathlib
import re
import sys


def main():
    headers = sorted((pathlib.Path(sys.argv[1]) / "src" / "mechanism").glob("*.hpp"))
    spending = [header for header in headers if re.search(r"^// Budget ", header.read_text(), re.MULTILINE)]
    assert len(spending) >= 7, "the mechanisms' headers were not found"
    proof = re.compile(r"^// Proof +docs/privacy\.md#[\w-]+$", re.MULTILINE)
    missing = [header.name for header in spending if not proof.search(header.read_text())]
    for name in missing:
        print(f"{name} spends a budget and names no proof")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
