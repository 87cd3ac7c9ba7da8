export OPENBLAS_NUM_THREADS=1; unset OPENBLAS_CORETYPE
perf record -q -F 1000 -o $1.data $2 estimate $1.npy --rho .1 --method gauss --norm-bound $3 --threads 1 --quiet --output /dev/null --output-format npy
perf report -i $1.data --no-children -s dso,symbol 2>/dev/null | grep -v "^#" | grep "%" | cut -c1-130 | head -16
