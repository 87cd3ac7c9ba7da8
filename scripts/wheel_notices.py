#!/usr/bin/env python3
"""Puts the notices of what a repaired wheel brings along into it: scripts/wheel_notices.py WHEEL

Each library in dpcov.libs is looked up in Debian's package that it came from. That package's copyright
file goes into the wheel, and the licences that it refers to, and so do those of the headers that are
compiled in. Fails where a library comes from no package. Run it by a Python that has `wheel` and
`nanobind` installed.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile

#: Packages of which headers alone are compiled in.
HEADERS = ["libboost1.74-dev", "libcli11-dev", "libeigen3-dev", "libspectra-dev", "nlohmann-json3-dev"]

INTRODUCTION = """\
# What is in this wheel beside dpcov

dpcov is under Apache-2.0 (LICENSE). The wheel has copies of libraries of Debian in it, in dpcov.libs, as
they are there but for their names and where they look for each other, and the extension and the
program have headers of others compiled in. The folder `third-party` beside this file has the notices and
licences of each, as Debian states them, and the texts of the licences that they refer to.

GMP, MPFR and, where it is in the table, libquadmath are under the GNU Lesser General Public License. They are linked
dynamically: who has a changed one may put it in their place in dpcov.libs, under the same name. Their sources, and
those of all others from Debian, are in its archive and its archive of snapshots, under the source package and version
in this table (`apt-get source PACKAGE=VERSION`).

| package | version | source | in the wheel |
|---|---|---|---|
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package_of(library):
    """Return Debian's package that has a library, which auditwheel gave a hash in its name."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library)
    owners = {line.split(":")[0] for line in output_of("dpkg-query", "-S", f"*/{name}").splitlines()}
    if len(owners) != 1:
        sys.exit(f"wheel_notices.py: {name} is of {sorted(owners) or 'no package'}")
    return owners.pop()


def row_of(package, what):
    shown = "${Version}|${source:Package} ${source:Version}"
    version, source = output_of("dpkg-query", "-W", "-f", shown, package).split("|")[:2]
    return f"| {package} | {version} | {source} | {what} |\n"


def copyright_of(package):
    return pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")


def add_notices(folder):
    info = next(folder.glob("*.dist-info"))
    notices = info / "licenses" / "third-party"
    notices.mkdir(parents=True)
    rows, packages = [], []
    for library in sorted(path.name for path in (folder / "dpcov.libs").iterdir()):
        packages.append(package_of(library))
        rows.append(row_of(packages[-1], f"`dpcov.libs/{library}`"))
    for package in HEADERS:
        packages.append(package)
        rows.append(row_of(package, "headers"))
    common = set()
    for package in packages:
        text = copyright_of(package)
        (notices / f"{package}.txt").write_text(text)
        common |= set(re.findall(r"/usr/share/common-licenses/([\w-]+(?:\.\d+)*)", text))
    for name in sorted(common):
        text = pathlib.Path("/usr/share/common-licenses", name).read_text(errors="replace")
        (notices / f"{name}.txt").write_text(text)
    nanobind = importlib.metadata.distribution("nanobind")
    (licence,) = [path for path in nanobind.files if path.name == "LICENSE"]
    (robin_map,) = [path for path in nanobind.files if path.name == "robin_map.h"]
    notice = robin_map.read_text().partition("*/")[0]  # it has it at its head
    (notices / "nanobind.txt").write_text(f"{licence.read_text()}\n{notice}*/\n")
    rows.append(f"| nanobind | {nanobind.version} | nanobind, on PyPI | compiled in |\n")
    (info / "licenses" / "THIRD-PARTY.md").write_text(INTRODUCTION + "".join(rows))
    added = ["THIRD-PARTY.md", *(f"third-party/{path.name}" for path in sorted(notices.iterdir()))]
    head, blank, body = (info / "METADATA").read_text().partition("\n\n")
    for name in added:
        head += f"\nLicense-File: {name}"
    (info / "METADATA").write_text(head + blank + body)


def main():
    wheel = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        tool = [sys.executable, "-m", "wheel"]
        subprocess.run([*tool, "unpack", "--dest", scratch, wheel], check=True)
        (folder,) = pathlib.Path(scratch).iterdir()
        add_notices(folder)
        subprocess.run([*tool, "pack", "--dest-dir", wheel.parent, folder], check=True)


main()
