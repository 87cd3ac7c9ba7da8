// What the noise makes of an eigenvalue.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "derive/noisy_covariance.hpp"

namespace dpcov::detail {

/// The k-th eigenvalue of the table's own covariance, from those of the noisy one.
struct Eigenvalue {
    double value = 0.0;   ///< without what the noise adds to it on average
    double mixing = 0.0;  ///< sum of the squared angles by which the noise turns its eigenvector
    double turned = 0.0;  ///< variance of what the noise adds to it by that
    double louder = 1.0;  ///< how much more noise there may be along the table's own eigenvector

    /// Of the value, if the noise along the noisy eigenvector has variance `along`. Where all units
    /// are the same the two that are compared are, too, and nothing is louder.
    [[nodiscard]] double variance(double along) const {
        return along * louder * louder + std::fmax(along * mixing, turned);
    }
};

/// To second order, l_k = lambda_k + sum_j var(v_k^T N v_j) / (l_k - l_j): for one eigenvalue above
/// a bulk this is the spiked model's bias. Columns have `units`; `eigen` is of the noisy covariance
/// in them. Infinitely mixed where another eigenvalue is too near to be told apart.
[[nodiscard]] Eigenvalue debiased(const NoisyCovariance& noisy, const Eigen::VectorXd& units,
                                  const EigenDecomposition& eigen, Eigen::Index k);

}  // namespace dpcov::detail
