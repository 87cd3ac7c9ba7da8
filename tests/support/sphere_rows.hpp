// Rows of one norm in random directions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace dpcov::test {

/// n x d, row-major.
using Rows = std::vector<double>;

/// n rows of the given norm, directions uniform on the sphere. With `decay` below one, coordinate j
/// is first multiplied by decay^j: the smaller, the fewer directions matter.
[[nodiscard]] inline Rows sphere_rows(std::size_t n, std::size_t d, double norm, std::uint64_t seed,
                                      double decay = 1.0) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    Rows rows(n * d);
    for (std::size_t i = 0; i < n; ++i) {
        double squares = 0.0;
        for (std::size_t j = 0; j < d; ++j) {
            const double x = normal(generator) * std::pow(decay, j);
            rows[i * d + j] = x;
            squares += x * x;
        }
        // A hair inside the ball, so that rounding cannot put a row into the next stratum.
        const double factor = norm * (1.0 - 1e-12) / std::sqrt(squares);
        for (std::size_t j = 0; j < d; ++j) {
            rows[i * d + j] *= factor;
        }
    }
    return rows;
}

/// The rows of both.
[[nodiscard]] inline Rows operator+(Rows above, const Rows& below) {
    above.insert(above.end(), below.begin(), below.end());
    return above;
}

}  // namespace dpcov::test
