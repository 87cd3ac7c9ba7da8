"""The same release by other kernels of OpenBLAS: kernels_test.py PROGRAM. From one seed the matrices
differ by rounding alone, also where estimates have eigenvalues that are equal, whose eigenvectors
hang on rounding. Passes, and says so, where there is one set of kernels only.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
KERNELS = ["Prescott", "Haswell"]
COLUMNS = 40


def write_table():
    """Rows of ones and zeros times very different lengths: many strata, few eigenvalues seen."""
    chance = random.Random(5)
    with open("t.csv", "w") as file:
        for _ in range(2000):
            length = min(1.0, 0.05 * chance.lognormvariate(0, 1))
            row = [length / COLUMNS**0.5 * (chance.random() < 0.2) for _ in range(COLUMNS)]
            file.write(",".join(map(repr, row)) + "\n")


def released(kernels, *words):
    done = subprocess.run(
        [PROGRAM, "estimate", "t.csv", "--header", "no", "--norm-bound", "0.5", *words]
        + ["--output", "-", "--output-format", "json", "--quiet"],
        env=dict(os.environ, OPENBLAS_CORETYPE=kernels),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return [entry for row in json.loads(done.stdout)["covariance"] for entry in row]


def distance(a, b):
    return (sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) / sum(x * x for x in a)) ** 0.5


def main():
    if not {"pni", "avx2", "fma"} <= set(pathlib.Path("/proc/cpuinfo").read_text().split()):
        print("skipped: the processor does not run the kernels of", *KERNELS)
        return
    write_table()
    differ = False
    for seed in range(1, 7):
        for budget in (["--rho", "1"], ["--epsilon", "4"]):
            words = [*budget, "--insecure-seed", str(seed)]
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
