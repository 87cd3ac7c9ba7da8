#!/usr/bin/env bash
# Builds and tests dpcov, from a bare Debian 12 on: scripts/test.sh [STAGE...]. The stages:
#     format   clang-format
#     alone    every source parsed by itself, as who adds dpcov to a project compiles it
#     release  optimised build, warnings as errors, all tests but the slow ones and the laboratory's
#     python   the Python package from the release build's library, in a virtual environment of Debian's
#              Python: its tests, ruff, mypy; scikit-learn's checks on the newest release and on 1.2
#     boundary what takes bytes from outside, built by Clang with AddressSanitizer and
#              UndefinedBehaviorSanitizer, not optimised: the tests of readers, files, moments and
#              releases, the Python extension, and every reader under libFuzzer, from tests/fuzz/corpus
# Without names: those five. For the night, all of which `night` stands for:
#     lint     clang-tidy over include/, src/, apps/, audit/, research/, examples/, python/src/
#     asan     everything, optimised, with those sanitizers, without laws, searches for the worst
#              neighbours, and a few long tests, which run the code of other tests, often (label
#              `unsanitized`); the Python extension
#     figures  every figure of the paper by 'dpcov-lab experiment --quick', from the release build
#     slow     the tests that are smaller by day, at full size, and long ones
#     debug    every source compiled by itself, with assertions; all tests, the
#              laboratory's too; the benchmarks
#     tsan     the tests that use threads or several processes, under ThreadSanitizer
#     engines  dpcov.dask and dpcov.spark on clusters of this machine; those of Spark where there is Java 17
#     mpi      dpcov-mpi, by jobs of several processes
#     fuzz     every reader under libFuzzer for 20 s (FUZZ_SECONDS; 5 s in `boundary`)
#     site     the documentation's site, its notebooks executed, warnings as errors (needs doxygen: scripts/site.sh);
#              the blocks of docs/migrating.md beside diffprivlib and OpenDP
# Tests on real data read the folder in DPCOV_DATA and are skipped where it is not set.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
by_day=(format alone release python boundary)
by_night=(lint asan figures slow debug tsan engines mpi fuzz site)
stages=("$@")
if [ ${#stages[@]} -eq 0 ]; then
    stages=("${by_day[@]}")
elif [ "$*" = night ]; then
    stages=("${by_night[@]}")
fi
for stage in "${stages[@]}"; do
    if [[ " ${by_day[*]} ${by_night[*]} " != *" $stage "* ]]; then
        echo "test.sh: unknown stage '$stage'; known: ${by_day[*]} ${by_night[*]}; night" >&2
        exit 2
    fi
done

scripts/setup.sh
if [ -z "${DPCOV_DATA:-}" ]; then
    echo "DPCOV_DATA is not set: tests on real data will be skipped."
fi

summary=()

# run_tests TEST_PRESET FOLDER: which tests, the preset says by their labels.
run_tests() {
    local log=$2/$1.log
    ctest --preset "$1" --parallel "$jobs" --output-log "$log"
    local failed total skipped
    read -r failed total < <(sed -nE 's/.* ([0-9]+) tests failed out of ([0-9]+)/\1 \2/p' "$log")
    skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
    summary+=("$1: $((total - failed - skipped)) passed, $failed failed, $skipped skipped")
}

# build_and_test PRESET [TEST_PRESET [CMAKE_OPTION...]]
build_and_test() {
    cmake --preset "$1" "${@:3}"
    cmake --build --preset "$1" --parallel "$jobs"
    run_tests "${2:-$1}" "build/$1"
}

format() {
    local sources
    mapfile -t sources < <(find include src apps audit research tests benchmarks examples python/src \
        -name '*.hpp' -o -name '*.cpp' | sort)
    clang-format --dry-run -Werror "${sources[@]}"
    summary+=("format: ${#sources[@]} files as .clang-format says")
}

open_mpi() {
    scripts/setup.sh libopenmpi-dev openmpi-bin
}

alone() {
    python_environment build/python-venv build test lint
    open_mpi
    cmake --preset debug -B build/alone -DDPCOV_BUILD_PYTHON=ON -DDPCOV_BUILD_MPI=ON \
        -DPython_EXECUTABLE="$PWD/build/python-venv/bin/python" >/dev/null
    /usr/bin/python3 scripts/alone.py build/alone | tee build/alone/alone.log
    summary+=("$(cat build/alone/alone.log)")
}

lint() {
    # clang-tidy reads the commands of the asan build, which take many sources at a time: most of
    # its time goes into the headers of others. Nothing is compiled for it.
    python_environment build/python-venv build test lint
    open_mpi
    cmake --preset asan -DDPCOV_BUILD_PYTHON=ON -DDPCOV_BUILD_MPI=ON \
        -DPython_EXECUTABLE="$PWD/build/python-venv/bin/python" >/dev/null
    local here log=build/asan/clang-tidy.log files
    # The path may have characters that mean something in an expression.
    here=$(/usr/bin/python3 -c 'import re, sys; print(re.escape(sys.argv[1]))' "$PWD")
    run-clang-tidy -quiet -p build/asan -j "$jobs" \
        "^$here/(build/asan/)?((src|apps|audit|research|examples)/|python/CMakeFiles/dpcov_core)" | tee "$log"
    files=$(grep -c 'clang-tidy' "$log" || true)
    if [ "$files" -eq 0 ]; then
        echo "lint: clang-tidy found no source" >&2
        exit 1
    fi
    summary+=("lint: clang-tidy clean ($files)")
}

# python_environment FOLDER GROUPS...: those of pyproject.toml, made anew when that changes.
python_environment() {
    local folder=$1 wanted group
    shift
    wanted=$(sha256sum <pyproject.toml)
    if [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ]; then
        rm -rf "$folder"
        /usr/bin/python3 -m venv "$folder"
        "$folder/bin/pip" install --quiet 'pip>=25.1,<27'
        for group in "$@"; do
            # What is imported is compiled then: a tenth of all.
            "$folder/bin/pip" install --quiet --no-compile --group "$group"
        done
        echo "$wanted" >"$folder/wanted"
    fi
}

# python_tree PRESET TREE TARGETS...: builds the package and lays it out as an installation would.
python_tree() {
    local preset=$1 tree=$2
    shift 2
    cmake --preset "$preset" -DDPCOV_BUILD_PYTHON=ON -DPython_EXECUTABLE="$PWD/build/python-venv/bin/python"
    cmake --build --preset "$preset" --parallel "$jobs" --target "$@"
    rm -rf "$tree"
    local component
    for component in python python_sources; do
        cmake --install "build/$preset" --component "$component" --prefix "$tree" >/dev/null
    done
}

python_package() {
    local bin=$PWD/build/python-venv/bin tree=$PWD/build/release/python-tree log=build/release/python.log
    python_environment build/python-venv build test lint
    python_environment build/python-oldest oldest
    python_tree release "$tree" dpcov_core dpcov_core_stub dpcov_program
    "$bin/ruff" check
    "$bin/ruff" format --check
    (cd "$tree" && "$bin/mypy" --config-file "$OLDPWD/pyproject.toml" -p dpcov)
    PYTHONPATH=$tree "$bin/python" -X faulthandler -m pytest -q -n "$jobs" | tee "$log"
    summary+=("python: $(tail -n 1 "$log")")
    # The libraries of that time warn of each other.
    PYTHONPATH=$tree build/python-oldest/bin/python -X faulthandler -m pytest -q -n "$jobs" \
        -W ignore python/tests/test_sklearn.py | tee "$log"
    summary+=("python, scikit-learn 1.2: $(tail -n 1 "$log")")
}

# A large download: not every day.
python_engines() {
    local tree=$PWD/build/release/python-tree log=build/release/engines.log
    python_environment build/python-venv build test lint
    python_environment build/python-engines test engines
    python_tree release "$tree" dpcov_core dpcov_core_stub dpcov_program
    PYTHONPATH=$tree build/python-engines/bin/python -X faulthandler -m pytest -q \
        python/tests/test_dask.py python/tests/test_spark.py | tee "$log"
    summary+=("engines: $(tail -n 1 "$log")")
}

mpi() {
    open_mpi
    cmake --preset release -DDPCOV_BUILD_MPI=ON
    cmake --build --preset release --parallel "$jobs" --target dpcov_mpi dpcov_program
    ctest --test-dir build/release --output-on-failure --no-tests=error -R '^apps\.mpi$'
    summary+=("mpi: passed")
}

python_site() {
    local tree=$PWD/build/release/python-tree log=build/release/site.log
    python_environment build/python-venv build test lint
    python_environment build/python-peers peers
    python_tree release "$tree" dpcov_core dpcov_core_stub dpcov_program
    PYTHONPATH=$tree build/python-peers/bin/python -X faulthandler -m pytest -q \
        python/tests/test_docs.py -k other_libraries | tee "$log"
    summary+=("beside the peers: $(tail -n 1 "$log")")
    scripts/site.sh | tee "$log"
    summary+=("$(tail -n 1 "$log")")
}

# python_sanitized PRESET MARKERS [OPTION...]: the extension under the sanitizers, what it makes of arrays, streams
# and odd sequences of calls.
python_sanitized() {
    local tree=$PWD/build/$1/python-tree log=build/$1/python.log preload
    python_environment build/python-venv build test lint
    python_tree "$1" "$tree" dpcov_core
    # The sanitizer looks for the C++ runtime's throw when it starts.
    preload="$(clang++ -print-file-name=libclang_rt.asan-$(uname -m).so) $(clang++ -print-file-name=libstdc++.so.6)"
    # Python itself keeps objects to its end.
    LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$tree \
        build/python-venv/bin/python -X faulthandler -m pytest -q -n "$jobs" -m "$2" "${@:3}" \
        python/tests/test_inputs.py python/tests/test_moment.py python/tests/test_calls.py | tee "$log"
    summary+=("python, sanitized: $(tail -n 1 "$log")")
}

# What takes bytes from outside, under the sanitizers.
boundary() {
    cmake --preset boundary
    cmake --build --preset boundary --parallel "$jobs" --target \
        files_test tables_test moment_test report_test
    run_tests boundary build/boundary
    python_sanitized boundary 'not unsanitized and not many_rows'
    fuzz boundary "${FUZZ_SECONDS:-5}"
}

# fuzz PRESET SECONDS
fuzz() {
    cmake --preset "$1" >/dev/null
    cmake --build --preset "$1" --parallel "$jobs" --target fuzz_readers
    local found=build/$1/found
    mkdir -p "$found"
    # What a fuzzer finds stays in that folder; an input that breaks something goes into the
    # corpus with its repair.
    printf '%s\n' csv npy idx svm gzip moment npz |
        xargs -P "$jobs" -I{} sh -c 'mkdir -p '"$found"'/{} && DPCOV_FUZZ_TARGET={} \
            build/'"$1"'/tests/fuzz/fuzz_readers \
            -max_total_time='"$2"' -max_len=4096 -timeout=10 -verbosity=0 \
            -print_final_stats=1 -artifact_prefix='"$found"'/broken-{}- \
            '"$found"'/{} tests/fuzz/corpus/{} >'"$found"'/{}.log 2>&1 ||
            { cat '"$found"'/{}.log; exit 255; }'
    summary+=("fuzz: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found"/*.log |
        awk '{ n += $1 } END { print n }') inputs, nothing broken")
}

# figures NAME...
figures() {
    cmake --preset release >/dev/null
    cmake --build --preset release --parallel "$jobs" --target dpcov_lab
    local names=("$@") data=()
    if [ -n "${DPCOV_DATA:-}" ]; then
        data=(--data "$DPCOV_DATA")
    fi
    local out=build/release/figures name
    for name in "${names[@]}"; do
        rm -rf "$out/$name".* "$out/$name"
        build/release/research/dpcov-lab experiment "$name" --quick --quiet --out "$out" "${data[@]}"
        for made in csv md svg png; do
            test -s "$out/$name.$made"
        done
    done
    summary+=("figures: ${#names[@]} drawn")
}

for stage in "${stages[@]}"; do
    echo "==> $stage"
    started=$SECONDS
    case $stage in
        python) python_package ;;
        engines) python_engines ;;
        site) python_site ;;
        fuzz) fuzz asan "${FUZZ_SECONDS:-20}" ;;
        figures)
            names=(fig1 fig2a fig2b fig2c fig2d fig6 fig7)
            if [ -n "${DPCOV_DATA:-}" ]; then
                names+=(fig3 fig4 fig5)
            fi
            figures "${names[@]}"
            ;;
        slow) build_and_test release slow ;;
        asan)
            build_and_test asan
            python_sanitized asan 'not unsanitized' --hypothesis-profile=search
            ;;
        debug)
            build_and_test debug
            cmake --build --preset debug --parallel "$jobs" --target benchmarks
            ;;
        release) build_and_test release release -DDPCOV_BUILD_LAB=OFF ;;
        tsan) build_and_test tsan ;;
        *) "$stage" ;;
    esac
    echo "==> $stage took $((SECONDS - started)) s"
done

if [ ${#summary[@]} -gt 0 ]; then
    echo
    printf '%s\n' "${summary[@]}"
fi
