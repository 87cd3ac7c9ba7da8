#include "mechanism/wishart_cov.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "estimate/risk.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/feasible_estimate.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/budget_meter.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {

NoisyMatrix wishart_covariance(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                               RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = clipped_gram(moment.secret, clip_exponent);
    const double scale =
        wishart_noise_scale(gram_nuclear_sensitivity(moment.neighbours, d), epsilon);
    const WishartNoise noise = wishart_noise(scale, d);
    add_wishart(random, entries, noise);

    const double unit = lattice_unit(moment.secret, clip_exponent) / moment.rows.value;
    return {.matrix = symmetric_matrix(entries, d, unit),
            .deviation = wishart_deviation(scale, d) * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

CovarianceEstimate wishart_estimate(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                                    Variant variant, double trace_bound, RandomSource& random) {
    NoisyMatrix noisy = wishart_covariance(moment, clip_exponent, epsilon, random);
    const double tau = std::ldexp(moment.secret.layout().norm_bound, -clip_exponent);
    Statistics statistics = statistics_of(
        moment, NoiseShape::wishart,
        {.radius = tau, .second_moment = noisy.matrix, .noise_scale = noisy.deviation});
    const double squared_noise =
        noisy.deviation * noisy.deviation * degrees_of_freedom(noisy.matrix.rows());
    CovarianceEstimate estimate =
        feasible_estimate(std::move(noisy), variant,
                          {.squared_bound = tau * tau, .trace_bound = trace_bound}, squared_noise);
    estimate.statistics = std::move(statistics);
    return estimate;
}

namespace {

// The mean and, where it is private, the number of rows from the same query as the matrix.
Release centered_release(const SecretMoment& secret, Epsilon epsilon, const ReleaseOptions& options,
                         EpsilonMeter& meter, RandomSource& random) {
    const JointQuery query = joint_query(secret.layout().columns, options, epsilon);
    if (!query.counts) {
        require_rows(secret);
    }
    const Epsilon share = meter.spend("covariance", epsilon, "Wishart noise on " + name_of(query));
    const StratumRows every = whole_rows({{0, secret.norm_bins().size() - 1}});
    NoisySums sums = noisy_sums(secret, options.neighbours, every, query, share, random);
    const CountedMoment moment = counted_by(sums, secret, options.neighbours);
    const double n = moment.rows.value;
    Statistics statistics = statistics_of(moment, NoiseShape::wishart,
                                          sums.take_moment_over(n, secret.layout().norm_bound));
    CovarianceEstimate estimate = feasible_about_mean(statistics.strata[0], options.variant);
    estimate.grid = sums.grid_over(n);
    estimate.statistics = std::move(statistics);
    return make_release(moment, options, meter, std::move(estimate));
}

}  // namespace

Release wishart_cov(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
                    RandomSource& random) {
    const Epsilon epsilon = std::get<Epsilon>(budget);
    EpsilonMeter meter(epsilon);
    if (options.center) {
        return centered_release(secret, epsilon, options, meter, random);
    }
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Epsilon share = meter.spend("covariance", rest, "Wishart noise on the covariance matrix");
    return make_release(moment, options, meter,
                        wishart_estimate(moment, 0, share, options.variant,
                                         std::numeric_limits<double>::infinity(), random));
}

}  // namespace dpcov::detail
