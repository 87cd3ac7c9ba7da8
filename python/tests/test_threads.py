"""Threads that Python ends in the middle of a call, and those that wait for a ledger."""

import sqlite3
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


def test_who_waits_for_a_ledger_lets_other_threads_run(tmp_path):
    path = tmp_path / "ledger"
    ledger = dpcov.Ledger(path, create=True)
    ledger.declare("people", dpcov.Rho(1))
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    found = []
    waiting = threading.Thread(target=lambda: found.append(ledger.statement("people")))
    waiting.start()
    time.sleep(0.3)
    assert not found  # control: it waits
    lock.execute("COMMIT")  # which a thread that is stopped cannot do
    lock.close()
    waiting.join()
    assert found[0].dataset == "people"
    with pytest.raises(dpcov.UsageError, match="people"):
        ledger.charges("typo")
    assert ledger.charges("people") == ledger.charges() == []
