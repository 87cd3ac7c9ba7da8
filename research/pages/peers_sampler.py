#!/usr/bin/env python3
"""Tests diffprivlib's and OpenDP's samplers of an eigenvector against the law that they name.

    research/pages/peers_sampler.py --samples 2000 --out DIR

Both draw a unit vector x of density proportional to exp(-x'Ax), the Bingham law, by rejection from
an angular central Gaussian (Kent, Ganeiber and Mardia 2013). With Omega = I + 2 A / b that envelope
is proportional to (x' Omega x)^(-d/2), so a draw is to be accepted with probability

    exp(-x'Ax) (x' Omega x)^(d/2) / M.

In d = 2 the law of x is one integral. Two-sided Kolmogorov-Smirnov tests of x_1^2, each with a
false-alarm rate of at most 1e-6 (Massart's constant), compare the peers' draws with it, and with
the law of the same rejection where (x' Omega x)^(d/2) divides. The control is that rejection with
the right sign. `loss` is arithmetic: what one row can tell by a law of the inverted density.

Writes sampler.csv and loss.csv to DIR.
"""

import argparse
import csv
import math
import pathlib

import numpy as np
from scipy.optimize import brentq

FALSE_ALARM = 1e-6
CELLS = 200_001  # of a half turn


def envelope(spread):
    """Return b of A = diag(0, spread): the root of 1/b + 1/(b + 2 spread) = 1."""
    low, high = 1.0, 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        if 1 / middle + 1 / (middle + 2 * spread) > 1:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def distribution(spread, power):
    """Return angles' x_1^2, ascending, and the distribution function there.

    Of density exp(-x'Ax) (x' Omega x)^power; power 0 is the Bingham law.
    """
    angle = np.linspace(math.pi / 2, 0.0, CELLS)  # x_1 = cos ascends
    away = spread * np.sin(angle) ** 2
    density = np.exp(-away) * (1 + 2 * away / envelope(spread)) ** power
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return np.cos(angle) ** 2, mass / mass[-1]


def distance(draws, law):
    """Return the Kolmogorov-Smirnov distance of draws from a law."""
    draws = np.sort(draws)
    expected = np.interp(draws, *law)
    n = len(draws)
    return max(np.max(np.arange(1, n + 1) / n - expected), np.max(expected - np.arange(n) / n))


def control_draws(matrix, epsilon, count):
    """Return x_1^2 of draws by the rejection whose sign is right."""
    generator = np.random.default_rng()
    d = len(matrix)
    away = epsilon / 4 * (np.diag(matrix).max() - np.diag(matrix))
    b = brentq(lambda b: np.sum(1 / (b + 2 * away)) - 1, 0.5, d + 1.0)
    bound = math.exp(-(d - b) / 2) * (d / b) ** (d / 2)
    kept = np.empty(0)
    while len(kept) < count:
        x = generator.standard_normal((count, d)) / np.sqrt(1 + 2 * away / b)
        x /= np.linalg.norm(x, axis=1)[:, None]
        size = x**2 @ away
        accepted = np.exp(-size) * (1 + 2 * size / b) ** (d / 2) / bound
        assert accepted.max() <= 1 + 1e-9
        kept = np.concatenate([kept, x[generator.random(len(x)) < accepted, 0] ** 2])
    return kept[:count]


def diffprivlib_draws(matrix, epsilon, count):
    """Return x_1^2 of draws by diffprivlib."""
    from diffprivlib.mechanisms import Bingham

    mechanism = Bingham(epsilon=epsilon)
    return np.array([mechanism.randomise(matrix)[0] ** 2 for _ in range(count)])


def opendp_draws(matrix, epsilon, count):
    """Return x_1^2 of draws by OpenDP."""
    import opendp.prelude as dp
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    domain = _sscp_domain(num_features=len(matrix), norm=1.0, p=2, size=2001, T=float)
    mechanism = make_private_eigenvector(domain, dp.symmetric_distance(), epsilon)
    assert mechanism.map(2) <= epsilon  # of a row changed
    return np.array([mechanism(matrix)[0] ** 2 for _ in range(count)])


SAMPLERS = {"diffprivlib": diffprivlib_draws, "OpenDP": opendp_draws, "control": control_draws}


def losses(_, lines):
    """Bound from below how much one row tells by the inverted law.

    1000 rows along each of the first two axes, and one more, along the first or the second: C and
    C' are the same but for the order of the axes, so b and the constants that norm the densities
    are too, and their ratio at the first axis is what the formulas say there.
    """
    for d in (2, 6, 23, 784):
        for epsilon in (0.1, 1.0, 10.0):
            away = epsilon / 4 * np.array([0.0, 1.0] + [1001.0] * (d - 2))
            b = brentq(lambda b, a=away: np.sum(1 / (b + 2 * a)) - 1, 0.5, d + 1.0, xtol=1e-14)
            lines.writerow([d, epsilon, epsilon / 4, epsilon / 4 + d * math.log1p(2 * away[1] / b)])


def laws(samples, lines):
    """Compare draws with the two laws, d = 2."""
    limit = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * samples))
    for spread in (1.0, 5.0, 25.0):
        squares, mass = distribution(spread, 0)
        right = float(np.sum(0.5 * (squares[1:] + squares[:-1]) * np.diff(mass)))
        for name, draw in SAMPLERS.items():
            draws = draw(np.diag([4 * spread, 0.0]), 1.0, samples)
            distances = [distance(draws, distribution(spread, power)) for power in (0, -2)]
            lines.writerow([name, spread, samples, limit, *distances, draws.mean(), right])


PARTS = {
    "sampler": (
        laws,
        ["sampler", "spread", "samples", "limit", "bingham", "inverted", "mean", "bingham_mean"],
    ),
    "loss": (losses, ["columns", "epsilon", "bingham", "inverted"]),
}


def main():
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for part in arguments.parts:
        measure, header = PARTS[part]
        with open(arguments.out / f"{part}.csv", "w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(header)
            measure(arguments.samples, lines)


if __name__ == "__main__":
    main()
