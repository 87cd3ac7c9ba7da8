"""What commands tell as JSON against its schemas: json_schemas_test.py PROGRAM FOLDER_OF_SCHEMAS.

Records and what is derived have tests of their own (record_schema_test.py, golden_test.py).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema
from schema_controls import told_but_not_required, wrongly_accepted

PROGRAM, SCHEMAS = sys.argv[1], pathlib.Path(sys.argv[2])
BUDGETS = ["--rho 0.1", "--epsilon 1", "--epsilon 1 --delta 1e-9"]


def run(words):
    done = subprocess.run([PROGRAM, *words.split()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def check(name, commands, untold=frozenset(), optional=frozenset()):
    """Holds each command's JSON to the schema, and the schema to what it is to refuse.

    All that is described is to be told by some command, but for `untold`; what all of them tell is
    required, in objects within others too, but for `optional`.
    """
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    of_list = schema["type"] == "array"
    seen = set()
    answers = []
    for command in commands:
        told = json.loads(run(command))
        answers.append(told)
        for error in validator.iter_errors(told):
            sys.exit(f"{command}: {list(error.path)}: {error.message}")
        for wrong in wrongly_accepted(schema, told):
            sys.exit(f"{command}: accepted {wrong}")
        for entry in told if of_list else [told]:
            seen |= set(entry)
    entry = told[-1] if of_list else told
    described = schema["items"] if of_list else schema
    if unseen := set(described["properties"]) - seen - untold:
        sys.exit(f"{name}: no command told {unseen}")
    if more := told_but_not_required(schema, answers) - {(key,) for key in optional}:
        sys.exit(f"{name}: always told and not required: {more}")
    if "neighbours" in entry:
        changed = entry | {"neighbours": "none"}
        if validator.is_valid([changed] if of_list else changed):
            sys.exit(f"{name}: {changed} is accepted")
    return len(answers)


def plans():
    table = "plan --json --rows 3000 --bounds bounds.csv"
    free = "plan --json --rows 3000 --columns 3 --norm-bound 2"
    few = "plan --json --rows 3 --columns 3 --norm-bound 2 --rho 1e-6"
    for budget in BUDGETS:
        yield f"{table} {budget}"
        yield f"{free} {budget} --neighbours add-remove"
    yield f"{table} --correlation-error 0.05 --no-center --method gauss"
    yield f"{table} --epsilon 1 --delta 0.1 --passes 2 --deviation age=15 --mean income=1000"
    yield f"{table} --rho 1 --method separate --deviation age=15"
    yield f"{table} --rho 2 --rows-per-person 3 --method gauss"
    yield few
    yield f"{few} --center --mean 0=0.1"


def matrices():
    estimate = "estimate t.csv --quiet --rho 1 --output-format json --header yes"
    yield f"{estimate} --bounds bounds.csv"
    yield f"{estimate} --norm-bound 9000"
    yield "estimate bare.csv --quiet --rho 1 --output-format json --header no --norm-bound 9000"


def ledgers():
    for number, budget in enumerate(BUDGETS):
        run(f"ledger init spent.ledger --dataset people{number} {budget}")
    show = "ledger show spent.ledger --json"
    yield show
    estimate = "estimate t.csv --bounds bounds.csv --quiet --output m.csv --ledger spent.ledger"
    run(f"{estimate} --dataset people0 --rho 0.01")
    run(f"{estimate} --dataset people1 --epsilon 0.5")
    yield f"{show} --delta 1e-6"
    run(f"{estimate} --dataset people2 --rho 0.001")
    yield show
    yield f"{show} --dataset people2"
    run("ledger init none.ledger --dataset nobody --rho 1 --neighbours add-remove --rows-per-person 9")
    yield "ledger show none.ledger --json"


def moments():
    show = "moment show {} --json"
    run(
        "moment add t.csv --into bounded.moment --bounds bounds.csv --dataset people --keep-directions"
    )
    yield show.format("bounded.moment")
    run(
        "moment add t.csv --into plain.moment --header yes --norm-bound 9 --column-scale scales.csv"
    )
    yield show.format("plain.moment")
    run("moment add bare.csv --into bare.moment --header no --norm-bound 9")
    yield show.format("bare.moment")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = "".join(f"{20 + i % 60},{1000 * (i % 7)}\n" for i in range(300))
        pathlib.Path("t.csv").write_text("age,income\n" + rows)
        pathlib.Path("bare.csv").write_text(rows)
        pathlib.Path("bounds.csv").write_text(
            "name,lower,upper,fill,missing\nage,0,120,40,-99 999\nincome,0,9000\n"
        )
        pathlib.Path("scales.csv").write_text("age,120\n")
        asked = [*BUDGETS, "--rho 0.1 --delta 1e-6 --neighbours add-remove"]
        with_rows = asked + [f"{words} --rows-per-person 3" for words in asked]
        audit = "audit --json --runs 200 --seed 1 --quiet --method zero --method"
        claims = ["gauss --rho 0.1", "laplace --epsilon 1", "em --epsilon 1 --delta 1e-9"]
        checked = (
            check("plan", plans())
            + check("budget", [f"budget --json {words}" for words in with_rows], optional={"pure"})
            + check("ledger", ledgers())
            + check("matrix", matrices())
            + check("moment", moments(), untold={"origin", "stretch"})  # of a second pass
            + check("methods", ["methods --json"])
            + check("audit", [f"{audit} {words}" for words in claims])
        )
        print(f"{checked} answers are as their schemas say")


main()
