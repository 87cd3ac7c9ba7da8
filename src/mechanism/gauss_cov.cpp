#include "mechanism/gauss_cov.hpp"

#include <cmath>
#include <utility>

#include "estimate/about_mean.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

NoisyMatrix noisy_second_moment(const CountedMoment& moment, int clip_exponent, Rho rho,
                                NoiseLaw law, RandomSource& random) {
    return noisy_sums(moment.secret, moment.neighbours, clip_exponent, {}, rho, law, random)
        .matrix_over(moment.rows.value);
}

namespace {

// From isotropic noise on all rows: by the shrinkage that strata have, with statistics.
CovarianceEstimate isotropic_estimate(NoisyMoment all_rows, const CountedMoment& moment,
                                      bool counted) {
    CovarianceEstimate estimate = clamped_estimate(all_rows);
    if (counted && estimate.estimated_squared_error) {
        // What the noise adds to the trace it adds to the number of rows too, and so takes away
        // again (docs/privacy.md#estimated-error).
        *estimate.estimated_squared_error -=
            2.0 * std::pow(all_rows.noise_scale / all_rows.radius, 2) * estimate.slope;
    }
    estimate.statistics = statistics_of(moment, NoiseShape::gaussian, std::move(all_rows));
    estimate.statistics.counted_with_strata = counted;
    return estimate;
}

// From noise of one deviation on every entry: as the paper has it, or with its eigenvalues clamped,
// as its code does.
CovarianceEstimate paper_estimate(NoisyMoment all_rows, Variant variant) {
    Eigen::MatrixXd& noisy = all_rows.second_moment;
    const auto d = static_cast<double>(noisy.rows());
    const double squared_noise = all_rows.noise_scale * all_rows.noise_scale * d * d;
    CovarianceEstimate estimate;
    estimate.noisy_trace = noisy.trace();
    if (all_rows.mean.size() > 0) {
        const NoisyAboutMean centered = about_released_mean(all_rows, squared_noise);
        estimate.estimated_squared_norm = centered.squared_norm;
        estimate.covariance = clamped(centered.matrix, all_rows.radius);
        estimate.mean = std::move(all_rows.mean);
        estimate.mean_deviations =
            Eigen::ArrayXd::Constant(noisy.rows(), all_rows.mean_noise_scale);
        return estimate;
    }
    estimate.estimated_squared_norm = noisy.squaredNorm() - squared_noise;
    if (variant == Variant::paper) {
        estimate.estimated_squared_error = squared_noise;
        estimate.covariance = std::move(noisy);
    } else {
        estimate.covariance = clamped(noisy, all_rows.radius);
    }
    return estimate;
}

// From noise on all rows, clipped to tau = 2^-clip_exponent B.
CovarianceEstimate estimate_of(NoisySums sums, const CountedMoment& moment, int clip_exponent,
                               Variant variant) {
    const double n = moment.rows.value;
    const double grid = sums.grid_over(n);
    const bool counted = sums.counted;
    NoisyMoment all_rows =
        sums.take_moment_over(n, std::ldexp(moment.secret.layout().norm_bound, -clip_exponent));
    CovarianceEstimate estimate = noise_law(variant) == NoiseLaw::isotropic
                                      ? isotropic_estimate(std::move(all_rows), moment, counted)
                                      : paper_estimate(std::move(all_rows), variant);
    estimate.grid = grid;
    return estimate;
}

}  // namespace

CovarianceEstimate gauss_estimate(const CountedMoment& moment, int clip_exponent, Rho rho,
                                  Variant variant, RandomSource& random) {
    return estimate_of(noisy_sums(moment.secret, moment.neighbours, clip_exponent, {}, rho,
                                  noise_law(variant), random),
                       moment, clip_exponent, variant);
}

Release gauss_cov(const ReleasedRows& rows, const Budget& budget, const ReleaseOptions& options,
                  RandomSource& random) {
    const SecretMoment& secret = *rows;
    const Rho rho = std::get<Rho>(budget);
    const int clip = clip_exponent(options, secret.layout());
    if (options.center) {
        require_sum_of_rows(options, secret.layout());
    }
    const JointQuery query = joint_query(secret.layout().columns, options, rho);
    RhoMeter meter(rho);
    if (!query.counts) {
        require_rows(secret);
    }
    const Rho share = meter.spend("covariance", rho, "Gaussian noise on " + name_of(query));
    NoisySums sums = noisy_sums(secret, options.neighbours, clip, query, share,
                                noise_law(options.variant), random);
    rows.forget_all();
    const CountedMoment moment = counted_by(sums, secret, options.neighbours);
    return make_release(moment, options, meter,
                        estimate_of(std::move(sums), moment, clip, options.variant));
}

}  // namespace dpcov::detail
