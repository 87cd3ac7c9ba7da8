#include "mechanism/zero.hpp"

namespace dpcov::detail {

Release zero_cov(const SecretMoment& secret, const Budget& /*budget*/,
                 const ReleaseOptions& options, RandomSource& random) {
    const auto d = static_cast<Eigen::Index>(secret.layout().columns);
    Release release;
    release.covariance = Eigen::MatrixXd::Zero(d, d);
    release.variant = options.variant;
    release.neighbours = options.neighbours;
    if (options.neighbours == Neighbours::replace) {
        release.rows = secret.rows();
    }
    release.secure_randomness = random.is_secure();
    return release;
}

}  // namespace dpcov::detail
