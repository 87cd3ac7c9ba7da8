#!/usr/bin/python3
"""The audit from outside the program.

    run.py PROGRAM [PROPERTY ...]

Compares what PROGRAM (dpcov) shows of neighbouring tables: the properties named, or all of them.
Each must then catch the programs that are broken on purpose against it. Exit status 0 if all of
this holds.
"""

from __future__ import annotations

import sys
import unittest

from broken import BROKEN, Broken
from program import Dpcov
from properties import PROPERTIES

MOST_TOLD = 20  # cases of one property; more of them would say the same


def test_of_property(name: str, dpcov: Dpcov) -> unittest.FunctionTestCase:
    def test() -> None:
        cases, wrong = 0, []
        for case in PROPERTIES[name](dpcov):
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
        for case in PROPERTIES[variant.caught_by](dpcov):
            # A case that the program itself fails would catch anything.
            if case.faults(variant.of(dpcov)) and not case.faults(dpcov):
                print(f"broken, {variant.name}: caught ({case.name})", flush=True)
                return
        raise AssertionError(f"not caught by {variant.caught_by}")
    return unittest.FunctionTestCase(test, description=f"broken: {variant.name}")


def main(arguments: list[str]) -> int:
    if not arguments or not set(arguments[1:]) <= set(PROPERTIES):
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
