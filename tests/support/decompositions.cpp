#include "support/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dpcov::test {

EigenPairs eigen_pairs(const Eigen::MatrixXd& symmetric) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd spectrum(const Eigen::MatrixXd& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
        .eigenvalues();
}

LongVector long_spectrum(LongMatrix a) {
    const Eigen::Index d = a.rows();
    for (int sweep = 0; sweep < 60; ++sweep) {
        long double off = 0;
        for (Eigen::Index q = 1; q < d; ++q) {
            for (Eigen::Index p = 0; p < q; ++p) {
                off += a(p, q) * a(p, q);
                if (a(p, q) == 0) {
                    continue;
                }
                const long double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
                const long double t =
                    (theta < 0 ? -1.0L : 1.0L) / (std::fabs(theta) + std::sqrt(1 + theta * theta));
                const long double c = 1 / std::sqrt(1 + t * t);
                const long double s = t * c;
                const LongVector column_p = c * a.col(p) - s * a.col(q);
                a.col(q) = s * a.col(p) + c * a.col(q);
                a.col(p) = column_p;
                const Eigen::Matrix<long double, 1, Eigen::Dynamic> row_p =
                    c * a.row(p) - s * a.row(q);
                a.row(q) = s * a.row(p) + c * a.row(q);
                a.row(p) = row_p;
            }
        }
        if (off <= 0x1p-130L * a.diagonal().squaredNorm()) {
            LongVector values = a.diagonal();
            std::sort(values.begin(), values.end());
            return values;
        }
    }
    throw std::runtime_error("Jacobi's rotations did not converge");
}

Eigen::VectorXd solution(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
    return a.ldlt().solve(b);
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& matrix) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(matrix).householderQ();
}

}  // namespace dpcov::test
