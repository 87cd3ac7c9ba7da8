"""Every kind of table gives what its numbers give."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest
from conftest import BOUNDS, same, seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dpcov
from dpcov.sklearn import PrivateCovariance

NAMES = list(BOUNDS)
TYPES = [
    *(np.dtype(kind) for kind in "?bBhHiIlLqQefdg"),
    np.dtype(">f8"),
    np.dtype(">i4"),
    np.dtype(">f2"),
]


def expect(people):
    return seeded(people, columns=NAMES, bounds=BOUNDS)


@settings(max_examples=150, deadline=None)
@given(
    dtype=st.sampled_from(TYPES),
    shape=st.tuples(st.integers(1, 40), st.integers(1, 5)),
    layout=st.sampled_from(["C", "F", "rows", "columns", "reversed", "readonly", "unaligned"]),
    data=st.data(),
)
def test_any_type_and_layout(dtype, shape, layout, data):
    elements = {"min_value": -100, "max_value": 100} if dtype.kind == "f" else {}
    if dtype.kind == "f":
        elements["width"] = 16
        small = data.draw(
            hnp.arrays(np.float16, shape, elements=st.floats(**elements, allow_nan=False))
        )
        array = small.astype(dtype)
    else:
        array = data.draw(hnp.arrays(dtype, shape))
    expected = seeded(array.astype(np.float64), bounds=(-100, 100), method="gauss")
    if layout == "F":
        array = np.asfortranarray(array)
    elif layout == "rows":
        array = np.repeat(array, 2, axis=0)[::2]
    elif layout == "columns":
        array = np.repeat(array, 3, axis=1)[:, ::3]
    elif layout == "reversed":
        array = np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    elif layout == "readonly":
        array = array.copy()
        array.flags.writeable = False
    elif layout == "unaligned":
        memory = np.zeros(array.nbytes + 1, np.uint8)
        moved = memory[1:].view(array.dtype).reshape(array.shape)
        moved[:] = array
        array = moved
    assert same(expected, seeded(array, bounds=(-100, 100), method="gauss"))


def test_chosen_columns_in_any_order(people):
    for columns in ([2, 0], [2, 0, 1], [0, 1]):
        expected = seeded(people[:, columns], bounds=(0, 1000))
        for table in (people, np.asfortranarray(people), people.astype(np.longdouble)):
            assert same(expected, seeded(table, columns=columns, bounds=(0, 1000)))
        assert same(expected, seeded(people, bounds=dict.fromkeys(columns, (0, 1000))))


@pytest.mark.many_rows
def test_rows_of_a_large_array_with_others_between():
    table = np.random.default_rng(1).uniform(-1, 1, (1 << 20, 2))
    options = {"norm_bound": 1.0, "budget": dpcov.Rho(1e9)}
    assert same(seeded(table[:, 1:].copy(), **options), seeded(table[:, 1:], **options))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "missing"), (np.inf, "infinite"), (-np.inf, "infinite")]
)
def test_values_that_are_no_finite_numbers(kind, value, words):
    with pytest.raises(dpcov.DataError, match=f"row 1, column 0 .* the value is {words}"):
        seeded(np.array([[0.25], [value]], kind), norm_bound=1.0)


def test_bounds_in_every_form(people):
    expected = expect(people)
    lower, upper = (np.array([entry[k] for entry in BOUNDS.values()]) for k in (0, 1))
    forms = (
        list(BOUNDS.values()),
        (lower, upper),
        np.column_stack([lower, upper]),
    )
    for bounds in forms:
        assert same(expected, seeded(people, bounds=bounds))
    two = people[:, :2]
    pairs = [(0.0, 100.0), (100.0, 220.0)]
    arrays = (np.array([0, 100]), np.array([100, 220]))
    assert same(seeded(two, bounds=pairs), seeded(two, bounds=arrays))
    for square in (np.array(pairs), np.array(arrays)):  # of pairs, or of lower and upper
        with pytest.raises(dpcov.UsageError, match="in two ways"):
            seeded(two, bounds=square)
    four = np.column_stack([two, two])
    lists = ([0, 100, 0, 100], [100, 220, 100, 220])
    assert same(seeded(four, bounds=pairs * 2), seeded(four, bounds=lists))


@pytest.mark.parametrize(
    "bounds",
    [
        ([0, 18], [60, 100]),
        ((0, 18), (60, 100)),
        ([0] * 3, [1] * 3, [0] * 3),
        ((0, 1), (0, 1), (0, 1)),
        ([0, 1, 0.5], [0, 1, 0.5]),
        np.array([[0, 1], [0, 1]]),
        np.array([[0, 1, 0.5]] * 3),
    ],
)
def test_bounds_that_can_be_read_in_two_ways_are_refused(people, bounds):
    with pytest.raises(dpcov.UsageError, match="two ways"):
        seeded(people[:, : len(bounds)], bounds=bounds)


@pytest.mark.many_rows
def test_large_tables_in_several_blocks(people):
    # More than one block in each way through: as it is, converted, by columns, in zeros for rows.
    table = np.tile(people, (900, 1))
    expected = seeded(table, bounds=(0, 1000))
    assert same(expected, seeded(np.asfortranarray(table), bounds=(0, 1000)))
    assert same(expected, seeded(np.array_split(table, 7).__iter__(), bounds=(0, 1000)))
    assert same(expected, seeded(table, bounds=(0, 1000), bad_rows="zero"))
    single = table.astype(np.float32)
    assert same(
        seeded(single.astype(np.float64), bounds=(0, 1000)), seeded(single, bounds=(0, 1000))
    )


def test_numpy_alone(people):
    expected = expect(people)
    records = np.rec.fromarrays(list(people.T), names=NAMES).view(np.ndarray)
    assert same(expected, seeded(records, bounds=BOUNDS))
    assert same(expected, seeded(people.tolist(), columns=NAMES, bounds=BOUNDS))


def test_mixed_records():
    table = np.zeros(5, dtype=[("a", "i1"), ("b", "f8"), ("c", "f2")])
    table["a"], table["b"], table["c"] = range(5), np.arange(5) / 3, 0.5
    plain = np.column_stack([table[name].astype(float) for name in "abc"])
    assert same(seeded(plain, bounds=(0, 5)), seeded(table, bounds=(0, 5)))


def test_memory_map(tmp_path, people):
    np.save(tmp_path / "people.npy", people)
    mapped = np.load(tmp_path / "people.npy", mmap_mode="r")
    assert same(expect(people), seeded(mapped, columns=NAMES, bounds=BOUNDS))


def test_pandas(people):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(people, columns=NAMES)
    assert same(expect(people), seeded(frame, bounds=BOUNDS))
    frame = frame.assign(text="x")[["text", *reversed(NAMES)]]
    assert same(expect(people), seeded(frame, bounds=BOUNDS))
    whole = frame.drop(columns="text").round().astype("Int64")
    assert same(seeded(people.round(), columns=NAMES, bounds=BOUNDS), seeded(whole, bounds=BOUNDS))
    with pytest.raises(TypeError, match="'text'"):
        seeded(frame, norm_bound=1.0)
    with pytest.raises(TypeError, match="'text'"):
        seeded(frame.astype({"text": "category"}), norm_bound=1.0)
    numbered = pd.DataFrame(people)
    assert same(seeded(people, bounds=(0, 9)), seeded(numbered, bounds=(0, 9)))
    whole.iloc[7, 1] = pd.NA
    with pytest.raises(dpcov.DataError, match="row 7, column 1 'height'") as caught:
        seeded(whole, bounds=BOUNDS)
    assert (caught.value.row, caught.value.column) == (7, 1)


def test_polars(people):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({name: people[:, j] for j, name in enumerate(NAMES)})
    assert same(expect(people), seeded(frame, bounds=BOUNDS))
    frame = frame.with_columns(text=pl.lit("x"))
    assert same(expect(people), seeded(frame, bounds=BOUNDS))
    with pytest.raises(TypeError, match="'text' holds text"):
        seeded(frame, norm_bound=1.0)
    with pytest.raises(TypeError, match="collect"):
        seeded(frame.lazy(), bounds=BOUNDS)
    with pytest.raises(dpcov.UsageError, match="one column"):
        seeded(frame["age"], bounds=(0, 1))


def test_pyarrow(tmp_path, people):
    pa = pytest.importorskip("pyarrow")

    parquet = pytest.importorskip("pyarrow.parquet")
    datasets = pytest.importorskip("pyarrow.dataset")
    table = pa.table({"text": ["x"] * len(people), **dict(zip(NAMES, people.T, strict=True))})
    expected = expect(people)
    assert same(expected, seeded(table, bounds=BOUNDS))
    assert same(expected, seeded(table.to_reader(max_chunksize=100), bounds=BOUNDS))
    assert same(expected, seeded(iter(table.to_batches(max_chunksize=99)), bounds=BOUNDS))
    assert same(
        seeded(people[100:200], columns=NAMES, bounds=BOUNDS),
        seeded(table.slice(100, 100), bounds=BOUNDS),
    )
    parquet.write_table(table, tmp_path / "people.parquet", row_group_size=500)
    file = parquet.ParquetFile(tmp_path / "people.parquet")
    assert same(expected, seeded(file, bounds=BOUNDS))
    dataset = datasets.dataset(tmp_path / "people.parquet")
    assert same(expected, seeded(dataset, bounds=BOUNDS))
    reader = table.to_reader()
    seeded(reader, bounds=BOUNDS)
    with pytest.raises((dpcov.Error, pa.ArrowInvalid)):
        seeded(reader, bounds=BOUNDS)


# Damage in a column that is not taken is not met; control: who reads that column meets it.
def test_of_parquet_files_only_the_columns_taken_are_read(tmp_path, people):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    datasets = pytest.importorskip("pyarrow.dataset")
    path = tmp_path / "people.parquet"
    names = ["notes", *reversed(NAMES)]  # another order than that in which they are taken
    columns = [["x"] * len(people), *people.T[::-1]]
    table = pa.table(dict(zip(names, columns, strict=True)))
    parquet.write_table(table, path, compression="gzip", use_dictionary=False)
    begin = parquet.ParquetFile(path).metadata.row_group(0).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[begin : begin + 60] = b"\xff" * 60
    path.write_bytes(data)
    with pytest.raises(Exception, match=r".+"):
        parquet.read_table(path, columns=["notes"])
    expected = expect(people)
    for source in (parquet.ParquetFile, datasets.dataset):
        assert same(expected, seeded(source(path), bounds=BOUNDS))
    # Names that are no single columns: all is read, and none is taken for another.
    dots = pa.Table.from_arrays(list(people.T), names=["a.b", "a", "c"])
    parquet.write_table(dots, tmp_path / "dots.parquet")
    by_name = {"a.b": BOUNDS[NAMES[0]], "a": BOUNDS[NAMES[1]]}
    assert same(
        seeded(dots, bounds=by_name),
        seeded(parquet.ParquetFile(tmp_path / "dots.parquet"), bounds=by_name),
    )
    twice = pa.Table.from_arrays(list(people.T), names=["a", "a", "c"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    assert same(
        seeded(people[:, [2, 1]], bounds=BOUNDS[NAMES[1]]),
        seeded(
            parquet.ParquetFile(tmp_path / "twice.parquet"),
            columns=[2, 1],
            bounds=BOUNDS[NAMES[1]],
        ),
    )


def test_what_is_refused_is_given_back():
    pa = pytest.importorskip("pyarrow")
    values = np.arange(100_000.0).tolist()  # an array's memory would not be Arrow's
    gc.collect()  # what other tests left is not counted
    before = pa.total_allocated_bytes()
    column = pa.chunked_array([pa.array(values)])
    held = pa.total_allocated_bytes() - before
    assert held >= column.nbytes  # control: what is held is counted
    for _ in range(5):
        with pytest.raises(dpcov.UsageError, match="one column is no table"):
            seeded(pa.chunked_array([pa.array(values)]), bounds=(0, 1))
    gc.collect()
    assert pa.total_allocated_bytes() - before == held


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(
        st.tuples(st.one_of(st.none(), st.booleans()), st.one_of(st.none(), st.integers(-9, 9))),
        min_size=1,
        max_size=70,
    ),
    start=st.integers(0, 40),
    step=st.integers(1, 40),
)
def test_arrow_with_nulls_and_offsets(values, start, step):
    pa = pytest.importorskip("pyarrow")
    table = pa.table(
        {
            "bit": pa.array([bit for bit, _ in values], pa.bool_()),
            "half": pa.array(
                [None if number is None else np.float16(number) for _, number in values],
                pa.float16(),
            ),
            "byte": pa.array([number for _, number in values], pa.int8()),
            "nothing": pa.nulls(len(values)),
        }
    ).slice(start)
    bounds = {"bit": (0, 1, 0.5), "half": (-9, 9, 1), "byte": (-9, 9, 2), "nothing": (0, 1, 0)}
    plain = np.array(
        [
            [0.5 if bit is None else bit, *([1, 2] if number is None else [number] * 2), 0]
            for bit, number in values[start:]
        ],
        dtype=float,
    ).reshape(-1, 4)
    chunked = iter([*table.to_batches(max_chunksize=step), table.slice(0, 0)])
    if not len(plain):
        return
    expected = seeded(plain, columns=list(bounds), bounds=bounds)
    assert same(expected, seeded(table, bounds=bounds))
    assert same(expected, seeded(chunked, bounds=bounds))


@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(
        st.one_of(st.none(), st.decimals(-9, 9, places=3, allow_nan=False)), min_size=1, max_size=70
    ),
    start=st.integers(0, 40),
    step=st.integers(1, 40),
)
def test_arrow_decimals(values, start, step):
    pa = pytest.importorskip("pyarrow")
    types = [pa.decimal128(38, 30), pa.decimal128(5, 3)]
    if hasattr(pa, "decimal32"):
        types += [pa.decimal32(5, 3), pa.decimal64(18, 3)]
    names = [str(kind) for kind in types]
    bounds = dict.fromkeys(names, (-9, 9, 1))
    arrays = [pa.array(values, kind) for kind in types]
    table = pa.table(arrays, names=names).slice(start)
    plain = np.array([[1.0 if x is None else float(x)] * len(types) for x in values[start:]])
    if not len(plain):
        return
    expected = seeded(plain, columns=names, bounds=bounds)
    assert same(expected, seeded(table, bounds=bounds))
    chunked = iter([*table.to_batches(max_chunksize=step), table.slice(0, 0)])
    assert same(expected, seeded(chunked, bounds=bounds))


def test_decimals_of_databases_and_frames(people):
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    cents = np.round(people, 2)
    table = pa.table(dict(zip(NAMES, cents.T, strict=True)))
    connection = duckdb.connect()
    connection.register("people", table)
    expected = expect(cents)
    typed = ", ".join(f"{name}::DECIMAL(12, 2) AS {name}" for name in NAMES)
    assert same(expected, seeded(connection.sql(f"SELECT {typed} FROM people"), bounds=BOUNDS))
    frame = polars.from_arrow(table).with_columns(polars.all().cast(polars.Decimal(12, 2)))
    assert same(expected, seeded(frame, bounds=BOUNDS))
    wide = pa.table({name: table[name].cast(pa.decimal256(50, 2)) for name in NAMES})
    with pytest.raises(TypeError, match="column 0 'age' holds decimals of the Arrow type 'd:50,2"):
        seeded(wide, bounds=BOUNDS)


def test_columns_of_lists_and_structures_name_a_remedy():
    pa = pytest.importorskip("pyarrow")
    told = r"'pair' holds .* make a column of each of its numbers"
    for values in (pa.array([[0.5, 0.25]]), pa.array([{"x": 1.0}])):
        with pytest.raises(TypeError, match=told):
            seeded(pa.table({"pair": values}), bounds={"pair": (0, 1)})


def test_duckdb(people):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    arrow = __import__("pyarrow").table(dict(zip(NAMES, people.T, strict=True)))
    relation = connection.from_arrow(arrow)
    assert same(expect(people), seeded(relation, bounds=BOUNDS))
    assert same(expect(people), seeded(relation.filter("age > -1e9"), bounds=BOUNDS))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "array"])
def test_sparse(people, index, kind):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.where(people > 50, people, 0).astype(np.float32)
    matrix = (
        sparse.csr_array(dense) if kind == "array" else getattr(sparse, f"{kind}_matrix")(dense)
    )
    if kind in ("csr", "array"):
        matrix.indices = matrix.indices.astype(index)
        matrix.indptr = matrix.indptr.astype(index)
    assert same(seeded(dense, bounds=(0, 300)), seeded(matrix, bounds=(0, 300)))
    for columns in ([2, 1], [0, 1]):
        assert same(
            seeded(dense[:, columns], bounds=(0, 300)),
            seeded(matrix, columns=columns, bounds=(0, 300)),
        )


# Without bounds zeros stay zeros, and only what is written down is summed.
def test_sparse_without_bounds_is_the_same_as_dense(people):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.where(people > 50, people, 0) / 100
    for options in ({}, {"column_scale": 3.0}, {"columns": [2, 1]}, {"columns": [0, 1]}):
        assert same(
            seeded(dense, norm_bound=2.0, **options),
            seeded(sparse.csr_matrix(dense), norm_bound=2.0, **options),
        )


def test_sparse_values_of_one_place_add_up_in_any_order(people):
    sparse = pytest.importorskip("scipy.sparse")
    values = np.array([0.25, 0.5, 0.125, -0.5, 1.0])
    places = np.array([2, 0, 2, 1, 2])
    matrix = sparse.csr_matrix((values, places, np.array([0, 4, 4, 5])), shape=(3, 3))
    dense = np.array([[0.5, -0.5, 0.375], [0, 0, 0], [0, 0, 1]])
    for options in ({"norm_bound": 1.0}, {"bounds": (-1, 1)}):
        options["budget"] = dpcov.Rho(1e9)  # so much that one value of few rows shows
        assert same(seeded(dense, **options), seeded(matrix, **options))


def test_a_bad_sparse_row_is_named_or_zeros():
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0.5, 0, 0], [0, 0, 0.5], [0, np.nan, 0.25]])
    with pytest.raises(ValueError, match="row 2, column 1"):
        seeded(sparse.csr_matrix(dense), norm_bound=1.0)
    zeroed = np.where(np.isnan(dense).any(axis=1, keepdims=True), 0, dense)
    options = {"norm_bound": 1.0, "budget": dpcov.Rho(1e9)}
    assert same(
        seeded(zeroed, **options),
        seeded(sparse.csr_matrix(dense), bad_rows="zero", **options),
    )


# Rows of arrays large and small, and of sparse ones, go into the sums by ways of their own.
@pytest.mark.many_rows
@pytest.mark.parametrize("bounds", [None, (-1, 1)])
@pytest.mark.parametrize("chunk", range(4))
def test_a_bad_row_is_counted_from_the_first_chunk(chunk, bounds):
    sparse = pytest.importorskip("scipy.sparse")
    chunks = [np.full((rows, 1), 0.25) for rows in (5, 4, 1 << 20, 3)]
    row = sum(map(len, chunks[:chunk])) + 2
    chunks[chunk][2] = np.nan
    chunks[1::2] = map(sparse.csr_matrix, chunks[1::2])
    options = {"bounds": bounds, "norm_bound": 1.0}
    with pytest.raises(dpcov.DataError, match=f"row {row}, column 0 ") as told:
        seeded(iter(chunks), **options)
    assert told.value.row == row
    zeroed = np.full((5 + 4 + (1 << 20) + 3, 1), 0.25)
    zeroed[row] = 0
    assert same(seeded(zeroed, **options), seeded(iter(chunks), bad_rows="zero", **options))
    if chunk in (1, 3):
        chunks[chunk].indices[2] = 1
        with pytest.raises(dpcov.DataError, match=f"row {row} .* an index is no column"):
            seeded(iter(chunks), **options)


@pytest.mark.parametrize(
    ("array", "place", "value", "words"),
    [
        ("indices", -1, 10**6, "an index is no column"),
        ("indices", 5, -7, "an index is no column"),
        ("indptr", -1, 10**6, "indptr does not ascend"),
        ("indptr", 0, -1, "indptr does not ascend"),
        ("indptr", 9, 0, "indptr does not ascend"),
    ],
)
def test_a_damaged_sparse_matrix_is_refused(people, array, place, value, words):
    matrix = pytest.importorskip("scipy.sparse").csr_matrix(people)
    getattr(matrix, array)[place] = value
    with pytest.raises(ValueError, match=words):
        seeded(matrix, bounds=(0, 300))


@pytest.mark.parametrize("array", ["data", "indices"])
def test_a_sparse_matrix_of_too_few_entries_is_refused(people, array):
    matrix = pytest.importorskip("scipy.sparse").csr_matrix(people)
    setattr(matrix, array, getattr(matrix, array)[:-1])
    with pytest.raises(dpcov.UsageError, match="the sparse matrix is damaged"):
        seeded(matrix, bounds=(0, 300))


def test_chunks_of_many_kinds(people):
    pd = pytest.importorskip("pandas")

    def chunks():
        yield pd.DataFrame(people[:1000], columns=NAMES)
        yield np.rec.fromarrays(list(people[1000:2000].T), names=NAMES).view(np.ndarray)
        yield pd.DataFrame(people[2000:], columns=NAMES, dtype=object).astype(float)

    assert same(expect(people), seeded(chunks(), bounds=BOUNDS))


# Columns in another order would be counted for each other.
def test_chunks_of_other_columns_are_refused(people):
    pd = pytest.importorskip("pandas")
    first = pd.DataFrame(people[:1000], columns=NAMES)
    swapped = first[NAMES[::-1]]
    for other in (swapped, first[NAMES[:-1]], people[:1000]):
        with pytest.raises(dpcov.UsageError, match="chunk 1, from 0, has other columns"):
            seeded(iter([first, other]), bounds=BOUNDS)


# A chunk may be an iterator, too, of a file without rows for example: it then has no rows.
@pytest.mark.parametrize("empty_at", [0, 1, 2])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_an_iterator_of_no_chunks_among_chunks_has_no_rows(people, neighbours, empty_at):
    def chunks():
        parts = [[people[:1000]], [people[1000:]]]
        parts.insert(empty_at, [])
        return (iter(part) for part in parts)

    options = {"bounds": [(0, 300)] * 3, "neighbours": neighbours}
    assert same(seeded(people, **options), seeded(chunks(), **options))
    moment = dpcov.SecondMoment(3, bounds=[(0, 300)] * 3)
    moment.add(chunks())
    released = moment.release(dpcov.Rho(0.5), neighbours=neighbours, insecure_seed=11, threads=1)
    assert same(seeded(people, **options), released)


# Under add-remove nothing but noise tells whether an iterator has a chunk.
@pytest.mark.parametrize(
    "options",
    [
        {"bounds": [(0, 300)] * 3},
        {"bounds": {0: (0, 300), 2: (0, 300)}},
        {"bounds": (np.zeros(3), np.full(3, 300.0))},
        {"bounds": (np.array([0.0]), np.array([300.0]))},
        {"bounds": ([0, 2, 1], [3, 5, 4])},
        {"bounds": ([0, 1], [3, 5], [1, 4])},
        {"bounds": ([0] * 3, [1] * 3)},
        {"bounds": (0, 300)},
        {"bounds": (0, 300), "columns": [0, 2]},
        {"norm_bound": 500},
        {"norm_bound": 500, "columns": [1, 0]},
    ],
)
def test_no_chunk_and_one_look_alike(people, options):
    def told(chunks):
        try:
            record = seeded(
                iter(chunks), neighbours="add-remove", bad_rows="zero", **options
            ).record
        except dpcov.Error as error:
            return type(error), str(error)
        noisy = (
            "noisy_n",
            "grid",
            "estimated",
            "worse",
            "zero",
            "share",
            "error_covers",
            "no_error",
        )
        return {key: record[key] for key in record if not key.startswith((*noisy, "mean"))}

    one, none = told([people[:1]]), told([])
    if not isinstance(one, dict) and "can be read" not in one[1] and "no chunk" not in one[1]:
        assert not isinstance(none, dict)  # refused by the number of columns that was declared
        return
    assert one == none


# What a column is, its type says, and no value.
@pytest.mark.parametrize("missing", [False, True])
def test_pandas_columns_are_what_their_type_says(missing):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    last = None if missing else 1.0
    values = [0.0, 1.0, 0.0, last]
    plain = np.array(values, dtype=float).reshape(-1, 1)
    bounds = [(0, 1, 0.5)]
    expected = seeded(plain, bounds=bounds)
    numbers = pd.Categorical([None if v is None else int(v) for v in values], categories=[1, 0])
    flags = pd.Categorical([None if v is None else v > 0 for v in values], [False, True])
    for column in (numbers, flags, pd.array(values, dtype="Float64")):
        assert same(expected, seeded(pd.DataFrame({0: column}), bounds=bounds))
    for dtype in (pd.ArrowDtype(pa.dictionary(pa.int8(), pa.float64())), "string"):
        text = pd.Series(values, dtype=object).map(str, "ignore") if dtype == "string" else values
        frame = pd.DataFrame({"a": pd.Series(text, dtype=dtype)})
        with pytest.raises(TypeError, match="'a' holds values of type"):
            seeded(frame, bounds=bounds)


def test_masks_are_refused_wherever_they_are():
    masked = np.ma.masked_array(np.ones((4, 2)), mask=[[0, 1]] * 4)

    class Variable:
        def __array__(self, dtype=None, copy=None):
            return masked

    for table in (masked, list(masked), Variable()):
        with pytest.raises(TypeError, match="filled"):
            seeded(table, bounds=(0, 1))


def test_what_is_a_table_by_its_bytes_or_none_by_its_shape(people):
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.ascontiguousarray(people)
    assert same(seeded(rows, bounds=(0, 300)), seeded(memoryview(rows), bounds=(0, 300)))
    with pytest.raises(dpcov.UsageError, match="bounds is"):
        seeded(rows, bounds=iter([(0, 300)] * 3))
    if hasattr(sparse, "coo_array"):
        try:
            one = sparse.coo_array(np.ones(3))
        except ValueError:  # SciPy had none of one dimension before 1.13
            return
        with pytest.raises(dpcov.UsageError, match="two dimensions"):
            seeded(one, bounds=(0, 1))


def test_frames_that_hand_out_no_arrow_stream_are_refused():
    class OldFrame:
        columns = ("a",)

        def __array__(self, dtype=None, copy=None):
            return np.ones((3, 1))

    with pytest.raises(TypeError, match="Arrow stream"):
        seeded(OldFrame(), bounds=(0, 1))


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        (np.array([[1, "a"]], dtype=object), TypeError, "public list"),
        ([np.zeros((3, 2)), np.zeros((4, 2))], TypeError, r"iter\("),
        (np.ones((2, 2), complex), TypeError, "complex"),
        (np.ones(3), ValueError, "reshape"),
        (np.ones((2, 2, 2)), ValueError, "two dimensions"),
        (np.ma.masked_array(np.ones((2, 2))), TypeError, "filled"),
        ([[1, 2], [3]], TypeError, "one length"),
        ([{"age": 30, "income": 1}], TypeError, "data frame"),
        ("table.csv", TypeError, "numpy.load"),
        (7, TypeError, "is no table"),
        (iter([]), ValueError, "no row"),
        (iter([np.ones((1, 2)), np.ones((1, 3))]), ValueError, "chunk 1"),
        (np.empty((0, 2)), ValueError, "row"),
        (np.empty((2, 0)), ValueError, "no column"),
        (np.array([["2020-01-01"]], "datetime64[D]"), TypeError, "datetime"),
    ],
)
def test_what_is_no_table(table, error, words):
    with pytest.raises(error, match=words):
        seeded(table, norm_bound=1.0)


def test_missing_values(people):
    table = people.copy()
    table[17, 1] = np.nan
    with pytest.raises(dpcov.DataError, match=r"row 17, column 1 'height'.*fill") as caught:
        seeded(table, columns=NAMES, bounds=BOUNDS)
    assert (caught.value.row, caught.value.column) == (17, 1)
    with pytest.raises(dpcov.DataError, match="row 17, column 1 "):
        seeded(table, columns=[2, 1], norm_bound=1.0)
    filled = table.copy()
    filled[17, 1] = 160
    bounds = {**BOUNDS, "height": (100, 220, 160)}
    assert same(expect(filled), seeded(table, columns=NAMES, bounds=bounds))
    # A bad row becomes the midpoints.
    zeroed = table.copy()
    zeroed[17] = [50, 160, 100_000]
    assert same(expect(zeroed), seeded(table, columns=NAMES, bounds=BOUNDS, bad_rows="zero"))
    table[17, 1] = np.inf
    clamped = table.copy()
    clamped[17, 1] = 220
    assert same(expect(clamped), seeded(table, columns=NAMES, bounds=BOUNDS))
    with pytest.raises(dpcov.DataError, match="infinite"):
        seeded(table, norm_bound=1.0)


@pytest.mark.many_rows
def test_a_bad_row_far_behind_is_named(people):
    table = np.tile(people, (900, 1))
    table[2_600_001, 2] = np.nan
    for rows in (table, np.asfortranarray(table), iter(np.array_split(table, 9))):
        with pytest.raises(dpcov.DataError, match="row 2600001, column 2 "):
            seeded(rows, bounds=(0, 1))


# What NumPy warns of while it converts would tell of one row.
@pytest.mark.parametrize("errstate", ["warn", "raise"])
def test_converting_a_bad_row_is_silent(errstate):
    sparse = pytest.importorskip("scipy.sparse")
    table = np.full((50, 2), 0.25)
    zeroed = table.copy()
    zeroed[7] = 0
    expected = seeded(zeroed, norm_bound=1.0)
    huge = table.astype(np.longdouble)
    huge[7, 1] = np.longdouble("1e4000")
    signalling = table.astype(">f4")
    signalling.view(">u4")[7, 0] = 0x7F800001
    with warnings.catch_warnings(), np.errstate(all=errstate):
        warnings.simplefilter("error")
        for rows in (huge, signalling, sparse.csr_matrix(huge)):
            assert same(expected, seeded(rows, norm_bound=1.0, bad_rows="zero"))


# A list has one type, which follows from all of its rows.
@pytest.mark.parametrize("bad", [[None, 1.0], [2**70, 1], ["x", 1.0], [1j, 0.0], [1.0], [0.0, 0.0]])
def test_rows_by_themselves_are_in_no_list(bad):
    rows = [[0.25, 0.25]] * 50
    rows[7] = bad
    for table in (rows, iter([rows[:5], rows[5:]]), iter([np.zeros((1, 2)), rows])):
        with pytest.raises(dpcov.UsageError, match=r"numpy.array\(rows, dtype=float\)"):
            seeded(table, norm_bound=1.0, bad_rows="zero")
    assert seeded([[0.25, 0.25]] * 50, norm_bound=1.0)


def test_a_signalling_nan_tells_nothing_under_any_errstate():
    pandas = pytest.importorskip("pandas")
    estimators = pytest.importorskip("dpcov.sklearn")
    rows = np.full((20, 2), 0.25, np.float32)
    rows.view(np.uint32)[3, 1] = 0x7F800001
    nullable = pandas.DataFrame(
        {
            name: pandas.arrays.FloatingArray(rows[:, j], np.zeros(20, bool))
            for j, name in enumerate("ab")
        }
    )
    budget, bounds = dpcov.Rho(0.5), (-1, 1, 0.25)
    # Control: to convert it is to be told of it.
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        rows.astype(np.float64)
    with np.errstate(all="raise"):
        for table in (rows, nullable):
            assert dpcov.covariance(table, bounds=bounds, budget=budget).record["n"] == 20
        estimators.PrivateCovariance(budget=budget, bounds=bounds).fit(rows)


def test_columns_taken_by_index_are_called_by_it(people):
    release = seeded(people, bounds={2: (0, 1e5), 0: (0, 100)})
    assert release.columns == ["2", "0"]
    assert [entry["name"] for entry in release.record["bounds"]] == ["2", "0"]
    assert release.regression(0).target == "0"
    with pytest.raises(dpcov.UsageError, match="no column"):
        release.regression(1)  # the release has another at that place
    # Control: in order from the first they are counted anyway.
    plain = seeded(people, columns=[0, 1], bounds=[(0, 100), (100, 220)])
    assert "columns" not in plain.record
    assert plain.columns == ["0", "1"]
    gaps = people.copy()
    gaps[4, 2] = np.nan
    with pytest.raises(dpcov.DataError, match=r"row 4, column 2 \(counted from 0\)") as told:
        seeded(gaps, bounds={2: (0, 1e5), 0: (0, 100)})
    assert (told.value.row, told.value.column) == (4, 2)


def test_two_arrays_for_two_columns_say_which_they_are(people):
    two = people[:, :2]
    lower, upper = np.array([0, 100]), np.array([100, 220])
    expected = seeded(two, bounds=[(0, 100), (100, 220)])
    pandas = pytest.importorskip("pandas")
    assert same(expected, seeded(two, bounds=(lower, upper)))
    assert same(expected, seeded(two, bounds=(pandas.Series(lower), pandas.Series(upper))))
    with pytest.raises(dpcov.UsageError, match="two ways"):
        seeded(two, bounds=[lower, upper])


def test_nothing_to_read_is_a_table_where_rows_are_private():
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    options = {"neighbours": "add-remove", "bounds": {"a": (0, 1), "b": (0, 1)}}
    empty = pyarrow.table({"a": pyarrow.array([], "double"), "b": pyarrow.array([], "double")})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(empty, sink)
    expected = seeded(empty, **options)
    assert same(expected, seeded(parquet.ParquetFile(sink.getvalue()), **options))
    assert same(expected, seeded(iter(empty.to_batches()), **options))
    moment = dpcov.SecondMoment(["a", "b"], bounds=(0, 1)).add(iter([]))
    release = moment.release(dpcov.Rho(1), neighbours="add-remove", insecure_seed=1)
    assert release.covariance().shape == (2, 2)
    with pytest.raises(dpcov.UsageError, match="no row"):
        seeded(iter([]), norm_bound=1.0)


def test_dictionaries_of_keys_are_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    csr = sparse.random(50, 4, 0.5, format="csr", random_state=1)
    expected = seeded(csr, norm_bound=1.0)
    for table in (sparse.dok_matrix(csr), sparse.dok_array(csr)):
        assert same(expected, seeded(table, norm_bound=1.0))


@pytest.mark.parametrize("dtype", [">f8", "longdouble"])
def test_every_row_of_one_long_column_counts(dtype):
    rows = 2**20 + 1  # one more than are converted at a time
    table = np.zeros(rows, dtype=[("a", dtype)])
    release = dpcov.covariance(table, budget=dpcov.Rho(1), norm_bound=1.0)
    assert release.record["n"] == rows
    table["a"][-1] = np.nan
    with pytest.raises(dpcov.DataError, match=f"row {rows - 1}"):
        dpcov.covariance(table, budget=dpcov.Rho(1), norm_bound=1.0)


@pytest.mark.parametrize("bounds", [None, (-1.0, 1.0), [(-1.0, 1.0, 0.5)] * 3])
@pytest.mark.parametrize("columns", [None, [2, 0, 1]])
def test_a_sparse_row_of_no_column_is_a_bad_row(bounds, columns):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.full((50, 3), 0.25)
    matrix = sparse.csr_matrix(dense)
    matrix.indices[7 * 3 + 1] = 3
    norm_bound = 1.0 if bounds is None else None
    with pytest.raises(dpcov.DataError, match=r"row 7 .*no column of the sparse matrix"):
        seeded(matrix, norm_bound=norm_bound, bounds=bounds, columns=columns)
    dense[7] = 0.0  # the midpoint, too
    assert same(
        seeded(matrix, norm_bound=norm_bound, bounds=bounds, columns=columns, bad_rows="zero"),
        seeded(dense, norm_bound=norm_bound, bounds=bounds, columns=columns),
    )


def test_few_columns_of_a_very_wide_sparse_matrix():
    sparse = pytest.importorskip("scipy.sparse")
    wide = sparse.csr_matrix(
        (np.array([0.5, 0.25, 0.5]), np.array([2**31 - 2, 5, 0]), np.array([0, 2, 3])),
        shape=(2, 2**31 - 1),
    )
    narrow = np.array([[0.5, 0.0, 0.25], [0.0, 0.5, 0.0]])
    assert same(
        seeded(wide, norm_bound=1.0, columns=[2**31 - 2, 0, 5]), seeded(narrow, norm_bound=1.0)
    )


def test_bounds_and_scales_with_labels_go_by_them():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"age": [30.0, 60.0] * 50, "income": [2e4, 8e4] * 50})
    book = pd.DataFrame({"lower": [0, 0], "upper": [150_000, 100]}, index=["income", "age"])
    expected = seeded(table, bounds={"age": (0, 100), "income": (0, 150_000)})
    rows = pd.Series({name: tuple(row) for name, row in book.iterrows()})
    for bounds in ((book.lower, book.upper), [0, book.upper], rows):
        # In the labels' order, as a dict.
        again = seeded(table, bounds=bounds, columns=["age", "income"])
        assert same(again, expected)
    with pytest.raises(dpcov.UsageError, match="dict by column name"):
        seeded(table, bounds=book)
    with pytest.raises(dpcov.UsageError, match="other labels"):
        seeded(table, bounds=(book.lower, book.upper.rename({"age": "years"})))
    assert same(
        seeded(table, bounds=(book.lower, book.upper[::-1]), columns=["age", "income"]), expected
    )
    for bounds in (pd.concat([rows, rows]), pd.Series({"lower": 0, "upper": 9})):
        with pytest.raises(dpcov.UsageError, match=r"twice|one pair"):
            seeded(table, bounds=bounds)
    scales = {"age": 100.0, "income": 150_000.0}
    assert same(
        seeded(table, norm_bound=2.0, column_scale=pd.Series(scales)[["income", "age"]]),
        seeded(table, norm_bound=2.0, column_scale=scales),
    )


def test_no_row_and_one_are_told_apart_by_nothing():
    pd = pytest.importorskip("pandas")
    options = {"neighbours": "add-remove", "bounds": {"a": (0, 1), "b": (0, 1)}}
    row = [[0.5, 0.5]]
    for make in (
        lambda rows: rows,
        lambda rows: iter([np.array(row), rows]),
        lambda rows: pd.DataFrame(rows, columns=["a", "b"]),
    ):
        columns = {"columns": ["a", "b"]} if not hasattr(make([]), "columns") else {}
        for rows in ([], row):
            assert seeded(make(rows), **options, **columns).covariance().shape == (2, 2)
    # Whatever names rows have, or have not, the release has those that were declared.
    pairs = {"bounds": [(0, 1), (0, 1)]}
    swapped = {**options, "columns": ["b", "a"]}
    twice = {**options, "passes": 2}
    for declared in (options, swapped, {"neighbours": "add-remove", **pairs}, twice):
        for make in (
            lambda rows: rows,
            lambda rows: iter([np.array(rows)] if rows else []),
            lambda rows: iter([pd.DataFrame(rows, columns=["a", "b"])] if rows else []),
        ):
            outcomes = []
            for rows in ([], row):
                try:
                    outcomes.append(seeded(make(rows), **declared).columns)
                except dpcov.UsageError as error:
                    outcomes.append(str(error))
            assert outcomes[0] == outcomes[1]
    for make in (lambda rows: rows, lambda rows: iter([np.array(rows)])):
        with pytest.raises(dpcov.UsageError, match="3 columns without names, and 2"):
            seeded(make([[0.5] * 3]), **options)
    # Where the first row would tell how many columns there are, none is taken.
    for rows in ([], row):
        with pytest.raises(dpcov.UsageError, match="no row"):
            seeded(rows, bounds=(0, 1), neighbours="add-remove")


@pytest.mark.parametrize("labels", [[1, 2, 3], [1, 0, 2], [2019, 2020, 2021], ["a", "b", "c"]])
def test_chunks_have_their_columns_taken_by_label_where_rows_are_private(labels):
    pd = pytest.importorskip("pandas")
    values = np.full((1000, 3), [0.1, 0.5, 0.9])
    frame = pd.DataFrame(values, columns=labels)
    wanted = [labels[1], labels[0]]
    bounds = {wanted[0]: (0.0, 1.0), wanted[1]: (0.0, 2.0)}
    for declared in ({"bounds": bounds}, {"bounds": (0, 2), "columns": wanted}):
        facts = {"budget": dpcov.Rho(1e6), "method": "gauss", "neighbours": "add-remove"}
        release = dpcov.covariance(iter([frame]), insecure_seed=1, **facts, **declared)
        assert release.mean() == pytest.approx([0.5, 0.1], abs=1e-3)
        none = dpcov.covariance(iter([]), **facts, **declared)
        assert release.record.get("columns") == none.record.get("columns")


def test_a_structured_array_has_its_columns_without_a_row():
    bounds = {"b": (0, 1), "a": (0, 1)}
    for options in ({"bounds": bounds}, {"bounds": (0, 1)}, {"bounds": {"a=0.5": (0, 1)}}):
        for passes in (1, 2):
            outcomes = [
                seeded(array, neighbours="add-remove", passes=passes, **options).columns
                for array in (np.full(n, 0.5, [("a", "f8"), ("b", "f8")]) for n in (0, 1))
            ]
            assert outcomes[0] == outcomes[1]
    empty = np.empty(0, [("a", "f8"), ("b", "f8")])
    for make in (lambda: empty, lambda: iter([empty])):
        with pytest.raises(dpcov.UsageError, match="no column 'c'"):
            seeded(make(), neighbours="add-remove", bounds={"c": (0, 1)})
        with pytest.raises(dpcov.UsageError, match="no column 'c'"):
            dpcov.SecondMoment(["c"], bounds=(0, 1)).add(make())


class HandsOutAnArray:
    """What a tensor of another library is to NumPy."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array


class HandsOutMemory:
    """The same by DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_of_no_row_are_of_the_columns_that_were_declared():
    options = {"neighbours": "add-remove", "bounds": [(0, 1), (0, 1)]}
    for columns in ({}, {"columns": ["a", "b"]}, {"columns": [1, 0]}):
        outcomes = []
        for rows in ([], [[0.5, 0.5]]):
            array = np.array(rows, dtype=float)
            others = (HandsOutAnArray(array), HandsOutMemory(array), memoryview(array))
            for table in (array, iter([array]), iter([np.full((1, 2), 0.5), array]), *others):
                outcomes.append(seeded(table, **options, **columns).columns)
            dpcov.SecondMoment(2, bounds=[(0, 1), (0, 1)]).add(array)
        assert all(outcome == outcomes[0] for outcome in outcomes)


def test_what_a_producer_says_of_a_value_is_left_out():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("create table t as select * from (values ('0.5'), ('Smith77')) v(a)")
    for bad_rows in ("error", "zero"):
        with pytest.raises(dpcov.DeviceError) as caught:
            seeded(
                connection.sql("select cast(a as double) a from t"),
                bounds=(0, 1),
                bad_rows=bad_rows,
            )
        told = caught.value
        assert "Smith77" not in str(told)
        assert told.__context__ is None
        assert told.__cause__ is None


@pytest.mark.filterwarnings("error")
def test_a_masked_element_of_a_list_is_a_missing_value():
    bounds = (0.0, 1.0, 0.5)
    assert same(
        seeded([[0.25], [np.nan]], bounds=bounds), seeded([[0.25], [np.ma.masked]], bounds=bounds)
    )


def test_units_of_dates_are_not_told():
    told = set()
    for unit in ("D", "ms", "ns"):
        with pytest.raises(TypeError) as caught:
            seeded(np.zeros((2, 1), dtype=f"M8[{unit}]"), norm_bound=1.0)
        told.add(str(caught.value))
    assert len(told) == 1


@pytest.mark.parametrize("row", [(1.0, 2.0), [1.0, 2.0], np.ones(2), {"a": 1.0}])
def test_single_rows_are_no_chunks(row):
    # Advice to reshape them would make d rows of one person.
    with pytest.raises(dpcov.UsageError, match="fetchmany"):
        seeded(iter([row] * 3), bounds=(0, 2))


def test_bounds_are_read_from_the_files_of_the_program(tmp_path):
    file = tmp_path / "bounds.csv"
    file.write_text('name,lower,upper,fill\n"age, years",0,100,50\n3,-1,1,\nincome,0,1e5,\n')
    bounds = dpcov.read_bounds(file)
    assert bounds == {"age, years": (0.0, 100.0, 50.0), 3: (-1.0, 1.0), "income": (0.0, 1e5)}
    file.write_text("a,0,1\nb,1,0\n")
    with pytest.raises(dpcov.DataError, match="line 2"):
        dpcov.read_bounds(file)
    file.write_bytes("²,0,1\n٣,0,1\n".encode())  # no numbers of ASCII, so names
    assert list(dpcov.read_bounds(file)) == ["²", "٣"]
    file.write_bytes(b"caf\xe9,1,0\n")
    with pytest.raises(dpcov.DataError, match="line 1"):
        dpcov.read_bounds(file)
    with pytest.raises(FileNotFoundError):
        dpcov.read_bounds(tmp_path / "none.csv")


def test_codes_are_read_from_the_files_of_the_program(tmp_path):
    file = tmp_path / "bounds.csv"
    file.write_text("name,lower,upper,fill,missing\nage,0,100,50,-99 999\n3,0,10,,7\nb,0,1\n")
    bounds = dpcov.read_bounds(file)
    assert bounds == {
        "age": (0.0, 100.0, 50.0, (-99.0, 999.0)),
        3: (0.0, 10.0, None, (7.0,)),
        "b": (0.0, 1.0),
    }
    file.write_text("a,0,1\nb,0,1,,nan\n")
    with pytest.raises(dpcov.DataError, match="line 2: the code for missing values of column 'b'"):
        dpcov.read_bounds(file)


def exact(table, **options):
    """A release whose matrix shows every value."""
    return seeded(table, budget=dpcov.Rho(1e6), method="gauss", **options)


CODED = [(0, 10, 2.5, [-99, 7]), (0, 10, None, 99)]


@pytest.mark.parametrize(("bounds", "code"), [((0, 10), 5), ((-10, 10), 0), ((2, 4), 3)])
def test_a_bad_row_is_zeros_where_the_midpoint_is_a_code(bounds, code):
    rows = np.random.default_rng(5).uniform(*bounds, (2000, 3))

    def released(bad, *missing):
        rows[7] = bad
        return dpcov.covariance(
            rows, bounds=[(*bounds, None, *missing)] * 3, bad_rows="zero", method="gauss",
            budget=dpcov.Rho(1), insecure_seed=1,
        ).covariance()  # fmt: skip

    zeroed = released(np.nan)
    for bad in ([np.nan] * 3, [code] * 3, [code, 3, 3]):
        np.testing.assert_allclose(released(bad, [code]), zeroed, rtol=1e-9, atol=1e-12)
    assert not np.allclose(released([3.5] * 3), zeroed, rtol=1e-9, atol=1e-12)  # control


@pytest.mark.parametrize(
    "bounds",
    [
        CODED,
        [(0, 10, 2.5, (-99.0, 7)), [0, 10, None, np.float32(99)]],
        [(0, 10, 2.5, np.array([-99, 7])), (0, 10, np.nan, 99.0)],
        dict(enumerate(CODED)),
        ((0, 10, 2.5, np.array([-99, 7])), (0, 10, None, 99)),
    ],
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "i8", object, "series", "arrow", "sparse"])
def test_codes_are_missing_values(bounds, dtype):
    table = np.array([[1, 2], [-99, 10], [7, 3], [9, 7]])
    filled = np.array([[1, 2], [2.5, 10], [2.5, 3], [9, 7]])
    expected = exact(filled, bounds=[(0, 10, 2.5), (0, 10)])

    def made(values):
        if dtype == "series":
            frame = pytest.importorskip("pandas").DataFrame(values, columns=["a", "b"])
            return frame.astype({"a": "Int64"})
        if dtype == "arrow":
            return pytest.importorskip("pyarrow").table({"a": values[:, 0], "b": values[:, 1]})
        if dtype == "sparse":
            return pytest.importorskip("scipy.sparse").csr_array(values.astype(float))
        return values.tolist() if dtype is object else values.astype(dtype)

    assert same(expected, exact(made(table), bounds=bounds))
    # Control: another number is a value, clamped to its bound.
    table[1, 0] = -98
    assert not same(expected, exact(made(table), bounds=bounds))
    # Without a fill the row is bad.
    table[:] = [[1, 2], [3, 4], [5, 99], [9, 7]]
    with pytest.raises(
        dpcov.DataError, match=r"row 2, column 1 .*a code for a missing one; .*fill"
    ):
        exact(made(table), bounds=bounds)
    if dtype is object:
        return
    zeroed = table.astype(float)
    zeroed[2] = [5, 5]
    expected = exact(zeroed, bounds=[(0, 10), (0, 10)])
    assert same(expected, exact(made(table), bounds=bounds, bad_rows="zero"))


def test_an_entry_of_a_sparse_matrix_that_is_not_there_is_0_also_as_a_code():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    table = np.array([[0.0, 2.0], [4.0, 0.0], [0.0, 1.0]])
    bounds = [(0, 10, 3, 0), (0, 10)]
    expected = exact(table, bounds=bounds)
    assert same(expected, exact(scipy_sparse.csr_array(table), bounds=bounds))
    table[:, 0] = [3, 4, 3]
    assert same(expected, exact(table, bounds=(0, 10)))


def test_codes_of_all_columns_are_a_list():
    table = np.array([[1.0, 7.0], [99.0, 3.0]])
    filled = exact([[1.0, 5.0], [5.0, 3.0]], bounds=(0, 10))
    assert same(filled, exact(table, bounds=(0, 10, 5, [7, 99])))
    assert same(filled, exact(np.where(table == 7, 99, table), bounds=(0, 10, 5, (99,))))
    with pytest.raises(dpcov.DataError, match="row 0, column 1 "):
        exact(table, bounds=(0, 10, None, 7))
    with pytest.raises(dpcov.UsageError, match="4 entries for 2 columns"):
        exact(table, bounds=(0, 10, 5, 20))  # two pairs, perhaps


@pytest.mark.parametrize("none", [None, float("nan"), ()])
def test_codes_that_are_none_are_none(none):
    assert same(
        exact([[7.0], [1.0]], bounds=(0, 9)), exact([[7.0], [1.0]], bounds=[(0, 9, 3, none)])
    )


@pytest.mark.parametrize("odd", ["NA", ["NA"], [None], [float("nan")], float("inf"), [[7]], {7: 7}])
def test_codes_that_are_no_finite_numbers_are_refused_in_words(odd):
    with pytest.raises(dpcov.UsageError, match="the bounds of column"):
        dpcov.covariance([[1.0], [2.0]], bounds=[(0, 2, 1, odd)], budget=dpcov.Rho(1.0))


def test_codes_go_with_a_moment(tmp_path):
    bounds = {"a": (0, 10, 2.5, [-99, 7])}
    moment = dpcov.SecondMoment(["a"], bounds=bounds).add([[7.0], [3.0]])
    moment.save(tmp_path / "m.moment")
    loaded = dpcov.SecondMoment.load(tmp_path / "m.moment").add([[-99.0]])
    options = {"budget": dpcov.Rho(1e6), "insecure_seed": 1, "method": "gauss"}
    release = loaded.release(**options)
    assert release.record["bounds"] == [
        {"name": "a", "lower": 0, "upper": 10, "fill": 2.5, "missing": [-99, 7]}
    ]
    filled = dpcov.SecondMoment(["a"], bounds={"a": (0, 10, 2.5)}).add([[2.5], [3.0], [2.5]])
    assert same(filled.release(**options), release)
    with pytest.raises(dpcov.UsageError, match="missing codes"):
        moment.merge(filled)


def test_whole_numbers_are_all_names_or_all_places():
    pd = pytest.importorskip("pandas")
    # As of a file without a header, whose first row became the names: "0" is a value of it.
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], columns=["39", "x", "0"])
    for wanted in ({"columns": [0, 1]}, {"columns": ["x", 1, 0]}):
        with pytest.raises(
            dpcov.UsageError, match=r"0 is the name of column 2 \(counted from 0\), 1 is a place"
        ):
            dpcov.covariance(frame, norm_bound=1, budget=dpcov.Rho(1.0), **wanted)
    with pytest.raises(dpcov.UsageError, match="either names or places"):
        dpcov.covariance(frame, bounds={0: (0, 9), 1: (0, 9)}, budget=dpcov.Rho(1.0))
    for fine in ([1, 2], ["0", "39"], ["x", 0], ["x", 2]):
        dpcov.covariance(frame, norm_bound=1, budget=dpcov.Rho(1.0), columns=fine)


@pytest.mark.parametrize("none", [None, float("nan"), np.nan])
def test_a_fill_that_is_none_is_none(none):
    table = [[1.0], [float("nan")]]
    with pytest.raises(dpcov.DataError):
        dpcov.covariance(table, bounds=[(0, 2, none)], budget=dpcov.Rho(1.0))


@pytest.mark.parametrize("odd", [np.array([1.0, 2.0]), "one", object()])
def test_a_fill_that_is_no_number_is_refused_in_words(odd):
    with pytest.raises(dpcov.UsageError, match="the bounds of column"):
        dpcov.covariance([[1.0], [2.0]], bounds=[(0, 2, odd)], budget=dpcov.Rho(1.0))


def test_a_truth_value_is_no_number():
    for bad in (True, np.True_):
        with pytest.raises(dpcov.UsageError, match="no number"):
            dpcov.SecondMoment(3, norm_bound=bad)


def test_no_context_tells_how_many_rows_a_ragged_list_has():
    rows = [[0.5, 0.5]] * 37 + [[1.0]]
    for table in (rows, iter([rows]), iter([[rows]]), iter([np.ones((1, 2)), rows])):
        with pytest.raises(TypeError) as told:
            seeded(table, bounds=[(0, 1)] * 2, neighbours="add-remove")
        assert told.value.__context__ is None
        assert "38" not in str(told.value)


def test_a_column_has_one_value_of_each_kind():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[0.5, 0.5]], columns=["a", "b"])
    twice = {"a": (0, 1), "b": (0, 1), 0: (0, 100)}
    scales = {"column_scale": {"a": 2.0, 0: 3.0}, "norm_bound": 1.0}
    for options in ({"bounds": twice}, {"bounds": twice, "columns": ["a", "b"]}, scales):
        with pytest.raises(dpcov.UsageError, match="taken twice"):
            seeded(frame, **options)
    with pytest.raises(dpcov.UsageError, match="taken twice"):
        dpcov.SecondMoment(["a", "b"], bounds=twice)
    with pytest.raises(dpcov.UsageError, match="taken twice"):
        PrivateCovariance(budget=dpcov.Rho(1), bounds=twice).fit(frame)
    plan = {"bounds": {"a": (0, 1), "b": (0, 1)}, "deviations": {"a": 0.1, 0: 0.2}}
    with pytest.raises(dpcov.UsageError, match="taken twice"):
        dpcov.plan(100, budget=dpcov.Rho(1), **plan)
