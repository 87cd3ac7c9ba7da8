#include "estimate/direction_moments.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arithmetic/matrix_product.hpp"
#include "arithmetic/unwritten_matrix.hpp"
#include "estimate/sum_of_logs.hpp"

namespace dpcov::detail {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// |z|^-2 and |z|^-4 are the integrals of exp(-tau |z|^2) and of tau times it over tau > 0. With
// tau = e^x the integrands are analytic for |Im x| < pi, have one peak, and fall off like
// e^(-|x| / 2) or faster: the trapezoidal rule converges exponentially.
constexpr Index nodes = 120;
constexpr double widest = 70.0;      // e^-35 of the peak at most is outside
constexpr double negligible = 30.0;  // so is e^-30 of it, where it is steeper than that
constexpr int rounds = 60;

// Where u_i^2 u_j^2 weighs anything, for the directions of the greatest and the least variance.
std::pair<double, double> range_of(const ArrayXd& lambda) {
    const double greatest = lambda.maxCoeff();
    const double least = (lambda > 0.0).select(lambda, greatest).minCoeff();
    double first = widest;
    double last = -widest;
    for (const double own : {greatest, least}) {
        std::vector<double> logarithms;
        for (double x = -widest; x <= widest; x += 1.0) {
            const double tau = std::exp(x);
            logarithms.push_back(x - 0.5 * sum_of_logs(1.0 + 2.0 * tau * lambda) -
                                 std::log1p(2.0 * tau * own));
        }
        const double peak = *std::max_element(logarithms.begin(), logarithms.end());
        for (std::size_t k = 0; k < logarithms.size(); ++k) {
            if (logarithms[k] > peak - negligible) {
                const double x = -widest + static_cast<double>(k);
                first = std::min(first, x - 1.0);
                last = std::max(last, x + 1.0);
            }
        }
    }
    return {first, last};
}

struct Integrand {
    ArrayXXd scaled;   // (i, node): lambda_i / (1 + 2 tau lambda_i)
    ArrayXd weights;   // of the nodes, for |z|^-2
    ArrayXd smoother;  // of the nodes, for |z|^-4
};

Integrand integrand(const ArrayXd& lambda) {
    const auto [first, last] = range_of(lambda);
    const double step = (last - first) / static_cast<double>(nodes - 1);
    Integrand result{.scaled = ArrayXXd(lambda.size(), nodes),
                     .weights = ArrayXd(nodes),
                     .smoother = ArrayXd(nodes)};
    for (Index node = 0; node < nodes; ++node) {
        const double tau = std::exp(first + step * static_cast<double>(node));
        const ArrayXd spread = 1.0 + 2.0 * tau * lambda;
        result.scaled.col(node) = lambda / spread;
        result.weights[node] = step * tau * std::exp(-0.5 * sum_of_logs(spread));
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
    variances = variances.cwiseMax(0.0);
    return in_huge_pages(0.5 * (variances + variances.transpose()));
}

}  // namespace dpcov::detail
