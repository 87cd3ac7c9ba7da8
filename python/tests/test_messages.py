"""What messages say; and of a table that came where an option belongs none shows a value."""

import errno
import pickle
import warnings

import numpy as np
import pytest

import dpcov
from dpcov.sklearn import PrivateCovariance, PrivatePCA, PrivateRidge

pd = pytest.importorskip("pandas")

SECRET = 54321.125
FRAME = pd.DataFrame({"age": [SECRET, 30.0, 40.0, 50.0], "inc": [1.0, 2.0, 3.0, SECRET]})
BUDGET = dpcov.Rho(1)
BOUNDS = {"age": (0, 100), "inc": (0, 10)}
WHOLE = pd.DataFrame({"age": [54321, 30, 40, 50], "inc": [1, 2, 3, 54321]})
TEXT = WHOLE.astype(str)
TABLES = [
    *(FRAME, FRAME.to_numpy(), FRAME.to_numpy().tolist(), FRAME["age"], FRAME.to_dict("list")),
    *(WHOLE, WHOLE.to_numpy(), WHOLE["age"], WHOLE.to_dict("list"), WHOLE.to_dict("records")),
    *(TEXT, TEXT["age"], {"age": TEXT["age"], "inc": TEXT["inc"]}),
]
OPTIONS = [
    "budget",
    "bounds",
    "norm_bound",
    "method",
    "variant",
    "neighbours",
    "center",
    "columns",
    "column_scale",
    "bad_rows",
    "clip",
    "full_norms",
    "steps",
    "scaled",
    "ledger",
    "dataset",
    "unaccounted",
    "insecure_seed",
    "threads",
    "passes",
]


def covariance(option, table):
    return dpcov.covariance(FRAME, **{"budget": BUDGET, "bounds": BOUNDS, option: table})


def estimator(option, table):
    options = {"budget": BUDGET, "bounds": BOUNDS, option: table}
    return PrivateCovariance(**options).fit(FRAME)


CALLS = [
    *((lambda table, name=name: covariance(name, table)) for name in OPTIONS),
    *((lambda table, name=name: estimator(name, table)) for name in OPTIONS),
    lambda table: dpcov.plan(table, budget=BUDGET, bounds=BOUNDS),
    lambda table: dpcov.plan(4, budget=BUDGET, bounds=table),
    lambda table: dpcov.budget_for_correlation_error(table, 4, bounds=BOUNDS),
    lambda table: dpcov.SecondMoment(table, bounds=BOUNDS),
    lambda table: dpcov.SecondMoment(2, bounds=table),
    lambda table: dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS).regression(table),
    lambda table: dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS).regression("age", table),
    lambda table: dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS).interval(table),
    lambda table: dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS).pca(table),
    lambda table: PrivatePCA(table, budget=BUDGET, bounds=BOUNDS).fit(FRAME),
    lambda table: PrivateRidge(
        alpha=table, budget=BUDGET, bounds=(0, 100), target_bounds=(0, 10)
    ).fit(FRAME[["age"]], FRAME["inc"]),
    dpcov.Rho,
    dpcov.Ledger,
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_no_message_shows_a_value(table):
    told = 0
    for call in CALLS:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                call(table)
                text = ""
            except Exception as error:
                text = "".join(map(str, (error, error.__cause__, error.__context__)))
                told += 1
        text += "".join(str(warning.message) for warning in warned)
        assert "54321" not in text, text
        assert "5.432" not in text, text
    assert told > 40  # most of them are refused


def test_control_a_short_option_is_shown():
    with pytest.raises(dpcov.UsageError, match="'54321'"):
        dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS, bad_rows="54321")
    with pytest.raises(dpcov.UsageError, match="'gaus'"):
        dpcov.covariance(FRAME, budget=BUDGET, bounds=BOUNDS, method="gaus")


def test_an_empty_name_of_a_data_set_is_no_account():
    rows = [[0.0, 0.0]] * 5
    for call in (
        lambda: dpcov.covariance(rows, budget=dpcov.Rho(1), norm_bound=1.0, dataset=""),
        lambda: dpcov.SecondMoment(2, norm_bound=1.0, dataset=""),
    ):
        with pytest.raises(dpcov.UsageError, match="dataset is empty; give a name"):
            call()


@pytest.mark.parametrize("clip", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_clip_that_is_none_is_named(clip):
    with pytest.raises(dpcov.UsageError, match=r"clip is .*; it must be above 0, and finite"):
        dpcov.covariance(
            [[0.0, 0.0]] * 5, budget=dpcov.Rho(1), norm_bound=1.0, method="clip-gauss", clip=clip
        )


def test_arguments_of_the_wrong_kind_are_refused_in_words(tmp_path):
    ledger = dpcov.Ledger(tmp_path / "budget.ledger", create=True)
    release = dpcov.covariance(np.eye(3), bounds=(0, 1), budget=dpcov.Rho(1))
    table = {"rows": 1000, "bounds": [(0, 1)] * 3}
    for call in (
        lambda: dpcov.plan(**table, budget=dpcov.Rho(1), spread="wide"),
        lambda: dpcov.plan(**table, budget=dpcov.Rho(1), method=None),
        lambda: dpcov.plan(**table, budget=dpcov.Rho(1), center="yes"),
        lambda: dpcov.plan(1000, budget=dpcov.Rho(1), bounds=[(0, 1), None]),
        lambda: dpcov.budget_for_correlation_error("small", **table),
        lambda: dpcov.budget_for_correlation_error(0.1, **table, pure=None),
        lambda: ledger.declare(3, dpcov.Rho(1)),
        lambda: ledger.declare("\udcff", dpcov.Rho(1)),
        lambda: ledger.declare("a", 1.0),
        lambda: ledger.declare("a", dpcov.Rho(1), neighbours=None),
        lambda: ledger.statement(None),
        lambda: ledger.charges(3),
        lambda: ledger.holds(3),
        lambda: dpcov.epsilon_of(dpcov.Rho(1), "small"),
        lambda: dpcov.best_guess(dpcov.Rho(1), curve=None),
        lambda: dpcov.norm_bound_for_unit("one"),
        lambda: dpcov.SecondMoment(3, norm_bound=1).declare_part(3),
        lambda: release.interval(["mean"]),
    ):
        with pytest.raises(dpcov.UsageError):
            call()


def test_a_missing_file_is_one(tmp_path):
    absent = tmp_path / "absent"
    for call in (dpcov.Release.load, dpcov.SecondMoment.load, dpcov.Ledger):
        with pytest.raises(FileNotFoundError) as told:
            call(absent)
        assert isinstance(told.value, dpcov.DeviceError)
        assert told.value.errno == errno.ENOENT
        again = pickle.loads(pickle.dumps(told.value))
        assert (type(again), str(again)) == (dpcov.MissingFileError, str(told.value))


def test_a_release_that_shows_nothing_says_so():
    rows = np.random.default_rng(3).uniform(size=(100, 4))
    for budget, words in (
        (dpcov.Rho(1e-3), "the noise hides it as a whole"),
        (dpcov.Rho(1e-9), "no table"),
    ):
        with pytest.warns(UserWarning, match=words):
            release = dpcov.covariance(
                rows, bounds=(0, 1), budget=budget, center=False, insecure_seed=1
            )
        assert "ZERO" in repr(release)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dpcov.covariance(rows, bounds=(0, 1), budget=budget, method="zero", center=False)


def test_a_release_takes_the_names_that_it_gives():
    release = dpcov.covariance(np.eye(3), bounds=(0, 1), budget=dpcov.Rho(1e6))
    model = release.regression(release.columns[1])
    assert (model.target, model.features) == ("1", ["0", "2"])
    assert release.regression(model.target, model.features).features == ["0", "2"]


def test_of_a_misspelt_column_the_likely_one_is_told():
    with pytest.raises(dpcov.UsageError, match=r"no column 'agee'; did you mean 'age'\? There are"):
        dpcov.covariance(FRAME, bounds={"agee": (0, 100)}, budget=BUDGET)
    with pytest.raises(dpcov.UsageError, match="no column 'zip'; there are 'age', 'inc'"):
        dpcov.covariance(FRAME, bounds={"zip": (0, 100)}, budget=BUDGET)
