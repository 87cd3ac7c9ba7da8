#include "mechanism/centered.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "dpcov/error.hpp"
#include "estimate/covariance_estimate.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

// c of the mean's share c / (1 + c), which makes the sum of the two errors' squares least, for a
// mean of norm B and the matrix released with isotropic noise: both fall with rho, or with
// epsilon^2.
double mean_weight(std::size_t d, Rho /*budget*/) {
    return std::sqrt(8.0 / static_cast<double>(d));
}
double mean_weight(std::size_t d, Epsilon /*budget*/) {
    const double order = static_cast<double>(d) + 1.0;
    return std::cbrt(16.0 / (order * order));
}

Sensitivity sensitivity_of_sum(Neighbours neighbours, std::size_t d) {
    const double l2 = sum_sensitivity(neighbours, d);
    // In l1 at most sqrt(d) times l2.
    return {.l1 = std::sqrt(static_cast<double>(d)) * l2 * (1.0 + 0x1p-50), .l2 = l2};
}

template <class Share>
Release centered_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                        RandomSource& random, const UncenteredRelease& second_moment) {
    if (options.clip && *options.clip != secret.layout().norm_bound) {
        throw UsageError(
            "centring needs the mean of the rows as clipped: make the moment with the clipping "
            "norm as its norm bound");
    }
    const std::size_t d = secret.layout().columns;
    const double balance = mean_weight(d, budget);
    const auto sixty_fourths =
        static_cast<unsigned>(std::clamp(std::round(64.0 * balance / (1.0 + balance)), 1.0, 63.0));
    BudgetMeter<Share> meter(budget);
    const Share mean_part =
        meter.spend("mean", budget.share(sixty_fourths, 6), Noise<Share>::name() + " on the mean");

    // First, so that what it refuses is refused before anything is drawn. It counts the rows.
    ReleaseOptions uncentered = options;
    uncentered.center = false;
    Release release = second_moment(budget.share(64 - sixty_fourths, 6), uncentered);

    std::vector<Int128> sum = row_sum(secret);
    const Noise<Share> noise(sensitivity_of_sum(options.neighbours, d), mean_part);
    noise.add_to(sum, random);
    const std::uint64_t rows = release.rows ? release.rows.value() : release.noisy_rows.value();
    const double unit = std::ldexp(secret.layout().norm_bound, -44) / static_cast<double>(rows);
    Eigen::VectorXd mean(static_cast<Eigen::Index>(d));
    std::transform(sum.begin(), sum.end(), mean.begin(),
                   [unit](Int128 value) { return static_cast<double>(value) * unit; });

    release.stages.insert(release.stages.begin(), {meter.stages()[0].name, meter.stages()[0].spent,
                                                   meter.stages()[0].what});
    release.statistics.mean = mean;
    release.statistics.mean_noise_scale = noise.deviation() * unit;
    release.covariance = centered_estimate(
        release.covariance, mean, release.statistics.mean_noise_scale, secret.layout().norm_bound);
    release.estimated_frobenius_error.reset();
    release.worse_than_zero = false;
    release.mean = mean;
    return release;
}

}  // namespace

Release centered(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
                 RandomSource& random, const UncenteredRelease& second_moment) {
    return std::visit(
        [&](auto share) { return centered_within(secret, share, options, random, second_moment); },
        budget);
}

}  // namespace dpcov::detail
