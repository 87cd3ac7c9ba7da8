#include "random/bingham.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <utility>

#include "arithmetic/matrix_product.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov {
namespace {

using detail::product;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// N(0, 1), exactly rounded to a multiple of 2^-48: a finer grid would ask for the slow rounding of
// every draw and not for that of one in a hundred.
double standard_normal(RandomSource& random) {
    static const GaussianNoise noise = gaussian_noise(0x1p48, 0);
    return std::ldexp(static_cast<double>(add_gaussian(random, 0, noise)), -48);
}

// Uniform on the centres of 2^53 cells of (0, 1).
double uniform(RandomSource& random) {
    return (static_cast<double>(random.next_word() >> 11) + 0.5) * 0x1p-53;
}

// Omega on the frame, where it is diagonal: b + 2 c (l_max - l_k), with the b > 0 for which the
// inverses add up to q0 / q. At q = q0 that is the best b (Kent, Ganeiber, Mardia 2018, section 3);
// with a few of the q0 dimensions gone it is near the best, and Omega is positive all the same.
VectorXd envelope(const VectorXd& values, double concentration, double q) {
    const VectorXd gaps = 2.0 * concentration * (values.maxCoeff() - values.array());
    const double target = static_cast<double>(values.size()) / q;
    double low = 1.0 / target;  // there the least gap, zero, gives all of the target alone
    double high = q;            // there no inverse is above the mean that the target asks for
    for (int step = 0; step < 40; ++step) {
        const double middle = 0.5 * (low + high);
        ((gaps.array() + middle).inverse().sum() > target ? low : high) = middle;
    }
    return gaps.array() + high;
}

}  // namespace

BinghamSequence::BinghamSequence(detail::EigenDecomposition matrix)
    : frame_(std::move(matrix)), drawn_(frame_.values.size(), frame_.values.size() / 8 + 1) {}

VectorXd BinghamSequence::next(RandomSource& random, double concentration) {
    if (8 * count_ >= frame_.values.size() && count_ > 0) {
        diagonalise_complement();
    }
    while (true) {
        const Index q0 = frame_.values.size();
        const auto q = static_cast<double>(q0 - count_);
        const VectorXd omega = envelope(frame_.values, concentration, q);
        // N(0, Omega^-1) given that it is orthogonal to what was drawn: z less
        // Omega^-1 W (W^T Omega^-1 W)^-1 W^T z.
        const auto w = drawn_.leftCols(count_);
        const MatrixXd weighted = omega.cwiseInverse().asDiagonal() * w;
        const Eigen::LLT<MatrixXd> within(w.transpose() * weighted);

        // An envelope that fits badly, which only a stale frame has, is given up once the proposals
        // have cost about as much as a fresh one. What is accepted has the same law under either.
        for (Index trial = 0; count_ == 0 || trial < q0; ++trial) {
            VectorXd u(q0);
            for (Index k = 0; k < q0; ++k) {
                u[k] = standard_normal(random) / std::sqrt(omega[k]);
            }
            if (count_ > 0) {
                const VectorXd along = w.transpose() * u;
                u -= weighted * within.solve(along);
                const VectorXd rounding = w.transpose() * u;
                u -= w * rounding;
            }
            u.normalize();
            const double s = u.cwiseAbs2().dot(omega);
            if (std::log(uniform(random)) < 0.5 * (q - s + q * std::log(s / q))) {
                drawn_.col(count_++) = u;
                return frame_.vectors * u;
            }
        }
        diagonalise_complement();
    }
}

void BinghamSequence::diagonalise_complement() {
    const Index q0 = frame_.values.size();
    const Eigen::HouseholderQR<MatrixXd> qr(drawn_.leftCols(count_));
    MatrixXd complement = MatrixXd::Identity(q0, q0).rightCols(q0 - count_);
    complement = qr.householderQ() * complement;
    const MatrixXd weighted = frame_.values.asDiagonal() * complement;
    detail::EigenDecomposition within =
        detail::eigen_decomposition(product(complement.transpose(), weighted));
    frame_.vectors = product(frame_.vectors, product(complement, within.vectors));
    frame_.values = std::move(within.values);
    drawn_.resize(q0 - count_, (q0 - count_) / 8 + 1);
    count_ = 0;
}

}  // namespace dpcov
