#include "mechanism/priv_radius.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechanism/sparse_vector.hpp"

namespace dpcov::detail {

std::uint64_t finest_exponent(const SecondMoment& secret) {
    return secret.layout().dimension * secret.rows();
}

std::uint64_t private_radius(const SecondMoment& secret, Epsilon epsilon, double beta,
                             RandomSource& random) {
    const std::uint64_t finest = finest_exponent(secret);
    constexpr auto strata = static_cast<std::uint64_t>(SecondMoment::strata);
    std::vector<QueryRun> counts;
    // Balls too small for any stratum hold the zero rows and no others.
    if (finest >= strata) {
        counts.push_back({Int128{secret.zero_rows()}, finest - strata + 1});
    }
    Int128 inside = 0;
    for (std::uint64_t j = strata; j-- > 0;) {
        inside += secret.stratum(static_cast<int>(j)).rows;
        if (j <= finest) {
            counts.push_back({inside, 1});
        }
    }
    const double slack =
        6.0 / epsilon.value() * std::log(2.0 * (static_cast<double>(finest) + 1.0) / beta);
    const auto threshold =
        Int128{secret.rows()} - static_cast<Int128>(std::ceil(std::fmin(slack, 0x1p62)));
    const auto found = above_threshold(counts, threshold, 1, epsilon, random);
    return found ? finest - *found : 0;
}

}  // namespace dpcov::detail
