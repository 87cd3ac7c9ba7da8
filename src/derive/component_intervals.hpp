// Intervals of what principal components explain.
#pragma once

#include <Eigen/Core>

#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"

namespace dpcov::detail {

/// Sets standard errors and intervals of variances and of their shares, of as many components as
/// there are. Statistics have `units` (units_of_statistics).
void set_intervals(PrincipalComponents& result, const Release& release,
                   const NoisyCovariance& noisy, const Eigen::VectorXd& units, double level);

}  // namespace dpcov::detail
