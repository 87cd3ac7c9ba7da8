#include "mechanism/sparse_vector.hpp"

#include "mechanism/noise_scale.hpp"
#include "random/discrete_laplace.hpp"
#include "random/geometric_run.hpp"

namespace dpcov::detail {

std::optional<std::uint64_t> above_threshold(std::span<const QueryRun> queries, Int128 threshold,
                                             Int128 sensitivity, Epsilon epsilon,
                                             RandomSource& random) {
    const double unit = laplace_noise_scale(static_cast<double>(sensitivity), epsilon);
    const Int128 noisy_threshold = threshold + discrete_laplace(random, laplace_scale(2.0 * unit));
    const LaplaceScale query_scale = laplace_scale(4.0 * unit);
    std::uint64_t first = 0;
    for (const QueryRun& run : queries) {
        if (const auto index =
                geometric_run(random, run.length, query_scale, noisy_threshold - run.value)) {
            return first + *index;
        }
        first += run.length;
    }
    return std::nullopt;
}

}  // namespace dpcov::detail
