"""What must hold of neighbouring tables, as cases: runs of the program, and a judge of what they
show. A judge returns what is wrong, nothing where all is well.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy
import tables
from program import Observed, Program, Run, add, estimate
from tables import BASE, READERS, WAYS, ZERO, Row, Table, ways_of

Faults = list[str]
Judge = Callable[..., Faults]


@dataclass(frozen=True)
class Case:
    name: str
    runs: tuple[Run, ...]
    judge: Judge

    def faults(self, program: Program) -> Faults:
        faults = self.judge(*(program(run) for run in self.runs))
        return list(dict.fromkeys(faults))  # each once, though several runs may show it


# ---- Judges ----------------------------------------------------------------------------------

# The record has these fields and no other: no running time, no seed.
PUBLIC_FIELDS = {
    "version", "method", "variant", "private", "definition", "curve", "neighbours",
    "rows_per_person", "n", "d", "columns", "norm_bound", "bounds", "scale", "column_scales", "units",
    "centered", "grid", "stages", "error_covers", "dataset", "charge"}
# Computed from the noisy statistics. What does not depend on noise must be the same for neighbours.
NOISY_FIELDS = {
    "noisy_n", "mean", "origin", "stretch", "threshold", "estimated_frobenius_error",
    "hidden_rows_error", "worse_than_zero",
    "no_error_because", "share_of_norm_bound", "zero", "zero_because"}
# `adaptive` chooses from a noisy statistic how to go on.
NOISY_FIELDS_OF = {"adaptive": {"stages", "grid", "error_covers"}}
# Where rows may be read again, whether they are, about what and how stretched depends on noise.
NOISY_FIELDS_IN_TWO_PASSES = {"norm_bound", "grid", "stages"}
# Under add-remove strata are counted with their sums or apart, as the noisy histogram tells.
COUNTS_AS_NOISE_TELLS = ("auto", "stratified")

# Paragraphs of the summary that are computed from the released matrix.
NOISY_PARAGRAPHS = re.compile(
    r"^(error |result |WARNING   the zero matrix|WARNING   the trace is).*\n(          .*\n)*",
    re.MULTILINE)
NOISY_SPENT = re.compile(r"^spent .*\n(          .*\n)*", re.MULTILINE)
COUNTED_AS_NOISE_TELLS = re.compile(
    rf"^method +({'|'.join(COUNTS_AS_NOISE_TELLS)})\b.*\n.*neighbours: add-remove", re.MULTILINE)
NOISY_ROWS = re.compile(r"\babout \d+ rows?\b")


def identical(first: Observed, *others: Observed) -> Faults:
    """Everything is the same, to the byte."""
    faults = record_faults(first)
    for other in others:
        faults += _differences("exit status", first.status, other.status)
        faults += _differences("standard output", first.out, other.out)
        faults += _differences("standard error", _without_repetition(first.err),
                               _without_repetition(other.err))
        faults += _differences("names of files", sorted(first.files), sorted(other.files))
        for name in sorted(set(first.files) & set(other.files)):
            faults += _differences(name, first.files[name], other.files[name])
    return faults


def alike(first: Observed, *others: Observed) -> Faults:
    """The same but for what is computed from noise."""
    faults = record_faults(first)
    for other in others:
        faults += record_faults(other)
        faults += _differences("exit status", first.status, other.status)
        faults += _differences("standard error", _without_noise(first.err), _without_noise(other.err))
        faults += _differences("shape of standard output", _shape(first.out), _shape(other.out))
        faults += _differences("names of files", sorted(first.files), sorted(other.files))
        faults += _record_differences(first.record, other.record)
        faults += _differences("size of the matrix file", len(first.files.get("matrix.npy", b"")),
                               len(other.files.get("matrix.npy", b"")))
    return faults


def same_release(first: Observed, *others: Observed) -> Faults:
    """Another way to the same matrix and the same record."""
    faults = []
    for other in others:
        faults += _differences("exit status", first.status, other.status)
        faults += _differences("standard output", first.out, other.out)
        faults += _differences("record", first.record, other.record)
    return faults


def record_faults(seen: Observed) -> Faults:
    if seen.record is None:
        return []
    unknown = set(seen.record) - PUBLIC_FIELDS - NOISY_FIELDS
    faults = [f"the record has a field '{name}' that it should not have" for name in sorted(unknown)]
    if seen.record.get("neighbours") == "add-remove" and "n" in seen.record:
        faults.append("the record has the private n")
    return faults


def ends_with(status: int, *, also: Judge = identical) -> Judge:
    """The exit status is this one; besides, `also`."""
    def judge(*seen: Observed) -> Faults:
        wrong = [f"exit status {one.status}, not {status}: {_short(one.err)}"
                 for one in seen if one.status != status]
        return wrong or also(*seen)
    return judge


def says(judge: Judge, **fields) -> Judge:
    """Released, with these fields in the record; besides, `judge`."""
    def both(*seen: Observed) -> Faults:
        faults = []
        for one in seen:
            if one.status != 0 or one.record is None:
                return [f"no release: exit status {one.status}: {_short(one.err)}"]
            for name, value in fields.items():
                faults += _differences(f"record: {name}", value, one.record.get(name))
        return faults + judge(*seen)
    return both


def _differences(what: str, first, other) -> Faults:
    if first == other:
        return []
    if isinstance(first, bytes) and isinstance(other, bytes):
        at = next((i for i, (a, b) in enumerate(zip(first, other)) if a != b),
                  min(len(first), len(other)))
        first, other = first[max(0, at - 20):], other[max(0, at - 20):]
        what += f" from byte {max(0, at - 20)}"
    return [f"{what}: {_short(first)} / {_short(other)}"]


def _short(value, most: int = 160) -> str:
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    text = text.replace("\n", "\\n")
    return text if len(text) <= most else text[:most] + "..."


def _without_repetition(err: bytes) -> bytes:
    """A slower run may repeat a line of progress."""
    return b"".join(line for line, _ in itertools.groupby(err.splitlines(keepends=True)))


def _without_noise(err: bytes) -> str:
    text = _without_repetition(err).decode(errors="replace")
    if COUNTED_AS_NOISE_TELLS.search(text):
        text = NOISY_SPENT.sub("", text)
    return NOISY_PARAGRAPHS.sub("", NOISY_ROWS.sub("about N rows", text))


def _shape(out: bytes) -> list[int]:
    return [line.count(b",") for line in out.splitlines()]


def _record_differences(first: dict | None, other: dict | None) -> Faults:
    if first is None or other is None:
        return _differences("record written", first is not None, other is not None)
    first, other = _public_part(first), _public_part(other)
    faults = []
    for name in sorted(set(first) | set(other)):
        faults += _differences(f"record: {name}", first.get(name, "(absent)"),
                               other.get(name, "(absent)"))
    return faults


def _public_part(record: dict) -> dict:
    noisy = NOISY_FIELDS | NOISY_FIELDS_OF.get(record.get("method"), set())
    if record.get("method") in COUNTS_AS_NOISE_TELLS and record.get("neighbours") == "add-remove":
        noisy = noisy | {"stages"}
    if _may_have_moved(record):
        noisy = noisy | NOISY_FIELDS_IN_TWO_PASSES
    public = {name: value for name, value in record.items() if name not in noisy}
    if "grid" in public and "noisy_n" in record:
        # A grid of sums divided by the noisy number of rows: the grid of the sums is public.
        public["grid"] = float(f"{public['grid'] * record['noisy_n']:.12g}")
    return public


def _may_have_moved(record: dict) -> bool:
    return any(stage["name"] == "origin" for stage in record["stages"])


# ---- Bad rows --------------------------------------------------------------------------------

LONG = b"1" * (17 << 20)  # longer than any field should be

# Lines that are no row of three numbers, whatever else they may be taken for.
BAD_LINES: dict[str, bytes] = {
    "blank": b"",
    "blanks": b"   ",
    "carriage return": b"\r",
    "one field": b"0.1",
    "two fields": b"0.1,0.2",
    "four fields": b"0.1,0.2,0.3,0.4",
    "only delimiters": b",,",
    "missing field": b"0.1,,0.3",
    "not a number": b"nan,0.2,0.3",
    "infinite": b"0.1,inf,0.3",
    "NA": b"0.1,NA,0.3",
    "words": b"Zzyzx,Yyxy,Xxyzx",
    "the header": b"age,income,height",
    "word and numbers": b"Zzyzx,0.2,0.3",
    "number and words": b"0.1,Zzyzx,Yyxy",
    "open quote at the start": b'"0.1,0.2,0.3',
    "open quote at the end": b'0.1,0.2,"0.3',
    "lone quote": b'"',
    "text after a quote": b'"0.1"x,0.2,0.3',
    "quote within a field": b'0.1,0."2,0.3',
    "comment": b"# 0.1,0.2,0.3",
    "semicolons": b"0.1;0.2;0.3",
    "thousands separator": b'0.1,"1,234",0.3',
    "zero byte": b"0.1,0\x00.2,0.3",
    "two rows by carriage return": b"0.1,0.2,0.3\r0.4,0.5,0.6",
    "not UTF-8": b"\xff\xfe0\x00.\x001\x00,\x00",
    "like a gzip file": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "like an .npy file": b"\x93NUMPY\x01\x00v\x00{'descr'",
    "long field": b"0.1,0.2," + LONG,
    "long line": LONG,
}
FEW = ("blank", "two fields", "words", "open quote at the start")
# Readers may differ on whether these are rows; that there is one row, of three columns, they say.
DOUBTFUL_LINES: dict[str, bytes] = {
    "byte order mark": b"\xef\xbb\xbf0.1,0.2,0.3",
    "quoted numbers": b'"0.1","0.2","0.3"',
    "blanks around": b" 0.1 , 0.2 , 0.3 ",
    "plus sign": b"+0.1,0.2,0.3",
    "hexadecimal": b"0x1p-3,0.2,0.3",
    "overflow": b"1e999,0.2,0.3",
    "underflow": b"1e-999,0.2,0.3",
    "quotes doubled": b'0.1,"0.2""",0.3',
}
BAD_SVM_LINES: dict[str, bytes] = {
    "blank": b"",
    "blanks": b"   ",
    "carriage return": b"\r",
    "comment": b"# 1 1:0.1",
    "index past the dimension": b"1 4:0.5",
    "index far past the dimension": b"1 99999999999999999999999:0.5",
    "index zero": b"1 0:0.5",
    "negative index": b"1 -1:0.5",
    "no value": b"1 1:",
    "no index": b"1 :0.5",
    "no colon": b"1 0.5",
    "word as value": b"1 1:Zzyzx",
    "not a number": b"1 1:nan",
    "infinite": b"1 1:inf",
    "zero byte": b"1 1:0\x00.5",
    "like a gzip file": b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    "long value": b"1 1:" + LONG,
    "long line": LONG,
}
DOUBTFUL_SVM_LINES: dict[str, bytes] = {
    "falling indices": b"1 2:0.5 1:0.5",
    "index twice": b"1 1:0.5 1:0.5",
    "comment behind": b"1 1:0.5 # note",
    "word as label": b"Zzyzx 1:0.5",
    "query": b"1 qid:3 1:0.5",
    "no label": b"1:0.5",
}

PLACES = {"first": 0, "middle": len(BASE) // 2, "last": len(BASE) - 1}


def with_row(row: Row, place: int) -> list[Row]:
    return [*BASE[:place], row, *BASE[place + 1:]]


def bad_is_zero(make: Callable[[Sequence[Row]], Table], lines: dict[str, Row], what: str,
                ways: Sequence[str] = ("file",)) -> Iterator[Case]:
    """A table with a bad row gives the very bytes that the table with a zero row there gives."""
    judge = says(identical, n=len(BASE), d=tables.COLUMNS)
    for way, (place, at), (kind, line) in itertools.product(ways, PLACES.items(), lines.items()):
        runs = (_zeroing(make(with_row(ZERO, at)), way), _zeroing(make(with_row(line, at)), way))
        yield Case(f"{what}, {way}, {place} row: {kind}", runs, judge)


def _zeroing(table: Table, way: str = "file", **how) -> Run:
    return estimate(table.declaring("--bad-rows", "zero").sent(way), **how)


def _only(lines: dict[str, bytes], kinds: Sequence[str]) -> dict[str, bytes]:
    return {kind: lines[kind] for kind in kinds}


def _text(declared: str, delimiter: str = ",") -> Callable[[Sequence[Row]], Table]:
    return lambda rows: tables.text(rows, declared, delimiter)


def bad_rows_with_header(_: Program) -> Iterator[Case]:
    yield from bad_is_zero(_text("header"), BAD_LINES, "header")
    few = _only(BAD_LINES, FEW)
    yield from bad_is_zero(_text("header"), few, "header", WAYS[1:])
    yield from bad_is_zero(_text("header", "\t"), few, "header, tsv", WAYS)
    yield from bad_is_zero(_text("bounds"), few, "bounds")
    # A missing field takes its fill; these lines are no rows with a field missing.
    no_row = _only(BAD_LINES, ("four fields", "open quote at the start"))
    yield from bad_is_zero(_text("fill"), no_row, "fill")
    yield from many_bad_rows(_text("header"), BAD_LINES, "header")
    yield from doubtful(_text("header"), DOUBTFUL_LINES, "header")


def bad_rows_without_header(_: Program) -> Iterator[Case]:
    yield from bad_is_zero(_text("dimension"), BAD_LINES, "dimension")
    few = _only(BAD_LINES, FEW)
    yield from bad_is_zero(_text("dimension"), few, "dimension", WAYS[1:])
    yield from bad_is_zero(_text("dimension", "\t"), few, "dimension, tsv", WAYS)
    more = few | _only(BAD_LINES, ("comment", "not UTF-8", "like a gzip file", "long line"))
    yield from bad_is_zero(_text("columns"), more, "columns")
    yield from bad_is_zero(_text("places"), more, "bounds by place")
    yield from many_bad_rows(_text("dimension"), BAD_LINES, "dimension")
    yield from doubtful(_text("dimension"), DOUBTFUL_LINES, "dimension")
    yield from last_line_not_ended()
    yield from one_column()


def bad_rows_of_svm(_: Program) -> Iterator[Case]:
    yield from bad_is_zero(tables.svm, BAD_SVM_LINES, "svm")
    few = _only(BAD_SVM_LINES, ("blank", "comment", "index past the dimension", "word as value"))
    yield from bad_is_zero(tables.svm, few, "svm", WAYS[1:])
    yield from many_bad_rows(tables.svm, BAD_SVM_LINES, "svm")
    yield from doubtful(tables.svm, DOUBTFUL_SVM_LINES, "svm")
    no_row = {name: line for name, line in BAD_SVM_LINES.items() if name != "index past the dimension"}
    yield from bad_is_zero(READERS["svm by columns"], no_row, "svm by columns")
    # A label alone is a row of zeros, by the format itself.
    yield from bad_is_zero(tables.svm, {"label alone": b"1"}, "svm")


def bad_rows_of_arrays(_: Program) -> Iterator[Case]:
    nan, inf = float("nan"), float("inf")
    rows = {"not a number": (0.1, nan, 0.3), "nothing is a number": (nan, nan, nan),
            "infinite": (inf, 0.2, 0.3), "minus infinity": (0.1, 0.2, -inf)}
    for what in ("npy float64", "npy float64 Fortran", "npy float32", "idx float"):
        yield from bad_is_zero(READERS[what], rows, what, ways_of(what))
        zeros = READERS[what]([ZERO] * len(BASE))
        nans = READERS[what]([(nan, nan, nan)] * len(BASE))
        yield Case(f"{what}, all rows bad", (_zeroing(zeros), _zeroing(nans)),
                   says(identical, n=len(BASE), d=tables.COLUMNS))


def missing_codes(_: Program) -> Iterator[Case]:
    """A code for a missing value is one, and shows in nothing else."""
    filled = says(identical, n=len(BASE), d=tables.COLUMNS)
    missing = (float("nan"), *tables.CODES)

    def made(make: Callable, value: float, at: int, fill: str = "") -> Table:
        return tables.coding(make(with_row((0.1, value, 0.3), at)), fill)

    makers = {what: READERS[what] for what in ("csv without header", "npy float64", "npy float32",
                                               "npy float64 Fortran", "idx float", "svm")}
    makers["tsv without header"] = _text("dimension", "\t")
    for what, make in makers.items():
        for way, (place, at) in itertools.product(ways_of(what), PLACES.items()):
            runs = [estimate(made(make, value, at, "0.5").sent(way)) for value in (0.5, *missing)]
            yield Case(f"{what}, {way}, {place} row, filled", tuple(runs), filled)
            zero = tables.coding(make(with_row(ZERO, at)))
            runs = [_zeroing(made(make, value, at), way) for value in missing]
            yield Case(f"{what}, {way}, {place} row, bad", (_zeroing(zero, way), *runs), filled)
        runs = [estimate(made(make, code, 3)) for code in tables.CODES]
        yield Case(f"{what}, refused", tuple(runs), ends_with(3))
        coded = [*tables.CODES, tables.CODES[0]]
        runs = [estimate(tables.coding(make(rows), "0.5"), neighbours="add-remove")
                for rows in (BASE, [*BASE, coded])]
        yield Case(f"{what}, a row more", tuple(runs), ends_with(0, also=alike))
    fields = [tables.coding(tables.text(with_row(line, 3), "dimension"))
              for line in (b"0.1,,0.3", b"0.1,9,0.3", b"0.1,-0.25,0.3")]
    yield Case("as an empty field, refused", tuple(map(estimate, fields)), ends_with(3))
    rows = [[*FAR[:7], (0.8, value, -0.9), *FAR[8:]] for value in missing]
    runs = [estimate(tables.coding(tables.text(table, "dimension"), "0.5"), "auto")
            .with_options("--passes", "2") for table in rows]
    yield Case("two passes", tuple(runs), says(identical, n=len(FAR)))


def categories(_: Program) -> Iterator[Case]:
    """A row's category shows in its indicators, and in nothing else; a value that is on no list
    shows nowhere."""
    regions = [b"north", b'"a, b"', b"south", b"north", b"north", b'"a, b"', b"west"]

    def made(declared: str, region: bytes, at: int, fill: str = "") -> Table:
        return tables.categories([*regions[:at], region, *regions[at + 1:]], declared, fill)

    unlisted = [name for name, value in tables.REGIONS.items() if not any(value)]
    filled = says(identical, n=len(regions), d=tables.COLUMNS)
    for declared, way, (place, at) in itertools.product(("bounds", "places"), WAYS, PLACES.items()):
        what = f"{declared}, {way}, {place} row"
        runs = [estimate(made(declared, region, at).sent(way)) for region in unlisted]
        yield Case(f"{what}, on no list", tuple(runs), filled)
        runs = [estimate(made(declared, region, at, ",0").sent(way))
                for region in (unlisted[0], *tables.MISSING_REGIONS)]
        yield Case(f"{what}, missing, filled by 0", tuple(runs), filled)
        runs = [_zeroing(made(declared, region, at), way) for region in tables.MISSING_REGIONS]
        yield Case(f"{what}, missing, bad", tuple(runs), filled)
        runs = [estimate(made(declared, region, at).sent(way)) for region in tables.REGIONS]
        yield Case(f"{what}, another category", tuple(runs), says(alike, n=len(regions)))
        runs = [estimate(made(declared, region, at).sent(way)) for region in tables.MISSING_REGIONS]
        yield Case(f"{what}, missing, refused", tuple(runs), ends_with(3))
    for (place, at), region in itertools.product(PLACES.items(), tables.REGIONS):
        rows = [one if one in tables.REGIONS else b"nowhere"
                for one in (*regions[:at], region, *regions[at + 1:])]
        by_hand, by_list = (tables.categories(rows, declared) for declared in ("columns", "bounds"))
        yield Case(f"as columns of 0 and 1: {region!r} in the {place} row",
                   (estimate(by_hand), estimate(by_list)), filled)
    rows = [regions, [*regions, b"nowhere"], [*regions, b"north"]]
    runs = [estimate(tables.categories(some, "bounds"), neighbours="add-remove") for some in rows]
    yield Case("a row more", tuple(runs), ends_with(0, also=alike))


def many_bad_rows(make: Callable, lines: dict[str, bytes], what: str) -> Iterator[Case]:
    """All rows bad, one way; and each another way."""
    judge = says(identical, n=len(BASE), d=tables.COLUMNS)
    zeros = make([ZERO] * len(BASE))
    for kind, line in lines.items():
        if len(line) < 100:
            yield Case(f"{what}, all rows bad: {kind}",
                       (_zeroing(zeros), _zeroing(make([line] * len(BASE)))), judge)
    short = [line for line in lines.values() if len(line) < 100]
    runs = tuple(_zeroing(make(rows), neighbours="add-remove")
                 for rows in ([ZERO] * len(short), short, short[::-1]))
    yield Case(f"{what}, each row bad in its own way", runs, says(identical, d=tables.COLUMNS))


def doubtful(make: Callable, lines: dict[str, bytes], what: str) -> Iterator[Case]:
    judge = says(alike, n=len(BASE), d=tables.COLUMNS)
    for (place, at), (kind, line) in itertools.product(PLACES.items(), lines.items()):
        yield Case(f"{what}, {place} row: {kind}",
                   (_zeroing(make(BASE)), _zeroing(make(with_row(line, at)))), judge)
    # The sums do not depend on the rows' order: no more may what a line means.
    judge = says(identical, n=len(BASE), d=tables.COLUMNS)
    for kind, line in lines.items():
        runs = tuple(_zeroing(make([*BASE[1:at + 1], line, *BASE[at + 1:]]))
                     for at in PLACES.values())
        yield Case(f"{what}, in any place: {kind}", runs, judge)


def last_line_not_ended() -> Iterator[Case]:
    """The last line feed ends a row. Without it the row is there all the same."""
    zero = tables.text(with_row(ZERO, len(BASE) - 1), "dimension")
    for kind in ("two fields", "words", "open quote at the start", "missing field", "blanks"):
        table = tables.text(with_row(BAD_LINES[kind], len(BASE) - 1), "dimension")
        cut = Table(table.name, table.data[:-1], table.options, table.rows)
        yield Case(f"last line not ended: {kind}", (_zeroing(zero), _zeroing(cut)),
                   says(identical, n=len(BASE)))


def one_column() -> Iterator[Case]:
    """In a table of one column a missing value is a blank line."""
    def table(values: Sequence[bytes], header: bool) -> Table:
        lines = ([b"age"] if header else []) + list(values)
        options = ("--header", "yes") if header else ("--header", "no", "--dimension", "1")
        return Table("table.csv", b"".join(v + b"\n" for v in lines),
                     options + ("--norm-bound", "1"), len(values), 1)
    for header, (place, at) in itertools.product((True, False), PLACES.items()):
        values = [b"%g" % row[0] for row in BASE]
        zero, blank = list(values), list(values)
        zero[at], blank[at] = b"0", b""
        for way in WAYS:
            yield Case(f"one column, {'header' if header else 'no header'}, {way}, {place} row blank",
                       (_zeroing(table(zero, header), way), _zeroing(table(blank, header), way)),
                       says(identical, n=len(BASE), d=1))


def headers(_: Program) -> Iterator[Case]:
    """Names come from a declaration alone, and whether there is a header never from the rows."""
    words = BAD_LINES["words"]
    for way in ("file", "stdin"):
        tellings = [tables.text(rows, "dimension") for rows in (BASE, with_row(words, 0))]
        undeclared = [Table(t.name, t.data, ("--norm-bound", "1", "--bad-rows", bad), t.rows)
                      for t in tellings for bad in ("error", "zero")]
        yield Case(f"no header declared, {way}", tuple(estimate(t.sent(way)) for t in undeclared),
                   ends_with(2))
        # The width of a table that is read with bad rows as zero comes from no row.
        unsaid = [Table(t.name, t.data, ("--header", "no", "--norm-bound", "1", "--bad-rows", "zero"),
                        t.rows) for t in tellings]
        yield Case(f"no width declared, {way}", tuple(estimate(t.sent(way)) for t in unsaid),
                   ends_with(2))
    for way in WAYS:
        for declared in ("dimension", "columns", "places"):
            table = tables.text(with_row(words, 0), declared)
            yield Case(f"no names from rows, {declared}, {way}", (_zeroing(table, way),),
                       says(_names_are(None), n=len(BASE), d=tables.COLUMNS))
        for declared in ("header", "bounds"):
            table = tables.text(with_row(words, 0), declared)
            yield Case(f"names from the header, {declared}, {way}", (_zeroing(table, way),),
                       says(_names_are(list(tables.NAMES)), n=len(BASE), d=tables.COLUMNS))


def _names_are(names: list[str] | None) -> Judge:
    def judge(seen: Observed) -> Faults:
        told = seen.out + seen.err + b"".join(seen.files.values())
        faults = ["a word of a row is told"] if b"zzyzx" in told.lower() else []
        return faults + _differences("record: columns", names, seen.record.get("columns"))
    return judge


# ---- Neighbouring tables ---------------------------------------------------------------------

LEAST, GREATEST = 5e-324, 1.7976931348623157e308
# Rows of any length, in any stratum: one of them stands where another stood.
CLEAN_ROWS: dict[str, tuple[float, ...]] = {
    "zero": ZERO,
    "minus zero": (-0.0, -0.0, -0.0),
    "least": (LEAST, 0.0, -LEAST),
    "tiny": (1e-200, 1e-160, 0.0),
    "of a low stratum": (1e-6, -1e-6, 1e-7),
    "at an edge of strata": (0.5, 0.0, 0.0),
    "below an edge of strata": (0.4999999999999999, 0.0, 0.0),
    "at the bound": (1.0, 0.0, 0.0),
    "past the bound": (1.0, 1.0, 1.0),
    "long": (1e300, -1e300, 1e300),
    "longest": (GREATEST, GREATEST, -GREATEST),
}
METHODS = ("auto", "gauss", "separate", "adaptive", "projection", "em", "coinpress", "stratified")


def neighbours_by_replacement(_: Program) -> Iterator[Case]:
    pairs = {kind: (BASE, with_row(row, 3)) for kind, row in CLEAN_ROWS.items()}
    yield from neighbouring("replace", pairs)
    # The second moments of x and of -x are one: whatever is computed from noise is the same too.
    opposite = tuple(-value for value in BASE[3])
    for what, make in READERS.items():
        if not what.endswith(("ubyte", "uint8", "bounds")):  # where bounds are, the mean is released
            runs = tuple(estimate(make(rows), method="auto") for rows in (BASE, with_row(opposite, 3)))
            yield Case(f"{what}, a row and its opposite", runs, ends_with(0))


def neighbours_by_addition(_: Program) -> Iterator[Case]:
    pairs = {kind: (BASE, [*BASE, row]) for kind, row in CLEAN_ROWS.items()}
    pairs["first row"] = (BASE[1:], BASE)
    yield from neighbouring("add-remove", pairs)
    # Where blocks of rows end.
    for rows in (8191, 8192):
        long = [numpy.random.default_rng(1).uniform(-0.5, 0.5, (n, 3)) for n in (rows, rows + 1)]
        for what in ("npy float64", "csv", "svm"):
            yield Case(f"{what}, {rows} rows and one more",
                       tuple(estimate(READERS[what](t), neighbours="add-remove") for t in long),
                       ends_with(0, also=alike))


def neighbouring(relation: str, pairs: dict[str, tuple]) -> Iterator[Case]:
    released = ends_with(0, also=alike)
    for what, make in READERS.items():
        for kind, (left, right) in pairs.items():
            runs = tuple(estimate(make(rows), neighbours=relation, output="matrix.npy")
                         for rows in (left, right))
            yield Case(f"{what}, {kind}", runs, released)
        for way, quiet in itertools.product(ways_of(what), (True, False)):
            left, right = pairs["longest"]
            runs = tuple(estimate(make(rows).sent(way), "auto", relation, quiet=quiet)
                         for rows in (left, right))
            yield Case(f"{what}, {way}{', quiet' if quiet else ''}", runs, released)
    for kind, (left, right) in pairs.items():
        # Without noise, nothing at all may differ.
        for way in ("file", "moment"):
            runs = tuple(estimate(tables.text(rows).sent(way), "zero", relation)
                         for rows in (left, right))
            yield Case(f"method zero, {way}, {kind}", runs, ends_with(0))
    for method, kind in itertools.product(METHODS, ("zero", "longest")):
        for centre in ((), ("--center",)) if method in ("auto", "gauss") else ((),):
            runs = tuple(estimate(tables.npy(rows), method, relation).with_options(*centre)
                         for rows in pairs[kind])
            yield Case(f"method {' '.join((method, *centre))}, {kind}", runs, released)


# ---- Empty tables ----------------------------------------------------------------------------

def empty_tables(_: Program) -> Iterator[Case]:
    """No row and one row are neighbours where n is private; where it is public, no row is refused."""
    makers = READERS | {"csv with bounds by place": _text("places"), "csv by columns": _text("columns"),
                        "tsv without header": _text("dimension", "\t")}
    for what, way in ((maker, way) for maker in makers for way in ways_of(maker)):
        make = makers[what]
        none, one = make([]).sent(way), make(BASE[:1]).sent(way)
        yield Case(f"{what}, {way}, 0 rows and 1",
                   tuple(estimate(t, neighbours="add-remove") for t in (none, one)),
                   ends_with(0, also=alike))
        yield Case(f"{what}, {way}, 0 rows where n is public", (estimate(none),),
                   ends_with(3, also=_nothing_written))
    for method in ("auto", "separate", "zero"):
        runs = tuple(estimate(tables.text(rows), method, "add-remove") for rows in ([], BASE[:1]))
        yield Case(f"0 rows and 1, method {method}", runs,
                   ends_with(0, also=identical if method == "zero" else alike))
    for what, make, bad in (("csv", _text("header"), b""), ("csv", _text("dimension"), b"Zzyzx"),
                            ("svm", tables.svm, b"")):
        runs = tuple(_zeroing(make(rows), neighbours="add-remove") for rows in ([], [bad]))
        yield Case(f"{what}, 0 rows and 1 bad one", runs, ends_with(0, also=alike))


def _nothing_written(seen: Observed) -> Faults:
    left = [name for name in seen.files if not name.endswith(".moment")]
    return [f"left behind: {', '.join(left)}"] * bool(left) + \
        _differences("standard output", b"", seen.out)


# ---- Order, moments --------------------------------------------------------------------------

# Enough rows for a rough mean, far from the midpoints of their bounds.
FAR = tuple((0.8 + 0.001 * (i % 7), 0.7 - 0.001 * (i % 5), -0.9 + 0.001 * (i % 3)) for i in range(4000))


def two_passes(_: Program) -> Iterator[Case]:
    """A row that is bad, or another, looks in the second pass as in the first."""
    def twice(run: Run) -> Run:
        return run.with_options("--passes", "2")

    def moved(*seen: Observed) -> Faults:
        return [] if any("origin" in one.record or "stretch" in one.record for one in seen) else ["no release was moved"]

    def both(judge: Judge) -> Judge:
        return lambda *seen: ends_with(0, also=judge)(*seen) or moved(*seen)

    def at(row: Row, place: int) -> list[Row]:
        return [*FAR[:place], row, *FAR[place + 1:]]

    for place, (kind, line) in itertools.product((0, 2000, 3999), _only(BAD_LINES, FEW).items()):
        runs = tuple(twice(_zeroing(_text("bounds")(at(row, place)), method="auto"))
                     for row in (ZERO, line))
        yield Case(f"row {place}: {kind}", runs, both(identical))
    for way in ("file", "gz"):
        for kind, row in CLEAN_ROWS.items():
            runs = tuple(twice(estimate(_text("bounds")(rows).sent(way), "auto", output="matrix.npy"))
                         for rows in (FAR, at(row, 7)))
            yield Case(f"{way}, a row replaced: {kind}", runs, both(alike))
            runs = tuple(twice(estimate(_text("bounds")(rows).sent(way), "stratified", "add-remove",
                                        "matrix.npy")) for rows in (FAR, [*FAR, row]))
            yield Case(f"{way}, a row more: {kind}", runs, both(alike))
    # What can be read only once is refused.
    for way in ("stdin", "moment"):
        table = _text("bounds")(FAR).sent(way)
        yield Case(f"read once, {way}", (twice(estimate(table, method="auto")),), ends_with(2))


def order(_: Program) -> Iterator[Case]:
    """The order of rows changes nothing."""
    for what, make in READERS.items():
        for method, relation in (("auto", "replace"), ("gauss", "add-remove")):
            orders = (BASE, BASE[::-1], (*BASE[3:], *BASE[:3]))
            yield Case(f"{what}, {method}",
                       tuple(estimate(make(rows), method, relation) for rows in orders), ends_with(0))
    for declared in ("header", "dimension"):
        bad = [BAD_LINES[kind] for kind in FEW]
        orders = ([*bad, *BASE], [*BASE, *bad], [*BASE[:3], *bad[::-1], *BASE[3:]])
        yield Case(f"bad rows among others, {declared}",
                   tuple(_zeroing(tables.text(rows, declared)) for rows in orders), ends_with(0))
    rows = numpy.random.default_rng(2).uniform(-0.5, 0.5, (20000, 3))
    yield Case("20,000 rows", (estimate(tables.npy(rows)), estimate(tables.npy(rows[::-1]))),
               ends_with(0))


def moments(_: Program) -> Iterator[Case]:
    """Splitting a table over moment files changes nothing; no part is lost, none counts twice."""
    for declared in ("header", "bounds"):
        whole = tables.text(BASE, declared)
        last = estimate(whole.sent("moment")).steps[-1]
        parts = [tables.text(rows, declared) for rows in (BASE[:2], BASE[2:3], BASE[3:])]
        files = whole.files + tuple((f"part{i}.csv", part.data) for i, part in enumerate(parts))
        options = whole.options

        def run(*steps: tuple, files=files, last=last) -> Run:
            return Run((*steps, last), files)

        one_file = [run(*((add(f"part{i}.csv", "rows.moment", options),) for i in places))
                    for places in ((0, 1, 2), (2, 0, 1))]
        begun = [(add(f"part{i}.csv", f"{i}.moment", options),) for i in range(3)]
        merged = [run(*begun, (("moment", "merge", *names, "--into", "rows.moment"),))
                  for names in (("0.moment", "1.moment", "2.moment"),
                                ("2.moment", "1.moment", "0.moment"))]
        yield Case(f"split over moment files, {declared}",
                   (estimate(whole), estimate(whole.sent("moment")), *one_file, *merged),
                   ends_with(0, also=same_release))

    options = ("--header", "yes", "--norm-bound", "1")
    rows = [(0.1 + 0.05 * i, 0.2, 0.3) for i in range(6)]
    files = tuple((f"{i}.csv", tables.text([row]).data) for i, row in enumerate(rows))
    last = estimate(tables.text(rows).sent("moment")).steps[-1]
    at_once = tuple(add(f"{i}.csv", "rows.moment", options) for i in range(6))
    yield Case("six adds at once", (estimate(tables.text(rows)), Run((at_once, last), files)),
               ends_with(0, also=same_release))

    begin = [(add(f"{i}.csv", f"{i}.moment", options),) for i in range(2)]

    def merge(*names: str, into: str = "all.moment") -> tuple:
        return (("moment", "merge", *names, "--into", into),)

    twice = {"a file with itself": (merge("0.moment", "0.moment"),),
             "a file with its copy": (merge("0.moment", into="copy.moment"),
                                      merge("0.moment", "copy.moment")),
             "a whole with its part": (merge("0.moment", "1.moment", into="both.moment"),
                                       merge("both.moment", "0.moment"))}
    for what, steps in twice.items():
        yield Case(f"merging {what}", (Run((*begin, *steps), files),), _refused("all.moment"))

    other_names = b"weight,income,height\n" + b"0.1,0.2,0.3\n"
    others = {"other columns": (other_names, options),
              "another scale": (files[1][1], (*options, "--scale", "2")),
              "bounds": (files[1][1], ("--bounds", "bounds.csv"))}
    bounds = tables.text([], "bounds").files
    for what, (data, declared) in others.items():
        run = Run((begin[0], (add("1.csv", "0.moment", declared),)),
                  (files[0], ("1.csv", data), *bounds))
        yield Case(f"adding to a file rows of {what}", (run,), _refused())


def _refused(absent: str = "") -> Judge:
    def judge(seen: Observed) -> Faults:
        faults = [] if seen.status in (2, 3) else [f"not refused: exit status {seen.status}"]
        return faults + ([f"{absent} was written"] if absent in seen.files else [])
    return judge


# ---- Progress --------------------------------------------------------------------------------

def progress(_: Program) -> Iterator[Case]:
    """What is told while it runs says nothing of a private n."""
    rows = numpy.random.default_rng(3).uniform(-0.5, 0.5, (16222, 3))
    for what, way in itertools.product(("npy float64", "csv", "svm", "idx float"), WAYS):
        runs = tuple(estimate(READERS[what](rows[:n]).sent(way), neighbours="add-remove")
                     for n in (16221, 16222))
        runs = tuple(run.but(steps=tuple((step[0] + ("--progress",),) for step in run.steps))
                     for run in runs)
        yield Case(f"{what}, {way}", runs, ends_with(0, also=_tells_no_number))


def _tells_no_number(*seen: Observed) -> Faults:
    faults = alike(*seen)
    for one in seen:
        before_summary = one.err.partition(b"method ")[0]
        if re.search(rb"\d", before_summary):
            faults.append(f"a number in progress: {_short(before_summary)}")
    return faults


def threads(_: Program) -> Iterator[Case]:
    """Two threads read a text as one does, wherever in the lines of either a bad row stands."""
    rows = numpy.random.default_rng(4).uniform(-0.5, 0.5, (16222, 3)).tolist()
    few_svm = ("blank", "index zero")
    made = {"header": (_text("header"), _only(BAD_LINES, FEW)),
            "dimension": (_text("dimension"), _only(BAD_LINES, FEW)),
            "svm": (tables.svm, _only(BAD_SVM_LINES, few_svm))}
    judge = says(identical, n=len(rows), d=tables.COLUMNS)
    for (what, (make, lines)), at in itertools.product(made.items(), (0, 8110, len(rows) - 1)):
        one = _zeroing(make([*rows[:at], ZERO, *rows[at + 1:]]))
        runs = [one, by_two_threads(one)]
        for line in lines.values():
            runs.append(by_two_threads(_zeroing(make([*rows[:at], line, *rows[at + 1:]]))))
        yield Case(f"{what}, row {at}", tuple(runs), judge)


def by_two_threads(run: Run) -> Run:
    (command,), = run.steps
    at = command.index("--threads") + 1
    return run.but(steps=((command[:at] + ("2",) + command[at + 1:],),))


# ---- Memory ----------------------------------------------------------------------------------

MEGABYTE = 1 << 20


def memory(program: Program) -> Iterator[Case]:
    """Under a dozen limits on memory, around the least that is enough, neighbours end alike.

    One row of the second table is in a stratum of its own.
    """
    d = 1000
    left, right = numpy.zeros((2, 8, d))
    left[:, 0] = right[:, 0] = 0.9
    right[4, 0] = 0.01

    def run(rows: numpy.ndarray, relation: str, method: str, limit: int) -> Run:
        whole = estimate(tables.npy(rows), method, relation, output="matrix.npy", quiet=True)
        return whole.but(memory=limit, seconds=15)

    for relation, method in (("replace", "gauss"), ("add-remove", "gauss")):
        low, high = 64 * MEGABYTE, 4096 * MEGABYTE
        yield Case(f"{relation}, enough", (run(left, relation, method, high),),
                   ends_with(0, also=lambda _: []))
        while high - low > 8 * MEGABYTE:
            middle = (low + high) // 2
            seen = program(run(left, relation, method, middle))
            if seen.status is None:
                yield Case(f"{relation}, {method}, {middle // MEGABYTE} MiB",
                           (run(left, relation, method, middle),), _end_alike)
                return
            low, high = (low, middle) if seen.status == 0 else (middle, high)
        for step in range(-6, 6):
            limit = high + step * 4 * MEGABYTE
            yield Case(f"{relation}, {method}, {limit // MEGABYTE} MiB",
                       tuple(run(rows, relation, method, limit) for rows in (left, right)),
                       _end_alike)


def _end_alike(*seen: Observed) -> Faults:
    if any(one.status is None for one in seen):
        return ["does not end"]
    return alike(*seen)


# ---- Failures --------------------------------------------------------------------------------

def failures(_: Program) -> Iterator[Case]:
    """The matrix and the record appear together or not at all, and nothing else is left."""
    table = tables.text(BASE)
    whole = estimate(table, output="matrix.npy")
    yield Case("nothing fails", (whole,), ends_with(0, also=_left("matrix.npy", "record.json")))
    before = (("matrix.npy", b"old"), ("record.json", b"old"))
    none = ends_with(5, also=_left())

    def to(matrix: str, record: str) -> Run:
        *options, = whole.steps[0][0]
        options[options.index("matrix.npy")] = matrix
        options += [] if matrix.endswith(".npy") else ["--output-format", "npy"]
        options[options.index("record.json")] = record
        return whole.but(steps=((tuple(options),),))

    bad_targets = ("/dev/full", "absent/target.npy", "file/target.npy", "/proc/target.npy")
    for target in bad_targets:
        with_file = whole.files + (("file", b"a file, not a folder"),)
        for what, run in (("output", to(target, "record.json")), ("record", to("matrix.npy", target))):
            run = run.but(files=with_file)
            yield Case(f"{what} to {target}", (run,), none)
            yield Case(f"{what} to {target}, over older files", (run.but(files=run.files + before),),
                       none)
    yield Case("both to /dev/full", (to("/dev/full", "/dev/full"),), _fails_somehow)
    yield Case("standard output to /dev/full", (estimate(table).but(stdout="/dev/full"),), none)
    # Wider than the record is long, and narrower.
    wide = tables.npy(numpy.full((4, 40), 0.1))
    for what, big in (("matrix", wide), ("record", table)):
        run = estimate(big, output="matrix.npy")
        size = 4096 if what == "matrix" else 400
        yield Case(f"the {what} does not fit", (run.but(file_size=size),), none)
        yield Case(f"the {what} does not fit, over older files",
                   (run.but(file_size=size, files=run.files + before),), none)
    bad = estimate(tables.text(with_row(BAD_LINES["words"], 6)), output="matrix.npy")
    for what, run in (("over nothing", bad), ("over older files", bad.but(files=bad.files + before))):
        yield Case(f"a bad row, {what}", (run,), ends_with(3, also=_left()))
    refused = estimate(table, "laplace", output="matrix.npy")
    yield Case("a method that cannot", (refused,), ends_with(2, also=_left()))


def _left(*names: str) -> Judge:
    def judge(seen: Observed) -> Faults:
        return _differences("files that are new or changed", sorted(names), sorted(seen.files)) + \
            _differences("standard output", b"", seen.out)
    return judge


def _fails_somehow(seen: Observed) -> Faults:
    return ["exit status 0"] * (seen.status == 0) + _left()(seen)


PROPERTIES: dict[str, Callable[[Program], Iterator[Case]]] = {
    "bad_rows_with_header": bad_rows_with_header,
    "bad_rows_without_header": bad_rows_without_header,
    "bad_rows_of_svm": bad_rows_of_svm,
    "bad_rows_of_arrays": bad_rows_of_arrays,
    "missing_codes": missing_codes,
    "categories": categories,
    "headers": headers,
    "neighbours_by_replacement": neighbours_by_replacement,
    "neighbours_by_addition": neighbours_by_addition,
    "empty_tables": empty_tables,
    "two_passes": two_passes,
    "order": order,
    "moments": moments,
    "progress": progress,
    "threads": threads,
    "memory": memory,
    "failures": failures,
}
