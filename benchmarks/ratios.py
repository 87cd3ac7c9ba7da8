#!/usr/bin/env python3
"""The time and memory of `dpcov estimate` beside what the same table's covariance takes without
noise: BLAS's dsyrk, numpy and scikit-learn.

    benchmarks/ratios.py DPCOV [--cells CELLS] [--rounds N] [--threads N] [--before DPCOV] [--folder FOLDER] [--twice]

CELLS are ROWSxCOLUMNS, or mnist (the training images, in $DPCOV_DATA/mnist), separated by commas;
with @BOUND behind it the norm bound is another one. `all` are those of docs/performance.md, for which
allow an hour and 8 GB of memory. A table is an .npy file of doubles: normal, the k-th column's deviation
falling as 1 / sqrt(k), the rows' lengths log-normal beside. It is kept in FOLDER if there is one.

With --twice everything runs twice, and the second time counts: a virtual machine may be slow to give
memory for the first time, which is counted as the processor time of whoever asks first.

Everything takes one thread, or N, and its turn. A peer's time begins when its libraries are imported, dpcov's is
that of the whole program. Two tables are printed: medians of processor time (user and system), of
the clock, and of the peak of memory, each with all libraries in it; and the medians of the ratios in
each round, with the least and the greatest. CSV is benchmarks/text.py's.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CELLS = ("1000000x50", "50000x800", "mnist", "10000000x20", "10000x5000")
RHO = "0.1"

MAKE = """
import sys
import numpy
path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = numpy.random.default_rng(1)
table = numpy.lib.format.open_memmap(path, mode="w+", dtype="f8", shape=(rows, columns))
deviations = 1.0 / numpy.sqrt(1.0 + numpy.arange(columns))
deviations /= numpy.sqrt((deviations**2).sum())
for begin in range(0, rows, 10_000):
    block = table[begin : begin + 10_000]
    lengths = numpy.exp(0.5 * random.standard_normal((len(block), 1)))
    block[:] = random.standard_normal(block.shape) * deviations * lengths
"""
NPY = """
def read(path): return numpy.load(path)
"""
IMAGES = """
import gzip
def read(path):
    with gzip.open(path) as file:
        return numpy.frombuffer(file.read(), "u1", offset=16).reshape(-1, 784) / 7140.0
"""
# Each prints the processor time, the clock and the peak of memory when it has read, and at the end.
PEER = """
import json, resource, sys, time
import numpy
{imports}
{reader}
def now():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime, time.perf_counter(), used.ru_maxrss * 1024 / 1e6
begin = now()
x = read(sys.argv[1])
middle = now()
result = {product}
end = now()
print(json.dumps([[b[0] - begin[0], b[1] - begin[1], b[2]] for b in (middle, end)]))
"""
PEERS = {
    "dsyrk": ("from scipy.linalg.blas import dsyrk", "dsyrk(1.0, x.T)"),
    "numpy `X.T @ X`": ("", "x.T @ x"),
    "numpy `cov`": ("", "numpy.cov(x, rowvar=False)"),
    "numpy `cov` and `eigh`": ("", "numpy.linalg.eigh(numpy.cov(x, rowvar=False))"),
    "scikit-learn `EmpiricalCovariance`": (
        "from sklearn.covariance import EmpiricalCovariance",
        "EmpiricalCovariance().fit(x)",
    ),
}
# What they take after reading is shown, too.
ALONE = ("dsyrk", "numpy `cov`")
RATIOS = (
    ("`gauss`", "read + dsyrk"),
    ("`auto`", "`gauss`"),
    ("`gauss`", "read + numpy `X.T @ X`"),
    ("`gauss`", "numpy `cov` alone"),
    ("`auto`", "numpy `cov` alone"),
    ("`gauss`", "read + numpy `cov` and `eigh`"),
    ("`gauss`", "read + scikit-learn `EmpiricalCovariance`"),
    ("`gauss`", "`gauss`, before"),
    ("`auto`", "`auto`, before"),
    ("`auto`, before", "`gauss`, before"),
)


def table_of(cell, folder):
    """The path of the cell's table, made if it is not there, and the options that it needs."""
    table, _, bound = cell.partition("@")
    if table == "mnist":
        path = os.path.join(os.environ["DPCOV_DATA"], "mnist/train-images-idx3-ubyte.gz")
        return path, ["--scale", "255", "--norm-bound", bound or "28"]
    path = os.path.join(folder, table + ".npy")
    if not os.path.exists(path):
        subprocess.run([sys.executable, "-c", MAKE, path, *table.split("x")], check=True)
    return path, ["--norm-bound", bound or "4"]


def environment(threads):
    """Has libraries take so many."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
    return {**os.environ, **dict.fromkeys(names, str(threads))}


def time_of_program(program, method, path, options, threads):
    command = [program, "estimate", path, *options, "--rho", RHO, "--method", method, "--threads", str(threads),
               "--output", os.devnull, "--output-format", "npy", "--quiet"]  # fmt: skip
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment(threads))
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("ratios.py: failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * 1024 / 1e6


def times_of_peer(name, path, reader, threads):
    """After reading, and after all."""
    imports, product = PEERS[name]
    source = PEER.format(imports=imports, product=product, reader=reader)
    output = subprocess.run(
        [sys.executable, "-c", source, path],
        env=environment(threads),
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(output.stdout)


def round_of(cell, path, options, programs, times, threads):
    """What each way took the last of so many times: processor time, clock, memory."""
    took = {}
    for suffix, program in programs.items():
        for method in ("gauss", "auto"):
            for _ in range(times):
                took[f"`{method}`{suffix}"] = time_of_program(
                    program, method, path, options, threads
                )
    for name in PEERS:
        for _ in range(times):
            reader = IMAGES if cell.startswith("mnist") else NPY
            read, all_of_it = times_of_peer(name, path, reader, threads)
        took["read + " + name] = all_of_it
        if name in ALONE:
            took[name + " alone"] = [
                whole - part for whole, part in zip(all_of_it[:2], read[:2])
            ] + all_of_it[2:]
    return took


def median(values):
    return statistics.median(list(values))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dpcov")
    parser.add_argument("--cells", default="1000000x50,50000x800,mnist")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--before", help="an older dpcov to compare with")
    parser.add_argument("--folder", help="keeps the tables, for another run")
    parser.add_argument("--twice", action="store_true", help="the second time counts")
    arguments = parser.parse_args()
    cells = CELLS if arguments.cells == "all" else arguments.cells.split(",")
    programs = {"": arguments.dpcov}
    if arguments.before:
        programs[", before"] = arguments.before

    if arguments.folder:
        os.makedirs(arguments.folder, exist_ok=True)

    times = 2 if arguments.twice else 1
    rounds = {}
    with tempfile.TemporaryDirectory() as temporary:
        for cell in cells:
            path, options = table_of(cell, arguments.folder or temporary)
            rounds[cell] = [
                round_of(cell, path, options, programs, times, arguments.threads)
                for _ in range(arguments.rounds)
            ]
            print(f"ratios.py: {cell} done", file=sys.stderr, flush=True)
            if arguments.folder is None and not cell.startswith("mnist"):
                os.remove(path)

    print("| cell | what | processor time, s | clock, s | memory, MB |")
    print("| --- | --- | --- | --- | --- |")
    for cell in cells:
        for name in rounds[cell][0]:
            processor, clock, memory = (
                median(took[name][i] for took in rounds[cell]) for i in range(3)
            )
            print(f"| {cell} | {name} | {processor:.2f} | {clock:.2f} | {memory:.0f} |")
    print()
    print("| cell | ratio | processor time | clock | memory |")
    print("| --- | --- | --- | --- | --- |")
    for cell in cells:
        for name, peer in RATIOS:
            if name not in rounds[cell][0] or peer not in rounds[cell][0]:
                continue
            texts = []
            for i in range(3):
                ratios = [took[name][i] / took[peer][i] for took in rounds[cell]]
                texts.append(f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
            texts[2] = texts[2].split(" ")[0]
            print(f"| {cell} | {name} over {peer} | {' | '.join(texts)} |")
    print()
    load = os.getloadavg()[1]
    print(f"{load:.1f} processes wanted {os.cpu_count()} processors in the last five minutes")


if __name__ == "__main__":
    main()
