#include "dpcov/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "dpcov/error.hpp"
#include "privacy/number_text.hpp"

namespace dpcov {

namespace {

void check_dimension(std::size_t d) {
    if (d == 0) {
        throw UsageError("a bound was asked for in dimension 0; the dimension is at least 1");
    }
}

void check_beta(double beta) {
    if (!(beta > 0.0 && beta < 1.0)) {
        throw UsageError("the failure probability beta is " + detail::number_text(beta) +
                         ", but must lie strictly between 0 and 1; give for example 0.1");
    }
}

void check_rows(std::uint64_t n) {
    if (n == 0) {
        throw UsageError("an error bound was asked for of 0 rows; it takes at least one");
    }
}

void check_radius(double r) {
    if (!(r > 0.0) || !std::isfinite(r)) {
        throw UsageError("the norm bound is " + detail::number_text(r) +
                         ", but must be finite and greater than 0");
    }
}

void check_trace(double trace) {
    if (!(trace >= 0.0) || !std::isfinite(trace)) {
        throw UsageError("the trace is " + detail::number_text(trace) +
                         ", but must be finite and at least 0; give the squared norm bound if it "
                         "is not known");
    }
}

// log(2 / beta), also where 2 / beta is beyond the doubles.
double log_two_over(double beta) {
    return std::numbers::ln2 - std::log(beta);
}

}  // namespace

double eta(std::size_t d, double beta) {
    check_dimension(d);
    check_beta(beta);
    const auto dimension = static_cast<double>(d);
    const double tail = -std::log(beta);
    return std::sqrt(dimension + 2.0 * std::sqrt(dimension * tail) + 2.0 * tail);
}

double upsilon(std::size_t d, double beta) {
    check_dimension(d);
    check_beta(beta);
    const auto dimension = static_cast<double>(d);
    const double log_dimension = std::max(std::log(dimension), 1.0);
    const double theta = std::min(std::cbrt(log_dimension / dimension), 0.5);
    return (1.0 + theta) * (2.0 * std::sqrt(dimension) +
                            6.0 * std::sqrt(log_dimension) / std::sqrt(std::log1p(theta))) +
           std::sqrt(2.0 * log_two_over(beta));
}

double upsilon_sharp(std::size_t d, double beta) {
    check_dimension(d);
    check_beta(beta);
    const auto dimension = static_cast<double>(d);
    return 2.0 * std::sqrt(dimension) +
           std::sqrt(2.0 * (2.0 - 1.0 / dimension) * log_two_over(beta));
}

double omega(std::size_t d, double beta) {
    check_dimension(d);
    check_beta(beta);
    const auto dimension = static_cast<double>(d);
    const double tail = log_two_over(beta);
    return std::sqrt(dimension * dimension +
                     2.0 * std::sqrt(dimension * tail) *
                         (1.0 + std::sqrt(2.0 * (dimension - 1.0))) +
                     6.0 * tail);
}

double omega_sharp(std::size_t d, double beta) {
    check_dimension(d);
    check_beta(beta);
    const auto dimension = static_cast<double>(d);
    const double tail = -std::log(beta);
    return std::sqrt(dimension * dimension +
                     2.0 * std::sqrt(dimension * (2.0 * dimension - 1.0) * tail) + 4.0 * tail);
}

double gauss_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r, double beta) {
    check_rows(n);
    check_radius(r);
    return r * r * omega(d, beta) / (std::sqrt(rho.value()) * static_cast<double>(n));
}

double separate_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r, double trace,
                            double beta) {
    check_rows(n);
    check_radius(r);
    check_trace(trace);
    check_beta(beta);
    // r^2 / (sqrt(rho / 2) n): what either half of the budget buys.
    const double noise =
        std::numbers::sqrt2 * r * r / (std::sqrt(rho.value()) * static_cast<double>(n));
    const double from_eigenvectors = 2.0 * std::sqrt(trace * noise * upsilon(d, beta / 2.0));
    const double from_eigenvalues = noise * eta(d, beta / 2.0);
    return from_eigenvectors + from_eigenvalues;
}

double adaptive_noise(std::size_t d, std::uint64_t n, Rho rho, double tau, double trace,
                      double beta) {
    return std::min(gauss_error_bound(d, n, rho, tau, beta),
                    separate_error_bound(d, n, rho, tau, trace, beta));
}

}  // namespace dpcov
