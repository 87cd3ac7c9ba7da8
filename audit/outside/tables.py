"""Tables as files: their bytes, and the options that declare what is in them."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

NAMES = ("age", "income", "height")
COLUMNS = len(NAMES)

# No row is zero and no two are alike, so a row that is lost or counted twice shows.
BASE = ((0.1, 0.2, 0.3), (0.3, -0.1, -0.2), (0.25, 0.5, 0.125), (-0.6, 0.4, 0.1),
        (0.01, 0.02, -0.03), (0.7, 0.1, 0.2), (-0.3, 0.2, 0.45))
ZERO = (0.0, 0.0, 0.0)
# Codes for missing values: outside of the bounds, and within.
CODES = (9.0, -0.25)

Row = Sequence[float] | bytes  # numbers; or a line of text as it stands, without its line feed


@dataclass(frozen=True)
class Table:
    """A file, what must be declared of it, and how it reaches the program."""

    name: str                    # its ending tells the format
    data: bytes
    options: tuple[str, ...]
    rows: int
    columns: int = COLUMNS
    files: tuple[tuple[str, bytes], ...] = ()  # public files that the options name
    way: str = "file"            # "file", "stdin" or "moment"

    @property
    def format(self) -> str:
        name = self.name.removesuffix(".gz")
        return "idx" if name.endswith(("-float", "-ubyte")) else name.rpartition(".")[2]

    def sent(self, way: str) -> Table:
        """The same table as "file", "gz", "stdin" or "moment"."""
        if way == "gz":
            return replace(self, name=self.name + ".gz", data=gzip.compress(self.data, 1, mtime=0))
        return replace(self, way=way)

    def declaring(self, *options: str) -> Table:
        return replace(self, options=self.options + options)


WAYS = ("file", "gz", "stdin", "moment")


def text(rows: Sequence[Row], declared: str = "header", delimiter: str = ",") -> Table:
    """A CSV (or, by tabs, a TSV). `declared` is what tells its width:

    header      a header, declared by --header yes
    dimension   no header; --dimension
    columns     no header; --columns by index
    bounds      a header; --bounds by name, each column within [-1, 1], so that 0 is its midpoint
    places      no header; --bounds by index
    fill        as bounds, with a value for missing fields
    """
    header, options, files = {
        "header": (True, ("--header", "yes", "--norm-bound", "1"), ()),
        "dimension": (False, ("--header", "no", "--dimension", "3", "--norm-bound", "1"), ()),
        "columns": (False, ("--header", "no", "--columns", "0,1,2", "--norm-bound", "1"), ()),
        "bounds": (True, ("--header", "yes", "--bounds", "bounds.csv"), (_bounds(NAMES),)),
        "places": (False, ("--header", "no", "--bounds", "bounds.csv"), (_bounds("012"),)),
        "fill": (True, ("--header", "yes", "--bounds", "bounds.csv"), (_bounds(NAMES, ",0.5"),)),
    }[declared]
    lines = [delimiter.join(NAMES).encode()] if header else []
    lines += [_line(row, delimiter) for row in rows]
    name = "table.tsv" if delimiter == "\t" else "table.csv"
    return Table(name, b"".join(line + b"\n" for line in lines), options, len(rows), files=files)


def _line(row: Row, delimiter: str) -> bytes:
    if isinstance(row, bytes):
        return row.replace(b",", delimiter.encode())
    return delimiter.join(repr(float(value)) for value in row).encode()


def _bounds(names: Sequence[str], fill: str = "") -> tuple[str, bytes]:
    header = "name,lower,upper" + "".join((",fill", ",missing")[:fill.count(",")])
    lines = [header] + [f"{name},-1,1{fill}" for name in names]
    return "bounds.csv", ("\n".join(lines) + "\n").encode()


def coding(table: Table, fill: str = "") -> Table:
    """The table with bounds by index, perhaps a fill, and CODES."""
    codes = " ".join(map(str, CODES))
    header = ("--header", "no") if table.format in ("csv", "tsv") else ()
    return replace(table, options=(*header, "--bounds", "bounds.csv"),
                   files=(_bounds("012", f",{fill},{codes}"),))


# What the indicators of a category have: for "north", and for "a, b".
REGIONS = {b"north": (1.0, 0.0), b'" north "': (1.0, 0.0), b'"a, b"': (0.0, 1.0),
           b"North": (0.0, 0.0), b"nowhere": (0.0, 0.0), b"1": (0.0, 0.0), b"\xff": (0.0, 0.0)}
MISSING_REGIONS = (b"", b"NA", b'"?"')


def categories(regions: Sequence[bytes], declared: str, fill: str = "") -> Table:
    """A CSV of a region and a number, with indicators of two regions; or, where `declared` is
    "columns", a table of what these have."""
    header, (region, number) = {"bounds": (True, ("region", "age")), "places": (False, "01"),
                                "columns": (True, ("region", "age"))}[declared]
    names = [f"{region}=north", number, f'"{region}=a, b"']
    lines, files = [], (_bounds(names, fill),)
    if declared == "columns":
        lines.append(",".join(names).encode())
    elif header:
        lines.append(f"{region},{number}".encode())
    for i, written in enumerate(regions):
        fields = (written, b"%g" % BASE[i % len(BASE)][0])
        if declared == "columns":
            north, other = REGIONS[written]
            fields = (b"%g" % north, fields[1], b"%g" % other)
        lines.append(b",".join(fields))
    options = ("--header", "yes" if header else "no", "--bounds", "bounds.csv")
    return Table("table.csv", b"".join(line + b"\n" for line in lines), options, len(regions),
                 files=files)


def svm(rows: Sequence[Row], declared: Sequence[str] = ("--dimension", "3")) -> Table:
    lines = [row if isinstance(row, bytes) else
             b" ".join([b"1"] + [f"{i + 1}:{float(value)!r}".encode() for i, value in enumerate(row)])
             for row in rows]
    return Table("table.svm", b"".join(line + b"\n" for line in lines),
                 (*declared, "--norm-bound", "1"), len(rows))


def npy(rows: Sequence[Row], dtype: str = "<f8", order: str = "C") -> Table:
    array = _array(rows, dtype)
    out = io.BytesIO()
    numpy.save(out, numpy.asarray(array, order=order))
    return Table("table.npy", out.getvalue(), _scale_for(dtype), *array.shape)


def idx(rows: Sequence[Row], dtype: str = ">f4") -> Table:
    """IDX, as MNIST is in: bytes for ">u1", else 32-bit floating point."""
    array = _array(rows, dtype)
    code, name = (0x08, "table-ubyte") if dtype == ">u1" else (0x0D, "table-float")
    head = bytes([0, 0, code, 2]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return Table(name, head + array.tobytes(), _scale_for(dtype), *array.shape)


def _array(rows: Sequence[Row], dtype: str) -> numpy.ndarray:
    """The rows in this type, of which they may have the least and the greatest number."""
    columns = len(rows[0]) if len(rows) > 0 else COLUMNS
    values = numpy.array([tuple(row) for row in rows], dtype=float).reshape(len(rows), columns)
    kind = numpy.dtype(dtype)
    if kind.kind == "f":
        limits = numpy.finfo(kind)
        finite = numpy.isfinite(values)
        values[finite] = numpy.clip(values[finite], limits.min, limits.max)
        return values.astype(kind)
    limits = numpy.iinfo(kind)
    return numpy.array([[max(limits.min, min(limits.max, int(min(max(value, -1e30), 1e30) * 255)))
                         for value in row] for row in values], dtype=kind).reshape(values.shape)


def _scale_for(dtype: str) -> tuple[str, ...]:
    small = ("--norm-bound", "1")
    return small + ("--scale", "255") if dtype.endswith(("u1", "i4", "i8")) else small


# Every reader, on rows of numbers.
READERS = {
    "csv": text,
    "csv without header": lambda rows: text(rows, "dimension"),
    "csv with bounds": lambda rows: text(rows, "bounds"),
    "tsv": lambda rows: text(rows, delimiter="\t"),
    "npy float64": npy,
    "npy float64 Fortran": lambda rows: npy(rows, order="F"),
    "npy float32": lambda rows: npy(rows, "<f4"),
    "npy int64": lambda rows: npy(rows, "<i8"),
    "npy int32": lambda rows: npy(rows, "<i4"),
    "npy uint8": lambda rows: npy(rows, "|u1"),
    "idx float": idx,
    "idx ubyte": lambda rows: idx(rows, ">u1"),
    "svm": svm,
    "svm by columns": lambda rows: svm(rows, ("--columns", "0,1,2")),
}


def ways_of(reader: str) -> Sequence[str]:
    """Columns one after the other cannot be read by rows from a pipe."""
    return ("file", "gz", "moment") if reader.endswith("Fortran") else WAYS
