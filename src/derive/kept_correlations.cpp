#include "derive/kept_correlations.hpp"

#include <cmath>
#include <optional>

#include "derive/column_units.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"

namespace dpcov::detail {
namespace {

// Deviations of the noise that is left in a variance, at which half is kept, and how steep the
// factor is there. Chosen on 17 tables (docs/research-log.md#doubtful-variances).
constexpr double noise_at_half = 2.0;
constexpr double steepness = 4.0;

double noise_variance_of_entry(const NoisyCovariance& noisy, Eigen::Index i, Eigen::Index j) {
    return linear_function(noisy, i, j,
                           i == j ? PairWeights{.ii = 1.0} : PairWeights{.ij = 0.5})
        .variance;
}

// Of the noise's size, the part that the estimate still has. An estimate that is w times what was
// seen, where all is noise, differs from it by 1 - w of the noise. One that knows better, by its
// shape or by other strata, differs by all of the noise.
double share_left(const NoisyCovariance& noisy, const Eigen::MatrixXd& estimate) {
    double difference = 0.0;
    double noise = 0.0;
    for (Eigen::Index j = 0; j < noisy.columns(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            difference += std::pow(estimate(i, j) - noisy.matrix(i, j), 2);
            noise += noise_variance_of_entry(noisy, i, j);
        }
    }
    return std::fmax(0.0, 1.0 - std::sqrt(difference / noise));
}

}  // namespace

Eigen::VectorXd kept_of_correlations(const Release& release) {
    Eigen::VectorXd kept = Eigen::VectorXd::Ones(release.covariance.rows());
    std::optional<NoisyCovariance> noisy = weighed_covariance(release);
    if (!noisy) {
        return kept;
    }
    noisy->relative_rows_variance = 0.0;  // a factor on all of it cancels out in correlations
    const Eigen::MatrixXd estimate = covariance_as_summed(release);
    const double share = share_left(*noisy, estimate);
    for (Eigen::Index j = 0; j < kept.size(); ++j) {
        const double noise = share * std::sqrt(noise_variance_of_entry(*noisy, j, j));
        const double doubt = noise_at_half * noise / estimate(j, j);
        kept[j] = estimate(j, j) > 0.0 ? 1.0 / (1.0 + std::pow(doubt, steepness)) : 0.0;
    }
    return kept;
}

}  // namespace dpcov::detail
