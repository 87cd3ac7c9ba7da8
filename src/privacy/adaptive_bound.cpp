// AdaptiveCov's error end to end. The proof is in docs/bounds.md#adaptive; its steps have the same
// names here. Everything is in units of r, so that the norm bound is 1.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "dpcov/bounds.hpp"
#include "dpcov/error.hpp"
#include "privacy/adaptive_split.hpp"
#include "privacy/radius.hpp"
#include "text/number_text.hpp"

namespace dpcov {
namespace {

// Norms are told apart down to 2^-39 (docs/privacy.md#placement).
constexpr int last_octave = 39;

std::vector<double> descending_norms(std::span<const double> norms, double r) {
    if (norms.empty()) {
        throw UsageError("an error bound was asked for of 0 rows; it takes at least one");
    }
    detail::check_radius(r);
    std::vector<double> scaled;
    scaled.reserve(norms.size());
    for (const double norm : norms) {
        if (!(norm >= 0.0)) {
            throw UsageError("a row's norm is " + detail::number_text(norm) +
                             ", but must be at least 0");
        }
        scaled.push_back(std::fmin(norm / r, 1.0));
    }
    std::sort(scaled.begin(), scaled.end(), std::greater<>());
    return scaled;
}

double share(double budget, unsigned sixteenths) {
    return budget * sixteenths / 16.0;
}

// What the budget makes of each stage.
struct Stages {
    double radius_epsilon = 0.0;
    double trace_slack = 0.0;  // of n times the trace, both ways, in units of the squared radius
    double threshold_slack = 0.0;  // of Diff
};

double log_queries(double queries, double beta) {
    return std::log(2.0 * queries / beta);
}

Stages stages_of(Rho rho, double queries, double beta) {
    // A sparse vector technique of epsilon = sqrt(2 rho) spends rho, and a Gaussian of deviation
    // 1 / sqrt(2 rho) does.
    const auto root = [&](unsigned sixteenths) {
        return std::sqrt(2.0 * share(rho.value(), sixteenths));
    };
    return {.radius_epsilon = root(detail::paper_split.radius),
            .trace_slack = std::sqrt(2.0 * std::log(8.0 / beta)) / root(detail::paper_split.trace),
            .threshold_slack =
                6.0 / root(detail::paper_split.threshold) * log_queries(queries, beta / 4.0)};
}

Stages stages_of(Epsilon epsilon, double queries, double beta) {
    // Above its slack the Laplace variable of the trace is with probability beta / 8, either way.
    const auto part = [&](unsigned sixteenths) { return share(epsilon.value(), sixteenths); };
    return {.radius_epsilon = part(detail::paper_split.radius),
            .trace_slack = std::log(4.0 / beta) / part(detail::paper_split.trace),
            .threshold_slack =
                6.0 / part(detail::paper_split.threshold) * log_queries(queries, beta / 8.0)};
}

double noise_level(std::size_t d, std::uint64_t n, Rho release, double tau, double trace,
                   double beta) {
    return adaptive_noise(d, n, release, tau, trace, beta);
}
double noise_level(std::size_t d, std::uint64_t n, Epsilon release, double tau, double trace,
                   double beta) {
    return adaptive_lap_noise(d, n, release, tau, trace, beta);
}

// How far above its level SeparateCov can be proved to err at most: upsilon_laplace is not proved
// for large d, and the error goes with its root.
double proof_factor(std::size_t /*d*/, Rho /*rho*/, double /*beta*/) {
    return 1.0;
}
double proof_factor(std::size_t d, Epsilon /*epsilon*/, double beta) {
    return std::sqrt(
        std::fmax(1.0, upsilon_laplace_sharp(d, beta / 2.0) / upsilon_laplace(d, beta / 2.0)));
}

double squared(double x) {
    return x * x;
}

// The upper edge of the octave of a norm u <= 1.
double edge_above(double u) {
    return u > 0.0 ? std::exp2(std::fmax(std::ceil(std::log2(u)), -last_octave)) : 0.0;
}

// The bound given that the radius is 2^-j.
template <class Share>
double bound_at_radius(const std::vector<double>& norms, std::size_t d, int j, std::uint64_t finest,
                       const Stages& stages, Share release, double beta) {
    const auto n = static_cast<double>(norms.size());
    const double radius = std::ldexp(1.0, -j);
    double lost = 0.0;
    double trace = 0.0;
    for (const double u : norms) {
        lost += std::fmax(0.0, squared(u) - squared(radius)) / n;
        trace += squared(std::fmin(u, radius)) / n;
    }
    const double upper_trace =
        std::clamp(trace + 2.0 * stages.trace_slack * squared(radius) / n,
                   detail::least_relative_trace * squared(radius), squared(radius));
    double least = HUGE_VAL;
    for (auto t = static_cast<std::uint64_t>(j);
         t <= std::max(finest, static_cast<std::uint64_t>(j)) && t <= last_octave; ++t) {
        const double tau = std::ldexp(1.0, -static_cast<int>(t));
        double bias = 0.0;
        for (const double u : norms) {
            if (u <= tau) break;
            bias += (squared(std::fmin(edge_above(u), radius)) - squared(tau)) / n;
        }
        least = std::fmin(
            least, bias + noise_level(d, norms.size(), release, tau, upper_trace, beta / 2.0));
    }
    // The sensitivity of the integers that stand for Diff, and their rounding.
    const double rounding = 1.0 + std::ldexp(std::ceil(std::sqrt(static_cast<double>(d))) + 2, -19);
    const double search = (stages.threshold_slack * rounding + 0x1p-28) * squared(radius) / n;
    return lost + proof_factor(d, release, beta / 2.0) * (5.0 * least + 4.0 * search);
}

template <class Share>
double end_to_end(std::span<const double> all_norms, std::size_t d, Share budget, double r,
                  double beta) {
    const std::vector<double> norms = descending_norms(all_norms, r);
    const auto n = static_cast<double>(norms.size());
    (void)eta(d, beta);  // says what is wrong with d or beta
    const double finest = static_cast<double>(d) * n;
    const Stages stages = stages_of(budget, finest + 1.0, beta);
    const Share release(share(budget.value(), detail::paper_split.release));
    const double radius_unit = 1.0 / stages.radius_epsilon;
    const double one_ball = std::log(2.0 / (beta / 8.0));
    // Rows that the radius may leave out: docs/privacy.md#privradius.
    const double outside = 8.0 * radius_unit * one_ball +
                           4.0 * radius_unit * log_queries(2.0 * finest + 1.0, beta / 8.0) + 4.0;
    const double trace = std::accumulate(norms.begin(), norms.end(), 0.0,
                                         [&](double sum, double u) { return sum + u * u / n; });
    double worst = 0.0;
    for (int j = 0; j <= last_octave + 1; ++j) {
        // The smallest ball that holds every row, or one that leaves out few.
        const double ball = std::ldexp(1.0, -j);
        const bool holds_all_twice = norms.front() <= ball / 2.0 && j < last_octave;
        const auto out = static_cast<double>(
            std::find_if(norms.begin(), norms.end(), [&](double u) { return u <= ball; }) -
            norms.begin());
        if (holds_all_twice) continue;
        if (out > outside || j > 2.0 * finest) break;
        // Beyond the last octave nothing is released.
        worst = std::fmax(
            worst, j > last_octave
                       ? trace
                       : bound_at_radius(norms, d, j,
                                         static_cast<std::uint64_t>(std::fmin(finest, 0x1p62)),
                                         stages, release, beta));
    }
    // What lies below the last octave, and the rounding of the rows.
    const double rounding = trace * (0x1p-15 + std::ldexp(std::sqrt(static_cast<double>(d)), -18));
    return r * r * ((1.0 + 0x1p-15) * worst + rounding + 0x1p-77);
}

}  // namespace

double adaptive_error_bound(std::span<const double> norms, std::size_t d, Rho rho, double r,
                            double beta) {
    return end_to_end(norms, d, rho, r, beta);
}

double adaptive_error_bound(std::span<const double> norms, std::size_t d, Epsilon epsilon, double r,
                            double beta) {
    return end_to_end(norms, d, epsilon, r, beta);
}

}  // namespace dpcov
