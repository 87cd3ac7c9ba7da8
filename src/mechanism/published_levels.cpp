#include "mechanism/published_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpcov/bounds.hpp"

namespace dpcov::detail {
namespace {

double log_dimension(std::size_t d) {
    return d > 1 ? std::log(static_cast<double>(d)) : 1.0;
}

// (1 + theta) (2 sqrt(d) + 6 entry / sqrt(log(1 + theta))).
double expected_norm(std::size_t d, double entry) {
    const auto dimension = static_cast<double>(d);
    const double theta = std::min(std::pow(log_dimension(d) / dimension, 0.3), 0.5);
    return (1.0 + theta) *
           (2.0 * std::sqrt(dimension) + 6.0 * entry / std::sqrt(std::log1p(theta)));
}

// The factor of log(2 / beta) in omega_laplace, which the spectral norm's has too, is what that
// bound grows by.
double laplace_tail(std::size_t d, double beta) {
    return omega_laplace(d, beta) - 1.5 * static_cast<double>(d);
}

}  // namespace

double published_upsilon(std::size_t d, double beta) {
    return expected_norm(d, std::sqrt(log_dimension(d))) + std::sqrt(2.0 * std::log(2.0 / beta));
}

double published_upsilon_laplace(std::size_t d, double beta) {
    return expected_norm(d, log_dimension(d)) + std::numbers::sqrt2 * laplace_tail(d, beta);
}

double published_separate_level(std::size_t d, std::uint64_t n, Rho rho, double tau, double trace,
                                double beta) {
    const double noise =
        std::numbers::sqrt2 * tau * tau / (std::sqrt(rho.value()) * static_cast<double>(n));
    return 2.0 * std::sqrt(trace * noise * published_upsilon(d, beta / 2.0)) / 6.0 +
           noise * eta(d, beta / 2.0);
}

double published_separate_level(std::size_t d, std::uint64_t n, Epsilon epsilon, double tau,
                                double trace, double beta) {
    const double noise = 2.0 * tau * tau / (epsilon.value() * static_cast<double>(n));
    const double on_the_matrix = std::numbers::sqrt2 * static_cast<double>(d) * noise;
    return 2.0 * std::sqrt(trace * on_the_matrix * published_upsilon_laplace(d, beta / 2.0)) /
               14.0 +
           2.0 * noise * eta_laplace(d, beta / 2.0);
}

}  // namespace dpcov::detail
