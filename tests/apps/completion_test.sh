#!/bin/bash
# What bash completes: completion_test.sh PROGRAM SCRIPT. Words that the help has, and no others.
set -euo pipefail
program=$1
# shellcheck disable=SC1090
source "$2"
failures=0

# expect WANTED WORDS...: what the last of these words is completed to, sorted, on one line.
expect() {
    local wanted=$1
    shift
    COMP_WORDS=(dpcov "$@")
    COMP_CWORD=$#
    _dpcov "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    local got
    got=$(printf '%s\n' "${COMPREPLY[@]-}" | sort | tr '\n' ' ')
    if [[ ${got% } != "$wanted" ]]; then
        echo "dpcov $*: '${got% }' in place of '$wanted'"
        failures=$((failures + 1))
    fi
}

expect 'audit budget derive estimate help ledger methods moment plan' ''
expect 'methods moment' m
expect 'add merge show' moment ''
expect 'export init show' ledger ''
expect 'estimate' help e
expect '--bad-rows --bounds' estimate people.csv --b
expect '--into' moment add people.csv --int
expect 'best paper published' estimate people.csv --variant ''
expect 'add-remove' plan --neighbours a
expect 'clip-gauss clip-laplace clip-separate' estimate --method clip
expect 'correlation covariance' derive people.npz co
expect '' estimate peo # files are bash's own
expect '' estimate people.csv --bounds bo
((failures == 0))
