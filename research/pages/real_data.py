"""The real tables that scripts measure on, from the folder of data (pathlib.Path), as arrays of (rows, columns).

Mapped ones are clipped to public bounds and mapped from these to [-1, 1]. Needs NumPy.
"""

import csv
import gzip

import numpy as np


def numbers(path):
    """The lines that are numbers alone: without a header, and without those in which a value is missing."""
    rows = []
    with gzip.open(path, "rt") as file:
        for line in csv.reader(file):
            try:
                rows.append([float(value) for value in line])
            except ValueError:
                continue
    return np.array(rows)


def mapped(rows, lower, upper):
    lower, upper = np.array(lower, float), np.array(upper, float)
    return np.clip((np.array(rows) - (lower + upper) / 2) / ((upper - lower) / 2), -1, 1)


def housing_numbers(folder):
    """Eight numbers of a district of California, and the median value of its houses."""
    with gzip.open(folder / "california_housing" / "housing.csv.gz", "rt") as file:
        lines = list(csv.reader(file))[1:]
    return np.array([[float(value) for value in line[:9]] for line in lines if all(line[:9])])


def housing(folder):
    """The same, mapped."""
    lower = [-125, 32, 0, 0, 0, 0, 0, 0, 0]
    return mapped(housing_numbers(folder), lower, [-114, 42, 52, 10000, 2000, 10000, 2000, 15, 500001])


def adult_lines(folder):
    with gzip.open(folder / "adult" / "adult.data.gz", "rt") as file:
        lines = [[v.strip() for v in line.split(",")] for line in file]
    return [line for line in lines if len(line) == 15]


def adult(folder):
    """Age, final weight, years of education, capital gain and loss, hours a week; mapped."""
    rows = [[float(line[i]) for i in (0, 2, 4, 10, 11, 12)] for line in adult_lines(folder)]
    return mapped(rows, [0] * 6, [100, 1500000, 16, 100000, 5000, 100])


def adult_flags(folder):
    """Age, education, hours; whether a man, a native American, with capital gains, an income above 50,000; mapped."""
    rows = [
        [*(float(line[i]) for i in (0, 4, 12)), line[9] == "Male", line[8] == "Amer-Indian-Eskimo", line[10] != "0"]
        + [">50K" in line[14]]
        for line in adult_lines(folder)
    ]
    return mapped(np.array(rows, float), [0] * 7, [100, 16, 100, 1, 1, 1, 1])


def credit_numbers(folder):
    """23 numbers of a customer of a bank, and whether the next payment failed."""
    return numbers(folder / "credit_default" / "UCI_Credit_Card.csv.gz")[:, 1:]


def wine_numbers(folder, colour):
    """Eleven measurements of a wine, red or white, and its grade."""
    return numbers(folder / "wine_quality" / f"winequality-{colour}.csv.gz")


def wine(folder, colour):
    """The same, mapped from bounds that hold of nearly all wines."""
    lower = [0, 0, 0, 0, 0, 0, 0, 0.98, 2.5, 0, 8, 0]
    return mapped(wine_numbers(folder, colour), lower, [20, 2, 2, 70, 0.7, 300, 450, 1.05, 4.5, 2, 16, 10])


def regression_sets(folder):
    """Names and paths of the sets of uci_regression."""
    return {
        path.name.removesuffix(".csv.gz"): path
        for path in sorted((folder / "uci_regression").glob("*.csv.gz"))
    }
