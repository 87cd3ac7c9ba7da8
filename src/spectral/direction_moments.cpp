#include "spectral/direction_moments.hpp"

#include <cmath>

#include "arithmetic/matrix_product.hpp"

namespace dpcov::detail {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// |z|^-2 and |z|^-4 are the integrals of exp(-tau |z|^2) and of tau times it over tau > 0. With
// tau = e^x the integrands are analytic for |Im x| < pi, and fall off like e^(-|x| / 2) or faster:
// the trapezoidal rule errs by e^(-2 pi^2) = 3e-9 for step 1.
constexpr int first_node = -40;
constexpr int last_node = 60;
constexpr int rounds = 60;

struct Integrand {
    ArrayXXd scaled;   // (i, node): lambda_i / (1 + 2 tau lambda_i)
    ArrayXd weights;   // of the nodes, for |z|^-2
    ArrayXd smoother;  // of the nodes, for |z|^-4
};

Integrand integrand(const ArrayXd& lambda) {
    const Index nodes = last_node - first_node + 1;
    Integrand result{.scaled = ArrayXXd(lambda.size(), nodes),
                     .weights = ArrayXd(nodes),
                     .smoother = ArrayXd(nodes)};
    for (Index node = 0; node < nodes; ++node) {
        const double tau = std::exp(static_cast<double>(first_node + node));
        const ArrayXd spread = 1.0 + 2.0 * tau * lambda;
        result.scaled.col(node) = lambda / spread;
        result.weights[node] = tau * std::exp(-0.5 * spread.log().sum());
        result.smoother[node] = tau * result.weights[node];
    }
    return result;
}

}  // namespace

MatrixXd direction_variances(const VectorXd& shape) {
    // The variances of z that give u this second moment: each round multiplies them by what they
    // are off, and takes the logarithm of the greatest error down by half or more.
    ArrayXd lambda = shape.array() / shape.maxCoeff();
    for (int round = 0; round < rounds; ++round) {
        const Integrand law = integrand(lambda);
        const ArrayXd second = (law.scaled.matrix() * law.weights.matrix()).array();
        const ArrayXd correction = (second > 0.0).select(shape.array() / second, 1.0);
        lambda *= correction;
        lambda /= lambda.maxCoeff();
        if ((correction - 1.0).abs().maxCoeff() < 1e-6) {
            break;
        }
    }
    const Integrand law = integrand(lambda);
    const MatrixXd weighted = law.scaled.rowwise() * law.smoother.transpose();
    MatrixXd variances = 2.0 * product_transposed(weighted, law.scaled.matrix());
    variances.diagonal() *= 1.5;  // E[u_i^4] is three times the integral
    variances.diagonal() -= shape.cwiseAbs2();
    variances = variances.cwiseMax(0.0).eval();
    return 0.5 * (variances + variances.transpose());
}

}  // namespace dpcov::detail
