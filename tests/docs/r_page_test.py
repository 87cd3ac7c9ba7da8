"""The code of docs/from-r.md runs from top to bottom.

Usage: r_page_test.py PROJECT PROGRAM. Status 77 where R or its jsonlite is not installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOT_INSTALLED = 77


def has_r() -> bool:
    rscript = shutil.which("Rscript")
    return (
        rscript is not None
        and not subprocess.run(
            [rscript, "-e", "library(jsonlite)"], capture_output=True, check=False
        ).returncode
    )


def main(project: pathlib.Path, program: pathlib.Path) -> int:
    if not has_r():
        print("skipped: Rscript or the package jsonlite is not installed")
        return NOT_INSTALLED
    blocks = re.findall(r"^```r\n(.*?)^```$", (project / "docs/from-r.md").read_text(), re.M | re.S)
    assert len(blocks) >= 5, "the page has lost its code"
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "page.R"
        script.write_text("\n".join(blocks))
        done = subprocess.run(
            ["Rscript", "--vanilla", script],
            cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        print(done.stdout, done.stderr, sep="\n")
        left = {path.name for path in pathlib.Path(folder).iterdir()}
    assert "people.npz" in left and "people.csv" not in left, left
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
