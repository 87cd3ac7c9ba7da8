"""Standard output that somebody made non-blocking gets all of it: nonblocking_test.py PROGRAM.

Its reader comes late, when the pipe, of one page, is full.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
import termios
import time

PROGRAM = sys.argv[1]
PAGE = 4096


def through_a_pipe(words):
    """Returns what came, the exit status, and what standard error says."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PAGE)
    os.set_blocking(writer, False)
    with subprocess.Popen([PROGRAM, *words], stdout=writer, stderr=subprocess.PIPE) as program:
        os.close(writer)
        until = time.monotonic() + 60.0
        full = False
        while not full and program.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
            held = bytearray(4)
            fcntl.ioctl(reader, termios.FIONREAD, held)
            full = int.from_bytes(held, sys.byteorder) == PAGE
        time.sleep(0.1)
        with os.fdopen(reader, "rb") as all_of_it:
            came = all_of_it.read()
        complaint = program.stderr.read()
    return came, program.returncode, complaint


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        wide = ["plan", "--rows", "100000", "--columns", "25", "--norm-bound", "1", "--rho", "1"]
        for words in (["help", "estimate"], ["estimate", "--help"], [*wide, "--json", "--mean", "1=0"]):
            expected = subprocess.run([PROGRAM, *words], capture_output=True, check=True).stdout
            assert len(expected) > 2 * PAGE, words
            came, status, complaint = through_a_pipe(words)
            assert (came, status, complaint) == (expected, 0, b""), (words, len(came), status, complaint)


main()
