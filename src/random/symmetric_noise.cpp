#include "random/symmetric_noise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace dpcov {
namespace {

// Hands out the entries of each column: those above the diagonal, then the diagonal one.
template <class OffDiagonal, class Diagonal>
void for_each_column(std::span<Int128> packed, const OffDiagonal& off_diagonal,
                     const Diagonal& diagonal) {
    for (std::size_t j = 0; !packed.empty(); ++j) {
        off_diagonal(packed.first(j));
        diagonal(packed[j]);
        packed = packed.subspan(j + 1);
    }
}

}  // namespace

SymmetricNoise symmetric_noise(NoiseLaw law, double s) {
    if (law == NoiseLaw::wigner) {
        const GaussianNoise noise = gaussian_noise(s);
        return {noise, noise};
    }
    // The finer of the two grids serves both.
    const int grid_log2 =
        std::min(gaussian_grid_log2(s), gaussian_grid_log2(s / std::numbers::sqrt2));
    return {gaussian_noise(s, grid_log2), gaussian_noise_over_sqrt2(s, grid_log2)};
}

void add_symmetric_gaussian(RandomSource& random, std::span<Int128> packed,
                            const SymmetricNoise& noise) {
    for_each_column(
        packed,
        [&](std::span<Int128> entries) { add_gaussian(random, entries, noise.off_diagonal); },
        [&](Int128& entry) { entry = add_gaussian(random, entry, noise.diagonal); });
}

SymmetricLaplaceNoise symmetric_laplace_noise(NoiseLaw law, double b) {
    const LaplaceScale scale = laplace_scale(b);
    if (law == NoiseLaw::wigner) {
        return {scale, scale};
    }
    // The double below the root of two, and an ulp for the division's rounding.
    constexpr double below_sqrt2 = 0x1.6a09e667f3bccp0;
    return {scale, laplace_scale(
                       std::nextafter(b / below_sqrt2, std::numeric_limits<double>::infinity()))};
}

void add_symmetric_laplace(RandomSource& random, std::span<Int128> packed,
                           const SymmetricLaplaceNoise& noise) {
    for_each_column(
        packed,
        [&](std::span<Int128> entries) {
            add_discrete_laplace(random, entries, noise.off_diagonal);
        },
        [&](Int128& entry) { entry += discrete_laplace(random, noise.diagonal); });
}

}  // namespace dpcov
