#include "mechanism/priv_radius.hpp"

#include <cmath>
#include <vector>

#include "mechanism/sparse_vector.hpp"

namespace dpcov::detail {

namespace {

// Far beyond what can be counted; keeps products within 64 bits.
constexpr double no_more = 0x1p62;

}  // namespace

std::uint64_t finest_exponent(const CountedMoment& moment) {
    const auto columns = static_cast<double>(moment.secret.layout().columns);
    return static_cast<std::uint64_t>(std::fmin(columns * moment.rows.value, no_more));
}

std::uint64_t finest_radius_exponent(const CountedMoment& moment) {
    const auto columns = static_cast<double>(moment.secret.layout().columns);
    return static_cast<std::uint64_t>(std::fmin(2.0 * columns * moment.rows.value, no_more));
}

std::uint64_t radius_slack(Epsilon epsilon, double beta) {
    const double unit = std::log(2.0 / beta) / epsilon.value();
    return static_cast<std::uint64_t>(
        std::fmin(std::ceil(2.0 * unit) + std::ceil(4.0 * unit), no_more));
}

std::uint64_t private_radius(const CountedMoment& moment, Epsilon epsilon, double beta,
                             RandomSource& random) {
    const std::uint64_t finest = finest_radius_exponent(moment);
    constexpr auto octaves = static_cast<std::uint64_t>(NormBins::octaves);
    // Less the rows outside each ball, the smallest first. Balls too small for any octave hold the
    // zero rows and no others.
    Int128 outside = -Int128{moment.secret.zero_rows()};
    for (int k = 0; k < NormBins::octaves; ++k) {
        outside += moment.secret.rows_in_octave(k);
    }
    std::vector<QueryRun> counts;
    if (finest >= octaves) {
        counts.push_back({-outside, finest - octaves + 1});
    }
    outside += moment.secret.zero_rows();
    for (std::uint64_t j = octaves; j-- > 0;) {
        outside -= moment.secret.rows_in_octave(static_cast<int>(j));
        if (j <= finest) {
            counts.push_back({-outside, 1});
        }
    }
    const auto threshold = -static_cast<Int128>(radius_slack(epsilon, beta));
    const auto found = above_threshold(counts, threshold, 1, epsilon, random);
    return found ? finest - *found : 0;
}

}  // namespace dpcov::detail
