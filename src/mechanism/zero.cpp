#include "mechanism/zero.hpp"

#include "mechanism/release_steps.hpp"

namespace dpcov::detail {

Release zero_cov(const ReleasedRows& rows, const Budget& /*budget*/, const ReleaseOptions& options,
                 RandomSource& /*random*/) {
    const auto d = static_cast<Eigen::Index>(rows->layout().columns);
    Release release;
    describe_rows(release, rows->layout());
    release.covariance = Eigen::MatrixXd::Zero(d, d);
    if (options.center) {
        release.mean = Eigen::VectorXd::Zero(d);
    }
    if (options.neighbours == Neighbours::replace) {
        release.rows = rows->rows();
    }
    return release;
}

}  // namespace dpcov::detail
