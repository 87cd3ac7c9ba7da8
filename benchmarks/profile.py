#!/usr/bin/env python3
"""Where a release spends its time: the share of each stage, by perf.

    benchmarks/profile.py DPCOV --method auto -- TABLE [OPTIONS of dpcov estimate]

Runs `perf record` with call graphs (Debian's linux-perf) on one thread, and prints a table in per cent of
the samples. A sample belongs to the first stage below whose functions are all among its callers.
OpenBLAS's Haswell kernels cannot be unwound: set OPENBLAS_CORETYPE to another, or to none.
"""

import argparse
import collections
import os
import subprocess
import sys
import tempfile

STAGES = (
    ("reading and decoding", ("GzipStream",)),
    ("reading and decoding", ("ArrayReader::read",)),
    ("reading and decoding", ("_Async_state_impl",)),
    ("products (`dsyrk`, digits)", ("SecretMoment::add", "cblas_dsyrk")),
    ("products (`dsyrk`, digits)", ("SecretMoment::add", "DigitGram::add")),
    ("norms, places, rounding, sums", ("SecretMoment::add",)),
    ("noise", ("add_symmetric_gaussian",)),
    ("noise", ("noisy_sums",)),
    ("last decomposition", ("StrataEstimate::projected", "eigen_decomposition")),
    ("last decomposition", ("clamped_estimate", "eigen_decomposition")),
    ("last product", ("StrataEstimate::projected",)),
    ("last product", ("clamped_estimate",)),
    ("strata: decompositions", ("with_stratum", "eigen_decomposition")),
    ("strata: decompositions", ("with_stratum", "Eigenbasis::Eigenbasis")),
    ("strata: risk in the prior's basis", ("shared_basis_risk",)),
    ("strata: in the prior's basis, the rest", ("shared_basis_estimate",)),
    ("strata: by their own spectrum, the rest", ("own_spectrum_estimate",)),
    ("strata: detection, sums, the rest", ("with_stratum",)),
    ("strata: detection, sums, the rest", ("draw_strata",)),
)
REST = "everything else"


def stage_of(callers):
    return next((name for name, words in STAGES if all(word in callers for word in words)), REST)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dpcov")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--frequency", default="199", help="samples a second")
    parser.add_argument("options", nargs="+", help="the table, and options of dpcov estimate")
    arguments = parser.parse_args()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        command = ["perf", "record", "-q", "-o", data, "--call-graph", "dwarf,16384",
                   "-F", arguments.frequency, arguments.dpcov, "estimate", *arguments.options,
                   "--rho", "0.1", "--method", arguments.method, "--threads", "1", "--quiet",
                   "--output", os.devnull, "--output-format", "npy"]  # fmt: skip
        subprocess.run(command, env=environment, check=True, stderr=subprocess.DEVNULL)
        script = subprocess.run(["perf", "script", "-i", data, "-F", "comm,ip,sym"],
                                check=True, capture_output=True, text=True).stdout  # fmt: skip
    shares = collections.Counter()
    in_kernel = collections.Counter()
    for sample in script.split("\n\n"):
        lines = sample.strip().split("\n")[1:]
        if lines:
            stage = stage_of("\n".join(lines))
            shares[stage] += 1
            in_kernel[stage] += lines[0].strip().startswith("ffff")
    total = sum(shares.values())
    if total == 0:
        sys.exit("profile.py: perf saw nothing")
    print("| stage | per cent | of which in the kernel |")
    print("| --- | --- | --- |")
    for name in dict.fromkeys([name for name, _ in STAGES] + [REST]):
        print(
            f"| {name} | {100 * shares[name] / total:.1f} | {100 * in_kernel[name] / total:.1f} |"
        )
    print(f"| samples | {total} | {100 * sum(in_kernel.values()) / total:.1f} |")


if __name__ == "__main__":
    main()
