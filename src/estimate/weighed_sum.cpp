#include "estimate/weighed_sum.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "estimate/risk.hpp"
#include "estimate/truncated_normal.hpp"

namespace dpcov::detail {
namespace {

// In deviations of its noise, what the squared norm of a sum must exceed it by before its shape is
// known, and its trace before it is believed to have one.
constexpr double least_z_of_shape = 4.0;
constexpr double least_z_of_trace = 2.0;
// By how many deviations of its noise what a summand has of its own must show.
constexpr double least_z_of_own = 3.0;

double deviation_of_trace(const NoisySummand& summand) {
    return std::sqrt(summand.noise_variance * static_cast<double>(summand.matrix.rows()));
}

// r of M = r P, of P + N_P and Y = M + N.
struct Multiple {
    double r;
    double variance;
};

std::optional<Multiple> multiple_of(const NoisySummand& sum, const NoisySummand& next) {
    const double p = sum.noise_variance;
    const double y = next.noise_variance;
    const double coordinates = degrees_of_freedom(sum.matrix.rows());
    // Where P is plain to see, by what Y has along it.
    const double squared_norm = sum.matrix.squaredNorm() - p * coordinates;
    if (squared_norm > least_z_of_shape * p * std::sqrt(2.0 * coordinates)) {
        const double along = sum.matrix.cwiseProduct(next.matrix).sum() / squared_norm;
        const double r = positive_mean(along, std::sqrt(y / squared_norm));
        return Multiple{r, (y + r * r * p) / squared_norm};
    }
    const double trace = sum.matrix.trace();
    if (!(trace > least_z_of_trace * deviation_of_trace(sum))) {
        return std::nullopt;
    }
    // Else by the traces. Then M may have something of its own in the direction that P is longest
    // in, as much of it as chance may hide.
    const double r = positive_mean(next.matrix.trace() / trace, deviation_of_trace(next) / trace);
    return Multiple{
        r, (std::pow(deviation_of_trace(next), 2) + std::pow(r * deviation_of_trace(sum), 2) +
            (y + r * r * p) * std::sqrt(2.0 * coordinates)) /
               (trace * trace)};
}

// Estimates P + M from P + N_P, whose noise has variance p, and M + N, whose noise has variance y.
// If M is r P, then (1 + (1 - l) r) (P + N_P) + l (M + N) is unbiased for every l; its noise has
// variance (1 + (1 - l) r)^2 p + l^2 y. What M has beside r P, of variance q in each coordinate,
// adds (1 - l)^2 q. The l below makes the sum of these least.
NoisySummand with(NoisySummand sum, const NoisySummand& next) {
    const std::optional<Multiple> multiple = multiple_of(sum, next);
    if (!multiple) {
        sum.matrix += next.matrix;
        sum.noise_variance += next.noise_variance;
        return sum;
    }
    const double r = multiple->r;
    const double p = sum.noise_variance;
    const double y = next.noise_variance;
    const double coordinates = degrees_of_freedom(sum.matrix.rows());
    const double seen = (next.matrix - r * sum.matrix).squaredNorm() / coordinates;
    const double noise = y + r * r * p;
    const bool shows = seen > noise * (1.0 + least_z_of_own * std::sqrt(2.0 / coordinates));
    const double q = shows ? seen - noise : 0.0;
    const double l = std::fmin((r * (1.0 + r) * p + q) / (r * r * p + y + q), (1.0 + r) / r);
    const double of_sum = 1.0 + (1.0 - l) * r;
    // How much longer the sum gets by it is as uncertain as r is.
    sum.factor_variance =
        (of_sum * of_sum * sum.factor_variance + (1.0 - l) * (1.0 - l) * multiple->variance) /
        ((1.0 + r) * (1.0 + r));
    sum.matrix = of_sum * sum.matrix + l * next.matrix;
    const double lacking = (1.0 - l) * (1.0 - l) * q;
    sum.noise_variance = of_sum * of_sum * p + l * l * y + lacking;
    sum.lacking_variance = of_sum * of_sum * sum.lacking_variance + lacking;
    return sum;
}

}  // namespace

NoisySummand weighed_sum(std::vector<NoisySummand> summands) {
    std::stable_sort(summands.begin(), summands.end(),
                     [](const NoisySummand& a, const NoisySummand& b) {
                         return a.noise_variance < b.noise_variance;
                     });
    NoisySummand sum = std::move(summands.front());
    for (std::size_t k = 1; k < summands.size(); ++k) {
        sum = with(std::move(sum), summands[k]);
    }
    return sum;
}

}  // namespace dpcov::detail
