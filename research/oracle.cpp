#include "research/oracle.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/wishart_cov.hpp"

namespace dpcov::research {

detail::NoisyMatrix noisy_whole(const detail::CountedMoment& moment, Rho rho,
                                RandomSource& random) {
    return detail::noisy_second_moment(moment, 0, rho, NoiseLaw::isotropic, random);
}

detail::NoisyMatrix noisy_whole(const detail::CountedMoment& moment, Epsilon epsilon,
                                RandomSource& random) {
    return detail::wishart_covariance(moment, 0, epsilon, random);
}

double oracle_error(const Eigen::MatrixXd& noisy, const Eigen::MatrixXd& truth) {
    const Eigen::MatrixXd vectors = detail::eigen_decomposition(noisy).vectors;
    const double kept = (truth * vectors).cwiseProduct(vectors).colwise().sum().squaredNorm();
    return std::sqrt(std::max(0.0, truth.squaredNorm() - kept));
}

}  // namespace dpcov::research
