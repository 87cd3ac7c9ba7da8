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
    --rho 0.5
    --names
    --output "$out/covariance.csv"
    --record "$out/record.json")
echo
echo "\$ ${command[*]}"
"${command[@]}"

echo
echo "The correlations that follow from the private covariance:"
/usr/bin/python3 - "$out/covariance.csv" <<'SHOW'
import csv, math, sys

_, *rows = csv.reader(open(sys.argv[1]))
names = [row[0] for row in rows]
matrix = [[float(value) for value in row[1:]] for row in rows]
deviations = [math.sqrt(matrix[i][i]) for i in range(len(names))]
print(" " * 18 + "".join(f"{name[:10]:>11}" for name in names))
for i, name in enumerate(names):
    cells = (matrix[i][j] / (deviations[i] * deviations[j]) for j in range(len(names)))
    print(f"{name[:18]:<18}" + "".join(f"{cell:>11.3f}" for cell in cells))
SHOW
echo
echo "The matrix is in $out/covariance.csv, the account of the release in $out/record.json."
