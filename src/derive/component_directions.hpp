// The directions of principal components.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// The first directions of the estimate, in `units`, as rows of norm one, in each of which the
/// entry of greatest size is positive. Where the estimate is zero, of a guess at what it is an
/// estimate of: of what `noisy` tells, if it does, and else by the units.
[[nodiscard]] Eigen::MatrixXd leading_directions(const Release& release, ComponentsOf of,
                                                 const Eigen::MatrixXd& estimate,
                                                 const std::optional<NoisyCovariance>& noisy,
                                                 const Eigen::VectorXd& units, Eigen::Index count);

}  // namespace dpcov::detail
