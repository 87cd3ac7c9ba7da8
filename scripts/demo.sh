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
    --column-scale examples/data/breast_cancer_scales.csv
    --norm-bound 2
    --rho 0.5
    --output "$out/covariance.csv"
    --record "$out/record.json")
echo
echo "\$ ${command[*]}"
"${command[@]}"

echo
echo "The private second-moment matrix of the scaled columns:"
/usr/bin/python3 - "$out/covariance.csv" examples/data/breast_cancer_scales.csv <<'SHOW'
import csv, sys

matrix, scales = (list(csv.reader(open(path))) for path in sys.argv[1:])
names = [row[0] for row in scales[1:]]
print(" " * 18 + "".join(f"{name[:10]:>11}" for name in names))
for name, row in zip(names, matrix[-len(names):]):
    print(f"{name[:18]:<18}" + "".join(f"{float(value):>11.5f}" for value in row))
SHOW
echo
echo "The matrix is in $out/covariance.csv, the account of the release in $out/record.json."
