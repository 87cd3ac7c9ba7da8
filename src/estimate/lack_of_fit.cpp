#include "estimate/lack_of_fit.hpp"

#include <algorithm>

#include "estimate/risk.hpp"

namespace dpcov::detail {

double nearest_multiple(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& prior) {
    return std::max(0.0, matrix.cwiseProduct(prior).sum() / prior.squaredNorm());
}

bool prior_fits(const NoisyStratum& stratum, const Eigen::MatrixXd& prior, double rows,
                NoiseShape noise, const Tuning& tuning) {
    const Eigen::Index d = prior.rows();
    const double multiple = nearest_multiple(stratum.matrix, prior);
    const double lack = (stratum.matrix - multiple * prior).squaredNorm() -
                        stratum.noise_variance * degrees_of_freedom(d);
    // Rows of squared norms t in all, each at most r^2, and of second moment A / t: |A - E A|^2 is
    // t r^2 (1 - |A|^2 / t^2) at most on average.
    const double trace = prior.trace();
    const double sampling = multiple * trace * stratum.radius * stratum.radius / rows *
                            std::max(0.0, 1.0 - prior.squaredNorm() / (trace * trace));
    return lack <=
           tuning.sampling_errors_allowed * sampling +
               tuning.lack_of_fit_z * stratum.noise_variance * stein_deviation(d, noise, tuning);
}

}  // namespace dpcov::detail
