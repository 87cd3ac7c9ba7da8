#include "estimate/truncated_normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dpcov::detail {
namespace {

// Beyond so many deviations the tail is exponential, but for a thousandth.
constexpr double far = 30.0;
// And of so great a deviation the density is straight over [-1, 1].
constexpr double flat = 1e4;

double density(double z) {
    return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

double probability_above(double z) {
    return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

}  // namespace

double positive_mean(double m, double s) {
    const double z = m / s;
    return z < -far ? -s / z : m + s * density(z) / probability_above(-z);
}

double mean_within_one(double m, double s) {
    if (m < 0.0) {
        return -mean_within_one(-m, s);
    }
    // From here on 1 is the nearer bound, and what is lost to rounding is lost at the other.
    if (!(s > 0.0)) {
        return std::fmin(m, 1.0);
    }
    if (s > flat) {
        return std::fmin(m / (3.0 * s * s), 1.0);
    }
    const double beyond = (m - 1.0) / s;
    if (beyond > far) {
        return 1.0 - s / beyond;
    }
    const double further = (m + 1.0) / s;
    const double inside = probability_above(beyond) - probability_above(further);
    return std::clamp(m - s * (density(beyond) - density(further)) / inside, -1.0, 1.0);
}

}  // namespace dpcov::detail
