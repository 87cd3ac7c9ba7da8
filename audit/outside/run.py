#!/usr/bin/python3
"""The audit from outside the program.

    run.py PROGRAM [PROPERTY ...]

Compares what PROGRAM (dpcov) shows of neighbouring tables: the properties named, or all of them.
Each must then catch the programs that are broken on purpose against it. Exit status 0 if all of
this holds. Of the properties that have hundreds of cases only some are tried, always the same, and
these must catch what is broken, too; all of them with DPCOV_TEST_SIZE=full in the environment.
"""

from __future__ import annotations

import os
import sys
import unittest
import zlib
from collections.abc import Iterator

from broken import BROKEN, Broken
from program import Dpcov
from properties import PROPERTIES, Case

MOST_TOLD = 20  # cases of one property; more of them would say the same
# Of these properties one case in so many is tried by day.
ONE_IN = {"bad_rows_with_header": 3, "bad_rows_without_header": 3, "bad_rows_of_svm": 4,
          "bad_rows_of_arrays": 4, "missing_codes": 4, "categories": 3, "neighbours_by_replacement": 4,
          "neighbours_by_addition": 4, "empty_tables": 4, "two_passes": 2, "memory": 2}


def cases_of(name: str, dpcov: Dpcov) -> Iterator[Case]:
    one_in = 1 if os.environ.get("DPCOV_TEST_SIZE") == "full" else ONE_IN.get(name, 1)
    for case in PROPERTIES[name](dpcov):
        # By its name: the same whatever cases are added, and of every kind.
        if zlib.crc32(case.name.encode()) % one_in == 0:
            yield case


def test_of_property(name: str, dpcov: Dpcov) -> unittest.FunctionTestCase:
    def test() -> None:
        cases, wrong = 0, []
        for case in cases_of(name, dpcov):
            cases += 1
            faults = case.faults(dpcov)
            if faults:
                wrong.append("\n    ".join([case.name, *faults]))
            if len(wrong) == MOST_TOLD:
                wrong.append("(the cases after these were not tried)")
                break
        print(f"{name}: {cases} cases, {len(wrong)} wrong", flush=True)
        if wrong:
            raise AssertionError("\n".join(["", *wrong]))
        if cases == 0:
            raise AssertionError("no cases")
    return unittest.FunctionTestCase(test, description=name)


def test_of_broken(variant: Broken, dpcov: Dpcov) -> unittest.FunctionTestCase:
    def test() -> None:
        for case in cases_of(variant.caught_by, dpcov):
            # A case that the program itself fails would catch anything.
            if case.faults(variant.of(dpcov)) and not case.faults(dpcov):
                print(f"broken, {variant.name}: caught ({case.name})", flush=True)
                return
        raise AssertionError(f"not caught by {variant.caught_by}")
    return unittest.FunctionTestCase(test, description=f"broken: {variant.name}")


def main(arguments: list[str]) -> int:
    known = arguments and os.path.isfile(arguments[0]) and set(arguments[1:]) <= set(PROPERTIES)
    if not known:
        print(__doc__, "Properties:", *PROPERTIES, file=sys.stderr)
        return 2
    dpcov = Dpcov(arguments[0])
    suite = unittest.TestSuite()
    for name in arguments[1:] or PROPERTIES:
        suite.addTest(test_of_property(name, dpcov))
        suite.addTests(test_of_broken(variant, dpcov) for variant in BROKEN if variant.caught_by == name)
    return 0 if unittest.TextTestRunner(verbosity=0).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
