#include "mechanism/priv_radius.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanism/sparse_vector.hpp"

namespace dpcov::detail {

std::uint64_t finest_exponent(const CountedMoment& moment) {
    return moment.secret.layout().columns * static_cast<std::uint64_t>(moment.rows.value);
}

std::uint64_t private_radius(const CountedMoment& moment, Epsilon epsilon, double beta,
                             RandomSource& random) {
    const std::uint64_t finest = finest_exponent(moment);
    constexpr auto strata = static_cast<std::uint64_t>(SecretMoment::strata);
    // Less the rows outside each ball, the smallest first. Balls too small for any stratum hold the
    // zero rows and no others.
    Int128 outside = -Int128{moment.secret.zero_rows()};
    for (int k = 0; k < SecretMoment::strata; ++k) {
        outside += moment.secret.stratum(k).rows;
    }
    std::vector<QueryRun> counts;
    if (finest >= strata) {
        counts.push_back({-outside, finest - strata + 1});
    }
    outside += moment.secret.zero_rows();
    for (std::uint64_t j = strata; j-- > 0;) {
        outside -= moment.secret.stratum(static_cast<int>(j)).rows;
        if (j <= finest) {
            counts.push_back({-outside, 1});
        }
    }
    const double slack =
        6.0 / epsilon.value() * std::log(2.0 * (static_cast<double>(finest) + 1.0) / beta);
    const auto threshold = -static_cast<Int128>(std::ceil(std::fmin(slack, 0x1p62)));
    const auto found = above_threshold(counts, threshold, 1, epsilon, random);
    return found ? finest - *found : 0;
}

}  // namespace dpcov::detail
