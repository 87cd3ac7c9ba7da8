"""Columns NAME=VALUE give what zeros and ones made by hand give, whatever the kind of table."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import same
from conftest import seeded as seeded_with

import dpcov

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

#: So much that one value of few rows shows.
BUDGET = dpcov.Rho(1e9)
SOURCE = np.random.default_rng(5)
ROWS = 400
AGE = SOURCE.uniform(0, 100, ROWS)
REGION = SOURCE.choice(
    ["north", " south", "south\t", "SOUTH", "", "an unlisted region", "a.b", "axb", "C++ (", None],
    ROWS,
).tolist()
CODE = SOURCE.choice([1.0, 2.0, -3.5, np.nan], ROWS)
FLAG = SOURCE.choice([True, False, None], ROWS).tolist()
BOUNDS = {
    "age": (0, 100),
    "region=north": (0, 1, 0),
    "region=south": (-1, 1, 0.25),
    "region=nowhere": (0, 1, 0),
    "region=an unlisted region": (0, 1, 0),
    "region=a.b": (0, 1, 0),
    "region=C++ (": (0, 1, 0),
}
ARROW = pa.table({"age": AGE, "region": pa.array(REGION, pa.string())})


def seeded(table, **options):
    return seeded_with(table, **{"budget": BUDGET, **options})


def by_hand(values, value):
    """The zeros and ones of a column of text."""
    return [
        np.nan if found is None else float(found.strip(" \t") == value.partition("=")[2])
        for found in values
    ]


def expected(bounds=BOUNDS, **options):
    columns = [AGE if name == "age" else by_hand(REGION, name) for name in bounds]
    rows = np.column_stack(columns)
    return seeded(rows, columns=list(bounds), bounds=list(bounds.values()), **options)


def arrow(kind):
    return ARROW.set_column(1, "region", ARROW["region"].cast(kind))


def pandas(dtype):
    return pd.DataFrame({"age": AGE, "region": pd.Series(REGION, dtype=dtype)})


def polars(dtype):
    return pl.from_arrow(ARROW).with_columns(pl.col("region").cast(dtype))


def parquet(tmp_path):
    from pyarrow import parquet

    parquet.write_table(ARROW, tmp_path / "rows.parquet", row_group_size=70)
    return tmp_path / "rows.parquet"


def in_pieces(tmp_path):
    small = pa.dictionary(pa.int8(), pa.string())
    pieces = [ARROW.slice(0, 101), arrow(small).slice(101, 50), pandas("category")[151:], ARROW[:0]]
    return iter(pieces)


def batches(tmp_path):
    """Some begin in the middle of their memory, and some have their own."""
    parts = [ARROW.slice(first, 33) for first in range(0, ROWS, 33)]
    return pa.concat_tables([*parts[:7], *(part.combine_chunks() for part in parts[7:])])


def masked(tmp_path):
    """Columns beside a validity of whole rows."""
    columns = [ARROW[name].combine_chunks() for name in ARROW.column_names]
    columns[1] = columns[1].fill_null("north")
    gone = pa.array([region is None for region in REGION])
    rows = pa.StructArray.from_arrays(columns, names=ARROW.column_names, mask=gone)

    class Rows:
        def __arrow_c_stream__(self, schema=None):
            return pa.chunked_array([rows[:90], rows[90:]]).__arrow_c_stream__(schema)

    return Rows()


TABLES = {
    "utf8": lambda _: ARROW,
    "large_utf8": lambda _: arrow(pa.large_string()),
    "utf8_view": lambda _: arrow(pa.string_view()),
    **{
        f"dictionary of {codes} and {text}": lambda _, codes=codes, text=text: arrow(
            pa.dictionary(codes, text)
        )
        for codes in (pa.int8(), pa.uint16(), pa.int64())
        for text in (pa.string(), pa.large_string())
    },
    "batches": batches,
    "reader": lambda _: ARROW.to_reader(max_chunksize=17),
    "dataset": lambda path: __import__("pyarrow.dataset").dataset.dataset(parquet(path)),
    "ParquetFile": lambda path: __import__("pyarrow.parquet").parquet.ParquetFile(parquet(path)),
    "polars String": lambda _: polars(pl.String),
    "polars Categorical": lambda _: polars(pl.Categorical),
    "polars Enum": lambda _: polars(pl.Enum([x for x in dict.fromkeys(REGION) if x is not None])),
    "pandas str": lambda _: pandas("str"),
    "pandas category": lambda _: pandas("category"),
    "pandas category of objects": lambda _: pd.DataFrame(
        {"age": AGE, "region": pd.Categorical(pd.Series(REGION, dtype=object))}
    ),
    "pandas string in Python": lambda _: pandas("string[python]"),
    "pandas string in Arrow": lambda _: pandas("string[pyarrow]"),
    "pandas large_string": lambda _: pandas(pd.ArrowDtype(pa.large_string())),
    "pandas dictionary": lambda _: pandas(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "duckdb": lambda _: pytest.importorskip("duckdb").from_arrow(ARROW),
    "pieces": in_pieces,
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_table_gives_zeros_and_ones(kind, tmp_path):
    release = seeded(TABLES[kind](tmp_path), bounds=BOUNDS)
    assert release.columns == list(BOUNDS)
    assert same(release, expected())


def test_rows_that_are_missing_as_a_whole(tmp_path):
    bounds = {name: entry for name, entry in BOUNDS.items() if name != "age"}
    assert same(seeded(masked(tmp_path), bounds=bounds), expected(bounds))


@pytest.mark.parametrize("code", [-1, 2])
def test_a_code_of_no_category_is_a_missing_value(code):
    codes = pa.array([0, code, 1], pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["north", "south"]), safe=False)
    with pytest.raises(dpcov.DataError, match=r"row 1, .* missing"):
        seeded(pa.table({"region": column}), bounds={"region=north": (0, 1)})


# Of 12 bytes and less a view holds the text itself; of more it says in which buffer it is.
@pytest.mark.parametrize("value", ["eleven byte", "twelve bytes", "thirteen byte", "one two three"])
def test_texts_in_several_buffers(value):
    texts = ["eleven byte", "twelve bytes", "thirteen byte", "one two three"]
    parts = [pa.array([text, "another text"], pa.string_view()) for text in texts]
    column = pa.concat_arrays(parts)
    assert same(
        seeded(pa.table({"a": column}), bounds={f"a={value}": (0, 1)}),
        seeded(np.array([[float(text == value)] for text in column.to_pylist()]), bounds=(0, 1)),
    )


def test_pieces_of_a_long_column(monkeypatch):
    monkeypatch.setattr("dpcov._tables.CHUNK_VALUES", 50)
    for dtype in ("category", "string[python]", "string[pyarrow]"):
        assert same(seeded(pandas(dtype), bounds=BOUNDS), expected())


@pytest.mark.parametrize("dtype", ["category", "string[python]", "string[pyarrow]"])
def test_whether_a_value_is_a_category_does_not_matter(dtype):
    bounds = {"region=north": (0, 1, 0), "age": (0, 100)}
    south = pandas(dtype)[pandas(dtype)["region"].eq("SOUTH").fillna(False)]  # pandas keeps "north"
    for frame in (
        south.assign(region=south["region"].astype(dtype)),
        south.assign(region=pd.Series([None] * len(south), index=south.index, dtype=dtype)),
        south.assign(region=pd.Categorical([1] * len(south), categories=[1, "north"])),
    ):
        zeros = np.column_stack([np.zeros(len(south)), south["age"]])
        release = seeded(frame, bounds=bounds)
        assert same(release, seeded(zeros, bounds=list(bounds.values())))
    none = ARROW.slice(0, 3).set_column(1, "region", pa.array([None] * 3, pa.null()))
    zeros = np.column_stack([np.zeros(3), AGE[:3]])
    assert same(seeded(none, bounds=bounds), seeded(zeros, bounds=list(bounds.values())))


def numbers():
    boolean, code = pa.array(FLAG, pa.bool_()), pa.array(CODE, pa.float64(), from_pandas=True)
    table = pa.table({"code": code, "flag": boolean})
    frame = pd.DataFrame({"code": CODE, "flag": pd.array(FLAG, dtype="boolean")})
    return {
        "arrow": table,
        "arrow, float32": table.set_column(0, "code", code.cast(pa.float32())),
        "arrow, decimals": table.set_column(0, "code", code.cast(pa.decimal128(5, 1))),
        "arrow, dictionary": table.set_column(0, "code", code.dictionary_encode()),
        "polars": pl.from_arrow(table),
        "pandas": frame,
        "pandas, float32": frame.astype({"code": "float32"}),
        "pandas, nullable": frame.astype({"code": "Float64"}),
        "pandas, in Arrow": frame.astype({c: pd.ArrowDtype(table[c].type) for c in frame}),
        "pandas, category": frame.astype({"code": "category", "flag": "category"}),
        "pandas, category of objects": frame.assign(
            code=pd.Categorical(pd.Series(CODE, dtype=object))
        ),
    }


@pytest.mark.parametrize("kind", numbers())
def test_numbers_are_compared_as_numbers(kind):
    bounds = {"code=1.00": (0, 1, 0), "code = -35e-1 ": (0, 1, 0.5)}
    bounds |= {"code=7": (0, 1, 0), "flag=true": (0, 1, 0.5), "flag=False": (0, 1, 0.5)}
    flag = np.array(FLAG, dtype=float)
    rows = np.column_stack([*(value == CODE for value in (1, -3.5, 7)), flag, 1 - flag])
    rows[:, :3][np.isnan(CODE)] = np.nan
    release = seeded(numbers()[kind], bounds=bounds)
    assert same(release, seeded(rows, bounds=list(bounds.values())))
    assert release.columns[:2] == ["code=1.00", "code=-35e-1"]


def test_a_value_is_what_is_nearest_in_the_column():
    rows = np.array([0.1, 0.5, 0.1])
    expected = seeded(np.array([[1.0], [0.0], [1.0]]), bounds=(0, 1), columns=["a=0.1"])
    for dtype in (np.float64, np.float32, np.float16):
        values = rows.astype(dtype)
        for table in (pd.DataFrame({"a": values}), pa.table({"a": values})):
            assert same(expected, seeded(table, bounds={"a=0.1": (0, 1)}))
        least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
        for value in (least, -most, dtype(1) / dtype(3)):
            values = np.array([value, 0.5, value], dtype=dtype)
            for table in (pd.DataFrame({"a": values}), pa.table({"a": values})):
                release = seeded(table, bounds={f"a={value!s}": (0, 1)})
                assert same(expected, release)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_no_value_of_a_column_is_one_beyond_its_floats(dtype):
    rows = np.array([np.inf, np.finfo(dtype).max, 1], dtype=dtype)
    expected = seeded(np.zeros((3, 1)), bounds=(0, 1), columns=["a=1e39"])
    for table in (pd.DataFrame({"a": rows}), pa.table({"a": rows})):
        assert same(expected, seeded(table, bounds={"a=1e39": (0, 1)}))


@pytest.mark.parametrize(
    ("values", "value", "ones"),
    [
        ([True, False, True, True], "true", [1, 0, 1, 1]),
        ([True, False, True, True], "False", [0, 1, 0, 0]),
        ([True, False, True, True], "1", [1, 0, 1, 1]),
        ([2**53 + 1, 3, 2**53, 7], str(2**53 + 1), [1, 0, 1, 0]),
        ([2**64 - 1, 3, 4, 7], str(2**64 - 1), [1, 0, 0, 0]),
    ],
)
def test_of_what_type_other_categories_are_does_not_matter(values, value, ones):
    """One row decides whether pandas makes a category of objects."""
    bounds = {f"a={value}": (0, 1, 0)}
    for other in (None, "x"):
        for categories in ("category", object):
            column = pd.Series([*values, other], dtype=object).astype(categories)
            table = pd.DataFrame({"a": pd.Categorical(column)})
            expected = seeded(np.array([[*ones, 0]]).T, bounds=(0, 1), columns=list(bounds))
            assert same(seeded(table, bounds=bounds), expected)


@pytest.mark.parametrize(
    ("values", "ones"),
    [
        ([1, 2, 1], {"1": [1, 0, 1], "1.0": [1, 0, 1], "true": [0] * 3}),
        ([0.1, np.inf, -2.0], {"0.1": [1, 0, 0], "inf": [0] * 3, "nan": [0] * 3, "1e999": [0] * 3}),
        ([np.float32(0.1), np.float32(np.inf), np.float32(3)], {"0.1": [1, 0, 0], "1e39": [0] * 3}),
        ([np.float16(0.1), np.float16(2)], {"0.1": [1, 0], "0.0999755859375": [1, 0]}),
        ([np.uint64(2**64 - 1), np.uint64(3)], {str(2**64 - 1): [1, 0], str(2**64): [1, 0]}),
        ([np.int64(-(2**63)), np.int64(1)], {str(-(2**63)): [1, 0]}),
        ([2**64, 1], {str(2**64): [1, 0], str(2**64 + 1): [1, 0]}),
        ([10**400, 1], {"1": [0, 1]}),
        ([True, False], {"true": [1, 0], "0": [0, 1], "yes": [0, 0]}),
        ([np.True_, np.False_], {"true": [1, 0], "0": [0, 1]}),
        (["1", " 1\t", "1.0"], {"1": [1, 1, 0]}),
        ([None, None], {"1": [np.nan, np.nan]}),
        ([np.datetime64("2020-01-01"), np.datetime64("2021-01-01")], {"2020-01-01": [0, 0]}),
        ([np.timedelta64(3, "s"), np.timedelta64(4, "s")], {"3": [0, 0]}),
        ([pd.Interval(0, 1), pd.Interval(1, 2)], {"(0, 1]": [0, 0]}),
        ([3 + 0j, 4 + 0j], {"3": [0, 0]}),
        ([np.complex128(3), np.complex128(4)], {"3": [0, 0]}),
        ([b"1", (1,)], {"1": [0, 0]}),
    ],
    ids=lambda entry: str(entry)[:24] if isinstance(entry, list) else "",
)
def test_the_type_of_categories_says_nothing(values, ones):
    """pandas derives it from all rows: neither a refusal nor another row may depend on it."""
    others = [["x"], [b"x"], [pd.Timestamp(2030, 1, 1)]]
    if not isinstance(values[0], np.float16):  # there are no such categories
        others += [[]]
    if not isinstance(values[0], (np.float16, np.float32)):  # pandas converts them to doubles
        others += [[None], [0.75], [77]]
    for value, equal in ones.items():
        bounds = {f"a={value}": (0, 1, 0.25)}
        for other in others:
            rows = np.array([[*equal, *(np.nan if one is None else 0 for one in other)]]).T
            expected = seeded(rows, bounds=[(0, 1, 0.25)], columns=list(bounds))
            for dtype in (None, object):
                column = pd.Categorical(pd.Series([*values, *other], dtype=dtype))
                assert same(seeded(pd.DataFrame({"a": column}), bounds=bounds), expected), other


def test_a_category_that_is_another_object_is_no_missing_value():
    categories = pd.Index([b"north", "north"], dtype=object)
    column = pd.Categorical.from_codes([0, 1, -1], categories)
    expected = seeded(np.array([[0], [1], [0.5]]), bounds=(0, 1), columns=["a=north"])
    assert same(seeded(pd.DataFrame({"a": column}), bounds={"a=north": (0, 1, 0.5)}), expected)


def test_a_list_of_names_may_not_be_one_of_indicators():
    table = np.array([[1.0, 3.0], [2.0, 4.0]] * 20)
    for columns in (["0=1", "0=2"], ["age", " 1 =3"]):
        with pytest.raises(dpcov.UsageError, match="may be a name"):
            dpcov.covariance(table, columns=columns, norm_bound=9, budget=dpcov.Rho(1))
    release = dpcov.covariance(table, columns=["a=1", "b"], norm_bound=9, budget=dpcov.Rho(1))
    assert release.columns == ["a=1", "b"]


def test_whole_numbers_and_places():
    rows = np.array([[1, 5], [2, 6], [1, 7]])
    expected = seeded(np.column_stack([rows, rows[:, 0] == 1]), bounds=(0, 7))
    bounds = {0: (0, 7), 1: (0, 7), "0=1": (0, 7)}
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(rows)
    for table in (pd.DataFrame(rows), rows, rows.astype(">i2"), iter([rows[:1], rows[1:]])):
        release = seeded(table, bounds=bounds)
        assert same(release, expected)
        assert release.columns == ["0", "1", "0=1"]
    structured = np.array([tuple(row) for row in rows], dtype=[("a", "i4"), ("b", "f8")])
    named = {"a": (0, 7), "b": (0, 7), "a=1": (0, 7)}
    assert same(expected, seeded(structured, bounds=named))
    with pytest.raises(dpcov.UsageError, match="add columns of zeros and ones"):
        seeded(sparse, bounds=bounds)
    with pytest.raises(dpcov.UsageError, match="there is no column '2=1'; the table has 2"):
        seeded(rows, bounds={0: (0, 7), "2=1": (0, 1)})


@pytest.mark.parametrize("value", ["north", "nan", "inf", "1e999", "true"])
def test_of_numbers_a_value_is_a_number(value):
    bounds = {f"code={value}": (0, 1, 0)}
    tables = numbers()
    del tables["pandas, category"], tables["pandas, category of objects"]
    nothing = pd.DataFrame({"code": np.empty(0)})
    for table in (*tables.values(), nothing, nothing.astype(pd.ArrowDtype(pa.float64()))):
        for options in ({}, {"bad_rows": "zero"}):
            with pytest.raises(dpcov.UsageError, match=f"holds numbers, and '{value}' is none"):
                seeded(table, bounds=bounds, neighbours="add-remove", **options)


def test_what_is_no_text_and_no_number_is_refused_by_its_type():
    days = np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")
    objects = pd.Series(["north", None], dtype=object)
    for rows in (2, 0):
        for column in (
            *(pa.array(days), pa.array([b"north", None]), pa.array([["north"], None])),
            *(pd.Series(days), objects),
        ):
            if isinstance(column, pa.Array):
                table = pa.table({"a": column[:rows]})
            else:
                table = pd.DataFrame({"a": column[:rows]})
            if rows == 0 and column is objects:  # as for other columns
                continue
            for options in ({}, {"bad_rows": "zero"}):
                with pytest.raises(TypeError, match="'a=north' holds") as told:
                    seeded(table, bounds={"a=north": (0, 1, 0)}, **options)
                assert told.value.__cause__ is None
                assert told.value.__context__ is None
    with pytest.raises(TypeError, match=r"\.astype\('string'\), and take 'NAME=VALUE'"):
        seeded(pd.DataFrame({"a": objects}), bounds={"a=north": (0, 1, 0)})


def test_text_alone_names_the_remedy():
    for table in (ARROW, arrow(pa.dictionary(pa.int8(), pa.string())), pandas("str")):
        with pytest.raises(TypeError, match=r"take (it as )?'NAME=VALUE'"):
            seeded(table, bounds={"region": (0, 1)})


def test_the_longest_name_is_the_column():
    table = pd.DataFrame({"a": ["b=c", "c"], "a=b": ["c", "x"], "a=b=c": [0.5, 0.25]}, dtype="str")
    table["a=b=c"] = [0.5, 0.25]

    def mean(label):
        budget = dpcov.Rho(1e9)
        release = dpcov.covariance(table, bounds={label: (0, 1)}, budget=budget, insecure_seed=1)
        return round(float(release.mean()[0]), 3), release.columns[0]

    assert mean("a=b=c") == (0.375, "a=b=c")  # a column
    assert mean(" a = b=c") == (0.375, "a=b=c")
    assert mean("a=b = c") == (0.375, "a=b=c")
    del table["a=b=c"]
    assert mean("a=b=c") == (0.5, "a=b=c")  # the value c of a=b
    assert mean(" a=b =x\t") == (0.5, "a=b=x")
    del table["a=b"]
    assert mean("a=b=c") == (0.5, "a=b=c")  # the value b=c of a
    assert mean("a= c") == (0.5, "a=c")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["region="], "no value stands behind the '='"),
        (["region= \t"], "no value stands behind the '='"),
        (["regoin=north"], "no column 'regoin=north', and none 'regoin' .*; did you mean 'region'"),
        (["=north"], "no column '=north'; there are 'age', 'region'"),
        (["region=north", "region = north"], "taken twice"),
        (["1=north"], "no column '1=north', and none '1'"),
    ],
)
def test_labels_that_are_refused(labels, words):
    for frame in (ARROW, pandas("str")):
        with pytest.raises(dpcov.UsageError, match=words):
            seeded(frame, columns=labels, norm_bound=1.0)
        with pytest.raises(dpcov.UsageError, match=words):
            seeded(frame, bounds=dict.fromkeys(labels, (0, 1, 0)))
        moment = dpcov.SecondMoment(labels, norm_bound=1.0)
        with pytest.raises(dpcov.UsageError, match=words):
            moment.add(frame)


def test_a_name_that_comes_twice_is_refused():
    frame = pd.DataFrame([["a", "b"]], columns=["x", "x"])
    with pytest.raises(dpcov.UsageError, match="several columns have the name in 'x=a'; give each"):
        seeded(frame, bounds={"x=a": (0, 1)})
    frame.columns = ["x=a", "x=a"]
    with pytest.raises(dpcov.UsageError, match="several columns are named 'x=a'; take one by its"):
        seeded(frame, bounds={"x=a": (0, 1)})


def test_a_column_without_a_name_has_no_indicators():
    """As a slip: f"{name}=north", where the name is empty."""
    for table in (pd.DataFrame({"": ["north"]}), pa.table({"": ["north"]})):
        with pytest.raises(dpcov.UsageError, match="no column '=north'; there are ''"):
            seeded(table, bounds={"=north": (0, 1)})


def test_text_is_a_place_where_no_column_has_a_name():
    rows = pd.DataFrame([[1, 5], [2, 6]])
    assert seeded(rows, bounds={"1=5": (0, 1)}).columns == ["1=5"]
    with pytest.raises(dpcov.UsageError, match="no column '1', for the table names none"):
        seeded(rows, bounds={"1": (0, 9)})
    # As of a file without a header, whose first row became the names: "0" is a value of it.
    rows.columns = ["0", "x"]
    for labels in (["0=1", 1], [1, "0=1"], ["x=5", 1, " 0 = 1"]):
        with pytest.raises(
            dpcov.UsageError,
            match=r"not both: ' ?0 ?= ?1' is the name of column 0 \(counted from 0\), 1 is a place",
        ):
            seeded(rows, columns=labels, norm_bound=9)
    for fine in (["0=1", "x"], ["0=1", 0], ["x=5", 1]):
        assert len(seeded(rows, columns=fine, norm_bound=9).columns) == 2
    with pytest.raises(dpcov.UsageError, match="no column '1=5', and none '1' that may have"):
        seeded(rows, bounds={"1=5": (0, 1)})
    rows["2"] = rows["x"]
    with pytest.raises(dpcov.UsageError, match=r"not both: '0' is the name .*, 1 is a place"):
        seeded(rows, columns=["0", 1, "0=1", "2"], norm_bound=9)
    rows.columns = ["0", "x", "y"]
    with pytest.raises(dpcov.UsageError, match=r"not both: '0' is the name .*, 1 is a place"):
        seeded(rows, columns=[1, 2, "0"], norm_bound=9)
    rows.columns = ["", "x", "y"]  # is no number
    assert len(seeded(rows, columns=["", 1], norm_bound=9).columns) == 2


def test_labels_that_call_no_column():
    class Label:
        def __str__(self):
            return "region=north"

    for label, words in (
        (-1, "there is no column -1; the table has 2"),
        (np.int64(2), "there is no column 2; the table has 2"),
        (Label(), "not by an object of type Label"),
    ):
        with pytest.raises(dpcov.UsageError, match=words):
            seeded(ARROW, columns=[label], norm_bound=9)


def test_a_slip_in_a_name_with_an_equals_sign():
    table = pa.table({"a=b": [1.0], "c": [2.0]})
    with pytest.raises(dpcov.UsageError, match="no column 'a=bb'; did you mean 'a=b'"):
        seeded(table, columns=["a=bb"], norm_bound=9)
    with pytest.raises(dpcov.UsageError, match="no column ' d '; there are"):
        seeded(table, columns=[" d "], norm_bound=9)
    with pytest.raises(dpcov.UsageError, match="no column 'c=1'; there are"):
        seeded(table, columns=["c"], norm_bound=9).regression("c=1")


def test_null_alone_is_missing():
    """What stands for a missing value in a CSV is a text like others: NA is Namibia."""
    for text in ("NA", "?", "null", "."):
        values = [text, None, "x", text]
        bounds = {f"a={text}": (0, 1, 0.5)}
        expected = seeded(np.array([[1], [0.5], [0], [1]]), bounds=(0, 1), columns=list(bounds))
        for table in (pa.table({"a": values}), pd.DataFrame({"a": pd.Categorical(values)})):
            assert same(seeded(table, bounds=bounds), expected)


def test_codes_are_refused_before_rows_are_read():
    def never():
        raise AssertionError
        yield

    names = ["age", "region=north"]
    coded = [(0, 100), (0, 1, 0, [9])]
    reader = ARROW.to_reader()
    words = "column 'region=north' have codes for missing values; .* counts as 0"
    with pytest.raises(dpcov.UsageError, match=words):
        seeded(reader, bounds=dict(zip(names, coded, strict=True)))
    with pytest.raises(dpcov.UsageError, match=words):
        seeded(reader, columns=names, bounds=[0, 100, 0, [9]])
    assert reader.read_all().num_rows == ROWS
    moment = dpcov.SecondMoment(names, bounds=coded)
    with pytest.raises(dpcov.UsageError, match=words):
        moment.add(ARROW)
    # Who has zeros and ones of that name may have codes among them.
    moment.add(np.array([[50.0, 9.0]])).add(pd.DataFrame([[50.0, 9.0]], columns=names))
    bounds = dict(zip(names, coded, strict=True))
    with pytest.raises(dpcov.UsageError, match=words):
        seeded(iter([ARROW]), bounds=bounds, neighbours="add-remove")
    # A code of NAME itself is a value like others.
    bounds = {"code": (0, 2, 0, [-3.5]), "code=-3.5": (0, 1, 0)}
    rows = np.column_stack([CODE, CODE == -3.5])
    assert same(
        seeded(pd.DataFrame({"code": CODE}), bounds=bounds),
        seeded(rows, bounds=list(bounds.values())),
    )


@pytest.mark.parametrize("kind", ["utf8", "polars Enum", "pandas category", "pandas str"])
def test_a_missing_value_without_a_fill_is_a_bad_row(kind, tmp_path):
    bounds = {"age": (0, 100), "region=north": (0, 1), "region=south": (0, 1)}
    table = TABLES[kind](tmp_path)
    with pytest.raises(dpcov.DataError, match=r"column 1 'region=north'.*missing") as told:
        seeded(table, bounds=bounds)
    assert (told.value.row, told.value.column) == (REGION.index(None), 1)
    assert same(seeded(table, bounds=bounds, bad_rows="zero"), expected(bounds, bad_rows="zero"))


def test_two_passes_and_scales():
    options = {"passes": 2, "budget": dpcov.Rho(50)}
    for table in (ARROW, pandas("category")):
        assert same(seeded(table, bounds=BOUNDS, **options), expected(**options))
    scale = {"age": 100, "region=an unlisted region": 2}
    table = pa.table({"age": AGE, "region": pa.array([r or "" for r in REGION])})
    rows = np.column_stack([AGE, [r == "an unlisted region" for r in REGION]])
    options = {"columns": list(scale), "norm_bound": 1.0}
    assert same(
        seeded(table, column_scale=scale, **options), seeded(rows, column_scale=[100, 2], **options)
    )


def test_moments_are_merged_and_may_have_zeros_and_ones_of_that_name():
    moment = dpcov.SecondMoment(list(BOUNDS), bounds=BOUNDS)
    parts = [pandas("category")[:100], ARROW.slice(100, 100), polars(pl.String)[200:300]]
    zeros_and_ones = np.column_stack(
        [AGE, *(by_hand(REGION, name) for name in list(BOUNDS)[1:])],
    )[300:]
    parts += [zeros_and_ones[:50], pd.DataFrame(zeros_and_ones[50:], columns=list(BOUNDS))]
    for part in parts:
        moment += dpcov.SecondMoment(list(BOUNDS), bounds=BOUNDS).add(part)
    assert moment.columns == list(BOUNDS)
    release = moment.release(BUDGET, insecure_seed=11, threads=1)
    assert same(release, expected())


def test_bounds_from_a_file(tmp_path):
    lines = ["name,lower,upper,fill", "age,0,100", "region=north,0,1,0", "region=south,0,1,0"]
    (tmp_path / "bounds.csv").write_text("\n".join(lines) + "\n")
    bounds = dpcov.read_bounds(tmp_path / "bounds.csv")
    assert same(seeded(ARROW, bounds=bounds), expected(bounds))


def test_no_chunk_and_no_row_have_the_same_columns():
    for chunks in ([], [ARROW[:0]], [pandas("category")[:0]], [pandas(object)[:0]]):
        release = seeded(iter(chunks), bounds=BOUNDS, neighbours="add-remove")
        assert release.columns == list(BOUNDS)
        assert same(release, seeded(ARROW[:0], bounds=BOUNDS, neighbours="add-remove"))


def test_results_take_the_names():
    release = expected()
    model = release.regression("age", ["region=north", "region=south"])
    assert model.features == ["region=north", "region=south"]
    with pytest.raises(dpcov.UsageError, match="no column 'region=nort'; did you mean 'region=n"):
        release.regression("age", ["region=nort"])


def test_neighbouring_tables_differ_in_one_row():
    """Whatever one row has, the others count as before: the sums of both differ by that row."""
    others = ["north", "south"] * 20
    bounds = {"a=north": (0, 1, 0), "a=south": (0, 1, 0)}

    def release(values, dtype):
        frame = pd.DataFrame({"a": pd.Series(values, dtype=dtype)})
        return dpcov.covariance(
            frame, bounds=bounds, budget=dpcov.Rho(1e12), method="gauss", insecure_seed=1
        )

    for dtype in ("category", "string[python]", "str"):
        means = [
            release([*others, value], dtype).mean() * 41
            for value in ("north", "south", "a new one", "", "x" * 10_000, None)
        ]
        expected = [[21, 20], [20, 21], *[[20, 20]] * 4]
        np.testing.assert_allclose(means, expected, atol=0.01)
