"""Moments: secret, exact, merged once. Ledgers, errors, threads."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import BOUNDS, same, seeded

import dpcov
from dpcov._engines import merged, plan_of, request_of
from dpcov._labels import Source
from dpcov._request import Kept
from dpcov._schema import select
from dpcov._tables import table_of

NAMES = list(BOUNDS)


def moment_of(rows, **options):
    return dpcov.SecondMoment(NAMES, bounds=BOUNDS, **options).add(rows)


def drawn(moment, **options):
    return moment.release(dpcov.Rho(0.5), insecure_seed=11, threads=1, **options)


def test_directions_are_kept_or_not():
    with pytest.raises(dpcov.UsageError, match="keep_directions is True or False"):
        dpcov.SecondMoment(2, norm_bound=1.0, keep_directions="no")


def test_norm_bound_for_unit():
    bound = dpcov.norm_bound_for_unit(28.0, 1 / 255)
    assert 28.0 <= bound <= 28.28
    assert 2**20 / bound / 255 == pytest.approx(146, abs=1e-9)
    # One more multiple would be below the bound that was asked for.
    assert 2**20 / (147 * 255) < 28.0
    # Values so large that a hundredth is not enough.
    assert dpcov.norm_bound_for_unit(1e6) == 1e6
    for norm_bound, unit in ((0.0, 1.0), (1.0, -1.0), (float("inf"), 1.0), (1.0, float("nan"))):
        with pytest.raises(dpcov.UsageError):
            dpcov.norm_bound_for_unit(norm_bound, unit)


def test_split_and_merged_it_is_the_same(people):
    expected = seeded(people, columns=NAMES, bounds=BOUNDS)
    whole = moment_of(people[:900])
    whole.add(people[900:])
    a, b, c = moment_of(people[:100]), moment_of(people[100:2000]), moment_of(people[2000:])
    assert same(expected, drawn(whole))
    assert same(expected, drawn(a + b + c))
    assert same(expected, drawn(c + (b + a)))
    assert same(expected, drawn(sum([a, b, c])))
    with pytest.raises(TypeError):
        sum([a, b, c], 1)
    assert same(expected, drawn(a.merge(b).merge(c)))


def test_a_part_counts_once(people):
    a = moment_of(people)
    for other in (a, copy.copy(a + moment_of(people[:5]))):
        with pytest.raises(dpcov.UsageError):
            a.merge(other)
    with pytest.raises(dpcov.UsageError):
        a + a
    part = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    part.declare_part("monday")
    again = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    again.declare_part("monday")
    with pytest.raises(dpcov.UsageError):
        part.add(people).merge(again.add(people))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_has_rows_of_its_own(people, copied):
    moment = moment_of(people)
    other = copied(moment)
    assert same(drawn(moment_of(np.vstack([people, people]))), drawn(other.add(people)))
    assert same(drawn(moment_of(people)), drawn(moment))


def test_calls_leave_no_trace(people, tmp_path):
    once = dpcov.SecondMoment(NAMES, bounds=BOUNDS).add(people)
    often = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    for row in people:
        often.add(row[None])
    sizes = []
    for moment in (often, once, once + moment_of(people)):
        moment.save(tmp_path / "sums.moment")
        sizes.append((tmp_path / "sums.moment").stat().st_size)
    assert sizes[0] == sizes[1] < sizes[2]
    release = {"budget": dpcov.Rho(1), "insecure_seed": 1}
    assert same(often.release(**release), once.release(**release))


def test_other_facts_do_not_merge(people):
    with pytest.raises(dpcov.UsageError):
        moment_of(people) + dpcov.SecondMoment(3, norm_bound=1.0)
    with pytest.raises(TypeError):
        moment_of(people) + 1


@pytest.mark.many_rows
def test_all_or_nothing(people):
    bad = np.tile(people, (400, 1))
    bad[-1, 0] = np.nan
    expected = drawn(moment_of(people))
    moment = moment_of(people)
    for rows in (bad, bad[-50:], iter([people, bad])):
        with pytest.raises(dpcov.DataError):
            moment.add(rows)
        assert same(expected, drawn(moment))
    fresh = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    for times in range(4):
        with pytest.raises(dpcov.DataError):
            fresh.add(bad)
        expected = drawn(moment_of(np.tile(people, (times + 1, 1))))
        assert same(expected, drawn(fresh.add(people)))


def test_a_generator_that_fails_adds_nothing(people):
    def chunks():
        yield people
        raise KeyError("gone")

    moment = moment_of(people)
    with pytest.raises(KeyError):
        moment.add(chunks())
    assert same(drawn(moment), drawn(moment_of(people)))


def test_it_tells_nothing(people):
    moment = moment_of(people)
    assert repr(moment) == repr(dpcov.SecondMoment(NAMES, bounds=BOUNDS))
    assert "SECRET" in repr(moment)
    with pytest.raises(TypeError, match="private"):
        len(moment)
    assert moment
    assert moment.columns == NAMES
    assert moment.norm_bound == pytest.approx(3**0.5)


def test_a_norm_bound_that_only_adds_noise_is_not_taken():
    longest = math.sqrt(3)
    for asked, taken in ((5, longest), (1.74, 1.74), (1.5, 1.5), (None, longest)):
        moment = dpcov.SecondMoment(NAMES, bounds=BOUNDS, norm_bound=asked)
        assert moment.norm_bound == taken
    assert dpcov.SecondMoment(NAMES, norm_bound=5).norm_bound == 5


@pytest.mark.unsanitized
def test_files_are_the_programs(program, tmp_path, people):
    moment = moment_of(people)
    moment.save(tmp_path / "rows.moment")
    assert (tmp_path / "rows.moment").stat().st_mode & 0o777 == 0o600
    assert same(drawn(moment), drawn(dpcov.SecondMoment.load(tmp_path / "rows.moment")))
    command = [program, "estimate", str(tmp_path / "rows.moment"), "--rho", "0.5", "--quiet"]
    out = tmp_path / "out.npy"
    subprocess.run([*command, "--insecure-seed", "11", "--output", str(out)], check=True)
    assert np.ascontiguousarray(np.load(out)).tobytes() == drawn(moment).covariance().tobytes()
    (tmp_path / "bad.moment").write_bytes(b"nothing")
    with pytest.raises(dpcov.DataError):
        dpcov.SecondMoment.load(tmp_path / "bad.moment")
    with pytest.raises(dpcov.DeviceError):
        dpcov.SecondMoment.load(tmp_path / "missing.moment")


def test_a_pickle_warns(people):
    moment = moment_of(people)
    with pytest.warns(dpcov.SecrecyWarning):
        text = pickle.dumps(moment)
    assert same(drawn(moment), drawn(pickle.loads(text)))


def test_columns_by_name_or_by_place(people):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(people, columns=NAMES)[["income", "age", "height"]]
    assert same(drawn(moment_of(frame)), drawn(moment_of(people)))
    unnamed = dpcov.SecondMoment(3, bounds=list(BOUNDS.values())).add(frame[NAMES])
    assert same(drawn(unnamed), drawn(moment_of(people)))
    with pytest.raises(dpcov.UsageError, match="columns"):
        moment_of(people[:, :2])
    with pytest.raises(dpcov.UsageError, match="'age'"):
        moment_of(frame.drop(columns="age"))


@pytest.mark.parametrize("width", [2, 4])
def test_rows_of_another_width_are_refused(width):
    with pytest.raises(dpcov.UsageError, match=f"the rows have {width} columns"):
        dpcov.SecondMoment(3, norm_bound=1.0).add(np.zeros((5, width)))


def test_the_ledger_pays(tmp_path, people):
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("patients", dpcov.Rho(0.5))
    options = {"bounds": BOUNDS, "columns": NAMES, "ledger": ledger, "dataset": "patients"}
    release = dpcov.covariance(people, budget=dpcov.Rho(0.3), **options)
    assert release.record["charge"] == {"rho": 0.3}
    with pytest.raises(dpcov.BudgetError) as caught:
        dpcov.covariance(people, budget=dpcov.Rho(0.3), **options)
    assert caught.value.asked == pytest.approx(0.3)
    read = []

    def rows():
        read.append(True)
        yield people

    for unpaid in (
        {"budget": dpcov.Rho(0.3)},
        {"budget": dpcov.Rho(0.1), "neighbours": "add-remove"},
        {"budget": dpcov.Rho(0.1), "neighbours": "add-remove", "method": "zero"},
    ):
        with pytest.raises(dpcov.BudgetError):
            dpcov.covariance(rows(), **unpaid, **options)
    assert not read
    assert caught.value.left == pytest.approx(0.2)
    assert not isinstance(caught.value, ValueError)
    assert pickle.loads(pickle.dumps(caught.value)).left == caught.value.left
    statement = ledger.statement("patients")
    assert (statement.releases, statement.total) == (1, dpcov.Rho(0.5))
    assert [charge.spent for charge in ledger.charges("patients")] == [dpcov.Rho(0.3)]
    assert [entry.dataset for entry in ledger.statements()] == ["patients"]
    assert pickle.loads(pickle.dumps(ledger)) == ledger
    head = ledger.head()
    assert ledger.holds(head)
    moment = moment_of(people, dataset="patients")
    with pytest.raises(dpcov.UsageError, match="ledger"):
        moment.release(dpcov.Rho(0.1))
    moment.release(dpcov.Rho(0.1), ledger=ledger)
    assert ledger.statement("patients").releases == 2
    assert ledger.holds(head)
    assert ledger.head() != head
    moment.release(dpcov.Rho(0.1), unaccounted=True)
    assert ledger.statement("patients").releases == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 0.1},
        {"method": "gaus"},
        {"method": "laplace"},
        {"method": "gauss", "budget": dpcov.Epsilon(1)},
        {"variant": "worst"},
        {"neighbours": "all"},
        {"bounds": None},
        {"bounds": (1, 0)},
        {"bounds": [(0, 1)]},
        {"bounds": (0, 1, 2, 3, 4)},
        {"bounds": [(0, 1, 2), (0, 1), (0, 1)]},
        {"bounds": {"x": (0, 1)}},
        {"bounds": {0: (0, 1), 5: (0, 1)}},
        {"bounds": "abc"},
        {"columns": [0, 0]},
        {"columns": []},
        {"columns": "ab"},
        {"columns": [-1]},
        {"column_scale": 2.0},
        {"bounds": None, "norm_bound": -1.0},
        {"norm_bound": 0.0},
        {"bounds": None, "norm_bound": 1.0, "column_scale": 0.0},
        {"bounds": None, "norm_bound": 1.0, "column_scale": [1.0]},
        {"bad_rows": "skip"},
        {"threads": 0},
        {"insecure_seed": -1},
        {"insecure_seed": 1 << 64},
        {"method": "clip-gauss"},
        {"clip": 1.0},
        {"clip": 2.0, "norm_bound": 1.0, "method": "clip-gauss"},
        {"method": "coinpress", "steps": 9},
        {"dataset": "patients"},
        {"ledger": "x.db"},
        {"unaccounted": True, "ledger": "x.db", "dataset": "a"},
        {"budget": None},
        {"bounds": 5},
        {"norm_bound": "2"},
        {"threads": 1.5},
        {"insecure_seed": 1.5},
        {"center": "no"},
        {"clip": 10.0, "method": "clip-gauss"},
        {"clip": 0.5, "norm_bound": np.inf, "method": "clip-gauss"},
        {"unaccounted": "no"},
    ],
)
def test_what_makes_no_sense_is_refused(people, wrong):
    options = {"budget": dpcov.Rho(0.1), "bounds": (0.0, 1.0), **wrong}
    with pytest.raises(dpcov.Error) as caught:
        dpcov.covariance(people, **options)
    assert isinstance(caught.value, (dpcov.UsageError, dpcov.DeviceError))
    assert isinstance(caught.value, (ValueError, OSError))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: dpcov.plan(1000, budget=None, columns=3, norm_bound=1.0),
        lambda: dpcov.plan(1e3 + 0.5, budget=dpcov.Rho(1), columns=3, norm_bound=1.0),
        lambda: dpcov.plan(1 << 60, budget=dpcov.Rho(1), columns=3, norm_bound=1.0),
        lambda: dpcov.SecondMoment("ab", norm_bound=1.0),
        lambda: dpcov.SecondMoment(2.5, norm_bound=1.0),
        lambda: seeded(np.zeros((9, 2)), norm_bound=1.0).interval("covariance", level="a"),
    ],
)
def test_words_that_are_no_numbers_are_refused(wrong):
    with pytest.raises(dpcov.UsageError):
        wrong()


@pytest.mark.unsanitized
def test_whole_numbers_of_other_types_are_taken():
    planned = dpcov.plan(1e3, budget=dpcov.Rho(1), columns=np.int64(3), norm_bound=1.0)
    assert planned.covariance_error > 0
    assert dpcov.SecondMoment(np.int64(2), norm_bound=1.0).columns == 2
    with pytest.raises(TypeError, match="SecondMoment"):
        dpcov.SecondMoment(2, norm_bound=1.0).merge(3)


#: A release asks for the interpreter now and then, and holds the moment meanwhile.
WAITING = """
import threading, numpy as np, dpcov
moment = dpcov.SecondMoment(600, norm_bound=1.0).add(np.eye(600))
one = threading.Thread(target=moment.release, args=(dpcov.Rho(1e4),), kwargs={"threads": 1})
one.start()
while one.is_alive():
    moment.add(np.eye(600)[:1])
    try:
        moment.declare_part("late")
    except dpcov.UsageError:
        pass
print("done")
"""


@pytest.mark.unsanitized
def test_nobody_waits_for_a_release_with_the_interpreter_in_hand():
    words = [sys.executable, "-W", "ignore", "-c", WAITING]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert ended.stdout == "done\n"


#: A handler of signals that uses the moment that is being released.
HANDLER = """
import copy, os, signal, threading, numpy as np, dpcov
moment = dpcov.SecondMoment(1000, norm_bound=1.0).add(np.eye(1000))
other = dpcov.SecondMoment(1000, norm_bound=1.0)
told = []
def handler(number, frame):
    for use in (copy.copy, other.__add__, other.merge, lambda moment: moment.add(np.eye(1000))):
        try:
            use(moment)
        except dpcov.UsageError as error:
            told.append("in use further up" in str(error))
signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
moment.release(dpcov.Rho(1), method="em", variant="paper", threads=1)
print(*told)
"""


@pytest.mark.unsanitized
def test_a_handler_of_signals_may_not_use_the_moment_in_release():
    words = [sys.executable, "-W", "ignore", "-c", HANDLER]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert ended.stdout == "True True True True\n"


def test_paths_end_where_they_end(people, tmp_path):
    moment, precious = moment_of(people), tmp_path / "precious"
    with pytest.raises(dpcov.UsageError, match="NUL"):
        moment.save(f"{precious}\0.moment")
    with pytest.raises(dpcov.UsageError, match="NUL"):
        drawn(moment).save(f"{precious}\0.npz")
    assert not precious.exists()


def test_what_no_text_names_is_refused_in_words(people, tmp_path):
    moment = moment_of(people)
    release = drawn(moment)
    unnamed = tmp_path / "\udcff.npz"
    for call in (
        lambda: moment.save(unnamed),
        lambda: release.save(unnamed),
        lambda: dpcov.SecondMoment.load(unnamed),
        lambda: dpcov.Release.load(unnamed),
        lambda: dpcov.Ledger(bytes(tmp_path / "\udcff"), create=True),
        lambda: dpcov.SecondMoment(["a\ud800"], bounds=(0, 1)),
        lambda: dpcov.SecondMoment(2, bounds=(0, 1), dataset="a\ud800"),
    ):
        with pytest.raises(dpcov.UsageError, match=r"UTF-8|characters that are none"):
            call()


def test_what_an_account_is_for_is_not_said_twice_in_other_words(people, tmp_path):
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(1))
    options = {"bounds": list(BOUNDS.values()), "budget": dpcov.Rho(0.1)}
    with pytest.raises(dpcov.UsageError, match="exclude each other"):
        dpcov.covariance(people, ledger=ledger, dataset="people", unaccounted=True, **options)
    moment = dpcov.SecondMoment(3, bounds=list(BOUNDS.values()), dataset="people").add(people)
    with pytest.raises(dpcov.UsageError, match="rows of 'people', not of 'others'"):
        moment.release(dpcov.Rho(0.1), dataset="others", unaccounted=True)
    assert ledger.statement("people").spent == 0


def test_a_partition_that_an_engine_ran_twice_is_summed_once(people):
    plan = plan_of(
        select(None, 3, list(BOUNDS.values()), None, None),
        None,
        kept=Kept(None),
        dataset=None,
        bad_rows="error",
        part="east",
    )
    first, again, other = (
        plan.partial(
            number, lambda part: table_of(people).feed(part, [Source(j) for j in range(3)])
        )
        for number in (0, 0, 1)
    )
    assert merged([first, other]) is not None
    with pytest.raises(dpcov.UsageError):
        merged([first, again])


def test_no_row_of_a_list_decides_how_others_are_read():
    moment = dpcov.SecondMoment(2, bounds=(0, 1))
    with pytest.raises(dpcov.UsageError):
        moment.add([[0.5, 0.5], [0.5, "x"]], bad_rows="zero")
    with pytest.raises(dpcov.UsageError):
        moment.add([[0.5, 0.5], [0.5, 0.25]], bad_rows="zero")
    moment.add([[0.5, 0.5], [0.5, 0.25]])


def test_a_cluster_reads_its_partitions_once_and_says_so():
    with pytest.raises(dpcov.UsageError, match="passes is 1 on a cluster"):
        request_of(dpcov.Rho(1), {"passes": 2})
    assert request_of(dpcov.Rho(1), {"passes": 1}).passes == 1


def test_rows_may_be_clipped_to_the_norm_bound_itself(people):
    options = {"bounds": list(BOUNDS.values()), "budget": dpcov.Rho(0.1), "insecure_seed": 3}
    whole = dpcov.covariance(people, method="gauss", center=False, **options)
    clipped = dpcov.covariance(
        people, method="clip-gauss", clip=whole.record["norm_bound"], center=False, **options
    )
    assert same(whole, clipped)


@pytest.mark.parametrize("threads", [float("inf"), float("-inf"), float("nan"), 1.5])
def test_a_number_of_threads_that_is_no_whole_number_is_refused_in_words(people, threads):
    moment = dpcov.SecondMoment(3, bounds=list(BOUNDS.values()))
    with pytest.raises(dpcov.UsageError, match="no whole number"):
        moment.add(people, threads=threads)


@pytest.mark.parametrize(
    ("excluded", "words"),
    [
        ({"insecure_seed": 0}, "release with insecure_seed is"),
        ({"insecure_seed": 1}, "release with insecure_seed is"),
        ({"unaccounted": True}, "exclude each other"),
    ],
)
def test_what_a_ledger_excludes_is_refused_before_rows_are_read(people, tmp_path, excluded, words):
    ledger = dpcov.Ledger(tmp_path / "spent.db", create=True)
    ledger.declare("people", dpcov.Rho(1))

    def unread():
        raise AssertionError("a row was asked for")
        yield people

    options = {"bounds": list(BOUNDS.values()), "ledger": ledger, "dataset": "people"}
    with pytest.raises(dpcov.UsageError, match=words):
        dpcov.covariance(unread(), budget=dpcov.Rho(0.1), **excluded, **options)


@pytest.mark.many_rows
def test_the_lock_is_let_go_of_and_threads_share_a_moment(people):
    rows = np.tile(people, (300, 1))
    moment = dpcov.SecondMoment(NAMES, bounds=BOUNDS)
    threads = [threading.Thread(target=moment.add, args=(rows,), kwargs={"threads": 1})]
    threads += [threading.Thread(target=moment.add, args=(people,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = dpcov.SecondMoment(NAMES, bounds=BOUNDS).add(np.tile(people, (304, 1)))
    assert same(drawn(expected), drawn(moment))


@pytest.fixture
def ctrl_c_interrupts():
    """Where tests run in workers of pytest-xdist, these ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_after(seconds, call):
    """Makes the call, and has Ctrl-C pressed that much later.

    Nothing is collected meanwhile: an interrupt of some other test's `__del__` would be lost.
    """
    main = threading.main_thread().ident
    timer = threading.Timer(seconds, signal.pthread_kill, [main, signal.SIGINT])
    gc.collect()
    gc.disable()
    try:
        timer.start()
        call()
        timer.join()
    finally:
        gc.enable()


@pytest.mark.unsanitized
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_ends_it_and_adds_nothing(people):
    moment = moment_of(people)
    wide = np.broadcast_to(np.float32(0.5), (40_000_000, 3))  # takes no memory
    handed = []

    def blocks():
        for number in range(100):
            handed.append(number)
            yield wide

    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.2, lambda: moment.add(blocks()))
    assert len(handed) < 100
    assert moment.release(dpcov.Rho(1), method="zero").record["n"] == len(people)


@pytest.mark.unsanitized
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_ctrl_c_in_the_only_block_adds_nothing():
    # That many rows are one block, whose product takes about a second of one core.
    rows = np.random.default_rng(0).uniform(0, 1, (174, 6000))
    moment = dpcov.SecondMoment(6000, bounds=(0, 1))
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.02, lambda: moment.add(rows, threads=1))
    assert moment.add(rows[:3]).release(dpcov.Rho(1), method="zero").record["n"] == 3


# Interrupts itself once its release is charged, again and again: whoever looked for signals only
# when the release is done would see one of them.
INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import dpcov

seen = []
over = threading.Event()

def note(number, frame):
    seen.append(number)
    if len(seen) == 3:
        over.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # none comes while Python ends
        raise KeyboardInterrupt

def interrupt():
    while not ledger.statement("people").releases:
        time.sleep(0.01)
    while not over.wait(0.02):
        os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, note)
ledger = dpcov.Ledger(sys.argv[1], create=True)
ledger.declare("people", dpcov.Rho(1))
moment = dpcov.SecondMoment(1000, norm_bound=1.0).add(np.eye(1000))
threading.Thread(target=interrupt, daemon=True).start()
options = {"ledger": ledger, "dataset": "people", "threads": 1}
moment.release(dpcov.Rho(0.5), method="em", variant="paper", **options)
over.set()
print("released")
"""


@pytest.mark.unsanitized
def test_ctrl_c_ends_a_release_which_stays_charged(tmp_path):
    path = tmp_path / "spent.db"
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, path], capture_output=True, text=True, check=False
    )
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt", ended.stderr
    assert ended.returncode == -signal.SIGINT
    assert ended.stdout == ""
    statement = dpcov.Ledger(path).statement("people")
    assert (statement.releases, statement.spent) == (1, 0.5)


@pytest.mark.unsanitized
def test_import_brings_nothing_optional():
    code = (
        "import sys, dpcov; "
        "print({'sklearn', 'pandas', 'scipy', 'pyarrow', 'polars'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"
