#include "sparse_vector_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dpcov::test {
namespace {

// P(X >= x) of a discrete Laplace variable.
long double tail(long double x, long double scale) {
    const long double norm = 1.0L + std::exp(-1.0L / scale);
    return x > 0.0L ? std::exp(-x / scale) / norm : 1.0L - std::exp((x - 1.0L) / scale) / norm;
}

// P(X < x), without the cancellation.
long double below(long double x, long double scale) {
    return tail(1.0L - x, scale);
}

}  // namespace

std::vector<long double> sparse_vector_law(const std::vector<std::int64_t>& queries,
                                           std::int64_t threshold, long double threshold_scale,
                                           long double query_scale) {
    std::vector<long double> law(queries.size() + 1);
    const auto reach = static_cast<std::int64_t>(std::ceil(60.0L * threshold_scale));
    const long double ratio = threshold_scale > 0.0L ? std::exp(-1.0L / threshold_scale) : 0.0L;
    if (queries.empty()) return {1.0L};
    // The chances of every gap between a query and the noisy threshold, once.
    const auto [least, most] = std::minmax_element(queries.begin(), queries.end());
    const std::int64_t first_gap = threshold - reach - *most;
    std::vector<long double> reached;
    std::vector<long double> missed;
    for (std::int64_t gap = first_gap; gap <= threshold + reach - *least; ++gap) {
        reached.push_back(tail(static_cast<long double>(gap), query_scale));
        missed.push_back(below(static_cast<long double>(gap), query_scale));
    }
    for (std::int64_t noise = -reach; noise <= reach; ++noise) {
        const long double chance = (1.0L - ratio) / (1.0L + ratio) *
                                   std::pow(ratio, static_cast<long double>(std::abs(noise)));
        long double silence = chance;  // and no query so far
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const auto gap = static_cast<std::size_t>(threshold + noise - queries[i] - first_gap);
            law[i] += silence * reached[gap];
            silence *= missed[gap];
        }
        law.back() += silence;
    }
    return law;
}

long double privacy_loss(const std::vector<long double>& p, const std::vector<long double>& q) {
    long double loss = 0.0L;
    for (std::size_t i = 0; i < p.size(); ++i) {
        loss = std::max(loss, std::abs(std::log(p[i] / q[i])));
    }
    return loss;
}

}  // namespace dpcov::test
