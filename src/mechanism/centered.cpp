#include "mechanism/centered.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

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
    const auto sixty_fourths =
        static_cast<unsigned>(std::clamp(std::round(64.0 * balance / (1.0 + balance)), 1.0, 63.0));
    BudgetMeter<Share> meter(budget);
    const Share mean_part =
        meter.spend("mean", budget.share(sixty_fourths, 6), Noise<Share>::name() + " on the mean");

    // First, so that what it refuses is refused before anything is drawn. It counts the rows.
    ReleaseOptions uncentered = options;
    uncentered.center = false;
    Release release =
        second_moment(secret, budget.share(64 - sixty_fourths, 6), uncentered, random);

    std::vector<Int128> sum = row_sum(secret);
    const Noise<Share> noise(sum_distance(options.neighbours, d), mean_part);
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
    release.covariance =
        clamped(about_mean(release.covariance, {mean, release.statistics.mean_noise_scale}),
                secret.layout().norm_bound);
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
