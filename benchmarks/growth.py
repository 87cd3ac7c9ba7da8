#!/usr/bin/env python3
"""How the time and the memory of `dpcov estimate` grow with rows and with columns.

    benchmarks/growth.py DPCOV [--rounds N] [--rows LIST] [--columns LIST] [--plot FILE.svg]

The rows are those of ratios.py, 10,000 of them again and again. They come through a pipe, from a file that another
process gives to it again and again, so that tables may be longer than the disk; one thread. Rows grow at 100 columns, columns at 10,000 rows. Beside them, in the same
round, what bounds them: copying the same bytes and BLAS's dsyrk (rows), and numpy's eigh besides (columns).

Two tables are printed: medians of the clock and of the peak of memory. --plot draws them on logarithmic axes,
with gnuplot.
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from ratios import RHO, environment

BLOCK = 10_000
COLUMNS = 100
METHODS = ("gauss", "auto")
LIMIT = "limit"

MAKE = """
import sys
import numpy
random = numpy.random.default_rng(1)
rows, columns = int(sys.argv[1]), int(sys.argv[2])
deviations = 1.0 / numpy.sqrt(1.0 + numpy.arange(columns))
deviations /= numpy.sqrt((deviations**2).sum())
lengths = numpy.exp(0.5 * random.standard_normal((rows, 1)))
sys.stdout.buffer.write((random.standard_normal((rows, columns)) * deviations * lengths).tobytes())
"""
# For a block: seconds to copy it, for its dsyrk, and for an eigendecomposition of that.
LIMITS = """
import json, sys, time
import numpy
from scipy.linalg.blas import dsyrk
x = numpy.frombuffer(sys.stdin.buffer.read(), "f8").reshape(-1, int(sys.argv[1]))
y = numpy.empty_like(x)
def least(work):
    took = []
    for _ in range(5):
        begin = time.perf_counter()
        result = work()
        took.append(time.perf_counter() - begin)
    return min(took), result
copied, _ = least(lambda: numpy.copyto(y, x))
multiplied, gram = least(lambda: dsyrk(1.0, x.T, lower=1))
decomposed, _ = least(lambda: numpy.linalg.eigh(gram))
print(json.dumps([copied, multiplied, decomposed]))
"""


# A header, and then the file's bytes, or as many as are wanted, again and again, without copying them.
FEED = """
import fcntl, os, sys
path, header, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
size = os.path.getsize(path)
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
os.write(1, bytes.fromhex(header))
with open(path, "rb") as file:
    while left > 0:
        at = 0
        while at < size and left > 0:
            given = os.splice(file.fileno(), 1, min(size - at, left), offset_src=at)
            at += given
            left -= given
"""


def block_of(columns, folder):
    """The path of the block."""
    path = os.path.join(folder, str(columns))
    with open(path, "wb") as file:
        subprocess.run(
            [sys.executable, "-c", MAKE, str(BLOCK), str(columns)], check=True, stdout=file
        )
    return path


def header_of(rows, columns):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def of_program(program, method, block, rows, columns):
    """The clock and the peak of memory."""
    command = [program, "estimate", "-", "--format", "npy", "--norm-bound", "4", "--rho", RHO, "--method", method,
               "--threads", "1", "--output", os.devnull, "--output-format", "npy", "--quiet"]  # fmt: skip
    feed = [
        sys.executable,
        "-c",
        FEED,
        block,
        header_of(rows, columns).hex(),
        str(rows * columns * 8),
    ]
    begin = time.perf_counter()
    with subprocess.Popen(feed, stdout=subprocess.PIPE) as feeder:
        process = subprocess.Popen(command, env=environment(1), stdin=feeder.stdout)
        feeder.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("growth.py: failed: " + " ".join(command))
    return took, usage.ru_maxrss * 1024 / 1e6


def limits_of(block, columns):
    with open(block, "rb") as file:
        output = subprocess.run([sys.executable, "-c", LIMITS, str(columns)], env=environment(1), stdin=file, check=True,
                                stdout=subprocess.PIPE)  # fmt: skip
    return json.loads(output.stdout)


def measured(program, sizes, rounds):
    """By (rows, columns): the medians of the clock and of memory, by method; and the limit of the clock."""
    took = {size: {method: [] for method in (*METHODS, LIMIT)} for size in sizes}
    with tempfile.TemporaryDirectory() as folder:
        blocks = {
            columns: block_of(columns, folder) for columns in {columns for _, columns in sizes}
        }
        for _ in range(rounds):
            for rows, columns in sizes:
                copied, multiplied, decomposed = limits_of(blocks[columns], columns)
                limit = (copied + multiplied) * rows / BLOCK + decomposed
                took[rows, columns][LIMIT].append((limit, 0.0))
                for method in METHODS:
                    took[rows, columns][method].append(
                        of_program(program, method, blocks[columns], rows, columns)
                    )
                print(f"growth.py: {rows} x {columns} done", file=sys.stderr, flush=True)
    return {
        size: {
            method: [statistics.median(one[i] for one in ones) for i in range(2)]
            for method, ones in of.items()
        }
        for size, of in took.items()
    }


def table(title, points, axis):
    lines = [
        f"| {title} | bound of the clock, s | `gauss`, s | `auto`, s | `gauss`, MB | `auto`, MB |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for size, of in points.items():
        clocks = (of[LIMIT][0], of["gauss"][0], of["auto"][0])
        lines.append(
            f"| {size[axis]:,} | "
            + " | ".join(f"{clock:.2g}" if clock < 10 else f"{clock:.0f}" for clock in clocks)
            + f" | {of['gauss'][1]:.0f} | {of['auto'][1]:.0f} |"
        )
    return "\n".join(lines) + "\n"


LOOKS = {"gauss": ("#0072b2", 7), "auto": ("#d55e00", 5), LIMIT: ("#999999", 0)}


def plot(rows, columns):
    """What gnuplot reads: clock and memory, by rows and by columns."""
    data, panels = io.StringIO(), []
    for name, points, axis, label in (("r", rows, 0, "rows"), ("c", columns, 1, "columns")):
        for i, quantity in enumerate(("seconds", "MB")):
            drawn = []
            for method in (*METHODS, LIMIT) if i == 0 else METHODS:
                data.write(f"${name}{i}{method} << EOD\n")
                data.writelines(f"{size[axis]} {of[method][i]}\n" for size, of in points.items())
                data.write("EOD\n")
                colour, sign = LOOKS[method]
                style = (
                    "lines dashtype 2"
                    if method == LIMIT
                    else f"linespoints pointtype {sign} pointsize 0.6"
                )
                title = "what bounds it" if method == LIMIT else method
                drawn.append(
                    f"${name}{i}{method} with {style} linewidth 1.5 linecolor rgb '{colour}' title '{title}'"
                )
            if i == 1:
                bound = "300" if axis == 0 else "48e-6 * x**2"
                title = "300 MB" if axis == 0 else "six d × d matrices"
                drawn.append(
                    f"{bound} with lines dashtype 2 linewidth 1.5 linecolor rgb '#999999' title '{title}'"
                )
            panels.append(
                f"set xlabel '{label}'\nset ylabel '{quantity}'\nplot {', '.join(drawn)}\n"
            )
    return f"""set encoding utf8
set terminal svg size 760,640 font 'Helvetica,12' background rgb 'white'
{data.getvalue()}set multiplot layout 2,2
set logscale xy
set format x '10^{{%L}}'
set format y '10^{{%L}}'
set tics font ',10' nomirror
set border 3
set key top left samplen 2 font ',10'
set grid ytics linecolor rgb '#dddddd' linewidth 0.5
set offsets graph 0.02, graph 0.02, graph 0.15, graph 0.05
{"".join(panels)}unset multiplot
"""


def numbers(text):
    return [int(float(number)) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dpcov")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=numbers, default=numbers("1e3,1e4,1e5,1e6,1e7,2.5e7"))
    parser.add_argument(
        "--columns", type=numbers, default=numbers("10,20,50,100,200,500,1000,2000")
    )
    parser.add_argument("--plot", help="where the drawing goes, as SVG")
    arguments = parser.parse_args()
    rows = measured(
        arguments.dpcov, [(count, COLUMNS) for count in arguments.rows], arguments.rounds
    )
    columns = measured(
        arguments.dpcov, [(BLOCK, count) for count in arguments.columns], arguments.rounds
    )
    print(table(f"rows, {COLUMNS} columns", rows, 0))
    print(table(f"columns, {BLOCK:,} rows", columns, 1))
    if arguments.plot:
        drawing = subprocess.run(
            ["gnuplot"], input=plot(rows, columns), text=True, check=True, stdout=subprocess.PIPE
        )
        with open(arguments.plot, "w") as file:
            file.write(drawing.stdout)


if __name__ == "__main__":
    main()
