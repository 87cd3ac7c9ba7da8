#!/usr/bin/env bash
# Installs what dpcov needs on Debian 12 or 13, from Debian's own archive. Safe to run again: it does
# nothing and says nothing when all is there.
#     scripts/setup.sh [PACKAGE...]    and these besides
set -euo pipefail

packages=(
    g++ cmake ninja-build pkg-config
    ccache             # optional for the build; makes the second build of the day quick
    clang-format       # lint stage of scripts/test.sh
    clang-tidy         # lint stage of scripts/test.sh
    clang              # fuzz stage of scripts/test.sh
    libclang-rt-dev    # the same: libFuzzer and the sanitizers for Clang
    libopenblas-dev    # BLAS and LAPACK: dsyrk, dsyevd
    libeigen3-dev
    libspectra-dev     # Lanczos: a greatest eigenvalue without a whole decomposition (headers only)
    zlib1g-dev         # tables behind .gz
    libzip-dev         # releases as .npz
    libcsv-dev         # tests compare the fields of a CSV with it
    libarchive-dev     # research: data behind .gz and .xz
    libicu-dev         # research: letters and lower case of any script
    libmurmurhash-dev  # research: hashing words
    libsodium-dev      # ChaCha20 for seeded sources, erasing memory
    libmpfr-dev        # privacy conversions with directed rounding
    libgmp-dev         # integers of any length in the samplers
    libboost-dev       # quantiles of laws: intervals, the audit (headers only)
    libsqlite3-dev     # the ledger
    libcli11-dev
    nlohmann-json3-dev
    libfmt-dev
    libgtest-dev libgmock-dev
    libbenchmark-dev
    python3            # scripts, tests of the command line
    python3-dev        # the Python package
    python3-venv       # the same: its tests' environment
    python3-numpy      # tests compare .npy files with numpy's own reader
    python3-jsonschema # tests check release records against schemas/record.schema.json
    python3-sklearn    # tests compare hashed documents with scikit-learn's
    gnuplot-nox        # plots of dpcov-lab experiment
    "$@"
)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null || true)
    grep -qx installed <<<"$status" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "setup.sh: run it as root, or install sudo; missing: ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
echo "Installing from Debian: ${missing[*]}"
apt update
# apt tells every unpacked package on standard output; errors go to standard error.
apt install -y --no-install-recommends "${missing[@]}" >/dev/null
