#include "known_tables.hpp"

#include <cmath>

#include "support/decompositions.hpp"

namespace dpcov::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd Normals::vector(Index size) {
    VectorXd values(size);
    for (double& value : values) {
        value = law_(generator_);
    }
    return values;
}

MatrixXd Normals::noise(NoiseShape shape, Index d, double s, Index degrees) {
    MatrixXd matrix = MatrixXd::Zero(d, d);
    if (shape == NoiseShape::gaussian) {
        for (Index j = 0; j < d; ++j) {
            matrix.col(j) = s * vector(d);
        }
        return 0.5 * (matrix + matrix.transpose());
    }
    const double c = s / (2.0 * std::sqrt(static_cast<double>(degrees)));
    for (Index k = 0; k < 2 * degrees; ++k) {
        const VectorXd x = vector(d);
        matrix += (k < degrees ? c : -c) * x * x.transpose();
    }
    return matrix;
}

Truth truth_of(Index d, bool centered, Normals& normals) {
    MatrixXd square(d, d);
    for (Index j = 0; j < d; ++j) {
        square.col(j) = normals.vector(d);
    }
    const MatrixXd basis = orthogonal_factor(square);
    VectorXd spectrum(d);
    for (Index j = 0; j < d; ++j) {
        spectrum[j] = 1.0 / static_cast<double>(j + 1);
    }
    Truth truth;
    truth.covariance = basis * (0.5 / spectrum.sum() * spectrum).asDiagonal() * basis.transpose();
    truth.mean = centered ? VectorXd(0.4 * normals.vector(d).normalized()) : VectorXd::Zero(d);
    truth.units = VectorXd(d);
    for (Index j = 0; j < d; ++j) {
        truth.units[j] = std::pow(2.0, static_cast<double>(j % 3) - 1.0);
    }
    truth.centered = centered;
    return truth;
}

Release released(const Truth& truth, NoiseShape shape, double s, Normals& normals) {
    const Index d = truth.mean.size();
    Release release;
    release.method = "auto";
    release.centered = truth.centered;
    for (const double unit : truth.units) {
        release.schema.push_back({.bounds = ColumnBounds{.lower = -unit, .upper = unit}});
    }
    release.statistics = {.noise = shape, .rows = 1e12, .complete = true};
    NoisyMoment all{.radius = 1.0, .noise_scale = s};
    all.second_moment = truth.covariance + truth.mean * truth.mean.transpose() +
                        normals.noise(shape, d, s, d + (truth.centered ? 2 : 1));
    release.covariance = all.second_moment;
    if (truth.centered) {
        all.mean_noise_scale = 1.5 * s;
        all.mean = truth.mean + all.mean_noise_scale * normals.vector(d);
        release.mean = all.mean;
        release.covariance -= all.mean * all.mean.transpose();
    }
    release.statistics.strata = {all};
    return release;
}

Truth in_wide_bounds(Truth truth, double times) {
    truth.units *= times;
    truth.covariance /= times * times;
    truth.mean /= times;
    return truth;
}

VectorXd least_squares(const MatrixXd& covariance) {
    const Index p = covariance.rows() - 1;
    return solution(covariance.topLeftCorner(p, p), covariance.col(p).head(p));
}

}  // namespace dpcov::test
