"""Runs dpcov in an empty folder and gathers everything that can be observed, timing aside."""

from __future__ import annotations

import functools
import json
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tables import Table

Command = tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """What to do with the program."""

    steps: tuple[tuple[Command, ...], ...]  # one after another; the commands of one step at once
    files: tuple[tuple[str, bytes], ...]    # what lies in the folder before
    stdin: bytes = b""
    stdout: str = ""                        # where standard output goes; empty: it is gathered
    memory: int | None = None               # bytes of address space
    file_size: int | None = None            # bytes that a file may have
    seconds: float = 30                     # until it should have ended

    def with_options(self, *options: str) -> Run:
        """The same with more options for the last command."""
        *before, (last,) = self.steps
        return self.but(steps=(*before, (last + options,)))

    def but(self, **changes) -> Run:
        return Run(**{**self.__dict__, **changes})


@dataclass(frozen=True)
class Observed:
    """What came of it. Status None: it did not end in time."""

    status: int | None
    out: bytes
    err: bytes
    files: dict[str, bytes] = field(default_factory=dict)  # new or changed; moment files are secret

    @property
    def record(self) -> dict | None:
        text = self.files.get("record.json")
        return None if text is None else json.loads(text)


Program = Callable[[Run], Observed]


def estimate(table: Table, method: str = "gauss", neighbours: str = "replace",
             output: str = "", quiet: bool = False) -> Run:
    """One seeded release of the table with a record; the matrix on standard output unless `output`
    names a file."""
    source = table.name
    stdin = b""
    files = table.files
    declared = table.options
    if table.way == "stdin":
        source, stdin = "-", table.data
        if table.format != "csv":
            declared += ("--format", table.format)
    else:
        files += ((table.name, table.data),)
    release = ("--rho", "1", "--method", method, "--neighbours", neighbours, "--insecure-seed", "1",
               "--threads", "1", "--record", "record.json")
    release += ("--output", output) if output else ()
    release += ("--quiet",) if quiet else ()
    if table.way == "moment":
        steps = (add(source, "rows.moment", declared), ("estimate", "rows.moment") + release)
    else:
        steps = (("estimate", source) + declared + release,)
    return Run(tuple((step,) for step in steps), files, stdin)


def add(source: str, into: str, options: tuple[str, ...]) -> Command:
    return ("moment", "add", source, "--into", into, "--threads", "1") + options


class Dpcov:
    """The program itself. Runs that were made before are not made again, unless they are large."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self.remembered: dict[Run, Observed] = {}

    def __call__(self, run: Run) -> Observed:
        if sum(len(data) for _, data in run.files) + len(run.stdin) > 1 << 20:
            return self.run(run)
        if run not in self.remembered:
            self.remembered[run] = self.run(run)
        return self.remembered[run]

    def run(self, run: Run) -> Observed:
        with tempfile.TemporaryDirectory() as folder:
            for name, data in run.files:
                Path(folder, name).write_bytes(data)
            before = _files(folder)
            status, out, err = 0, b"", b""
            for step in run.steps:
                ended = self._step(step, run, folder)
                status = max((s for s, _, _ in ended), key=lambda s: 999 if s is None else s)
                out += b"".join(o for _, o, _ in ended)
                err += b"".join(e for _, _, e in ended)
                if status != 0:
                    break
            after = _files(folder)
        files = {name: data for name, data in after.items() if before.get(name) != data}
        files |= {name: b"(gone)" for name in before if name not in after}
        return Observed(status, out, err, files)

    def _step(self, commands: tuple[Command, ...], run: Run, folder: str) -> list[tuple]:
        # Whatever the program writes beside its targets is to be seen, so it lives in the folder.
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C",
                       "OPENBLAS_NUM_THREADS": "1"}
        out = open(run.stdout, "wb") if run.stdout else subprocess.PIPE
        started = [subprocess.Popen([self.path, *command], cwd=folder, env=environment,
                                    stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE,
                                    preexec_fn=functools.partial(_limit, run))
                   for command in commands]
        if run.stdout:
            out.close()
        return [_end(process, run) for process in started]


def _limit(run: Run) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if run.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (run.memory, run.memory))
    if run.file_size is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails in place of the program
        resource.setrlimit(resource.RLIMIT_FSIZE, (run.file_size, run.file_size))


def _end(process: subprocess.Popen, run: Run) -> tuple[int | None, bytes, bytes]:
    try:
        out, err = process.communicate(run.stdin, timeout=run.seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return None, out or b"", err
    return process.returncode, out or b"", err


def _files(folder: str) -> dict[str, bytes]:
    paths = [path for path in Path(folder).rglob("*") if not path.is_dir()]
    return {str(path.relative_to(folder)): b"" if path.suffix == ".moment" else path.read_bytes()
            for path in paths}
