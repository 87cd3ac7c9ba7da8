#include "shown_epsilon.hpp"

#include <algorithm>
#include <cmath>

namespace dpcov::test {
namespace {

// P(Binomial(n, p) <= k).
double binomial_cdf(std::size_t k, std::size_t n, double p) {
    const auto nn = static_cast<double>(n);
    const auto kk = static_cast<double>(k);
    const double log_term = std::lgamma(nn + 1) - std::lgamma(kk + 1) - std::lgamma(nn - kk + 1) +
                            kk * std::log(p) + (nn - kk) * std::log1p(-p);
    // From the largest index down; past the mode (k > np) sum the other tail instead.
    double term = 1.0;
    double sum = 0.0;
    if (kk <= nn * p) {
        for (double i = kk; term > 1e-18 * sum; --i) {
            sum += term;
            term *= i / (nn - i + 1) * (1 - p) / p;
        }
        return std::exp(log_term) * sum;
    }
    for (double i = kk; i < nn && (i == kk || term > 1e-18 * sum); ++i) {
        term *= (nn - i) / (i + 1) * p / (1 - p);
        sum += term;
    }
    return 1.0 - std::exp(log_term) * sum;
}

// The p of a binomial variable that came out as k is at most this, but for a chance of alpha.
double upper_limit(std::size_t k, std::size_t n, double alpha) {
    double low = static_cast<double>(k) / static_cast<double>(n);
    double high = 1.0;
    if (k == n) return 1.0;
    for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (binomial_cdf(k, n, middle) > alpha ? low : high) = middle;
    }
    return high;
}

double lower_limit(std::size_t k, std::size_t n, double alpha) {
    return 1.0 - upper_limit(n - k, n, alpha);
}

}  // namespace

double shown_epsilon(std::size_t on_x, std::size_t on_y, std::size_t draws, double delta,
                     double alpha) {
    const double gain = lower_limit(on_x, draws, alpha) - delta;
    return gain > 0.0 ? std::max(0.0, std::log(gain / upper_limit(on_y, draws, alpha))) : 0.0;
}

}  // namespace dpcov::test
