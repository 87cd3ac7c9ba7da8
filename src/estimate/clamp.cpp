#include "estimate/clamp.hpp"

namespace dpcov::detail {

Eigen::VectorXd clamp_eigenvalues(const Eigen::VectorXd& values, double upper) {
    return values.cwiseMax(0.0).cwiseMin(upper);
}

}  // namespace dpcov::detail
