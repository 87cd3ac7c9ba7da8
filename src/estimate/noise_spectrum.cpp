#include "estimate/noise_spectrum.hpp"

#include <cmath>

namespace dpcov::detail {
namespace {

double curvature(NoiseShape shape, double d, double s) {
    return shape == NoiseShape::wishart ? 0.25 * d * d * s * s / (d + 1.0) : 0.0;
}

}  // namespace

NoiseSpectrum::NoiseSpectrum(NoiseShape shape, Eigen::Index d, double s)
    : shape_(shape),
      columns_(d),
      s_(s),
      sigma_squared_(0.5 * static_cast<double>(d) * s * s),
      a_(curvature(shape, static_cast<double>(d), s)) {
    // An eigenvalue theta of Sigma that stands alone appears at l(theta) = theta + R(1 / theta),
    // above the least value of that: sigma^2 (theta^2 + a) = (theta^2 - a)^2.
    const double u =
        0.5 * (sigma_squared_ + std::sqrt(sigma_squared_ * (sigma_squared_ + 8.0 * a_)));
    edge_ = std::sqrt(u + a_) * (1.0 + sigma_squared_ / u);
    // There K(g) = R(g) + 1 / g bends by K'' = R'' + 2 / g^3 at g = 1 / theta, so that the density
    // falls to zero like sqrt(2 (edge - l) / K'') / pi: on the scale of (K'' / 2 d^2)^(1/3).
    const double square = 1.0 / (u + a_);
    const double g = std::sqrt(square);
    const double keep = 1.0 - a_ * square;
    const double half_bend =
        sigma_squared_ * a_ * g * (3.0 + a_ * square) / (keep * keep * keep) + 1.0 / (g * square);
    edge_scale_ = std::cbrt(half_bend / (static_cast<double>(d) * static_cast<double>(d)));
}

NoiseSpectrum::Pull NoiseSpectrum::pull(double x, double y) const {
    // Im(g R(g)) / Im g = 2 sigma^2 x / q with q = |1 - a g^2|^2.
    const double square = x * x + y * y;
    const double q = 1.0 - 2.0 * a_ * (x * x - y * y) + a_ * a_ * square * square;
    const double q_x = 4.0 * a_ * x * (a_ * square - 1.0);
    const double q_y = 4.0 * a_ * y * (a_ * square + 1.0);
    const double twice = 2.0 * sigma_squared_;
    return {twice * x / q, twice * (q - x * q_x) / (q * q), -twice * x * q_y / (q * q)};
}

NoiseSpectrum::Spike NoiseSpectrum::spike(double l) const {
    // Newton from above on l(theta), convex to the right of its minimum.
    double theta = l;
    double rise = 1.0;
    double bend = 0.0;
    constexpr int most_steps = 60;
    for (int step = 0; step < most_steps; ++step) {
        const double square = theta * theta;
        const double gap = square - a_;
        rise = 1.0 - sigma_squared_ * (square + a_) / (gap * gap);
        bend = 2.0 * sigma_squared_ * theta * (square + 3.0 * a_) / (gap * gap * gap);
        const double next = theta - (theta + sigma_squared_ * theta / gap - l) / rise;
        if (!(next < theta)) {
            break;
        }
        theta = next;
    }
    // theta times the squared overlap of the eigenvectors, which is l'(theta).
    return {theta * rise, 1.0 + theta * bend / rise};
}

}  // namespace dpcov::detail
