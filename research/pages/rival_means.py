"""Private means by others, which spend all of their budget on the mean.

Rows are within [-1, 1] in every column, their number n is public, and one of them may be replaced. Means
are cut to [-1, 1], which costs nothing. Written anew from the papers, with NumPy's noise: for
measurements, not for releases. A method that has settings is a dict of them: who reports the best of
them in hindsight is generous, for nobody knows it beforehand.

Under zCDP all noise is Gaussian, so that the same holds for (epsilon, delta) at the rho of the same curve.
"""

import math

import numpy as np
from scipy.linalg import hadamard
from scipy.special import log_ndtr, ndtr


def rho_of(epsilon, delta):
    """The rho of Gaussian noise that is (epsilon, delta)-DP (Balle and Wang 2018)."""
    low, high = 1e-8, 1e4
    for _ in range(200):
        rho = math.sqrt(low * high)
        mu = math.sqrt(2 * rho)
        lost = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))
        low, high = (rho, high) if lost < delta else (low, rho)
    return low


def gaussian(rows, rho, rng):
    """Noise for rows of norm at most sqrt(d).

    It is the same as noise for each column by itself at rho/d: 2 sqrt(d) is both the distance in the ball, and
    sqrt(d) times that in a column.
    """
    n, d = rows.shape
    return rows.mean(0) + rng.normal(0, 2 * math.sqrt(d / (2 * rho)) / n, d)


def laplace(rows, epsilon, rng):
    """Each column by itself at epsilon/d."""
    n, d = rows.shape
    return rows.mean(0) + rng.laplace(0, 2 * d / (n * epsilon), d)


def cube(rows, epsilon, rng):
    """The K-norm mechanism (Hardt and Talwar 2010) for the cube, which holds all differences of rows."""
    n, d = rows.shape
    length = rng.gamma(d + 1, 2 / (n * epsilon))
    return rows.mean(0) + length * rng.uniform(-1, 1, d)


# Clipping


def clipped_mean(rows, norms, radius):
    """The mean of rows clipped to that radius, about zero."""
    return rows.T @ np.minimum(1, radius / np.maximum(norms, 1e-12)) / len(rows)


def noisy_search(values, rank, low, high, rho, steps, rng):
    """In each column the value of that rank, by halving with noisy counts: (columns,)."""
    low, high = np.full(values.shape[1], float(low)), np.full(values.shape[1], float(high))
    for _ in range(steps):
        middle = (low + high) / 2
        counts = (values <= middle).sum(0) + rng.normal(0, math.sqrt(steps / (2 * rho)), len(low))
        low, high = np.where(counts <= rank, middle, low), np.where(counts <= rank, high, middle)
    return (low + high) / 2


def rotation(d, rng):
    """Three random Hadamard rotations of the next power of two."""
    size = 1 << (d - 1).bit_length()
    turn = np.eye(size)
    for _ in range(3):
        turn = turn @ (hadamard(size) * rng.choice([-1.0, 1.0], size) / math.sqrt(size))
    return turn


def shifted_clipped(rows, rho, rng):
    """Huang, Liang and Yi (2021): rows about private medians, clipped at a private quantile of their norms.

    Settings: with their rotation or without, or about zero, which saves the medians' share; the shares of
    the medians and of the quantile; and the factor on what is clipped, which they and Aumüller et al. set to
    1 and 2.
    """
    n, d = rows.shape
    turn = rotation(d, rng)
    turned = np.zeros((n, len(turn)))
    turned[:, :d] = rows
    turned = turned @ turn.T
    reach = min(math.sqrt(d), 3 * math.sqrt(d / len(turn)))
    steps = 10
    means = {}
    for name, table, most in (("rotated", turned, reach), ("", rows, 1.0), ("about zero", rows, 0.0)):
        for share in (0.25, 0.1) if most else (0.0,):
            centre = np.zeros(table.shape[1])
            if most:
                each = share * rho / table.shape[1]
                centre = noisy_search(table, n / 2, -most, most, each, steps, rng)
            moved = table - centre
            norms = np.linalg.norm(moved, axis=1)
            left = (1 - share) * rho
            for part, factor in ((0.25, 1), (0.01, 2)):
                radius_rho, noise_rho = part * left, (1 - part) * left
                lost = 2 * math.sqrt(d / (2 * noise_rho)) + math.sqrt(steps / (2 * radius_rho))
                far = math.sqrt(d) * (2 if most else 1)
                radius = noisy_search(
                    norms[:, None], n - factor * lost, 0, far, radius_rho, steps, rng
                )[0]
                noise = rng.normal(0, 2 * radius / math.sqrt(2 * noise_rho) / n, table.shape[1])
                mean = centre + clipped_mean(moved, norms, radius) + noise
                means[f"{name} {share} {part}"] = (turn.T @ mean)[:d] if name == "rotated" else mean
    return means


def tail_bound(d, beta=0.01):
    return math.sqrt(d + 2 * math.sqrt(d * math.log(1 / beta)) + 2 * math.log(1 / beta))


def coinpress(rows, rho, rng):
    """CoinPress (Biswas, Dong, Kamath, Ullman 2020): clipped to a ball that shrinks from step to step.

    It takes a covariance of at most 1. So it is told the columns' deviations, or the greatest eigenvalue of
    the covariance, for nothing. Settings: which of these, and the number of steps.
    """
    n, d = rows.shape
    deviations = rows.std(0)
    greatest = math.sqrt(np.linalg.eigvalsh(np.cov(rows.T, bias=True))[-1])
    gamma = tail_bound(d)
    means = {}
    for name, scales in (
        ("columns", np.maximum(deviations, 0.1 * deviations.max())),
        ("one", np.full(d, greatest)),
    ):
        scaled = rows / scales
        for steps in (1, 2, 3, 4):
            centre, radius = np.zeros(d), float(np.linalg.norm(1 / scales))
            shares = [0.25 / (steps - 1)] * (steps - 1) + [0.75] if steps > 1 else [1.0]
            for share in shares:
                reach = min(math.sqrt(radius**2 + 6 * radius + gamma**2), radius + gamma)
                moved = scaled - centre
                deviation = 2 * reach / n / math.sqrt(2 * share * rho)
                mean = clipped_mean(moved, np.linalg.norm(moved, axis=1), reach)
                centre = centre + mean + rng.normal(0, deviation, d)
                radius = math.sqrt(1 / n + deviation**2) * tail_bound(d)
            means[f"{name} {steps}"] = centre * scales
    return means


def plan(rows, rho, rng):
    """PLAN (Aumüller, Lebeda, Nelson, Pagh 2024): as above, with columns scaled by private deviations.

    Settings: the share of medians and deviations, and how many pairs of rows are averaged for a deviation.
    """
    n, d = rows.shape
    steps, beta = 20, 0.1
    means = {}
    for share, group in ((0.25, 1), (0.25, 16), (0.1, 16), (0.1, 1)):
        each = share * rho / d
        centre = noisy_search(rows, n / 2, -1, 1, 0.25 * each, steps, rng)
        order = rng.permutation(n)[: n // (2 * group) * 2 * group]
        pairs = (rows[order[::2]] - rows[order[1::2]]) ** 2 / 2
        averages = pairs.reshape(-1, group, d).mean(1)
        variances = noisy_search(averages, len(averages) / 2, 0, 2, 0.75 * each, steps, rng)
        deviations = np.sqrt(variances / (1 - 2 / (9 * group)) ** 3)
        scales = np.sqrt(2 * (deviations + deviations.mean()))
        moved = (rows - centre) / scales
        norms = np.linalg.norm(moved, axis=1)
        left = (1 - share) * rho
        rank = n - math.sqrt(n) - math.sqrt(math.log(2) / 2 * math.log(10) / (0.25 * left))
        far = math.sqrt(math.log(d) * math.log(1 / beta) * deviations.sum())
        radius = noisy_search(norms[:, None], rank, 0, far, 0.25 * left, steps, rng)[0]
        noise = rng.normal(0, 2 * radius / math.sqrt(2 * 0.75 * left) / n, d)
        means[f"{share} {group}"] = centre + scales * (clipped_mean(moved, norms, radius) + noise)
    return means


# The same under pure DP


def private_quantile(ordered, rank, low, high, epsilon, rng):
    """A value of about that rank, by the exponential mechanism (Smith 2011)."""
    edges = np.concatenate(([low], np.clip(ordered, low, high), [high]))
    with np.errstate(divide="ignore"):
        chances = np.log(np.diff(edges)) - epsilon / 2 * np.abs(np.arange(len(edges) - 1) - rank)
    place = np.argmax(chances + rng.gumbel(size=len(chances)))
    return rng.uniform(edges[place], edges[place + 1])


def pure_clipped(rows, epsilon, rng):
    """Clipped means with quantiles by the exponential mechanism.

    "ball": as shifted_clipped, rows about zero or about private medians, clipped to a norm, and noise of the
    K-norm mechanism for that ball. "columns": each column by itself, clipped from below and above (Smith 2011).
    """
    n, d = rows.shape
    ordered = np.sort(rows, axis=0)
    means = {}
    for share in (0.0, 0.25):
        centre = np.zeros(d)
        if share:
            each = share * epsilon / d
            centre = np.array([private_quantile(ordered[:, j], n / 2, -1, 1, each, rng) for j in range(d)])
        moved = rows - centre
        norms = np.linalg.norm(moved, axis=1)
        radius_epsilon, noise_epsilon = 0.1 * (1 - share) * epsilon, 0.9 * (1 - share) * epsilon
        for factor in (1, 3):
            lost = factor * (d / noise_epsilon + 2 / radius_epsilon)
            far = math.sqrt(d) * (2 if share else 1)
            radius = private_quantile(np.sort(norms), n - lost, 0, far, radius_epsilon, rng)
            way = rng.normal(size=d)
            length = rng.gamma(d, 2 * radius / (n * noise_epsilon))
            noise = length * way / np.linalg.norm(way)
            means[f"ball {share} {factor}"] = centre + clipped_mean(moved, norms, radius) + noise
    each = epsilon / d
    for factor in (1, 3):
        lost = factor * 8 / each
        mean = np.empty(d)
        for j in range(d):
            low = private_quantile(ordered[:, j], lost, -1, 1, each / 4, rng)
            high = private_quantile(ordered[:, j], n - lost, -1, 1, each / 4, rng)
            low, high = min(low, high), max(low, high)
            mean[j] = np.clip(rows[:, j], low, high).mean() + rng.laplace(
                0, 2 * (high - low) / (n * each)
            )
        means[f"columns {factor}"] = mean
    return means


# Packages


def diffprivlib(rows, epsilon, rng):
    """`tools.mean`, which is also what `StandardScaler(with_std=False)` has."""
    from diffprivlib.tools import mean

    return mean(rows, epsilon=epsilon, bounds=(-1, 1), axis=0, random_state=int(rng.integers(2**31)))


def opendp(rows, budget, pure):
    """`make_mean` of each column at its share of the budget, with Laplace or Gaussian noise."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    n, d = rows.shape
    space = dp.vector_domain(dp.atom_domain(bounds=(-1.0, 1.0), nan=False), size=n), dp.symmetric_distance()
    then = dp.m.then_laplace if pure else dp.m.then_gaussian

    def of(scale):
        return dp.t.make_mean(*space) >> then(scale)

    # A row replaced is one removed and one added.
    scale = dp.binary_search(lambda s: of(s).map(2) <= budget / d, bounds=(1e-9, 1e6))
    measurement = of(scale)
    return np.array([measurement(np.ascontiguousarray(column)) for column in rows.T])
