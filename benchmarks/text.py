#!/usr/bin/env python3
"""The time that `dpcov estimate` takes for a CSV beside what others take for the same file's
covariance without noise: polars, pandas and numpy.loadtxt, each followed by X.T @ X.

    benchmarks/text.py DPCOV [--rounds N] [--rows N] [--columns N] [--readers NAMES] [--before DPCOV]
                       [--threads N] [--gzip]

Programs take turns, each told to take one thread, or N (pandas does not heed it), and the table has medians: processor time (user and system),
the clock, and processor time as a ratio to dpcov's. dpcov's is that of the whole program; another's
begins when its libraries are imported. A reader that is not installed is left out. --before names an
older dpcov to compare with. With --gzip the file is compressed; megabytes are those of the text.
"""
import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from ratios import environment

READERS = {
    "polars": "import polars\ndef read(path): return polars.read_csv(path, has_header=False).to_numpy()",
    "pandas": "import pandas\ndef read(path): return pandas.read_csv(path, header=None).to_numpy()",
    "numpy.loadtxt": "import numpy\ndef read(path): return numpy.loadtxt(path, delimiter=',')",
}
MEASURED = """
import sys, time
import numpy
def seconds(): return time.process_time(), time.perf_counter()
before = seconds()
x = read(sys.argv[1])
sigma = x.T @ x / len(x)
after = seconds()
print(*(b - a for a, b in zip(before, after)))
"""
ROWS_AT_A_TIME = 10_000


def write_table(path, rows, columns, decimals):
    """Normal values; all their digits, or so many decimals."""
    import numpy

    random = numpy.random.default_rng(1)
    spell = repr if decimals is None else f"{{:.{decimals}f}}".format
    with open(path, "w") as file:
        for begin in range(0, rows, ROWS_AT_A_TIME):
            block = random.standard_normal((min(ROWS_AT_A_TIME, rows - begin), columns))
            file.writelines(",".join(map(spell, row)) + "\n" for row in block.tolist())


def compressed(path):
    """The path of the file as gzip has it, fast; the file goes."""
    with open(path, "rb") as text, gzip.open(path + ".gz", "wb", compresslevel=1) as file:
        shutil.copyfileobj(text, file)
    os.remove(path)
    return path + ".gz"


def time_of_program(program, path, threads):
    """Processor time and clock of a whole release."""
    command = [program, "estimate", path, "--header", "no", "--norm-bound", "8", "--rho", "0.1",
               "--method", "gauss", "--threads", str(threads), "--output", os.devnull, "--output-format", "npy"]
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment(threads), stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("text.py: failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, clock


def time_of_reader(source, path, threads):
    output = subprocess.run([sys.executable, "-c", source + MEASURED, path], env=environment(threads), check=True,
                            capture_output=True, text=True).stdout
    processor, clock = map(float, output.split())
    return processor, clock


def is_installed(source):
    return subprocess.run([sys.executable, "-c", source], capture_output=True, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dpcov")
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--readers", default=",".join(READERS), help="those to compare with: a,b,c")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--gzip", action="store_true")
    arguments = parser.parse_args()

    threads = arguments.threads
    ways = {"dpcov": lambda path: time_of_program(arguments.dpcov, path, threads)}
    if arguments.before:
        ways["dpcov before"] = lambda path: time_of_program(arguments.before, path, threads)
    for name in arguments.readers.split(","):
        source = READERS[name]
        if is_installed(source):
            ways[name] = lambda path, source=source: time_of_reader(source, path, threads)

    print("| table | MB | read by | processor time, s | clock, s | MB/s of processor time | ratio to dpcov |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for kind, decimals in (("all digits", None), ("6 decimals", 6)):
            path = os.path.join(folder, "table.csv")
            write_table(path, arguments.rows, arguments.columns, decimals)
            megabytes = os.path.getsize(path) / 1e6
            if arguments.gzip:
                path = compressed(path)
            times = {name: [] for name in ways}
            for _ in range(arguments.rounds):
                for name, measure in ways.items():
                    times[name].append(measure(path))
            medians = {name: [statistics.median(each) for each in zip(*pairs)] for name, pairs in times.items()}
            for name, (processor, clock) in medians.items():
                print(f"| {kind} | {megabytes:.0f} | {name} | {processor:.2f} | {clock:.2f} "
                      f"| {megabytes / processor:.0f} | {processor / medians['dpcov'][0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
