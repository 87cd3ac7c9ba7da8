#!/usr/bin/env bash
# Makes the Python package's source distribution and its wheels for this machine's kind, into build/wheels:
#   scripts/wheels.sh [VERSION...]      of Python; without names 3.10, 3.11, 3.12 and 3.13
# One for the stable ABI from 3.12 on, and one each for 3.10 and 3.11, by the interpreters that are
# here, on the PATH or under pyenv. auditwheel brings OpenBLAS, GMP, MPFR, SQLite and the rest into them,
# wheel_notices.py their licences, and abi3audit looks whether the stable one is. Each is then tested in
# fresh virtual environments, and must take no library but the C and C++ runtimes' and zlib from the
# system.
set -euo pipefail
cd "$(dirname "$0")/.."

versions=("$@")
if [ ${#versions[@]} -eq 0 ]; then
    versions=(3.10 3.11 3.12 3.13)
fi
scripts/setup.sh
out=$PWD/build/wheels
rm -rf "$out"
mkdir -p "$out/raw" "$out/source"

# interpreter VERSION: its path, if there is one.
interpreter() {
    local candidate
    for candidate in "python$1" /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python; do
        if [ "$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$1" ]; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
}

# environment FOLDER PYTHON NEEDS...
environment() {
    local folder=$1 python=$2
    shift 2
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet 'pip>=25.1,<27' # which knows of groups
    if [ $# -gt 0 ]; then
        "$folder/bin/pip" install --quiet "$@"
    fi
}

declare -A found
for version in "${versions[@]}"; do
    python=$(interpreter "$version")
    if [ -n "$python" ]; then
        found[$version]=$python
    else
        echo "wheels.sh: no Python $version here; left out"
    fi
done

tools=$out/tools
environment "$tools" /usr/bin/python3 --group wheels

# Wheels are made from what the source distribution holds.
"$tools/bin/python" -m build --sdist --outdir "$out" . >/dev/null
tar -xzf "$out"/dpcov-*.tar.gz -C "$out/source" --strip-components=1

stable=
for version in "${versions[@]}"; do
    [ -n "${found[$version]:-}" ] || continue
    case $version in
        3.10 | 3.11) ;;
        *)
            [ -z "$stable" ] || continue
            stable=$version
            ;;
    esac
    echo "==> wheel by Python $version"
    environment "$out/builder" "${found[$version]}"
    "$out/builder/bin/pip" wheel --quiet --no-deps --wheel-dir "$out/raw" "$out/source"
done
for wheel in "$out"/raw/*.whl; do
    PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --plat "manylinux_2_34_$(uname -m)" --wheel-dir "$out" "$wheel"
done
for wheel in "$out"/*.whl; do
    "$tools/bin/python" scripts/wheel_notices.py "$wheel"
done
for wheel in "$out"/*-abi3-*.whl; do
    if [ -e "$wheel" ]; then
        "$tools/bin/abi3audit" --strict --report "$wheel"
    fi
done

for version in "${versions[@]}"; do
    [ -n "${found[$version]:-}" ] || continue
    echo "==> test under Python $version"
    environment "$out/tester" "${found[$version]}" --group pyproject.toml:test
    "$out/tester/bin/pip" install --quiet --no-deps --no-index --find-links "$out" dpcov
    # From elsewhere, so that nothing of the source tree is taken for the package.
    (cd "$out" && "$out/tester/bin/python" -I -X faulthandler ../../scripts/wheel_libraries.py &&
        "$out/tester/bin/python" -X faulthandler -m pytest -q -c ../../pyproject.toml --rootdir ../.. \
            ../../python/tests)
done
rm -rf "$out/tools" "$out/builder" "$out/tester" "$out/raw" "$out/source"
ls -l "$out"
