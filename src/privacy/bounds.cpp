#include "dpcov/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpcov/error.hpp"
#include "privacy/radius.hpp"
#include "text/number_text.hpp"

namespace dpcov {

namespace {

void check_beta(double beta) {
    if (!(beta > 0.0 && beta < 1.0)) {
        throw UsageError("the failure probability beta is " + detail::number_text(beta) +
                         ", but must lie strictly between 0 and 1; give for example 0.1");
    }
}

double checked_dimension(std::size_t d, double beta) {
    if (d == 0) {
        throw UsageError("a bound was asked for in dimension 0; the dimension is at least 1");
    }
    check_beta(beta);
    return static_cast<double>(d);
}

void check_rows(std::uint64_t n) {
    if (n == 0) {
        throw UsageError("an error bound was asked for of 0 rows; it takes at least one");
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

// log d, with the paper's "log(x) = 1 for any x <= e".
double log_dimension(double dimension) {
    return std::max(std::log(dimension), 1.0);
}

// At least 1 + 1/2 + ... + 1/m, and above it by no more than 1/13.
double harmonic_number(double m) {
    return std::log(m) + std::numbers::egamma + 0.5 / m;
}

// The factor of log(2 / beta) for m Laplace variables.
double laplace_tail_factor(double m) {
    constexpr double least = (std::numbers::sqrt2 + 1.0) / (std::numbers::sqrt2 - 1.0);
    return 2.0 * std::max(least, 2.0 * std::log2(m));
}

}  // namespace

double eta(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    const double tail = -std::log(beta);
    return std::sqrt(dimension + 2.0 * std::sqrt(dimension * tail) + 2.0 * tail);
}

double upsilon(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    const double log_d = log_dimension(dimension);
    const double theta = std::cbrt(log_d / dimension);
    return 2.0 * std::sqrt(dimension) + 2.0 * std::pow(dimension, 1.0 / 6.0) * std::cbrt(log_d) +
           6.0 * (1.0 + theta) * std::sqrt(log_d) / std::sqrt(std::log1p(theta)) +
           2.0 * std::sqrt(-2.0 * std::log(beta));
}

double upsilon_sharp(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    return 2.0 * std::sqrt(dimension) +
           std::sqrt(2.0 * (2.0 - 1.0 / dimension) * log_two_over(beta));
}

double omega(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    const double tail = log_two_over(beta);
    return std::sqrt(dimension * dimension +
                     2.0 * std::sqrt(dimension * tail) *
                         (1.0 + std::sqrt(2.0 * (dimension - 1.0))) +
                     6.0 * tail);
}

double omega_sharp(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    const double tail = -std::log(beta);
    return std::sqrt(dimension * dimension +
                     2.0 * std::sqrt(dimension * (2.0 * dimension - 1.0) * tail) + 4.0 * tail);
}

double eta_laplace(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    return 1.5 * std::sqrt(dimension) + log_two_over(beta) * laplace_tail_factor(dimension);
}

double upsilon_laplace(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    return 3.0 * std::sqrt(dimension) + 9.0 * log_dimension(dimension) / std::sqrt(std::log(1.5)) +
           std::numbers::sqrt2 * log_two_over(beta) *
               laplace_tail_factor(0.5 * dimension * (dimension + 1.0));
}

double upsilon_laplace_sharp(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    return 2.0 * std::sqrt(2.0 * dimension * harmonic_number(0.5 * dimension * (dimension + 1.0))) +
           16.0 * log_two_over(beta);
}

double omega_laplace(std::size_t d, double beta) {
    const double dimension = checked_dimension(d, beta);
    return 1.5 * dimension +
           log_two_over(beta) * laplace_tail_factor(0.5 * dimension * (dimension + 1.0));
}

double gauss_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r, double beta) {
    check_rows(n);
    detail::check_radius(r);
    return r * r * omega(d, beta) / (std::sqrt(rho.value()) * static_cast<double>(n));
}

double separate_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r, double trace,
                            double beta) {
    check_rows(n);
    detail::check_radius(r);
    check_trace(trace);
    check_beta(beta);
    // r^2 / (sqrt(rho / 2) n): what either half of the budget buys.
    const double noise =
        std::numbers::sqrt2 * r * r / (std::sqrt(rho.value()) * static_cast<double>(n));
    const double from_eigenvectors = 2.0 * std::sqrt(trace * noise * upsilon(d, beta / 2.0));
    const double from_eigenvalues = noise * eta(d, beta / 2.0);
    return from_eigenvectors + from_eigenvalues;
}

double crossover_trace(std::size_t d, std::uint64_t n, Rho rho, double r, double beta) {
    check_rows(n);
    detail::check_radius(r);
    // The trace at which gauss_error_bound = separate_error_bound, of which the latter grows with
    // its root: solved for, since a difference of bounds would lose it where r is great.
    const double room = std::fmax(omega(d, beta) - std::numbers::sqrt2 * eta(d, beta / 2.0), 0.0);
    const double slope = 4.0 * std::numbers::sqrt2 * upsilon(d, beta / 2.0);
    return r * r * (room / slope * room) / (std::sqrt(rho.value()) * static_cast<double>(n));
}

double projection_error_bound(std::size_t d, std::uint64_t n, Rho rho, double r, double beta) {
    check_beta(beta);
    const double whole = gauss_error_bound(d, n, rho, r, beta / 2.0);
    const double noise = r * r / (std::sqrt(rho.value()) * static_cast<double>(n));
    return std::min(whole, r * std::sqrt(2.0 * noise * upsilon_sharp(d, beta / 2.0)));
}

double adaptive_noise(std::size_t d, std::uint64_t n, Rho rho, double tau, double trace,
                      double beta) {
    return std::min(gauss_error_bound(d, n, rho, tau, beta),
                    separate_error_bound(d, n, rho, tau, trace, beta));
}

double lap_error_bound(std::size_t d, std::uint64_t n, Epsilon epsilon, double r, double beta) {
    check_rows(n);
    detail::check_radius(r);
    return std::numbers::sqrt2 * static_cast<double>(d) * r * r * omega_laplace(d, beta) /
           (epsilon.value() * static_cast<double>(n));
}

double separate_lap_error_bound(std::size_t d, std::uint64_t n, Epsilon epsilon, double r,
                                double trace, double beta) {
    check_rows(n);
    detail::check_radius(r);
    check_trace(trace);
    check_beta(beta);
    // r^2 / ((epsilon / 2) n): what either half of the budget buys per unit of sensitivity.
    const double noise = 2.0 * r * r / (epsilon.value() * static_cast<double>(n));
    const double on_the_matrix = std::numbers::sqrt2 * static_cast<double>(d) * noise;
    const double from_eigenvectors =
        2.0 * std::sqrt(trace * on_the_matrix * upsilon_laplace(d, beta / 2.0));
    const double from_eigenvalues = 2.0 * noise * eta_laplace(d, beta / 2.0);
    return from_eigenvectors + from_eigenvalues;
}

double crossover_trace(std::size_t d, std::uint64_t n, Epsilon epsilon, double r, double beta) {
    check_rows(n);
    detail::check_radius(r);
    const double in_all = std::numbers::sqrt2 * static_cast<double>(d);
    const double room =
        std::fmax(in_all * omega_laplace(d, beta) - 4.0 * eta_laplace(d, beta / 2.0), 0.0);
    const double slope = 8.0 * in_all * upsilon_laplace(d, beta / 2.0);
    return r * r * (room / slope * room) / (epsilon.value() * static_cast<double>(n));
}

double adaptive_lap_noise(std::size_t d, std::uint64_t n, Epsilon epsilon, double tau, double trace,
                          double beta) {
    return std::min(lap_error_bound(d, n, epsilon, tau, beta),
                    separate_lap_error_bound(d, n, epsilon, tau, trace, beta));
}

}  // namespace dpcov
