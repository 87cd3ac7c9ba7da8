#!/usr/bin/env python3
"""What a second pass does to the means of wide tables.

    research/pages/wide_means.py DATA RUNS

DATA is the folder with mnist and 20newsgroups; all other tables are made up. Prints a Markdown table:
for each table and budget the root mean square errors of RUNS seeds of the mean (Euclidean norm) and
the covariance (Frobenius norm) in one pass, and those in two passes over them, columns mapped to
[-1, 1]. Needs the Python package and scikit-learn.
"""

import gzip
import json
import lzma
import pathlib
import sys

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

import dpcov

BUDGETS = (dpcov.Rho(0.01), dpcov.Rho(0.1), dpcov.Rho(1.0), dpcov.Epsilon(4.0))


def mnist(folder):
    path = folder / "mnist" / "train-images-idx3-ubyte.gz"
    pixels = np.frombuffer(gzip.decompress(path.read_bytes())[16:], np.uint8)
    return pixels.reshape(-1, 784)[:20000] / 127.5 - 1


def word_counts(folder, words):
    with lzma.open(folder / "20newsgroups" / "20news-bydate.jsonl.xz", "rt") as lines:
        texts = [max(map(str, json.loads(line).values()), key=len) for line in lines]
    counts = CountVectorizer(max_features=words, token_pattern="[a-zA-Z]{2,}").fit_transform(texts)
    return np.clip(counts.toarray(), 0, 10) / 5 - 1


def shapes(rng, n=20000, side=20):
    """Images of ten kinds of textured rectangles."""
    down, across = np.mgrid[0:side, 0:side] / (side - 1) - 0.5
    rows = np.empty((n, side * side))
    for row in rows:
        kind = rng.integers(10)
        width = 0.15 + 0.03 * kind + 0.03 * rng.normal()
        height = 0.45 - 0.03 * (kind % 4) + 0.03 * rng.normal()
        inside = (np.abs(across + 0.02 * rng.normal()) < width) & (np.abs(down) < height)
        texture = np.cos(across * rng.uniform(0, 20) + rng.uniform(0, 6))
        texture *= np.cos(down * rng.uniform(0, 20))
        row[:] = (inside * rng.uniform(0.3, 1) * (0.7 + 0.3 * texture)).ravel()
    return np.clip(rows, 0, 1) * 2 - 1


def genotypes(rng, n=10000, d=500):
    frequency = rng.beta(0.3, 1, d)
    of_population = rng.normal(0, 0.1, (3, d)) * np.sqrt(frequency * (1 - frequency))
    chances = frequency + of_population[rng.integers(3, size=n)]
    return rng.binomial(2, np.clip(chances, 0, 1)) - 1.0


def spectra(rng, n=8000, d=300):
    peaks = rng.uniform(0, 1, 15)
    heights = rng.gamma(1.0, 0.08, (n, 15))
    lines = np.exp(-(((np.linspace(0, 1, d) - peaks[:, None]) / 0.05) ** 2))
    return np.clip(heights @ lines + 0.02 * rng.normal(size=(n, d)) + 0.1, 0, 1) * 2 - 1


def categories(rng, n=20000):
    columns = []
    for values in (2, 2, 5, 9, 16, 7, 14, 6, 42, 50, 30, 20):
        shares = rng.dirichlet(np.full(values, 0.5))
        columns.append(np.eye(values)[rng.choice(values, n, p=shares)])
    return np.hstack(columns) * 2 - 1


def lognormal(rng, n=10000, d=100):
    common = rng.normal(size=(n, 3)) @ rng.normal(0, 0.4, (3, d))
    return np.clip(np.exp(common + rng.normal(0, 0.5, (n, d))) / 20, 0, 1) * 2 - 1


def answers(rng, n=30000, d=150):
    """Yes or no, by one common factor."""
    log_odds = rng.normal(-2, 1.5, d)
    factor = 0.7 * rng.normal(size=(n, 1))
    uniform = rng.random((n, d))
    return (uniform < 1 / (1 + np.exp(-log_odds - factor * rng.normal(size=d)))) * 2.0 - 1


def sensors(rng, n=15000, d=250):
    phases, swings = rng.uniform(0, 6, d), rng.uniform(0, 0.3, d)
    means = rng.uniform(-0.5, 0.9, d)
    waves = swings * np.sin(40 * np.arange(n)[:, None] / n + phases)
    return np.clip(means + waves + 0.05 * rng.standard_t(4, (n, d)), -1, 1)


def off_centre(rng, n=5000, d=200):
    means = rng.uniform(-0.8, 0.8, d)
    return np.clip(means + rng.normal(0, 0.1, (n, d)), -1, 1)


def isotropic(rng, n=8000, d=300):
    return np.clip(rng.normal(0, 0.05, (n, d)), -1, 1)


def tables(folder):
    yield "MNIST, 20,000 images", mnist(folder)
    yield "400 words", word_counts(folder, 400)
    made_up = (shapes, genotypes, spectra, categories, lognormal, answers, sensors, off_centre)
    for seed, table in enumerate((*made_up, isotropic)):
        yield table.__name__.replace("_", " "), table(np.random.default_rng(seed))


def errors(rows, truth, budget, passes, seed):
    """Squared: of the mean and the covariance; and whether the rows were moved or stretched."""
    release = dpcov.covariance(
        rows, budget=budget, bounds=(-1.0, 1.0), passes=passes, insecure_seed=seed, threads=1
    )
    return [
        np.sum((release.mean() - rows.mean(0)) ** 2),
        np.sum((release.covariance() - truth) ** 2),
        "origin" in release.record or "stretch" in release.record,
    ]


def main():
    folder, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    print("| table | n | d | budget | mean | covariance | mean, twice/once | covariance | moved |")
    print("| --- " * 9 + "|")
    for name, rows in tables(folder):
        truth = np.cov(rows.T, bias=True)
        for budget in BUDGETS:
            once, twice = (
                np.mean([errors(rows, truth, budget, passes, seed) for seed in range(runs)], axis=0)
                for passes in (1, 2)
            )
            ratios = np.sqrt(twice[:2] / once[:2])
            law = "ρ" if isinstance(budget, dpcov.Rho) else "ε"
            cells = [f"{x:.2g}" for x in np.sqrt(once[:2])] + [f"{x:.3f}" for x in ratios]
            print(
                f"| {name} | {len(rows)} | {rows.shape[1]} | {law} = {budget.value:g} | "
                + " | ".join(cells)
                + f" | {twice[2]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
