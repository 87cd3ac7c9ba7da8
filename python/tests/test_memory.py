"""What one row holds does not show in the memory that a release takes."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.unsanitized

#: Prints by how many MiB the peak of resident memory grows while `use(table)` runs. `miss` says
#: whether row 7 has missing values, or one entry more, or whether there is one row more.
MEASURE = """
import sys, numpy as np, dpcov
kind, miss = sys.argv[1], sys.argv[2] == "miss"
rows = np.random.default_rng(0).uniform(-1, 1, (250_000, 20))
rows[7] = np.nan if miss else 0.25
options = dict(budget=dpcov.Rho(0.5), insecure_seed=1, threads=1)
bounds = (-1, 1, 0.25)
release = lambda table: dpcov.covariance(table, bounds=bounds, bad_rows="zero", **options)
if kind == "control":
    table = rows
    use = lambda table: release(np.where(np.isnan(table), 0.25, table) if miss else table)
elif kind == "sklearn":
    from dpcov.sklearn import PrivateCovariance
    table = rows
    use = PrivateCovariance(bounds=bounds, **options).fit
elif kind in ("nullable", "arrow"):
    import pandas as pd, pyarrow as pa
    def column(values):
        if kind == "arrow":
            return pd.arrays.ArrowExtensionArray(pa.array(values, from_pandas=True))
        return pd.arrays.FloatingArray(values.copy(), np.isnan(values))
    table = pd.DataFrame({str(j): column(rows[:, j].copy()) for j in range(20)})
    use = release
elif kind == "categorical":
    import pandas as pd
    codes = np.arange(250_000) % 100
    codes[7] = -1 if miss else 3
    column = pd.Categorical.from_codes(codes, np.arange(100) / 100)
    table = pd.DataFrame({str(j): column.copy() for j in range(20)})
    use = release
elif kind.startswith("indicators"):
    import pandas as pd
    dtype = kind.partition(" ")[2]
    values = ["north", "south"] * 125_000
    values[7] = " " * (20 << 20) + "north" if miss else "a value that is listed nowhere"
    if dtype == "polars":
        import polars as pl
        table = pl.DataFrame({"a": values})
    elif dtype == "float64":
        table = pd.DataFrame({"a": np.where(np.arange(250_000) == 7, np.nan if miss else 1, 2)})
    else:
        table = pd.DataFrame({"a": pd.Series(values, dtype=dtype)})
    del values
    listed = "12" if dtype == "float64" else ("north", "south")
    bounds = {f"a={value}": (0, 1, 0) for value in listed}
    use = release
elif kind == "sparse":
    import scipy.sparse
    counts = np.full(32768, 128)
    counts[7] += miss
    places = np.concatenate([np.arange(count) for count in counts]).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    table = scipy.sparse.csr_matrix((np.full(len(places), 0.01), places, starts), (32768, 300))
    use = lambda table: dpcov.covariance(table, norm_bound=1, method="gauss", **options)
elif kind == "rows":  # of which 2097 fill a block
    table = np.random.default_rng(0).uniform(-0.02, 0.02, (2096 + miss, 500))
    use = lambda table: dpcov.covariance(
        table, norm_bound=1, neighbours="add-remove", bad_rows="zero", **options
    )
def resident(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what)) / 1024
use(table[:50])
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = resident("VmRSS")
use(table)
print(resident("VmHWM") - before)
"""


def growth(kind: str, variant: str) -> float:
    words = [sys.executable, "-W", "ignore", "-c", MEASURE, kind, variant]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(
    "kind",
    [
        *("sklearn", "nullable", "arrow", "categorical", "sparse", "rows"),
        *("indicators " + kind for kind in ("float64", "string[python]", "string[pyarrow]")),
        *("indicators category", "indicators polars"),
    ],
)
def test_one_row_does_not_show(kind):
    assert abs(growth(kind, "miss") - growth(kind, "none")) < 4


#: A process that holds much already, and may hold so many MiB more, releases or is refused.
LIMITED = """
import mmap, resource, sys, numpy as np, dpcov
held_by_others = mmap.mmap(-1, 600 << 20)
with open("/proc/self/status") as status:
    held = next(int(line.split()[1]) for line in status if line.startswith("VmSize")) << 10
resource.setrlimit(resource.RLIMIT_AS, (held + (int(sys.argv[1]) << 20),) * 2)
try:
    dpcov.covariance(np.full((1000, 5), 0.5), budget=dpcov.Rho(1), bounds=(0, 1), threads=1)
    print("released")
except dpcov.DeviceError:
    print("refused")
"""


# OpenBLAS tries for ever to get a buffer that it cannot have.
@pytest.mark.parametrize(
    ("more", "expected"), [(20, "refused"), (100, "refused"), (8192, "released")]
)
def test_too_little_address_space_is_refused_at_once(more, expected):
    words = [sys.executable, "-c", LIMITED, str(more)]
    told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.split() == [expected]


def test_a_copy_for_one_row_would_show():
    assert growth("control", "miss") - growth("control", "none") > 30


#: Prints the peak of resident memory, in matrices of doubles, while a table of 1400 columns is
#: released by `kind`.
PEAK = """
import sys, numpy as np, dpcov
random = np.random.default_rng(0)
rows = random.choice([-1.0, 1.0], (2000, 1400)) * random.choice([0.025, 0.012, 0.006], (2000, 1))
options = dict(budget=dpcov.Rho(1), insecure_seed=1)
def resident(what):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(what)) * 1024
def release():
    if sys.argv[1] == "covariance":
        return dpcov.covariance(rows, norm_bound=1, threads=1, **options)
    moment = dpcov.SecondMoment(1400, norm_bound=1)
    return moment.add(rows, threads=1).release(threads=1, **options)
dpcov.covariance(rows[:, :3], norm_bound=1, **options)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = resident("VmRSS")
release()
print((resident("VmHWM") - before) / (8 * 1400**2))
"""


def peak(kind: str) -> float:
    run = [sys.executable, "-W", "ignore", "-c", PEAK, kind]
    return float(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


def test_a_release_of_rows_that_nobody_needs_gives_their_sums_back():
    assert peak("covariance") < peak("moment") - 0.7
