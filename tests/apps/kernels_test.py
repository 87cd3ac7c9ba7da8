"""The same release by other kernels of OpenBLAS: kernels_test.py PROGRAM. From one seed the matrices
differ by rounding alone, also where estimates have eigenvalues that are equal, whose eigenvectors
hang on rounding. Passes, and says so, where there is one set of kernels only.
"""

import json
import os
import pathlib
import platform
import random
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
# Two sets by kind of processor, and what they need that not each of that kind has.
KERNELS, NEEDED = {
    "x86_64": (["Prescott", "Haswell"], {"pni", "avx2", "fma"}),
    "aarch64": (["ARMV8", "CORTEXA53"], set()),
}.get(platform.machine(), ([], set()))
COLUMNS = 40
BOUNDED = 10


def write(name, rows):
    with open(name, "w") as file:
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)


def write_tables():
    """Rows of ones and zeros times very different lengths: many strata, few eigenvalues seen. And rows
    within bounds, their means far from the midpoints."""
    chance = random.Random(5)
    lengths = (min(1.0, 0.05 * chance.lognormvariate(0, 1)) for _ in range(2000))
    write("t.csv", ([c / COLUMNS**0.5 * (chance.random() < 0.2) for _ in range(COLUMNS)] for c in lengths))
    names = [f"c{j}" for j in range(BOUNDED)]
    write("bounds.csv", [["name", "lower", "upper"], *([name, 0, 1] for name in names)])
    heights = (chance.uniform(0.05, 0.25) for _ in range(500))
    write("m.csv", [names, *([c * chance.uniform(0.5, 1.5) for _ in names] for c in heights)])


def released(kernels, *words):
    done = subprocess.run(
        [PROGRAM, "estimate", *words, "--output", "-", "--output-format", "json", "--quiet"],
        env=dict(os.environ, OPENBLAS_CORETYPE=kernels),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [entry for row in json.loads(done.stdout)["covariance"] for entry in row]


def distance(a, b):
    squared = sum((x - y) ** 2 for x, y in zip(a, b, strict=True))
    return (squared / (sum(x * x for x in a) or 1.0)) ** 0.5  # a table's matrix may be zero


def main():
    has = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if not KERNELS or NEEDED - has:
        print("skipped: no two sets of kernels are known that this processor runs")
        return
    write_tables()
    differ = False
    for table in (["t.csv", "--header", "no", "--norm-bound", "0.5"], ["m.csv", "--bounds", "bounds.csv"]):
        for budget in (["--epsilon", "4"], ["--rho", "1"]):
            for seed in range(1, 7):
                words = [*table, *budget, "--insecure-seed", str(seed)]
                a, b = (released(kernels, *words) for kernels in KERNELS)
                assert distance(a, b) < 1e-9, (words, distance(a, b))
                differ = differ or a != b
    # Control: a part in ten million is seen.
    assert distance(a, [1.0000001 * entry for entry in a]) > 1e-9
    if not differ:
        print("all bytes are the same: OpenBLAS has one set of kernels here, or one was not found")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
