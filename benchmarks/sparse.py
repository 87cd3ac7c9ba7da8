#!/usr/bin/env python3
"""The time that sparse rows take beside scipy's X.T @ X of the same rows as a CSR matrix, and beside
the rows written out.

    benchmarks/sparse.py BUILD [--rounds N] [--cases D:ROWS:ENTRIES,...] [--before DPCOV]

BUILD is a folder with apps/dpcov and benchmarks/dpcov_sparse_gram. Rows are like documents: ENTRIES
words on average, of a Zipf law over D columns, weights made to norm 1. All take one thread and take
turns; the table has medians of the clock, and the ratio to scipy's product. The first ways begin with the rows in memory. The others are
whole programs, `dpcov moment add` of a LIBSVM file; --before names an older dpcov.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from ratios import environment

SCIPY = """
import sys, time
import scipy.sparse
x = scipy.sparse.load_npz(sys.argv[1])
start = time.perf_counter()
gram = x.T @ x
print(time.perf_counter() - start)
"""


def make_rows(rows, columns, entries):
    import numpy
    import scipy.sparse

    random = numpy.random.default_rng(1)
    weights = 1.0 / (numpy.arange(columns) + 10.0)
    places = random.permutation(columns)
    words = numpy.minimum(random.poisson(entries, rows), columns)
    drawn = places[random.choice(columns, int(words.sum()), p=weights / weights.sum())]
    matrix = scipy.sparse.csr_matrix(
        (numpy.ones(len(drawn)), (numpy.repeat(numpy.arange(rows), words), drawn)),
        shape=(rows, columns),
    )
    matrix.sum_duplicates()
    norms = numpy.sqrt(numpy.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return scipy.sparse.csr_matrix(scipy.sparse.diags(1.0 / numpy.maximum(norms, 1e-300)) @ matrix)


def write_svm(path, matrix):
    with open(path, "w") as file:
        for begin, end in zip(matrix.indptr, matrix.indptr[1:]):
            fields = zip(matrix.indices[begin:end].tolist(), matrix.data[begin:end].tolist())
            file.write(
                "0 "
                + " ".join(f"{column + 1}:{value!r}" for column, value in sorted(fields))
                + "\n"
            )


def printed(command):
    return float(
        subprocess.run(command, env=environment(1), check=True, capture_output=True, text=True).stdout
    )


def clock(command):
    start = time.perf_counter()
    subprocess.run(command, env=environment(1), check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build")
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", default="1024:20000:50,4096:10000:100,8192:10000:100")
    parser.add_argument(
        "--whole-columns", type=int, default=4096, help="write rows out up to so many columns"
    )
    arguments = parser.parse_args()

    import scipy.sparse

    print("| columns | rows | entries | pairs | way | clock, s | ns a pair | ratio to scipy |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases.split(","):
            columns, rows, entries = map(int, case.split(":"))
            matrix = make_rows(rows, columns, entries)
            svm, npz = os.path.join(folder, "rows.svm"), os.path.join(folder, "rows.npz")
            write_svm(svm, matrix)
            scipy.sparse.save_npz(npz, matrix, compressed=False)
            of_row = (matrix.indptr[1:] - matrix.indptr[:-1]).astype(float)
            pairs = (of_row * (of_row + 1) / 2).sum()
            gram = os.path.join(arguments.build, "benchmarks/dpcov_sparse_gram")

            def to_moment(program, svm=svm, columns=columns):
                target = os.path.join(folder, "rows.moment")
                if os.path.exists(target):
                    os.remove(target)
                return clock(
                    [
                        program,
                        "moment",
                        "add",
                        svm,
                        "--dimension",
                        str(columns),
                        "--norm-bound",
                        "1",
                        "--threads",
                        "1",
                        "--into",
                        target,
                    ]
                )

            ways = {
                "scipy, `X.T @ X`": lambda: printed([sys.executable, "-c", SCIPY, npz]),
                "dpcov, sparse": lambda: printed([gram, svm, str(columns), "sparse"]),
            }
            if columns <= arguments.whole_columns:
                ways["dpcov, written out"] = lambda: printed([gram, svm, str(columns), "whole"])
            ways["file to moment"] = lambda: to_moment(os.path.join(arguments.build, "apps/dpcov"))
            if arguments.before and columns <= arguments.whole_columns:
                ways["file to moment, before"] = lambda: to_moment(arguments.before)
            times = {name: [] for name in ways}
            for _ in range(arguments.rounds):
                for name, measure in ways.items():
                    times[name].append(measure())
            peer = statistics.median(times["scipy, `X.T @ X`"])
            for name, seconds in times.items():
                median = statistics.median(seconds)
                print(
                    f"| {columns} | {rows} | {of_row.mean():.0f} | {pairs:.3g} | {name} | {median:.2f} "
                    f"| {median / pairs * 1e9:.1f} | {median / peer:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
