"""The laboratory's commands, each at its smallest, and the scripts that make pages of what they measure.

    pages_test.py DPCOV_LAB ROOT

Pages are written in a copy: each table must have the columns that the page has, and no cell that is not a
number where the page has one. What needs real data is left out without the folder DPCOV_DATA.
"""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LAB, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DATA = os.environ.get("DPCOV_DATA")
SETS = ("autos", "yacht")
COPIED = (
    "docs",
    "research/pages",
    "research/stress_tables.cpp",
    "scripts",
    "src/estimate/tuning.hpp",
    "src/partition/partition_tuning.hpp",
)


def measured(folder, name, *options):
    path = folder / f"{name}.csv"
    with open(path, "w") as output:
        subprocess.run([LAB, name, *options], stdout=output, check=True)
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) > 1, f"dpcov-lab {name} measured nothing"
    assert all(len(line) == len(lines[0]) for line in lines), name
    return path


def blocks(page):
    """What stands in the blocks that scripts keep, by their names."""
    return dict(
        re.findall(r"<!-- begin ([\w-]+) -->\n(.*?)\n<!-- end \1 -->", page.read_text(), re.DOTALL)
    )


def headers(content):
    return re.findall(r"^(\|.*)\n\| *---", content, re.MULTILINE)


def write(copy, page, script, *words):
    """Runs a script, and returns the blocks that it wrote."""
    before = blocks(copy / page)
    subprocess.run(["/usr/bin/python3", copy / "research/pages" / script, *words], check=True)
    after = blocks(copy / page)
    assert list(after) == list(before), f"{script} lost a block of {page}"
    written = [name for name in after if after[name] != before[name]]
    for name in written:
        assert headers(after[name]) == headers(before[name]) != [], (
            f"other columns in {name} of {page}"
        )
        assert not re.search(r"\b(nan|None)\b", after[name]), f"{script}: no number in {name}"
    return written


def reference_of(folder, regression):
    """What others published, made up: the columns that the script reads."""
    with open(regression, newline="") as file:
        rows = list(csv.DictReader(file))
    archive = [("name", "epsilon", "trivial", "non-private", "AdaSSP")]
    ihm = [("metric", "prep", "set", "epsilon", "trivial", "ols", "adassp", "ihm")]
    for row in rows:
        facts = row["set"], row["epsilon"], row["trivial"]
        if row["prep"] == "archive":
            archive.append((*facts, "0.01", "0.2"))
        else:
            ihm.append(("mse", row["prep"], *facts, "0.01", "0.2", "0.2"))
    for name, lines in (("archive", archive), ("ihm", ihm)):
        assert len(lines) > 1, name
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows(lines)
    return folder / "archive.csv", folder / "ihm.csv"


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        copy = folder / "copy"
        for name in COPIED:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            whole = ROOT / name
            (shutil.copytree if whole.is_dir() else shutil.copy)(whole, copy / name)

        one = ("--runs", "1")
        for name in ("ablation", "levels"):
            measured(folder, name, *one)
        measured(folder, "estimated-error", "--tables", "1", *one)
        measured(folder, "oracle", "fig1", *one)
        coverage = measured(folder, "coverage", *one)
        assert write(copy, "docs/derived.md", "derived.py", "coverage", coverage)
        tuning = measured(folder, "tuning", *one)
        assert write(copy, "docs/tuning.md", "tuning.py", "write", tuning)
        partition = measured(folder, "partition", "--kind", "rank", *one)
        assert write(copy, "docs/tuning.md", "tuning.py", "partition", partition)
        stress = measured(folder, "stress", *one)
        assert write(copy, "docs/stress.md", "stress.py", "write", stress)
        if DATA is None:
            return
        plan = measured(folder, "plan", "--data", DATA, *one)
        assert write(copy, "docs/planning.md", "plan.py", plan)
        components = measured(folder, "components", "--data", DATA, *one)
        assert write(copy, "docs/derived.md", "derived.py", "components", components)
        (folder / "sets").mkdir()
        for name in SETS:
            for path in pathlib.Path(DATA, "uci_regression").glob(f"{name}.*"):
                shutil.copy(path, folder / "sets")
        regression = measured(folder, "regression", "--sets", folder / "sets", *one)
        references = reference_of(folder, regression)
        assert write(copy, "docs/derived.md", "derived.py", "regression", regression, *references)


if __name__ == "__main__":
    main()
