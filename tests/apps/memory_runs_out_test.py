"""Memory that runs out at any moment: memory_runs_out_test.py PROGRAM FAILING_MALLOC. The program ends with a message
and status 5, says of a charge that it was made, and leaves outputs only where it ends with status 0."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# With one thread: OpenBLAS takes memory to share out a product, and ends the program where there is none.
PROGRAM, FAILING_MALLOC = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
RELEASE = ["--header", "yes", "--norm-bound", "100", "--threads", "1", "--output", "c.csv", "--release", "c.npz"]
PAID = ["--ledger", "l.db", "--dataset", "people"]
OUTPUTS = ["c.csv", "c.npz", "c.json", "c.moment"]


def run(*words, **variables):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", **variables)
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, env=environment)


def calls_of(*words):
    made = run(*words, LD_PRELOAD=FAILING_MALLOC, FAILING_MALLOC_CALLS="calls")
    assert made.returncode == 0, made
    return int(pathlib.Path("calls").read_text())


def charges():
    return run("ledger", "export", "l.db").stdout.count("people")


def some_calls(count):
    """From what the system does before the program, to the end, where they are closer."""
    yield from range(count // 4, count, max(1, count // 25))
    yield from range(max(count // 4, count - 80), count + 1, 4)


def runs(*words):
    """Each run, what it charged, and what tells it from the others."""
    count = calls_of(*words)
    all_of_them = [output for output in OUTPUTS if output in words]
    for call in some_calls(count):
        for output in OUTPUTS:
            pathlib.Path(output).unlink(missing_ok=True)
        before = charges()
        made = run(*words, LD_PRELOAD=FAILING_MALLOC, FAILING_MALLOC=str(call))
        where = (call, count, made)
        assert made.returncode == 0 or (made.returncode == 5 and "out of memory" in made.stderr), where
        there = [output for output in OUTPUTS if os.path.exists(output)]
        assert there == (all_of_them if made.returncode == 0 else []), (there, where)
        yield made, charges() - before, where


def a_charge_is_told():
    for made, charged, where in runs("estimate", "t.csv", "--rho", "1", *RELEASE, *PAID, "--record", "c.json"):
        assert charged == (made.returncode == 0 or "was charged" in made.stderr), where


def a_moment_holds_the_rows_only_then():
    table = ["t.csv", "--header", "yes", "--norm-bound", "100", "--threads", "1"]
    for _ in runs("moment", "add", *table, "--into", "c.moment"):
        pass


def what_is_printed_is_whole_or_missing(*words):
    whole = run(*words).stdout
    for made, _, where in runs(*words):
        assert made.stdout == (whole if made.returncode == 0 else ""), where


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("t.csv").write_text("a,b,c\n" + "1,2,3\n4,5,6\n" * 100)
    made = run("ledger", "init", "l.db", "--dataset", "people", "--rho", "1000")
    assert made.returncode == 0, made.stderr
    made = run("estimate", "t.csv", "--rho", "1", "--insecure-seed", "1", *RELEASE)
    assert made.returncode == 0, made.stderr
    shutil.copy("c.npz", "made.npz")
    a_charge_is_told()
    what_is_printed_is_whole_or_missing("derive", "made.npz", "covariance", "--json")
    what_is_printed_is_whole_or_missing("ledger", "export", "l.db")
    a_moment_holds_the_rows_only_then()
