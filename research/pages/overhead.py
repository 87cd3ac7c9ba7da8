#!/usr/bin/env python3
"""Compares dpcov.covariance in Python with the same calls in C++, and prints the ratios.

    PYTHONPATH=build/release/python-tree build/python-venv/bin/python research/pages/overhead.py \\
        build/release/benchmarks/dpcov_one_release [--rows N] [--columns D] [--rounds R] [--threads T]

Each round runs both, each in a process of its own, one after the other. Printed are medians over the
rounds: of time on the clock and of processor time, C++ beside Python; of the peak of resident memory
above that before the call, over the bytes of the table; and what importing dpcov takes, with NumPy and
beyond it. Fails where the two releases, made with one seed, differ.
"""

import argparse
import statistics
import subprocess
import sys

CALL = """
import re, sys, time
import numpy as np
import dpcov

def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+)", open("/proc/self/status").read())[1])

rows, columns, threads = map(int, sys.argv[1:])
table = np.empty(rows * columns)
for first in range(0, table.size, 1 << 20):
    numbers = np.arange(first, min(first + (1 << 20), table.size), dtype=np.uint64)
    table[first : first + numbers.size] = (numbers * 2654435769 % 2**32) * 2.0**-31 - 1
table = table.reshape(rows, columns)
open("/proc/self/clear_refs", "w").write("5")  # forgets the peak so far
before = kilobytes("VmRSS")
processor, clock = time.process_time(), time.perf_counter()
release = dpcov.covariance(
    table, bounds=(-1, 1), budget=dpcov.Rho(0.1), insecure_seed=1, threads=threads
)
clock, processor = time.perf_counter() - clock, time.process_time() - processor
above = 1024 * (kilobytes("VmHWM") - before)
print(clock, processor, release.covariance()[0, 0].hex(), above)
"""

IMPORT = """
import time
start = time.perf_counter(), time.process_time()
import numpy
between = time.perf_counter(), time.process_time()
import dpcov
end = time.perf_counter(), time.process_time()
print(end[0] - start[0], end[1] - start[1], end[0] - between[0], end[1] - between[1])
"""


def words_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    size = [str(given.rows), str(given.columns), str(given.threads)]

    native, python, imports = [], [], []
    for _ in range(given.rounds):
        native.append(words_of(given.program, *size))
        python.append(words_of(sys.executable, "-c", CALL, *size))
        imports.append(words_of(sys.executable, "-c", IMPORT))
    if any(one[2] != native[0][2] for one in native) or any(
        float.fromhex(one[2]) != float.fromhex(native[0][2]) for one in python
    ):
        sys.exit("overhead.py: the releases are not the same")

    def median(runs, place):
        return statistics.median(float(run[place]) for run in runs)

    print(f"{given.rows} x {given.columns}, threads {given.threads}, {given.rounds} rounds")
    for name, place in ("clock", 0), ("processor", 1):
        a, b = median(native, place), median(python, place)
        print(f"{name}: C++ {a:.3f} s, Python {b:.3f} s, ratio {b / a:.3f}")
    above = median(python, 3)
    print(f"memory above the table: {above / 1e6:.1f} MB, {above / (8 * given.rows * given.columns):.3f} of it")
    for name, place in ("clock", 0), ("processor", 1):
        print(f"import, {name}: {median(imports, place):.3f} s, {median(imports, place + 2):.3f} s beyond NumPy")


main()
