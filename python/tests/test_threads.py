"""Threads that Python ends in the middle of a call, and those that wait for a ledger."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import dpcov

DAEMONS = """
import threading, time
import numpy as np
import dpcov

def work():
    moment = dpcov.SecondMoment(3, norm_bound=1.0)
    rows = np.full((8, 3), 0.1)
    while True:
        moment.add(rows)

for _ in range(6):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
"""


def test_daemon_threads_do_not_abort_the_process():
    # They ask for Python's lock all the time, and Python ends threads that do so while it ends: the
    # process was aborted in most of such runs.
    for _ in range(5):
        ended = subprocess.run(
            [sys.executable, "-c", DAEMONS], capture_output=True, text=True, timeout=120
        )
        assert "terminate called" not in ended.stderr, ended.stderr
        assert ended.returncode in (0, -signal.SIGSEGV), ended.stderr  # in OpenBLAS, see python.md


# What the OpenBLAS that dpcov loads has read, as a power of two; 0 is what it was built with.
TIMEOUT = """
import ctypes, os, re, sys
before = dict(os.environ)
import numpy
def loaded(): return set(re.findall("/.*openblas.*", open("/proc/self/maps").read()))
of_numpy = loaded()
import dpcov
assert dict(os.environ) == before
for path in loaded() - of_numpy:
    timeout = getattr(ctypes.CDLL(path), "openblas_thread_timeout", None)
    if timeout is not None:
        print(timeout())
"""


@pytest.mark.parametrize(("given", "read"), [(None, "12"), ("20", "20")])
def test_threads_of_openblas_sleep_when_there_is_no_work(given, read):
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_THREAD_TIMEOUT"}
    if given is not None:
        environment["OPENBLAS_THREAD_TIMEOUT"] = given
    said = subprocess.run(
        [sys.executable, "-c", TIMEOUT],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout.split()
    if not said:
        pytest.skip("dpcov has numpy's OpenBLAS, or one that does not say")
    assert said == [read]


# A process of its own: copies of SQLite in one process, Python's and a wheel's, do not see each
# other's locks.
HOLDS = """
import sqlite3, sys
lock = sqlite3.connect(sys.argv[1], isolation_level=None)
lock.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
lock.execute("COMMIT")
"""


def test_who_waits_for_a_ledger_lets_other_threads_run(tmp_path):
    path = tmp_path / "ledger"
    ledger = dpcov.Ledger(path, create=True)
    ledger.declare("people", dpcov.Rho(1))
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "held\n"
    found = []
    waiting = threading.Thread(target=lambda: found.append(ledger.statement("people")))
    waiting.start()
    time.sleep(0.3)
    assert not found  # control: it waits
    holder.communicate("go on\n")  # which a thread that is stopped cannot say
    waiting.join()
    assert found[0].dataset == "people"
    with pytest.raises(dpcov.UsageError, match="people"):
        ledger.charges("typo")
    assert ledger.charges("people") == ledger.charges() == []


CHARGES = """
import sys, threading, time
import numpy as np
import dpcov

path = sys.argv[1]
done = threading.Event()

def read():
    while not done.wait(0.0001):
        with open(path, "rb") as file:
            file.read(1)

reader = threading.Thread(target=read)
reader.start()
try:
    for _ in range(40):
        dpcov.covariance(
            np.eye(3), bounds=(0, 1), budget=dpcov.Rho(1e-3), method="gauss", center=False,
            ledger=path, dataset="a",
        )
finally:
    done.set()
"""


def test_no_charge_is_lost_to_whoever_reads_the_ledgers_file(tmp_path):
    # Whoever closes the file in a process lets go of SQLite's locks. With those alone while a
    # ledger is opened, and dpcov's own in transactions, 3 of 10 such runs failed or lost a charge.
    path = tmp_path / "budget.ledger"
    dpcov.Ledger(path, create=True).declare("a", dpcov.Rho(1))
    workers = [
        subprocess.Popen([sys.executable, "-W", "ignore", "-c", CHARGES, str(path)])
        for _ in range(2)
    ]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0]
    assert dpcov.Ledger(path).statement("a").releases == 80
