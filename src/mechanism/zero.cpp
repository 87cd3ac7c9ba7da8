#include "mechanism/zero.hpp"

#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

Release zero_cov(const SecretMoment& secret, const Budget& /*budget*/,
                 const ReleaseOptions& options, RandomSource& /*random*/) {
    const auto d = static_cast<Eigen::Index>(secret.layout().columns);
    Release release;
    describe_rows(release, secret.layout());
    release.covariance = Eigen::MatrixXd::Zero(d, d);
    if (options.center) {
        release.mean = Eigen::VectorXd::Zero(d);
    }
    if (options.neighbours == Neighbours::replace) {
        release.rows = secret.rows();
    }
    return release;
}

}  // namespace dpcov::detail
