#!/usr/bin/env bash
# Releases the covariance of the example table, from a bare Debian 12 on, and shows what came out.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
# The program and the library alone; a failed build shows its log.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Building ..."
if ! { cmake --preset release && cmake --build --preset release --parallel "$(nproc)" \
    --target dpcov_program; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

out=build/demo
mkdir -p "$out"
command=(build/release/apps/dpcov estimate examples/data/breast_cancer.csv
    --bounds examples/data/breast_cancer_bounds.csv
    --rho 0.5 --passes 2
    --names
    --output "$out/covariance.csv"
    --record "$out/record.json"
    --release "$out/people.npz")
echo
echo "\$ ${command[*]}"
"${command[@]}"

echo
echo "What follows from it, at no further cost:"
derive=(build/release/apps/dpcov derive "$out/people.npz" correlation)
echo "\$ ${derive[*]}"
"${derive[@]}"
echo
echo "The matrix is in $out/covariance.csv, the account of the release in $out/record.json."
