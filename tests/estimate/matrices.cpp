#include "matrices.hpp"

#include <Eigen/QR>

namespace dpcov::test {

Eigen::MatrixXd with_spectrum(const Eigen::VectorXd& values, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    const Eigen::Index d = values.size();
    const Eigen::MatrixXd gaussian =
        Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
    const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(gaussian).householderQ();
    return q * values.asDiagonal() * q.transpose();
}

}  // namespace dpcov::test
