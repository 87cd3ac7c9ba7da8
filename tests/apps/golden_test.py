"""What follows from saved releases is what it was: golden_test.py PROGRAM FOLDER SCHEMA [write].

FOLDER holds releases of four columns as they were saved, and estimates.json, what `dpcov derive`
made of them, each as SCHEMA says. `write` records that anew, for whoever means to change estimates.
"""

import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import jsonschema
import numpy
from schema_controls import wrongly_accepted

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads(pathlib.Path(sys.argv[3]).read_text())
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
DERIVED = [
    ["covariance"],
    ["correlation"],
    ["mean"],
    ["pca"],
    ["regression", "--target", "3"],
    ["regression", "--target", "0", "--features", "1,2"],
]
# Of the schema's keys.
OPTIONAL = ("why", "private", "intercept_through_midpoints", "intercept_interval")
# Kernels and libraries round differently: by 1.8e-10 of an estimate's size where that was measured
# (tests/estimate/golden_test.cpp). Five times that passes, and some more for what is solved with
# matrices of condition 100 at most.
TOLERANCE = 1e-7


def derived(release, *more):
    results = {}
    for words in DERIVED:
        done = subprocess.run(
            [PROGRAM, "derive", str(release), *words, *more, "--json"], capture_output=True, text=True, check=False
        )
        # Without centring there is no mean: a usage error.
        assert done.returncode == 0 or (words == ["mean"] and done.returncode == 2), done.stderr
        results[" ".join(words)] = json.loads(done.stdout) if done.returncode == 0 else None
    return results


def size(value):
    """The greatest number in it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return 0.0
    if isinstance(value, (int, float)):
        return abs(value)
    return max(map(size, value.values() if isinstance(value, dict) else value), default=0.0)


def same(is_now, was, scale):
    if isinstance(was, dict):
        return is_now.keys() == was.keys() and all(
            same(is_now[key], was[key], max(size(was[key]), 1e-300)) for key in was
        )
    if isinstance(was, list):
        return len(is_now) == len(was) and all(same(a, b, scale) for a, b in zip(is_now, was))
    if isinstance(was, float) and isinstance(is_now, float):
        return math.isclose(is_now, was, rel_tol=0.0, abs_tol=TOLERANCE * scale)
    return is_now == was


def check_populations(releases, of_tables):
    """Intervals for populations change intervals alone, and are as the schema says."""
    for option, word in (("--population", "population"), ("--any-population", "any population")):
        for release in releases:
            for what, result in derived(release, option).items():
                of_table = of_tables[release.stem][what]
                if result is None or of_table is None:
                    assert result is of_table, release
                    continue
                assert VALIDATOR.is_valid(result), result
                assert result["intervals_for"] == word and result["assumed"], result
                for key in ("matrix", "mean", "components", "intercept", "ridge"):
                    assert result.get(key) == of_table.get(key), key


def with_more_noise(release, path):
    """The same with noise scales that are said to be a thousandth greater."""
    with zipfile.ZipFile(release) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "noise_scales.npy":
                file = io.BytesIO()
                numpy.save(file, numpy.load(io.BytesIO(data)) * 1.001)
                data = file.getvalue()
            new.writestr(name, data)


def main():
    releases = sorted(FOLDER.glob("*.npz"))
    assert len(releases) == 8, releases
    estimates = {release.stem: derived(release) for release in releases}
    record = FOLDER / "estimates.json"
    if sys.argv[4:] == ["write"]:
        record.write_text(json.dumps(estimates, indent=1) + "\n")
        return
    recorded = json.loads(record.read_text())
    for results in estimates.values():
        for result in filter(None, results.values()):
            if not VALIDATOR.is_valid(result):
                sys.exit(f"not as the schema says: {result}")
            # Controls: what must be there, and what must not.
            for key in result:
                less = {other: value for other, value in result.items() if other != key}
                assert VALIDATOR.is_valid(less) == (key in OPTIONAL), key
            for wrong in wrongly_accepted(SCHEMA, result):
                sys.exit(f"accepted {wrong}: {result}")
    for name, was in recorded.items():
        for what, numbers in was.items():
            if not same(estimates[name][what], numbers, 1.0):
                sys.exit(f"{name}: {what} is\n{estimates[name][what]}\nand was\n{numbers}")
    check_populations(releases, estimates)
    # Control: the comparison sees a thousandth of the noise.
    with tempfile.TemporaryDirectory() as folder:
        for release in releases:
            path = pathlib.Path(folder) / release.name
            with_more_noise(release, path)
            assert not same(derived(path), recorded[release.stem], 1.0), release
    print(f"{len(recorded)} releases give the estimates that they gave")


main()
