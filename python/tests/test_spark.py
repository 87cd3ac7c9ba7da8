"""Spark: the numbers of the whole table, on two hosts, whatever fails or runs twice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from conftest import BOUNDS, same, seeded
from test_docs import blocks

import dpcov

pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'dpcov[spark]'")

import pandas as pd
import pyspark
from pyspark import TaskContext
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

import dpcov.spark
from dpcov._engines import pack

NAMES = list(BOUNDS)
SPARK = str(Path(pyspark.__file__).parent)
# These machines live for seconds: what takes long to compile does not pay.
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


#: The most that a job may bring to the driver: more than one moment of 200 columns, less than four.
RESULT_BYTES = 3_000_000


def started(process, log, words):
    """Wait until a program's log says some words, and return the line."""
    for _ in range(1200):
        for line in log.read_text().splitlines():
            if words in line:
                return line
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(f"{words!r} was not said")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A master, and a worker with an executor on each of two hosts, as Spark takes them to be.

    On one host alone Spark runs nothing speculatively.
    """
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed: apt-get install openjdk-17-jre-headless")
    folder = tmp_path_factory.mktemp("spark")
    environment = os.environ | {
        "SPARK_HOME": SPARK,
        "SPARK_DAEMON_JAVA_OPTS": QUICK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    processes = []

    def start(name, *arguments):
        log = folder / f"{name}.log"
        with log.open("w") as file:
            process = subprocess.Popen(
                [f"{SPARK}/bin/spark-class", *arguments],
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        processes.append(process)
        return process, log

    deploy = "org.apache.spark.deploy"
    try:
        ports = ["--port", "0", "--webui-port", "0"]
        master = start("master", f"{deploy}.master.Master", "--host", "127.0.0.1", *ports)
        url = started(*master, "Starting Spark master at").split()[-1]
        for host in ("127.0.0.1", "127.0.0.2"):
            size = ["--cores", "1", "--memory", "600m"]
            start(host, f"{deploy}.worker.Worker", "--host", host, *ports, *size, url)
        yield url
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


@pytest.fixture(scope="module")
def spark(cluster):
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": QUICK,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.maxResultSize": f"{RESULT_BYTES}b",
        "spark.driver.memory": "600m",
        "spark.executor.extraJavaOptions": QUICK,
        "spark.executor.memory": "512m",
        "spark.log.level": "OFF",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.minTaskRuntime": "500ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own
        for name, value in environment.items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master(cluster).appName("dpcov")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def spread(spark, table, partitions):
    """A frame of so many partitions, and two more that are empty."""
    frame = spark.createDataFrame(pd.DataFrame(table, columns=NAMES))
    rows = frame.repartition(partitions)
    nothing = frame.limit(0).repartition(2)
    return rows.union(nothing)


def drawn(frame, **options):
    options.setdefault("budget", dpcov.Rho(0.5))
    return dpcov.spark.covariance(frame, insecure_seed=11, threads=1, **options)


pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own, and of what it calls


def test_columns_by_name_and_empty_partitions(spark, people):
    table = pd.DataFrame(people, columns=NAMES)
    frame = spread(spark, people, 5).selectExpr("income", "'text' as `a.b`", "age", "height")
    bounds = {"height": BOUNDS["height"], "age": BOUNDS["age"]}
    assert same(seeded(table, bounds=bounds), drawn(frame, bounds=bounds))
    options = {"method": "adaptive", "bounds": BOUNDS, "split_every": 2}
    expected = seeded(table, bounds=BOUNDS, method="adaptive")
    assert same(expected, drawn(frame, **options))


def test_decimals(spark, people):
    cents = np.round(people, 2)
    frame = spark.createDataFrame(pd.DataFrame(cents, columns=NAMES))
    typed = frame.selectExpr(*(f"cast({name} as decimal(12, 2)) as {name}" for name in NAMES))
    assert same(drawn(typed, bounds=BOUNDS), seeded(cents, columns=NAMES, bounds=BOUNDS))


def test_indicators(spark):
    region = ["north", "south", None, "west", " north"] * 20
    table = pd.DataFrame({"region": pd.Series(region, dtype="str"), "code": [1.0, 2.0] * 50})
    frame = spark.createDataFrame(
        list(zip(region, table["code"].tolist(), strict=True)), "region string, code double"
    )
    bounds = {"region=south": (0, 1, 0), "code=2": (0, 1), "region=north": (0, 1, 0.5)}
    expected = seeded(table, bounds=bounds)
    assert expected.columns == list(bounds)
    assert same(expected, drawn(frame.repartition(3), bounds=bounds))
    with pytest.raises(dpcov.UsageError, match="codes for missing values"):
        drawn(frame, bounds={"region=south": (0, 1, 0, [9])})


def test_no_rows_at_all(spark, people):
    frame = spread(spark, people, 1).limit(0)
    moment = dpcov.spark.second_moment(frame, bounds=BOUNDS)
    whole = moment.merge(dpcov.SecondMoment(NAMES, bounds=BOUNDS).add(people))
    expected = seeded(people, columns=NAMES, bounds=BOUNDS)
    assert same(expected, whole.release(dpcov.Rho(0.5), insecure_seed=11, threads=1))


def test_a_task_that_fails_and_one_that_runs_twice_count_once(spark, people, tmp_path):
    def troubled(batches):
        context = TaskContext.get()
        partition, attempt = context.partitionId(), context.attemptNumber()
        for number, batch in enumerate(batches):
            if number == 1 and partition == 1:
                (tmp_path / f"failed-{attempt}").write_text("")
                if attempt == 0:
                    raise RuntimeError("half of the partition was read")
            if number == 1 and partition == 2:
                (tmp_path / f"slow-{attempt}").write_text(str(os.getpid()))
                if attempt == 0:  # it waits for the end of the test
                    for _ in range(600):
                        if (tmp_path / "ended").exists():
                            break
                        time.sleep(0.5)
                    else:
                        (tmp_path / "waited-for").write_text("")
            yield batch

    frame = spark.createDataFrame(pd.DataFrame(people, columns=NAMES)).repartition(4)
    try:
        release = drawn(frame.mapInArrow(troubled, frame.schema), bounds=BOUNDS)
        reported = sorted(path.name for path in tmp_path.iterdir())
    finally:
        (tmp_path / "ended").write_text("")
    assert same(seeded(people, columns=NAMES, bounds=BOUNDS), release)
    assert reported[:2] == ["failed-0", "failed-1"]
    # The speculative copy was there, and Spark did not wait for the first.
    assert reported[2:] == ["slow-0", "slow-1"]


def test_a_bad_row_is_named(spark, people):
    rows = people.copy()
    rows[2345, 1] = np.nan
    frame = spark.createDataFrame(pd.DataFrame(rows, columns=NAMES)).coalesce(1)
    with pytest.raises(dpcov.DataError, match=r"partition 0: row 2345, column 1 'h") as caught:
        drawn(frame, bounds=BOUNDS)
    assert (caught.value.row, caught.value.column) == (2345, 1)
    expected = seeded(rows, columns=NAMES, bounds=BOUNDS, bad_rows="zero")
    assert same(expected, drawn(frame, bounds=BOUNDS, bad_rows="zero"))
    with pytest.raises(TypeError, match="column 0 'age' holds text"):
        drawn(frame.selectExpr("cast(age as string) as age"), bounds={"age": (0, 1)})


def test_vectors_dense_and_sparse(spark):
    table = np.random.default_rng(5).normal(size=(300, 6))
    table[table < 0.3] = 0.0
    vectors = [
        Vectors.dense(row) if j % 3 else Vectors.sparse(6, np.flatnonzero(row), row[row != 0])
        for j, row in enumerate(table)
    ]
    schema = StructType([StructField("features", VectorUDT())])
    frame = spark.createDataFrame([(vector,) for vector in [*vectors, None]], schema).repartition(3)
    table = np.vstack([table, np.full(6, np.nan)])
    # In another order than the vectors', with a fill for the vector that is missing.
    options = {"columns": [4, 0, 1], "bounds": [(-1, 2, 0.5)] * 3}
    release = drawn(frame, vector="features", vector_size=6, **options)
    assert same(seeded(table, **options), release)
    with pytest.raises(dpcov.DataError, match="row 0: its vector has not 5 values"):
        drawn(frame, vector="features", vector_size=5, bounds=(0, 1))
    # A code of 0 is there where a sparse vector has no entry, too.
    options["bounds"] = [(-1, 2, 0.5, [0])] * 3
    assert same(seeded(table, **options), drawn(frame, vector="features", vector_size=6, **options))
    # A row by itself: those of another length are zeros, whatever theirs is.
    odd = [(Vectors.dense(np.ones(77)),), (Vectors.sparse(9, [7], [1.0]),)]
    longer = frame.union(spark.createDataFrame(odd, schema)).repartition(2)
    zeros = np.vstack([table[:-1], np.zeros((3, 6))])
    expected = seeded(zeros, norm_bound=4.0, bad_rows="zero")
    told = drawn(longer, vector="features", vector_size=6, norm_bound=4.0, bad_rows="zero")
    assert same(expected, told)
    with pytest.raises(dpcov.UsageError, match="vector_size"):
        drawn(frame, vector="features", bounds=(0, 1))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"bounds": None}, dpcov.UsageError),
        ({"bounds": {"weight": (0, 1)}}, dpcov.UsageError),
        ({"split_every": 1}, dpcov.UsageError),
        ({"part": "a\nb"}, dpcov.UsageError),
        ({"bad_rows": "skip"}, dpcov.UsageError),
        ({"method": "laplace"}, dpcov.UsageError),
        ({"vector": "weights"}, dpcov.UsageError),
        ({"budget": 1.0}, dpcov.UsageError),
        ({"colour": "red"}, TypeError),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_row_is_read(spark, wrong, error):
    frame = spark.range(3).selectExpr("raise_error('rows were read') as x")
    with pytest.raises(error):
        drawn(frame, **{"bounds": (0.0, 1.0), **wrong})
    with pytest.raises(TypeError):
        drawn(pd.DataFrame(), bounds=(0.0, 1.0))


def test_the_driver_gets_one_moment(spark, monkeypatch):
    frame = spark.range(0, 1600, 1, 8).selectExpr(*[f"rand({j}) as c{j}" for j in range(200)])
    one = len(pack(dpcov.spark.second_moment(frame, bounds=(0.0, 1.0))))
    assert RESULT_BYTES / 4 < one < RESULT_BYTES
    # Eight of them would be too much: that limit is what says so.
    monkeypatch.setattr(dpcov.spark, "_mergers", lambda frame, fan: [])
    with pytest.raises(Exception, match="maxResultSize"):
        dpcov.spark.second_moment(frame, bounds=(0.0, 1.0))


CONNECTED = """
import pandas as pd
from pyspark.sql import SparkSession
import dpcov
import dpcov.spark

settings = {settings!r}
builder = SparkSession.builder.remote("local[2]")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
frame = spark.createDataFrame(pd.read_pickle({table!r})).repartition(3)
release = dpcov.spark.covariance(
    frame, budget=dpcov.Rho(0.5), bounds={bounds!r}, insecure_seed=11, threads=1
)
release.save({saved!r})
try:
    dpcov.spark.second_moment(frame.selectExpr("cast('NaN' as double) as age"), bounds=(0.0, 1.0))
except dpcov.DataError as error:
    print("refused", error.column)
spark.stop()
"""


def test_spark_connect(people, tmp_path):
    pytest.importorskip("grpc", reason="pip install 'pyspark[connect]'")
    table, saved = str(tmp_path / "people.pickle"), str(tmp_path / "release.npz")
    pd.DataFrame(people, columns=NAMES).to_pickle(table)
    settings = {
        "spark.driver.extraJavaOptions": QUICK,
        "spark.driver.memory": "600m",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
    }
    code = CONNECTED.format(settings=settings, table=table, saved=saved, bounds=BOUNDS)
    # From a folder of its own: the server leaves logs where it starts.
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == ["refused", "0"]
    assert same(seeded(people, columns=NAMES, bounds=BOUNDS), dpcov.Release.load(saved))


def _sparse(indices, values):
    """Return a vector as somebody else may have written it."""
    vector = Vectors.sparse(3, [0], [1.0])
    vector.indices = np.array(indices, np.int32)
    vector.values = np.array(values, np.float64)
    return vector


# Its indices would be taken for those of other rows.
@pytest.mark.parametrize("bad", [([0], [1.0, 1.0]), ([0, 1, 2], [0.5]), ([2], []), ([], [1.0])])
def test_a_vector_with_an_index_too_many_or_too_few_is_a_bad_row(spark, bad):
    schema = StructType([StructField("v", VectorUDT())])
    good = [_sparse([1], [1.0]), _sparse([0, 2], [0.5, 0.5])]
    options = {"budget": dpcov.Rho(1), "norm_bound": 1.0, "insecure_seed": 1}
    options |= {"vector": "v", "vector_size": 3}

    def table(rows):
        return spark.createDataFrame([(row,) for row in rows], schema).coalesce(1)

    expected = dpcov.spark.covariance(table([*good, _sparse([], [])]), **options)
    rows = table([*good, _sparse(*bad)])
    assert same(expected, dpcov.spark.covariance(rows, bad_rows="zero", **options))
    with pytest.raises(dpcov.DataError, match="row 2"):
        dpcov.spark.covariance(rows, **options)


# A column of such structures need not be of Spark's own vectors, which hold no null.
@pytest.mark.parametrize(
    "bad",
    [(1, None, None, [0.5, None, 0.5]), (0, 3, [0, 2], [0.5, None]), (0, 3, [0, None], [0.5, 0.5])],
)
def test_a_null_within_a_vector_makes_a_bad_row(spark, bad):
    schema = "v struct<type: tinyint, size: int, indices: array<int>, values: array<double>>"
    good = [(1, None, None, [0.0, 1.0, 0.0]), (0, 3, [0, 2], [0.5, 0.5])]
    options = {"budget": dpcov.Rho(1), "norm_bound": 1.0, "insecure_seed": 1}
    options |= {"vector": "v", "vector_size": 3}

    def table(rows):
        return spark.createDataFrame([(row,) for row in rows], schema).coalesce(1)

    expected = dpcov.spark.covariance(table([*good, (0, 3, [], [])]), **options)
    rows = table([*good, bad])
    assert same(expected, dpcov.spark.covariance(rows, bad_rows="zero", **options))
    with pytest.raises(dpcov.DataError, match="row 2"):
        dpcov.spark.covariance(rows, **options)


def test_code_of_the_page_runs(spark, people):
    names = {"people": pd.DataFrame(people[:, [0, 2]], columns=["age", "income"])}
    names |= {"bounds": {"age": (0, 100), "income": (0, 150_000)}, "dpcov": dpcov}
    found = [block for block in blocks("docs/engines.md") if "pyspark" in block]
    assert len(found) == 1
    exec(compile(found[0], "docs/engines.md", "exec"), names)
    assert isinstance(names["release"], dpcov.Release)
