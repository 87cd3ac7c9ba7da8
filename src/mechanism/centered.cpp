#include "mechanism/centered.hpp"

#include <cmath>
#include <variant>

#include "estimate/about_mean.hpp"
#include "estimate/covariance_estimate.hpp"
#include "mechanism/mean_within_bounds.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/rough_mean.hpp"
#include "privacy/budget_cut.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// c of the mean's share c / (1 + c), which makes the sum of the two errors' squares least, for a
// mean of norm B and the matrix released with isotropic noise: both fall with rho, or with
// epsilon^2.
double share_weight(std::size_t d, Rho /*budget*/) {
    return std::sqrt(8.0 / static_cast<double>(d));
}
double share_weight(std::size_t d, Epsilon /*budget*/) {
    const double order = static_cast<double>(d) + 1.0;
    return std::cbrt(16.0 / (order * order));
}

template <class Share>
Release centered_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                        RandomSource& random, const UncenteredRelease& second_moment) {
    require_sum_of_rows(options, secret.layout());
    const std::size_t d = secret.layout().columns;
    const double balance = share_weight(d, budget);
    const auto [for_mean, rest] = cut(budget, balance / (1.0 + balance), 63);
    BudgetMeter<Share> meter(budget);
    const Share mean_part = meter.spend("mean", for_mean, Noise<Share>::name() + " on the mean");

    // First, so that what it refuses is refused before anything is drawn. It counts the rows.
    ReleaseOptions uncentered = options;
    uncentered.center = false;
    Release release = second_moment(secret, rest, uncentered, random);

    const std::uint64_t rows = release.rows ? release.rows.value() : release.noisy_rows.value();
    const NoisyMean mean =
        noisy_mean(secret, options.neighbours, static_cast<double>(rows), mean_part, random);
    release.stages.insert(release.stages.begin(), {meter.stages()[0].name, meter.stages()[0].spent,
                                                   meter.stages()[0].what});
    release.statistics.mean = mean.mean;
    release.statistics.mean_noise_scale = mean.deviation;
    const Eigen::MatrixXd about = about_mean(release.covariance, mean);
    release.covariance = clamped(about, secret.layout().norm_bound);
    release.worse_than_zero =
        release.estimated_frobenius_error &&
        is_far_from_zero(release.covariance,
                         squared_norm_beyond_noise(
                             about, mean, std::pow(*release.estimated_frobenius_error, 2)));
    release.estimated_frobenius_error.reset();
    release.hidden_rows_error.reset();
    release.mean = mean_within_bounds(mean.mean, mean.deviations(), release);
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
