#include "derive/noisy_eigenvalue.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "arithmetic/eigen_decomposition.hpp"
#include "derive/noisy_covariance.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Of two columns that are far apart: noise of variance s^2 / 2 between them turns an eigenvector by
// an angle of variance s^2 / (2 gap^2), adds s^2 / (2 gap) to the greater eigenvalue on average,
// and that varies as a squared normal variable does, by twice its square.
TEST(NoisyEigenvalue, OfTwoColumnsIsWhatTheNoiseBetweenThemMakesOfIt) {
    constexpr double s = 0.1;
    constexpr double gap = 4.0;
    detail::NoisyCovariance noisy{.matrix = VectorXd::LinSpaced(2, 1.0, 1.0 + gap).asDiagonal(),
                                  .mean = VectorXd::Zero(2),
                                  .noise_variance = s * s};
    const auto eigen = detail::eigen_decomposition(noisy.matrix);
    for (const Index k : {0, 1}) {
        const detail::Eigenvalue own = detail::debiased(noisy, VectorXd::Ones(2), eigen, k);
        const double added = (k == 0 ? -1.0 : 1.0) * 0.5 * s * s / gap;
        EXPECT_NEAR(own.value, eigen.values[k] - added, 1e-12);
        EXPECT_NEAR(own.mixing, 0.5 * s * s / (gap * gap), 1e-12);
        EXPECT_NEAR(own.turned, 2.0 * added * added, 1e-12 * s * s);
        EXPECT_NEAR(own.louder, 1.0, 1e-12);
    }
}

}  // namespace
}  // namespace dpcov
