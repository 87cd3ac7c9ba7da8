"""Programs broken on purpose, each by a mistake that has been made or is easy to make.

Each is the real program behind a change of what it is given or of what it shows. The property
named by `caught_by` must notice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from program import Observed, Program, Run
from properties import MEGABYTE


@dataclass(frozen=True)
class Broken:
    name: str
    caught_by: str
    shown: Callable[[Program, Run], Observed]  # what it shows, given the real program

    def of(self, dpcov: Program) -> Program:
        return lambda run: self.shown(dpcov, run)


BROKEN: list[Broken] = []


def broken(caught_by: str) -> Callable:
    def keep(shown: Callable[[Program, Run], Observed]) -> Callable:
        BROKEN.append(Broken(shown.__name__.replace("_", " "), caught_by, shown))
        return shown
    return keep


# ---- What they do to the input, and to what is shown -------------------------------------------

def option(run: Run, name: str) -> str | None:
    for command in (command for step in run.steps for command in step):
        if name in command:
            return command[command.index(name) + 1]
    return None


def with_option(run: Run, name: str, value: str) -> Run:
    """The run with another value for an option that it has."""
    def changed(command: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(value if before == name else word
                     for before, word in zip(("", *command), command))
    return run.but(steps=tuple(tuple(map(changed, step)) for step in run.steps))


def zeroing(run: Run) -> bool:
    return option(run, "--bad-rows") == "zero"


def text_of(run: Run) -> bytes:
    """The table's text, where it is text and not compressed."""
    return dict(run.files).get("table.csv", dict(run.files).get("table.svm", run.stdin))


def rows_of(run: Run) -> list[bytes]:
    lines = text_of(run).split(b"\n")[:-1]
    return lines if option(run, "--header") != "yes" else lines[1:]


def with_text(run: Run, text: bytes) -> Run:
    files = tuple((name, text if name in ("table.csv", "table.svm") else data)
                  for name, data in run.files)
    return run.but(files=files, stdin=text if run.stdin else b"")


def failed(status: int | None, message: str = "it failed") -> Observed:
    return Observed(status, b"", f"dpcov estimate: {message}\n".encode())


def telling(seen: Observed, message: str) -> Observed:
    return replace(seen, err=seen.err + message.encode() + b"\n")


def with_file(seen: Observed, name: str, data: bytes = b"") -> Observed:
    return replace(seen, files=seen.files | {name: data})


def with_fields(seen: Observed, **fields) -> Observed:
    if seen.record is None:
        return seen
    return with_file(seen, "record.json", json.dumps(seen.record | fields, indent=2).encode())


def has_long_row(run: Run) -> bool:
    return b"e+30" in text_of(run)


# ---- Rows that cannot be read ------------------------------------------------------------------

@broken("bad_rows_with_header")
def drops_blank_lines(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, re.sub(rb"(?m)^[ \r]*\n", b"", text_of(run))))


@broken("bad_rows_with_header")
def ends_at_an_open_quote(dpcov: Program, run: Run) -> Observed:
    open_quote = any(row.count(b'"') % 2 == 1 for row in rows_of(run))
    return failed(3) if open_quote else dpcov(run)


@broken("bad_rows_with_header")
def ends_at_text_after_a_quote(dpcov: Program, run: Run) -> Observed:
    return failed(3) if re.search(rb'"[^",\n]*"[^",\n]', text_of(run)) else dpcov(run)


@broken("bad_rows_with_header")
def ends_at_a_long_field(dpcov: Program, run: Run) -> Observed:
    return failed(3) if any(len(row) > 1 << 24 for row in rows_of(run)) else dpcov(run)


@broken("bad_rows_with_header")
def reads_on_after_an_open_quote(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, re.sub(rb'(?m)^([^"\n]*"[^"\n]*)\n', rb"\1", text_of(run))))


@broken("bad_rows_with_header")
def ends_rows_at_carriage_returns(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, text_of(run).replace(b"\r", b"\n")))


@broken("bad_rows_with_header")
def says_how_many_rows_were_bad(dpcov: Program, run: Run) -> Observed:
    bad = sum(not re.fullmatch(rb"[-+.e0-9,]+", row) for row in rows_of(run))
    seen = dpcov(run)
    return telling(seen, f"{bad} rows were taken as zero") if bad and zeroing(run) else seen


@broken("bad_rows_with_header")
def advises_where_all_rows_are_bad(dpcov: Program, run: Run) -> Observed:
    numbers = any(re.search(rb"\d", row) for row in rows_of(run))
    seen = dpcov(run)
    return seen if numbers or not zeroing(run) else telling(seen, "is a column text?")


@broken("bad_rows_without_header")
def takes_the_width_from_the_first_row(dpcov: Program, run: Run) -> Observed:
    width = rows_of(run)[0].count(b",") + 1 if rows_of(run) else 3
    return dpcov(with_option(run, "--dimension", str(width)))


@broken("bad_rows_without_header")
def ends_at_a_ragged_first_row(dpcov: Program, run: Run) -> Observed:
    return failed(3) if rows_of(run) and rows_of(run)[0].count(b",") != 2 else dpcov(run)


@broken("bad_rows_without_header")
def ends_at_a_mixed_first_row(dpcov: Program, run: Run) -> Observed:
    mixed = rows_of(run) and re.match(rb"[\d.]+,[A-Za-z]", rows_of(run)[0])
    return failed(3, "is the first row a header?") if mixed else dpcov(run)


@broken("bad_rows_without_header")
def takes_an_unreadable_first_row_as_names(dpcov: Program, run: Run) -> Observed:
    if option(run, "--header") != "no" or not re.match(rb"[A-Za-z]+,[A-Za-z]+,", text_of(run)):
        return dpcov(run)
    seen = dpcov(with_text(run, text_of(run).partition(b"\n")[2]))
    return with_fields(seen, columns=rows_of(run)[0].decode().split(","))


@broken("bad_rows_without_header")
def drops_a_byte_order_mark_of_a_row(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, text_of(run).removeprefix(b"\xef\xbb\xbf")))


@broken("bad_rows_without_header")
def looks_at_the_first_bytes(dpcov: Program, run: Run) -> Observed:
    known = text_of(run).startswith((b"\x1f\x8b", b"\xff\xfe", b"\x93NUMPY"))
    return failed(3, "this is no CSV") if known else dpcov(run)


@broken("bad_rows_without_header")
def loses_the_blank_last_row_of_one_column(dpcov: Program, run: Run) -> Observed:
    text = text_of(run)
    return dpcov(with_text(run, text[:-1] if text.endswith(b"\n\n") else text))


@broken("missing_codes")
def clamps_codes(dpcov: Program, run: Run) -> Observed:
    files = tuple((name, re.sub(rb",[^,\n]*(?=\n)", b"", data) if name == "bounds.csv" else data)
                  for name, data in run.files)
    return dpcov(run.but(files=files))


@broken("missing_codes")
def says_that_there_is_a_code(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return telling(seen, "a code") if any(b",9.0," in row for row in rows_of(run)) else seen


@broken("missing_codes")
def ends_at_a_code_within_the_bounds(dpcov: Program, run: Run) -> Observed:
    return failed(3) if any(b",-0.25," in row for row in rows_of(run)) else dpcov(run)


@broken("categories")
def ends_at_a_category_on_no_list(dpcov: Program, run: Run) -> Observed:
    return failed(3) if any(row.startswith(b"North,") for row in rows_of(run)) else dpcov(run)


@broken("categories")
def says_that_a_category_is_on_no_list(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return telling(seen, "unknown") if any(row.startswith(b"1,") for row in rows_of(run)) else seen


@broken("categories")
def counts_a_missing_category_as_the_category_before(dpcov: Program, run: Run) -> Observed:
    lines = text_of(run).split(b"\n")
    for i in range(1, len(lines)):
        if lines[i].startswith(b"NA,"):
            lines[i] = b",".join((lines[i - 1].rpartition(b",")[0], lines[i].rpartition(b",")[2]))
    return dpcov(with_text(run, b"\n".join(lines)))


@broken("categories")
def compares_without_case(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, text_of(run).replace(b"\nNorth,", b"\nnorth,")))


@broken("headers")
def looks_for_a_header(dpcov: Program, run: Run) -> Observed:
    if option(run, "--header") is not None:
        return dpcov(run)
    words = text_of(run)[:1].isalpha()
    declared = ("--header", "yes") if words else ("--header", "no", "--dimension", "3")
    return dpcov(run.with_options(*declared))


@broken("headers")
def counts_the_fields_of_the_first_row(dpcov: Program, run: Run) -> Observed:
    if option(run, "--header") != "no" or option(run, "--dimension") or option(run, "--columns"):
        return dpcov(run)
    return dpcov(run.with_options("--dimension", str(rows_of(run)[0].count(b",") + 1)))


@broken("headers")
def quotes_the_first_row(dpcov: Program, run: Run) -> Observed:
    return telling(dpcov(run), "first row: " + (rows_of(run) or [b""])[0].decode(errors="replace"))


@broken("bad_rows_of_svm")
def drops_blank_lines_and_comments(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, re.sub(rb"(?m)^ *(#.*)?\r?\n", b"", text_of(run))))


@broken("bad_rows_of_svm")
def ends_at_an_index_past_the_dimension(dpcov: Program, run: Run) -> Observed:
    return failed(3) if b" 4:" in text_of(run) else dpcov(run)


@broken("bad_rows_of_arrays")
def leaves_out_rows_that_are_not_numbers(dpcov: Program, run: Run) -> Observed:
    bad = any(b"\x00\x00\xf8\x7f" in data for name, data in run.files if name.endswith(".npy"))
    seen = dpcov(run)
    return with_fields(seen, n=seen.record["n"] - 1) if bad and seen.record else seen


# ---- Neighbours --------------------------------------------------------------------------------

@broken("neighbours_by_replacement")
def has_seconds_in_the_record(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), seconds=1.5)


@broken("neighbours_by_addition")
def has_seconds_in_the_record_as_null(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), seconds=None)


@broken("neighbours_by_replacement")
def has_the_seed_in_the_record(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), seed=1)


@broken("neighbours_by_replacement")
def counts_clipped_rows(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), scale=2.0 if has_long_row(run) else 1.0)


@broken("neighbours_by_replacement")
def takes_the_norm_bound_from_the_rows(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), norm_bound=2.0) if has_long_row(run) else dpcov(run)


@broken("neighbours_by_replacement")
def warns_of_a_clipped_row(dpcov: Program, run: Run) -> Observed:
    return telling(dpcov(run), "a row was clipped") if has_long_row(run) else dpcov(run)


@broken("neighbours_by_replacement")
def fails_on_one_row_by_its_norm(dpcov: Program, run: Run) -> Observed:
    return failed(5, "out of memory") if has_long_row(run) else dpcov(run)


@broken("neighbours_by_replacement")
def fails_on_a_row_that_is_too_small(dpcov: Program, run: Run) -> Observed:
    return failed(3, "underflow") if b"5e-324" in text_of(run) else dpcov(run)


@broken("neighbours_by_replacement")
def leaves_a_file_where_a_row_is_long(dpcov: Program, run: Run) -> Observed:
    return with_file(dpcov(run), ".clipped") if has_long_row(run) else dpcov(run)


@broken("neighbours_by_replacement")
def writes_a_longer_matrix_for_a_longer_row(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    matrix = seen.files.get("matrix.npy")
    return with_file(seen, "matrix.npy", matrix + b"\0") if matrix and has_long_row(run) else seen


@broken("neighbours_by_replacement")
def computes_the_error_from_the_rows(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), estimated_frobenius_error=float(sum(text_of(run))))


@broken("neighbours_by_addition")
def has_the_private_number_of_rows_in_the_record(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), n=len(rows_of(run)))


@broken("neighbours_by_addition")
def has_the_private_number_of_rows_in_a_field_of_another_name(dpcov: Program, run: Run) -> Observed:
    return with_fields(dpcov(run), rows_read=len(rows_of(run)))


@broken("neighbours_by_addition")
def says_the_private_number_of_rows(dpcov: Program, run: Run) -> Observed:
    return telling(dpcov(run), f"read {len(rows_of(run))} rows")


@broken("neighbours_by_addition")
def divides_the_grid_by_the_private_number_of_rows(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return with_fields(seen, grid=seen.record["grid"] / len(rows_of(run))) if rows_of(run) else seen


# ---- Empty tables ------------------------------------------------------------------------------

@broken("empty_tables")
def refuses_a_table_without_rows(dpcov: Program, run: Run) -> Observed:
    return failed(3, "no rows") if text_of(run) and not rows_of(run) else dpcov(run)


@broken("empty_tables")
def releases_a_table_without_rows(dpcov: Program, run: Run) -> Observed:
    return dpcov(run) if rows_of(run) else dpcov(with_option(run, "--neighbours", "add-remove"))


# ---- Order, moments ----------------------------------------------------------------------------

@broken("order")
def draws_noise_by_the_first_row(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_option(run, "--insecure-seed", str(sum((rows_of(run) or [b""])[0]))))


@broken("order")
def loses_the_last_row(dpcov: Program, run: Run) -> Observed:
    return dpcov(with_text(run, text_of(run).rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n"))


@broken("moments")
def loses_one_of_the_adds_at_once(dpcov: Program, run: Run) -> Observed:
    return dpcov(run.but(steps=tuple(step[:-1] if len(step) > 1 else step for step in run.steps)))


@broken("moments")
def merges_a_file_with_itself(dpcov: Program, run: Run) -> Observed:
    """As it would be, were the rows of the file added once more under another name."""
    steps = []
    for step in run.steps:
        if step[0][:2] == ("moment", "merge") and step[0][2] == step[0][3]:
            again = tuple("again.moment" if word == "0.moment" else word for word in run.steps[0][0])
            steps.append((again,))
            step = (step[0][:3] + ("again.moment",) + step[0][4:],)
        steps.append(step)
    return dpcov(run.but(steps=tuple(steps)))


@broken("moments")
def merges_all_but_the_last_file(dpcov: Program, run: Run) -> Observed:
    return dpcov(run.but(steps=tuple(
        (step[0][:4] + step[0][5:],) if step[0][:2] == ("moment", "merge") and len(step[0]) > 6
        else step for step in run.steps)))


@broken("moments")
def adds_other_columns_to_a_file(dpcov: Program, run: Run) -> Observed:
    return dpcov(run.but(files=tuple((name, data.replace(b"weight", b"age"))
                                     for name, data in run.files)))


@broken("moments")
def forgets_names_in_moment_files(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    if seen.record is None or len(run.steps) == 1:
        return seen
    fields = {name: value for name, value in seen.record.items() if name != "columns"}
    return with_file(seen, "record.json", json.dumps(fields).encode())


# ---- Progress ----------------------------------------------------------------------------------

def before_summary(seen: Observed, line: str) -> Observed:
    return replace(seen, err=line.encode() + b"\n" + seen.err)


@broken("progress")
def tells_which_part_was_read(dpcov: Program, run: Run) -> Observed:
    share = 100.0 * 8192 / max(1, len(rows_of(run)))
    return before_summary(dpcov(run), f"reading: {share:.0f} %")


@broken("progress")
def tells_how_fast_it_reads(dpcov: Program, run: Run) -> Observed:
    return before_summary(dpcov(run), "reading: 120 MB/s")


@broken("progress")
def tells_in_words_how_far_it_is(dpcov: Program, run: Run) -> Observed:
    return before_summary(dpcov(run), "reading: less than half" if len(rows_of(run)) > 16221
                          else "reading: more than half")


# ---- Threads -----------------------------------------------------------------------------------

@broken("threads")
def loses_blank_lines_where_two_threads_read(dpcov: Program, run: Run) -> Observed:
    return drops_blank_lines(dpcov, run) if option(run, "--threads") == "2" else dpcov(run)


@broken("threads")
def ends_the_first_threads_rows_at_a_quote(dpcov: Program, run: Run) -> Observed:
    """An open quote in the first half takes the next row in; in the second it does not."""
    text = text_of(run)
    half = len(text) // 2
    if option(run, "--threads") != "2" or b'"' not in text[:half]:
        return dpcov(run)
    return reads_on_after_an_open_quote(dpcov, run)


# ---- Memory ------------------------------------------------------------------------------------

def takes_a_stratum_more(run: Run) -> bool:
    """Whether the limit is one that a matrix more would exceed, and a row asks for it."""
    return run.memory is not None and run.memory < 2048 * MEGABYTE and \
        b"\x7b\x14\xae\x47\xe1\x7a\x84\x3f" in dict(run.files)["table.npy"]  # 0.01


@broken("memory")
def takes_memory_by_strata(dpcov: Program, run: Run) -> Observed:
    return failed(5, "out of memory") if takes_a_stratum_more(run) else dpcov(run)


@broken("memory")
def does_not_end_without_memory(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return seen if seen.status == 0 else failed(None)


# ---- Two passes --------------------------------------------------------------------------------

@broken("two_passes")
def leaves_bad_rows_out_where_it_moves(dpcov: Program, run: Run) -> Observed:
    header, *lines = text_of(run).split(b"\n")[:-1]
    good = [line for line in lines if re.fullmatch(rb"[-+.e0-9,]+", line) and line.count(b",") == 2]
    if not zeroing(run) or len(good) == len(lines):
        return dpcov(run)
    return dpcov(with_text(run, b"\n".join([header, *good, b""])))


@broken("two_passes")
def says_how_far_the_last_row_is(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    last = (rows_of(run) or [b""])[-1]
    return telling(seen, f"from {last.decode(errors='replace')} to the origin")


# ---- Failures ----------------------------------------------------------------------------------

@broken("failures")
def leaves_the_matrix_when_the_record_fails(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    lost = option(run, "--record") != "record.json" and seen.status == 5
    return with_file(seen, "matrix.npy", b"matrix") if lost else seen


@broken("failures")
def leaves_the_record_when_the_matrix_fails(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    lost = option(run, "--output") != "matrix.npy" and seen.status == 5
    return with_file(seen, "record.json", b"{}") if lost else seen


@broken("failures")
def leaves_a_file_beside_the_target(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return with_file(seen, ".matrix.npy.a1b2c3") if seen.status == 5 else seen


@broken("failures")
def removes_older_files_when_it_fails(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    older = dict(run.files).get("matrix.npy") is not None and seen.status != 0
    return with_file(seen, "matrix.npy", b"(gone)") if older else seen


@broken("failures")
def ends_well_without_a_record(dpcov: Program, run: Run) -> Observed:
    seen = dpcov(run)
    return replace(seen, status=0) if seen.status == 5 else seen
