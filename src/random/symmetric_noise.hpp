// Gaussian or Laplace noise on a symmetric integer matrix, which is stored as its packed upper
// triangle: entry (i, j), i <= j, at j (j + 1) / 2 + i.
#pragma once

#include <span>

#include "random/discrete_laplace.hpp"
#include "random/random_source.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov {

/// How the noise of scale s is spread over the upper triangle; entries are independent. The scale
/// is a Gaussian's standard deviation, or a Laplace law's scale.
enum class NoiseLaw {
    wigner,     ///< every entry has scale s (Dong, Liang, Yi 2022, GaussCov and LapCov)
    isotropic,  ///< s on the diagonal, s / sqrt(2) off it: the same scale in every coordinate of
                ///< (A_ii, sqrt(2) A_ij), in which the Euclidean norm is the Frobenius norm
                ///< (docs/privacy.md)
};

/// Gaussian noise of the diagonal and of the rest; both lie on one grid.
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

/// Laplace noise of the diagonal and of the rest, on the lattice itself.
struct SymmetricLaplaceNoise {
    LaplaceScale diagonal;
    LaplaceScale off_diagonal;
};

/// The law at scale b (lattice units, as laplace_scale takes them). The off-diagonal scale of the
/// isotropic law is b / sqrt(2) rounded up, by less than two parts in 2^52.
[[nodiscard]] SymmetricLaplaceNoise symmetric_laplace_noise(NoiseLaw law, double b);

/// Adds fresh noise in place. `packed` has d (d + 1) / 2 entries for some d.
void add_symmetric_laplace(RandomSource& random, std::span<Int128> packed,
                           const SymmetricLaplaceNoise& noise);

}  // namespace dpcov
