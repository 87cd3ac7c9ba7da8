#include "matrices.hpp"

#include <cmath>
#include <variant>

#include "support/decompositions.hpp"

namespace dpcov::test {

Eigen::MatrixXd isotropic_noise(Eigen::Index d, double s, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    Eigen::MatrixXd noise(d, d);
    for (Eigen::Index j = 0; j < d; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            noise(i, j) = (i == j ? s : s / std::sqrt(2.0)) * normal(generator);
            noise(j, i) = noise(i, j);
        }
    }
    return noise;
}

Eigen::MatrixXd two_sided_wishart_noise(Eigen::Index d, double s, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    const auto draw = [&] {
        return Eigen::MatrixXd(
            Eigen::MatrixXd::NullaryExpr(d, d + 1, [&] { return normal(generator); }));
    };
    const Eigen::MatrixXd plus = draw();
    const Eigen::MatrixXd minus = draw();
    const double c = 0.5 * s / std::sqrt(static_cast<double>(d + 1));
    return c * (plus * plus.transpose() - minus * minus.transpose());
}

Eigen::MatrixXd noise_of(NoiseShape shape, Eigen::Index d, double s, std::mt19937_64& generator) {
    return shape == NoiseShape::gaussian ? isotropic_noise(d, s, generator)
                                         : two_sided_wishart_noise(d, s, generator);
}

Eigen::MatrixXd with_spectrum(const Eigen::VectorXd& values, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    const Eigen::Index d = values.size();
    const Eigen::MatrixXd gaussian =
        Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
    const Eigen::MatrixXd q = orthogonal_factor(gaussian);
    return q * values.asDiagonal() * q.transpose();
}

Eigen::MatrixXd matrix_of(const detail::Candidate& candidate) {
    if (const auto* diagonal = std::get_if<detail::Diagonal>(&candidate.value)) {
        return diagonal->values.asDiagonal();
    }
    if (const auto* multiple = std::get_if<detail::Multiple>(&candidate.value)) {
        return multiple->entries();
    }
    if (const auto* filtered = std::get_if<detail::Filtered>(&candidate.value)) {
        Eigen::MatrixXd matrix = filtered->entries();
        matrix.diagonal() = filtered->diagonal;
        return matrix;
    }
    return std::get<Eigen::MatrixXd>(candidate.value);
}

double divergence_by_differences(const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& map,
                                 const Eigen::MatrixXd& at, double step) {
    double divergence = 0.0;
    for (Eigen::Index j = 0; j < at.cols(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(at.rows(), at.cols());
            direction(i, j) = i == j ? 1.0 : std::sqrt(0.5);
            direction(j, i) = direction(i, j);
            divergence += (map(at + step * direction) - map(at - step * direction))
                              .cwiseProduct(direction)
                              .sum() /
                          (2.0 * step);
        }
    }
    return divergence;
}

}  // namespace dpcov::test
