"""dpcov-mpi gives what dpcov gives, whatever the number of ranks, and nothing where a rank fails or
dies: mpi_test.py DPCOV DPCOV_MPI. Leaves with 77 where there is no mpirun.
"""

import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

if not shutil.which("mpirun"):
    print("there is no mpirun: skipped (Debian: openmpi-bin)")
    sys.exit(77)

import numpy

DPCOV, DPCOV_MPI = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
ENVIRONMENT = {**os.environ, **ROOT, "OPENBLAS_NUM_THREADS": "1"}
SEEDED = ["--norm-bound", "1", "--rho", "0.1", "--threads", "1", "--insecure-seed", "5"]
CHARGED = ["--norm-bound", "1", "--rho", "0.1", "--threads", "1", "--ledger", "spent.db", "--dataset", "people"]
OUTPUTS = ["--output", "out.npy", "--record", "out.json", "--release", "out.npz"]

FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)


def mpirun(ranks):
    return ["mpirun", "--oversubscribe", "-n", str(ranks), DPCOV_MPI, "estimate"]


def run(command):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)


def outputs():
    """What was written, which is then taken away."""
    found = {}
    for name in ("out.npy", "out.json", "out.npz"):
        path = pathlib.Path(name)
        if path.exists():
            found[name] = path.read_bytes()
            path.unlink()
    return found


def spent():
    """The releases that were charged, and their rho."""
    shown = run([DPCOV, "ledger", "show", "spent.db", "--json"])
    assert shown.returncode == 0, shown.stderr
    account = json.loads(shown.stdout)[0]
    return account["releases"], account["spent"]["rho"]


def matrix_of(found):
    """Without the archive, whose members bear times."""
    return found["out.npy"], json.loads(found["out.json"])


def write_parts():
    random = numpy.random.default_rng(1)
    rows = random.normal(size=(2500, 6)) * 10.0 ** random.uniform(-3, 0, size=(2500, 1))
    numpy.save("all.npy", rows)
    parts = numpy.split(rows, [7, 1200, 1201, 2000])
    for i, part in enumerate(parts):
        numpy.save(f"part{i}.npy", part)
    rows[2100, 3] = numpy.nan
    numpy.save("bad.npy", rows[2000:])
    return [f"part{i}.npy" for i in range(len(parts))]


def any_number_of_ranks_gives_the_same(parts):
    done = run([DPCOV, "estimate", "all.npy", *SEEDED, *OUTPUTS])
    assert done.returncode == 0, done.stderr
    expected = outputs()
    for ranks in (1, 2, 3, 6):  # of six one has nothing to read
        done = run([*mpirun(ranks), *parts, *SEEDED, *OUTPUTS])
        assert done.returncode == 0, done.stderr
        found = outputs()
        assert matrix_of(found) == matrix_of(expected), ranks
        assert len(found["out.npz"]) == len(expected["out.npz"])
    # Control: a part that is left out shows.
    done = run([*mpirun(2), *parts[:-1], *SEEDED, *OUTPUTS])
    assert done.returncode == 0, done.stderr
    assert matrix_of(outputs()) != matrix_of(expected)


def rows_may_come_as_moments(parts):
    done = run([DPCOV, "moment", "add", parts[1], "--into", "one.moment", "--norm-bound", "1"])
    assert done.returncode == 0, done.stderr
    done = run([DPCOV, "moment", "add", parts[2], "--into", "two.moment", "--norm-bound", "1"])
    assert done.returncode == 0, done.stderr
    found = []
    for command in ([*mpirun(2), "one.moment", "two.moment"],
                    [*mpirun(2), "two.moment", "one.moment"]):
        done = run([*command, "--rho", "0.1", "--threads", "1", "--insecure-seed", "5", *OUTPUTS])
        assert done.returncode == 0, done.stderr
        found.append(matrix_of(outputs()))
    assert found[0] == found[1]
    # A part that comes twice is refused where the two meet.
    shutil.copy("one.moment", "copy.moment")
    done = run([*mpirun(2), "one.moment", "copy.moment", "--rho", "0.1", *OUTPUTS])
    assert done.returncode == 2 and "count twice" in done.stderr, (done.returncode, done.stderr)
    assert not outputs()


def a_job_is_charged_once(parts):
    before = spent()
    done = run([*mpirun(3), *parts, *CHARGED, *OUTPUTS])
    assert done.returncode == 0, done.stderr
    assert len(outputs()) == 3
    releases, rho = spent()
    assert releases == before[0] + 1 and abs(rho - before[1] - 0.1) < 1e-9, (releases, rho)


def a_rank_that_fails_fails_the_job(parts):
    before = spent()
    for position in range(3):
        inputs = parts[:3]
        inputs[position] = "bad.npy"
        done = run([*mpirun(3), *inputs, *CHARGED, *OUTPUTS])
        assert done.returncode == 3, (done.returncode, done.stderr)
        assert done.stderr.count("bad.npy: row 101") == 1, done.stderr
        assert not outputs() and spent() == before
    for wrong, words in ((["--rho", "0.2"], "--rho"), (["--colour", "red"], "--colour")):
        done = run([*mpirun(3), *parts, *CHARGED, *wrong, *OUTPUTS])
        assert done.returncode == 2 and words in done.stderr, (done.returncode, done.stderr)
        assert done.stderr.count("Try 'dpcov-mpi") == 1, done.stderr
    done = run([*mpirun(2), "-", *CHARGED, *OUTPUTS])
    assert done.returncode == 2 and "standard input" in done.stderr, done.stderr
    assert not outputs() and spent() == before


def parts_that_do_not_match_are_refused_before_rows(parts):
    """By their names and in what they differ: on one rank, on two, and behind a pipe, which is read."""
    before = spent()
    numpy.save("wide.npy", numpy.zeros((3, 7)))
    done = run([DPCOV, "moment", "add", parts[1], "--into", "whole.moment", "--norm-bound", "1", "--keep-directions"])
    assert done.returncode == 0, done.stderr
    for other, words in (("wide.npy", "it has 7 columns, not 6"), ("whole.moment", "keeps directions")):
        for ranks in (1, 2, 3):
            # The first part is bad, so that whoever read it would say so.
            done = run([*mpirun(ranks), "bad.npy", other, parts[0], *CHARGED, *OUTPUTS])
            assert done.returncode == 2, (done.returncode, done.stderr)
            assert words in done.stderr and other in done.stderr, done.stderr
            assert done.stderr.count("dpcov-mpi estimate: ") == 1, done.stderr
    os.mkfifo("wide_slow.npy")
    job = subprocess.Popen([*mpirun(2), parts[0], "wide_slow.npy", *CHARGED, *OUTPUTS],
                           env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pathlib.Path("wide_slow.npy").write_bytes(pathlib.Path("wide.npy").read_bytes())
    _, said = job.communicate(timeout=60)
    assert job.returncode == 2 and "merge only if" in said, (job.returncode, said)
    assert not outputs() and spent() == before


def a_file_that_comes_twice_is_refused(parts):
    before = spent()
    packed = gzip.compress(pathlib.Path(parts[0]).read_bytes())
    pathlib.Path(parts[0] + ".gz").write_bytes(packed)
    pathlib.Path(parts[0] + ".GZ").write_bytes(packed)
    os.link(parts[0], "again.npy")
    os.symlink(parts[0] + ".gz", "linked.npy.gz")
    os.link(parts[0], "linked.npy")
    for twice in (parts[0], "./" + parts[0], "again.npy", parts[0] + ".gz", f"./{parts[0]}.GZ",
                  "linked.npy.gz"):
        done = run([*mpirun(2), parts[0], parts[1], twice, *CHARGED, *OUTPUTS])
        assert done.returncode == 2 and "would count twice" in done.stderr, done.stderr
    command = [*mpirun(2), parts[0], "/dev/stdin", "--format", "npy", *CHARGED, *OUTPUTS]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, input="")
    assert done.returncode == 2 and "standard input" in done.stderr, done.stderr
    done = run([*mpirun(2), *parts, *CHARGED])
    assert done.returncode == 2 and "--output FILE" in done.stderr, done.stderr
    assert not outputs() and spent() == before


def a_limit_on_memory_hides_no_message(parts):
    limited = "ulimit -v 8000000; exec \"$@\""
    done = run(["bash", "-c", limited, "bash", *mpirun(2), parts[0], "bad.npy", *CHARGED, *OUTPUTS])
    assert done.returncode == 3 and done.stderr.count("bad.npy: row 101") == 1, (done.returncode, done.stderr)
    done = run(["bash", "-c", limited, "bash", *mpirun(2), "--help"])
    assert done.returncode == 0 and "--norm-bound B" in done.stdout, (done.returncode, done.stderr)


def many_parts_are_one_table(parts):
    rows = numpy.load("all.npy")
    names = []
    for i in range(100):
        names.append(f"small{i}.npy")
        numpy.save(names[-1], rows[25 * i:25 * (i + 1)])
    done = run([DPCOV, "estimate", "all.npy", *SEEDED, *OUTPUTS])
    expected = outputs()
    done = run([*mpirun(3), *names, *SEEDED, *OUTPUTS])
    assert done.returncode == 0, done.stderr
    assert matrix_of(outputs()) == matrix_of(expected)


def process_of_rank(job, rank):
    """The process of that rank of a job that runs: one of those that our mpirun started."""
    wanted = f"OMPI_COMM_WORLD_RANK={rank}".encode()
    children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
    for _ in range(300):
        for child in children.read_text().split():
            try:
                if wanted in pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
                    return int(child)
            except OSError:
                continue
        time.sleep(0.1)
    raise AssertionError("the rank does not run")


def a_dead_rank_releases_nothing(parts):
    """Rank 1 waits for rows, the others for rank 1. One is killed, or (the control) none."""
    os.mkfifo("slow.npy")
    rows = pathlib.Path(parts[3]).read_bytes()
    for victim in (0, 1, 2, None):
        before = spent()
        command = [*mpirun(3), parts[0], "slow.npy", parts[2], *CHARGED, *OUTPUTS]
        job = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open("slow.npy", "wb", buffering=0) as slow:  # returns when rank 1 reads
            slow.write(rows[:1000])
            if victim is None:
                slow.write(rows[1000:])
            else:
                os.kill(process_of_rank(job, victim), signal.SIGKILL)
                job.wait(timeout=60)
        job.communicate(timeout=60)
        if victim is None:
            assert job.returncode == 0 and len(outputs()) == 3 and spent()[0] == before[0] + 1
        else:
            assert job.returncode != 0
            assert not outputs() and spent() == before, victim
            assert not [name for name in os.listdir() if name.startswith((".out", "out"))]


def help_is_said_once():
    done = run(["mpirun", "--oversubscribe", "-n", "3", DPCOV_MPI, "estimate", "--help"])
    assert done.returncode == 0 and done.stdout.count("--norm-bound B") == 1, done.stdout


def main():
    parts = write_parts()
    done = run([DPCOV, "ledger", "init", "spent.db", "--dataset", "people", "--rho", "10"])
    assert done.returncode == 0, done.stderr
    help_is_said_once()
    any_number_of_ranks_gives_the_same(parts)
    rows_may_come_as_moments(parts)
    a_job_is_charged_once(parts)
    a_rank_that_fails_fails_the_job(parts)
    parts_that_do_not_match_are_refused_before_rows(parts)
    a_file_that_comes_twice_is_refused(parts)
    a_limit_on_memory_hides_no_message(parts)
    many_parts_are_one_table(parts)
    a_dead_rank_releases_nothing(parts)


main()
