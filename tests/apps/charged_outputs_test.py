"""What is charged where outputs go to named pipes, inputs are closed streams, and signals come:
charged_outputs_test.py PROGRAM. Nothing is left to chance: a pipe that nobody reads stops the program.
"""

import array
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import termios
import time

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
COLUMNS = 200  # more than a pipe holds, as text
TABLE = "".join(",".join(str((i * j) % 7) for j in range(COLUMNS)) + "\n" for i in range(500))
ESTIMATE = ["estimate", "t.csv", "--header", "no", "--norm-bound", "100", "--rho", "5"]
PAID = ["--ledger", "l.db", "--dataset", "people"]


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, **more)


def charges():
    return run("ledger", "export", "l.db").stdout.count("people")


def wait_for_bytes(reader):
    """More than the pipe holds follow, so the program is still there afterwards."""
    count = array.array("i", [0])
    while count[0] == 0:
        fcntl.ioctl(reader, termios.FIONREAD, count)


def begun(*words):
    return subprocess.Popen([PROGRAM, *words], stderr=subprocess.PIPE, text=True)


def a_pipe_without_a_reader_is_waited_for_before_the_charge():
    process = begun(*ESTIMATE, *PAID, "--output", "pipe.csv")
    assert "waiting for a reader of pipe.csv" in process.stderr.readline()
    before = charges()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == -signal.SIGTERM
    assert "charged" not in process.stderr.read()
    assert before == charges() == 0, "charged for what nobody reads"


def a_signal_after_the_charge_tells_of_it(sent):
    before = charges()
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    process = begun(*ESTIMATE, *PAID, "--quiet", "--output", "pipe.csv")
    wait_for_bytes(reader)
    process.send_signal(sent)
    assert process.wait(timeout=60) == -sent
    assert charges() == before + 1
    told = process.stderr.read()
    assert "note: 'people' was charged for this release, and stays charged" in told, told
    os.close(reader)


def a_signal_does_not_deny_what_is_in_place():
    """The summary waits for a reader of its pipe, which is full."""
    before = charges()
    reader, writer = os.pipe()
    os.write(writer, b"." * fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096))
    process = subprocess.Popen([PROGRAM, *ESTIMATE, *PAID, "--output", "c.csv"], stderr=writer)
    os.close(writer)
    while not os.path.exists("c.csv"):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    with open(reader, "rb") as told:
        assert b"charged" not in told.read()
    assert process.wait(timeout=60) == 0
    assert charges() == before + 1
    os.remove("c.csv")


def what_is_ignored_stays_ignored():
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    process = subprocess.Popen(
        ["/usr/bin/nohup", PROGRAM, *ESTIMATE, *PAID, "--quiet", "--output", "pipe.csv"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    wait_for_bytes(reader)
    process.send_signal(signal.SIGHUP)
    os.set_blocking(reader, True)
    text = b""
    while piece := os.read(reader, 1 << 16):
        text += piece
    assert process.wait(timeout=60) == 0 and text.count(b"\n") == COLUMNS
    os.close(reader)


def one_reader_may_take_pipes_in_turn():
    os.mkfifo("record.json")
    with subprocess.Popen(["/bin/sh", "-c", "cat pipe.csv > matrix; cat record.json > record"]):
        made = run(*ESTIMATE, *PAID, "--output", "pipe.csv", "--record", "record.json")
    assert made.returncode == 0, made.stderr
    assert pathlib.Path("matrix").read_text().count("\n") == COLUMNS
    assert pathlib.Path("record").read_text().startswith("{")


def what_was_handed_over_is_not_opened_again():
    """A pipe on standard output may be another user's, and its name is that of no file."""
    os.mkfifo("-")
    for name in ("-", "/dev/stdout"):
        made = run(*ESTIMATE, *PAID, "--output", name, "--output-format", "csv")
        assert made.returncode == 0 and made.stdout.count("\n") == COLUMNS, made.stderr
    os.remove("-")


def a_closed_stream_by_its_name_is_no_empty_table():
    words = ["--format", "csv", "--header", "no", "--dimension", "3", "--norm-bound", "1"]
    before = charges()
    for name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        for command in (["estimate", name, *words, "--rho", "5", *PAID, "--output", "c.csv"],
                        ["moment", "add", name, *words, "--into", "m.moment", "--part", "monday"]):
            closed = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" <&-', PROGRAM, *command],
                                    capture_output=True, text=True, timeout=60)
            assert closed.returncode == 5 and "Bad file descriptor" in closed.stderr, closed
    assert before == charges() and not os.path.exists("m.moment")
    there = run("moment", "add", "/dev/stdin", *words, "--into", "m.moment", input="0.1,0.2,0.3\n")
    assert there.returncode == 0, there.stderr


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("t.csv").write_text(TABLE)
    os.mkfifo("pipe.csv")
    made = run("ledger", "init", "l.db", "--dataset", "people", "--rho", "1000")
    assert made.returncode == 0, made.stderr
    a_pipe_without_a_reader_is_waited_for_before_the_charge()
    for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        a_signal_after_the_charge_tells_of_it(sent)
    a_signal_does_not_deny_what_is_in_place()
    what_is_ignored_stays_ignored()
    one_reader_may_take_pipes_in_turn()
    what_was_handed_over_is_not_opened_again()
    a_closed_stream_by_its_name_is_no_empty_table()
