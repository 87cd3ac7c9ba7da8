// What shrinkage has to know of the eigenvalues of noise. Derivation: docs/algorithms.md#shrinkage.
#pragma once

#include <Eigen/Core>

#include "dpcov/statistics.hpp"

namespace dpcov::detail {

/// The spectrum of d x d noise of variance s^2 on the diagonal and s^2 / 2 off it, by its
/// R-transform sigma^2 g / (1 - a g^2), sigma^2 = d s^2 / 2.
class NoiseSpectrum {
public:
    /// d >= 1; s > 0. For Wishart noise s = 2 c sqrt(d + 1), and a = (c d)^2; else a = 0. Beside
    /// the noise on a mean s is 2 c sqrt(d + 2): a is then taken too large by 1 / (d + 1) of it,
    /// which moves the edge by less than 3 % for any d.
    NoiseSpectrum(NoiseShape shape, Eigen::Index d, double s);

    [[nodiscard]] NoiseShape shape() const noexcept { return shape_; }
    [[nodiscard]] Eigen::Index columns() const noexcept { return columns_; }  ///< d
    [[nodiscard]] double s() const noexcept { return s_; }
    [[nodiscard]] double sigma_squared() const noexcept { return sigma_squared_; }

    /// The greatest eigenvalue of the noise alone, but for what vanishes as d grows.
    [[nodiscard]] double edge() const noexcept { return edge_; }

    /// The greatest eigenvalue deviates from edge() by about this times Tracy and Widom's variable
    /// (beta = 1, mean -1.21, deviation 1.27).
    [[nodiscard]] double edge_scale() const noexcept { return edge_scale_; }

    /// E[N | Y] along an eigenvector of Y, where the Stieltjes transform of Y's eigenvalues is
    /// g = x + i y, and its derivatives.
    struct Pull {
        double value;
        double by_x;
        double by_y;
    };
    [[nodiscard]] Pull pull(double x, double y) const;

    /// What the best estimate keeps of an eigenvalue l > edge() that stands alone, and the
    /// derivative of that.
    struct Spike {
        double value;
        double slope;
    };
    [[nodiscard]] Spike spike(double l) const;

private:
    NoiseShape shape_;
    Eigen::Index columns_;
    double s_;
    double sigma_squared_;
    double a_;
    double edge_ = 0.0;
    double edge_scale_ = 0.0;
};

}  // namespace dpcov::detail
