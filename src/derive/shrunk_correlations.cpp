#include "derive/shrunk_correlations.hpp"

#include <cmath>
#include <optional>

#include "arithmetic/in_units.hpp"
#include "derive/column_units.hpp"
#include "derive/correlation_matrix.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {
namespace {

// In deviations of the noise that is left in it, the variance of a column of which half is kept;
// and how steep the factor is there. Chosen on 17 tables (docs/research-log.md#rare-columns).
constexpr double deviations_at_half = 2.0;
constexpr double steepness = 4.0;

// d x d: of each entry of the covariance.
Eigen::MatrixXd noise_variances(const NoisyCovariance& noisy) {
    const Eigen::Index d = noisy.columns();
    Eigen::MatrixXd variances(d, d);
    for (Eigen::Index j = 0; j < d; ++j) {
        variances(j, j) = linear_function(noisy, j, j, {.ii = 1.0}).variance;
        for (Eigen::Index i = 0; i < j; ++i) {
            variances(i, j) = linear_function(noisy, i, j, {.ij = 0.5}).variance;
            variances(j, i) = variances(i, j);
        }
    }
    return variances;
}

// The entries i <= j.
double sum_of_pairs(const Eigen::MatrixXd& symmetric) {
    return 0.5 * (symmetric.sum() + symmetric.trace());
}

// Of the noise's deviation, the part that the estimate still has. What keeps w of everything
// differs by 1 - w of the noise from what was seen. What knows better, by a shape or by single
// strata, differs by all of the noise, or by more. Of that not all may be left by chance: noise may
// be far greater than all that is known well. So the difference is taken to be as great as it may
// be.
double share_left(const Eigen::MatrixXd& estimate, const Eigen::MatrixXd& seen,
                  const Eigen::MatrixXd& variances) {
    constexpr double deviations = 2.0;
    const double difference = sum_of_pairs((estimate - seen).cwiseAbs2()) / sum_of_pairs(variances);
    const double most =
        difference * (1.0 + deviations * std::sqrt(2.0 / degrees_of_freedom(estimate.rows())));
    return std::fmax(0.0, 1.0 - std::sqrt(most));
}

// By its variance alone: the quotient by one that noise has made is noise.
Eigen::ArrayXd kept_by_variance(const Eigen::ArrayXd& variances,
                                const Eigen::ArrayXd& noise_deviations) {
    const Eigen::ArrayXd doubt = deviations_at_half * noise_deviations / variances;
    return (variances > 0.0).select(1.0 / (1.0 + doubt.pow(steepness)), 0.0);
}

// By what the column's correlations are together, beside their noise, all without what they are
// with the column itself. A pair is shrunk by both of its columns: so by half of the noise each.
Eigen::ArrayXd kept_by_row(const Eigen::MatrixXd& correlations, const Eigen::MatrixXd& noise) {
    const auto sums_of_others = [](const Eigen::MatrixXd& matrix) -> Eigen::ArrayXd {
        return (matrix.rowwise().sum() - matrix.diagonal()).cwiseMax(0.0).array();
    };
    const Eigen::ArrayXd squares = sums_of_others(correlations.cwiseAbs2());
    const Eigen::ArrayXd half = 0.5 * sums_of_others(noise);
    return (half > 0.0).select(squares / (squares + half), 1.0);
}

// D R D, and what its diagonal then lacks of 1.
Eigen::MatrixXd times_factors(const Eigen::MatrixXd& correlations, const Eigen::ArrayXd& factors) {
    Eigen::MatrixXd matrix = in_units(correlations, factors.matrix());
    matrix.array() += 0.0;  // no -0
    matrix.diagonal().setOnes();
    return matrix;
}

}  // namespace

Eigen::MatrixXd shrunk_correlations(const Release& release, const ColumnFlags& varies) {
    Eigen::MatrixXd correlations = correlation_of(of_flagged(release.covariance, varies));
    std::optional<NoisyCovariance> noisy = weighed_covariance(release);
    if (!noisy) {
        return correlations;
    }
    noisy->relative_rows_variance = 0.0;  // a factor on all of it cancels out in correlations
    noisy->noise_variance -= noisy->lacking_variance;
    const Eigen::MatrixXd estimate = covariance_as_summed(release);
    const Eigen::MatrixXd noise = noise_variances(*noisy);
    const double left = share_left(estimate, noisy->matrix, noise);
    const Eigen::ArrayXd variances = varies.select(estimate.diagonal().array(), 0.0);
    const Eigen::ArrayXd kept = kept_by_variance(variances, left * noise.diagonal().array().sqrt());
    const Eigen::MatrixXd sure = times_factors(correlations, kept);
    const Eigen::ArrayXd per_unit = (variances > 0.0).select(left * kept.square() / variances, 0.0);
    return times_factors(sure, kept_by_row(sure, in_units(noise, per_unit.matrix())));
}

}  // namespace dpcov::detail
