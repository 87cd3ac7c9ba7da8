// Gaussian noise on a symmetric integer matrix, which is stored as its packed upper triangle: entry
// (i, j), i <= j, at j (j + 1) / 2 + i.
#pragma once

#include <span>

#include "dpcov/random.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov {

/// How the noise of scale s is spread over the upper triangle; entries are independent.
enum class NoiseLaw {
    wigner,     ///< every entry has variance s^2 (Dong, Liang, Yi 2022, GaussCov)
    isotropic,  ///< diagonal s^2, off-diagonal s^2 / 2: the density depends on the Frobenius norm
                ///< of the symmetric matrix alone (docs/privacy.md)
};

/// The noise of the diagonal and of the rest; both lie on one grid.
struct SymmetricNoise {
    GaussianNoise diagonal;
    GaussianNoise off_diagonal;
};

/// The law at scale s (lattice units, as gaussian_noise takes them). The off-diagonal deviation of
/// the isotropic law is s / sqrt(2) rounded up, by less than one part in 2^63.
[[nodiscard]] SymmetricNoise symmetric_noise(NoiseLaw law, double s);

/// Adds fresh noise in place. `packed` has d (d + 1) / 2 entries for some d.
void add_symmetric_gaussian(RandomSource& random, std::span<Int128> packed,
                            const SymmetricNoise& noise);

}  // namespace dpcov
