"""Private correlations by others, which spend all of their budget on them.

As for the means (rival_means.py): rows within [-1, 1], one of them may be replaced, NumPy's noise.
"""

import math

import numpy as np


def of_covariance(covariance, noise=0.0):
    """Correlations of the nearest semidefinite matrix; 0 where a variance is below its noise."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    covariance = (vectors * np.maximum(values, 0)) @ vectors.T
    variances = np.diag(covariance)
    seen = variances > np.maximum(noise, 1e-15)
    deviations = np.sqrt(np.where(seen, variances, 1.0))
    correlations = np.clip(covariance / np.outer(deviations, deviations), -1, 1)
    correlations *= np.outer(seen, seen)
    np.fill_diagonal(correlations, 1)
    return correlations


def symmetric(d, draw):
    """Noise of a symmetric matrix, drawn once for each entry on and above the diagonal."""
    upper = np.triu(draw((d, d)))
    return upper + upper.T - np.diag(np.diag(upper))


def whole_matrix(rows, rho, rng):
    """Gaussian noise on the second moments of rows in the ball of sqrt(d), with the mean in the same matrix.

    A column of sqrt(c d) is added to every row, with the c that gives the least noise of a covariance about a
    mean at the ball's edge (dc^2 + c = 1, as `gauss` of dpcov has). Off the diagonal noise has half the
    variance, as isotropic noise does.
    """
    n, d = rows.shape
    c = (math.sqrt(1 + 4 * d) - 1) / (2 * d)
    scale = math.sqrt(2) * d * (1 + c) / math.sqrt(2 * rho) / n
    noise = symmetric(d, lambda shape: rng.normal(0, scale / math.sqrt(2), shape))
    noise[np.diag_indices(d)] *= math.sqrt(2)
    mean = rows.mean(0) + rng.normal(0, scale / math.sqrt(2 * c * d), d)
    return of_covariance(rows.T @ rows / n + noise - np.outer(mean, mean), scale)


def single_products(rows, budget, pure, rng):
    """Each product of two columns, each square and each mean by itself, at equal shares of the budget."""
    n, d = rows.shape
    share = budget / (d * (d + 1) / 2 + d)
    scale = 2 / (n * share) if pure else 2 / n / math.sqrt(2 * share)
    draw = rng.laplace if pure else rng.normal
    noise = symmetric(d, lambda shape: draw(0, scale, shape))
    noise[np.diag_indices(d)] /= 2  # a square is from 0 to 1
    mean = rows.mean(0) + draw(0, scale, d)
    return of_covariance(rows.T @ rows / n + noise - np.outer(mean, mean), scale)


def kendall_taus(rows):
    """Kendall's tau of every pair of columns, and tau-b where values are equal: (d, d)."""
    from scipy.stats import kendalltau

    d = rows.shape[1]
    taus = np.eye(d)
    for i in range(d):
        for j in range(i):
            taus[i, j] = taus[j, i] = kendalltau(rows[:, i], rows[:, j]).statistic
    return taus


def kendall(taus, n, budget, pure, rng):
    """DPCopula (Li, Xiong, Jiang 2014): noisy taus, sin(pi tau / 2), made semidefinite.

    The margins, which it releases besides, get nothing here. It takes 4/(n + 1) for the sensitivity of a tau, which
    is too little where values are equal. That is granted.
    """
    d = len(taus)
    pairs = d * (d - 1) / 2
    scale = 4 / (n + 1) * (pairs / budget if pure else math.sqrt(pairs / (2 * budget)))
    draw = rng.laplace if pure else rng.normal
    noisy = np.clip(taus + symmetric(d, lambda shape: draw(0, scale, shape)), -1, 1)
    correlations = np.sin(math.pi / 2 * noisy)
    np.fill_diagonal(correlations, 1)
    values, vectors = np.linalg.eigh(correlations)
    return of_covariance((vectors * np.abs(values)) @ vectors.T) if values[0] < 0 else correlations
