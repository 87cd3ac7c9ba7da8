#include "derive/component_directions.hpp"

#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/in_units.hpp"
#include "derive/column_units.hpp"
#include "derive/correlation_matrix.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/risk.hpp"
#include "mechanism/catalogue.hpp"

namespace dpcov::detail {
namespace {

// Of the noisy covariance in the estimate, beside its norm: where the estimate says nothing of
// directions, the noisy covariance does.
constexpr double tie_break = 1e-9;

// In deviations of the noise, how much a column is guessed to vary that could vary by 1
// (docs/research-log.md#guessed-components).
constexpr double deviations_guessed = 3.0;

// Rows: unit vectors; in each, the entry of greatest size is positive.
Eigen::MatrixXd leading_rows(const EigenDecomposition& eigen) {
    Eigen::MatrixXd rows = eigen.vectors.rowwise().reverse().transpose();
    for (auto row : rows.rowwise()) {
        Eigen::Index greatest = 0;
        row.cwiseAbs().maxCoeff(&greatest);
        if (row[greatest] < 0.0) {
            row = -row.eval();
        }
    }
    return rows;
}

// What the noise is expected to leave of it (James and Stein).
double kept_of(const NoisyCovariance& noisy) {
    const double noise = noisy.noise_variance * degrees_of_freedom(noisy.columns());
    const double size = noisy.matrix.squaredNorm();
    return noise < size ? 1.0 - noise / size : 0.0;
}

// Of a covariance that is zero, in units of the statistics: what it was before it was multiplied by
// zero, since noise is most of it, and the noisy one, without what is below zero. That one is
// told least by its noise, but knows few directions; this one knows all.
Eigen::MatrixXd before_zero(const Release& release, const NoisyCovariance& noisy) {
    const EigenDecomposition eigen = eigen_decomposition(noisy.matrix);
    Eigen::MatrixXd all =
        eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
    if (release.centered && is_of_strata(release)) {
        const Eigen::MatrixXd matrix = estimate_of_strata(release.statistics, noisy.columns(),
                                                          release.norm_bound, Length::noisy)
                                           .covariance;
        if (!matrix.isZero(0.0)) {
            return matrix + kept_of(noisy) * all;
        }
    }
    return all;
}

// Whatever the release tells, columns vary by about as much as its noise hides, in proportion to
// what their bounds and means allow: those of great units come first where it tells nothing, not
// those that noise happened to raise, and those whose mean is near a bound come later.
Eigen::MatrixXd guess_at_covariance(const Release& release,
                                    const std::optional<NoisyCovariance>& noisy,
                                    const Eigen::VectorXd& units) {
    const Eigen::VectorXd possible = possible_variances(release);
    if (!noisy) {
        return units.cwiseAbs2().cwiseProduct(possible).asDiagonal();
    }
    Eigen::MatrixXd matrix = before_zero(release, *noisy);
    matrix.diagonal() += deviations_guessed * std::sqrt(noisy->noise_variance) * possible;
    return in_units(matrix, units);
}

// The same of correlations, for which all columns are alike.
Eigen::MatrixXd guess_at_correlations(const Release& release,
                                      const std::optional<NoisyCovariance>& noisy) {
    if (!noisy) {
        const Eigen::Index d = release.covariance.rows();
        return Eigen::MatrixXd::Identity(d, d);
    }
    Eigen::MatrixXd matrix = before_zero(release, *noisy);
    matrix.diagonal().array() += deviations_guessed * std::sqrt(noisy->noise_variance);
    return standardized(matrix);
}

EigenDecomposition leading_eigenvectors(const Release& release, ComponentsOf of,
                                        const Eigen::MatrixXd& estimate,
                                        const std::optional<NoisyCovariance>& noisy,
                                        const Eigen::VectorXd& units, Eigen::Index count) {
    if (estimate.isZero(0.0)) {
        return greatest_eigenvectors(of == ComponentsOf::correlation
                                         ? guess_at_correlations(release, noisy)
                                         : guess_at_covariance(release, noisy, units),
                                     count);
    }
    if (!noisy) {
        return greatest_eigenvectors(estimate, count);
    }
    const Eigen::MatrixXd raw = in_units(noisy->matrix, units);
    const double norm = raw.norm();
    const double weight = norm > 0.0 ? tie_break * estimate.norm() / norm : 0.0;
    return greatest_eigenvectors(estimate + weight * raw, count);
}

}  // namespace

Eigen::MatrixXd leading_directions(const Release& release, ComponentsOf of,
                                   const Eigen::MatrixXd& estimate,
                                   const std::optional<NoisyCovariance>& noisy,
                                   const Eigen::VectorXd& units, Eigen::Index count) {
    return leading_rows(leading_eigenvectors(release, of, estimate, noisy, units, count));
}

}  // namespace dpcov::detail
