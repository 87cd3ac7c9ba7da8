#!/usr/bin/env python3
"""Fails where the installed package takes a library from the system that a wheel has to bring, or where
the wheel lacks a stub or a notice.

Run it isolated (-I), in an environment that holds the wheel: looks at what the extension has mapped,
and at what the bundled program would.
"""

import importlib.metadata
import pathlib
import re
import subprocess

import dpcov

#: Of every Linux, as the policies of manylinux have it.
SYSTEM = re.compile(r"/(ld-linux[-\w.]*|lib(c|m|dl|rt|pthread|z|stdc\+\+|gcc_s)\.so[.\d]*)$")


def libraries_mapped():
    maps = pathlib.Path("/proc/self/maps").read_text()
    return {line.split(maxsplit=5)[5] for line in maps.splitlines() if ".so" in line}


def libraries_of(program):
    text = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return {str(pathlib.Path(path).resolve()) for path in re.findall(r"(/\S+) \(0x", text)}


package = pathlib.Path(dpcov.__file__).resolve().parent
bundled = package.parent / "dpcov.libs"
program = package / "bin" / "dpcov"
mine = libraries_of(program) | libraries_of(next(package.glob("_core*.so")))
strange = sorted(
    path
    for path in mine
    if not pathlib.Path(path).is_relative_to(bundled) and not SYSTEM.search(path)
)
assert any("openblas" in path for path in mine & libraries_mapped()), "OpenBLAS is not mapped"
assert not strange, f"taken from the system: {strange}"
files = importlib.metadata.files("dpcov")
lacking = {"LICENSE", "THIRD-PARTY.md", "_core.pyi", "py.typed"} - {path.name for path in files}
assert not lacking, f"not in the wheel: {lacking}"
(notices,) = [path.read_text() for path in files if path.name == "THIRD-PARTY.md"]
unnamed = [path.name for path in bundled.iterdir() if path.name not in notices]
assert not unnamed, f"without a notice: {unnamed}"
subprocess.run([program, "--version"], check=True)
