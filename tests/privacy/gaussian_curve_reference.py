#!/usr/bin/env python3
"""Values of the Gaussian trade-off curve to far more digits than a double has, as rows of the tables of
gaussian_curve_test.cpp. Needs mpmath.

    gaussian_curve_reference.py

delta(epsilon; mu) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2), mu = sqrt(2 rho), is taken from
mpmath's erfc at 1000 digits, and compared with the integral of phi(epsilon/m - m/2) over m from 0 to mu, its derivative
in mu. Inverses are found by bisection. Each is then rounded to the double on the safe side.
"""

import math

from mpmath import erfc, exp, mp, mpf, npdf, quad, sqrt

mp.dps = 1000


def delta_of(rho, epsilon):
    mu = sqrt(2 * mpf(rho))

    def tail(x):
        return erfc(x / sqrt(mpf(2))) / 2

    middle = mpf(epsilon) / mu
    return tail(middle - mu / 2) - exp(mpf(epsilon)) * tail(middle + mu / 2)


def as_integral(rho, epsilon):
    mu = sqrt(2 * mpf(rho))
    return quad(lambda m: npdf(mpf(epsilon) / m - m / 2), [mu * k / 8 for k in range(9)])


def boundary(holds, low, high):
    """Where `holds`, true at low and false at high, turns; to 60 digits."""
    low, high = mpf(low), mpf(high)
    for _ in range(2400):
        middle = sqrt(low * high)
        low, high = (middle, high) if holds(middle) else (low, middle)
        if high / low - 1 < mpf(10) ** -60:
            break
    return low


def rounded_up(x):
    value = float(x)
    return value if mpf(value) >= x else math.nextafter(value, math.inf)


def rounded_down(x):
    value = float(x)
    return value if mpf(value) <= x else math.nextafter(value, 0.0)


def main():
    mp.dps = 30
    for rho, epsilon in [(0.028, 1.0), (0.5, 0.25), (2.0, 6.0), (1e-6, 1e-3)]:
        direct, integral = delta_of(rho, epsilon), as_integral(rho, epsilon)
        assert abs(direct / integral - 1) < mpf(10) ** -12, (rho, epsilon, direct, integral)
    mp.dps = 1000

    print("// rho, epsilon, delta rounded up")
    for rho, epsilon in [
        (0.028, 1.0), (0.5, 1.0), (0.5, 5e-324), (1e-4, 0.1), (1e-4, 5e-324), (1e-300, 5e-324), (1e-300, 1e-150),
        (5e-324, 5e-324), (5e-324, 1e-161), (1e-12, 3e-5), (2.0, 75.0), (0.5, 37.0), (100.0, 600.0), (1e6, 1e6),
        (1e6, 1.04e6), (1e8, 1e8), (1e8, 1.0002e8), (1e4, 1.0), (30.0, 1e-6),
    ]:
        print(f"{{{rho!r}, {epsilon!r}, {rounded_up(delta_of(rho, epsilon))!r}}},")

    mp.dps = 420
    print("// epsilon, delta, rho rounded down")
    for epsilon, delta in [
        (1.0, 1e-6), (1.0, 1e-5), (0.1, 1e-6), (3.0, 1e-8), (8.0, 1e-10), (1.0, 0.01), (1.0, 0.5), (1.0, 0.999999),
        (1e-6, 1e-9), (5e-324, 1e-6), (1.0, 1e-300), (700.0, 1e-300), (1e-150, 1e-150), (5e-324, 1e-100), (1e7, 1e-12),
    ]:
        rho = boundary(lambda r: delta_of(r, epsilon) <= mpf(delta), "1e-330", "1e12")
        print(f"{{{epsilon!r}, {delta!r}, {rounded_down(rho)!r}}},")

    print("// rho, delta, epsilon rounded up")
    for rho, delta in [
        (0.1, 1e-6), (0.5, 1e-6), (1.0, 1e-10), (1e-3, 1e-5), (10.0, 1e-9), (0.5, 0.1), (1.0, 1e-300), (1e-8, 1e-300),
        (1e-100, 1e-60), (1e5, 1e-6), (200.0, 0.999),
    ]:
        epsilon = boundary(lambda e: delta_of(rho, e) > mpf(delta), "1e-330", "1e12")
        print(f"{{{rho!r}, {delta!r}, {rounded_up(epsilon)!r}}},")


if __name__ == "__main__":
    main()
