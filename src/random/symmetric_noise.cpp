#include "random/symmetric_noise.hpp"

#include <algorithm>
#include <numbers>

namespace dpcov {

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
    // Column j holds its j entries above the diagonal, then the diagonal.
    for (std::size_t j = 0; !packed.empty(); ++j) {
        add_gaussian(random, packed.first(j), noise.off_diagonal);
        packed[j] = add_gaussian(random, packed[j], noise.diagonal);
        packed = packed.subspan(j + 1);
    }
}

}  // namespace dpcov
