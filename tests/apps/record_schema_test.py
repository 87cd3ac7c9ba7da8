"""Release records against schemas/record.schema.json: record_schema_test.py PROGRAM SCHEMA.

By day each method meets each definition, each kind of input and both kinds of neighbours; all of
their combinations with DPCOV_TEST_SIZE=full in the environment.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
from schema_controls import wrongly_accepted

PROGRAM, SCHEMA = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
jsonschema.Draft7Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

DEFINITIONS = {
    "zcdp": [["--rho", "0.5"], ["--epsilon", "1", "--delta", "1e-9"]],
    "pure_dp": [["--epsilon", "2"]],
}
TABLE = "age,income\n" + "".join(f"{20 + i % 60},{1000 * (i % 7)}\n" for i in range(300))
INPUTS = [
    ["t.csv", "--bounds", "bounds.csv"],
    ["t.csv", "--bounds", "bounds.csv", "--no-center", "--scaled"],
    ["t.csv", "--header", "yes", "--column-scale", "scales.csv", "--norm-bound", "2"],
    ["t.csv", "--header", "yes", "--norm-bound", "9000", "--center"],
]


def run(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def record_of(words):
    run("estimate", *words, "--quiet", "--output", "m.csv", "--record", "r.json")
    return json.loads(pathlib.Path("r.json").read_text())


def complaints(record):
    return [error.message for error in VALIDATOR.iter_errors(record)]


def cases(definitions):
    combinations = list(itertools.product(definitions, INPUTS, ("replace", "add-remove")))
    if os.environ.get("DPCOV_TEST_SIZE") == "full":
        return combinations
    # An input in each kind of neighbours, under definitions that take turns.
    return [
        (definitions[(i + j) % len(definitions)], table, neighbours)
        for i, table in enumerate(INPUTS)
        for j, neighbours in enumerate(("replace", "add-remove"))
    ]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("t.csv").write_text(TABLE)
        pathlib.Path("bounds.csv").write_text("name,lower,upper,fill,missing\nage,0,120,40,-99 999\nincome,0,9000\n")
        pathlib.Path("scales.csv").write_text("age,120\nincome,9000\n")
        checked = 0
        for method in json.loads(run("methods", "--json")):
            definitions = [d for key in DEFINITIONS if method[key] for d in DEFINITIONS[key]]
            for definition, table, neighbours in cases(definitions):
                if method["needs_clip"] and ("--center" in table or "bounds.csv" in table):
                    continue
                clip = ["--clip", "0.5"] if method["needs_clip"] else []
                words = [*table, *definition, "--neighbours", neighbours]
                record = record_of([*words, "--method", method["name"], *clip])
                found = complaints(record)
                if found:
                    sys.exit(f"{words} {method['name']}: {found}")
                checked += 1
        run("ledger", "init", "spent.ledger", "--dataset", "people", "--rho", "1")
        record = record_of([*INPUTS[0], "--rho", "0.5", "--ledger", "spent.ledger", "--dataset", "people"])
        assert record["charge"] == {"rho": 0.5} and record["dataset"] == "people", record
        assert not complaints(record)
        of_rows = record_of([*INPUTS[0], "--rho", "0.5", "--rows-per-person", "3"])
        assert of_rows["rows_per_person"] == 3 and not complaints(of_rows), of_rows
        # Negative controls: what a record must not have, and what it must.
        for wrong in ({"definition": {"name": "zcdp"}}, {"norm_bound": 0}, {"rows_per_person": 1}):
            if not complaints(record | wrong):
                sys.exit(f"a record with {wrong} is accepted")
        for wrong in wrongly_accepted(SCHEMA, record):
            sys.exit(f"a record is accepted {wrong}")
        print(f"{checked + 1} records are as the schema says")


main()
