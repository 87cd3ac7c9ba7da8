#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "arithmetic/real.hpp"
#include "random/big_integer.hpp"

namespace dpcov::test {

namespace {

using detail::Real;

constexpr mpfr_prec_t precision = 256;

/// result = P(value + sigma Z < edge + grid / 2).
void rounded_gaussian_cdf(Real& result, Int128 value, const GaussianNoise& noise, Int128 edge) {
    const mpz_class twice_distance =
        2 * (detail::to_big(value) - detail::to_big(edge)) - detail::power_of_two(noise.grid_log2);
    mpfr_set_z_2exp(result, twice_distance.get_mpz_t(), -1, MPFR_RNDN);
    mpfr_div_ui(result, result, noise.mantissa, MPFR_RNDN);
    mpfr_mul_2si(result, result, -noise.exponent, MPFR_RNDN);
    // P(Z < -t) = erfc(t / sqrt 2) / 2
    Real root(precision);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(result, result, root, MPFR_RNDN);
    mpfr_erfc(result, result, MPFR_RNDN);
    mpfr_div_2ui(result, result, 1, MPFR_RNDN);
}

}  // namespace

// With h half the statistic: erfc(sqrt h) for an odd number of degrees of freedom, plus the sum of
// exp(-h) h^a / Gamma(a + 1) over a = ..., dof / 2 - 2, dof / 2 - 1, down to 0 or 1/2.
double chi_square_tail(double statistic, std::size_t degrees_of_freedom) {
    const double h = statistic / 2;
    if (h == 0) return 1;
    const bool odd = degrees_of_freedom % 2 == 1;
    double tail = odd ? std::erfc(std::sqrt(h)) : 0.0;
    for (double a = odd ? 0.5 : 0.0; a < static_cast<double>(degrees_of_freedom) / 2; a += 1) {
        tail += std::exp(a * std::log(h) - h - std::lgamma(a + 1));
    }
    return tail;
}

double chi_square_p_value(const std::vector<std::uint64_t>& counts,
                          const std::vector<double>& probabilities) {
    if (counts.size() != probabilities.size()) {
        throw std::invalid_argument("one probability for each cell");
    }
    double draws = 0;
    double total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        draws += static_cast<double>(counts[i]);
        total += probabilities[i];
        if (counts[i] > 0 && probabilities[i] == 0.0) {
            return 0;  // what cannot be came: no cell beside it may hide that
        }
    }
    if (std::abs(total - 1.0) > 1e-9) {
        throw std::invalid_argument("the probabilities do not add up to one");
    }
    std::vector<double> observed{0};
    std::vector<double> expected{0};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (expected.back() >= 10) {
            observed.push_back(0);
            expected.push_back(0);
        }
        observed.back() += static_cast<double>(counts[i]);
        expected.back() += draws * probabilities[i];
    }
    if (expected.back() < 10 && expected.size() > 1) {
        const double rest_observed = observed.back();
        const double rest_expected = expected.back();
        observed.pop_back();
        expected.pop_back();
        observed.back() += rest_observed;
        expected.back() += rest_expected;
    }
    if (expected.size() < 2) {
        throw std::invalid_argument("too few draws for two cells");
    }
    double statistic = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        statistic += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
    }
    return chi_square_tail(statistic, expected.size() - 1);
}

double two_sided_p_value(double z) {
    return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

std::vector<std::uint64_t> count_cells(RandomSource& random, const Draw& draw,
                                       const std::vector<Int128>& edges, std::size_t draws) {
    std::vector<std::uint64_t> counts(edges.size() + 1);
    for (std::size_t i = 0; i < draws; ++i) {
        const auto edge = std::lower_bound(edges.begin(), edges.end(), draw(random));
        ++counts[static_cast<std::size_t>(edge - edges.begin())];
    }
    return counts;
}

std::vector<double> rounded_gaussian_cells(Int128 value, const GaussianNoise& noise,
                                           const std::vector<Int128>& edges) {
    std::vector<double> cells;
    Real below(precision);
    Real up_to(precision);
    Real cell(precision);
    mpfr_set_zero(below, 1);
    for (const Int128 edge : edges) {
        rounded_gaussian_cdf(up_to, value, noise, edge);
        mpfr_sub(cell, up_to, below, MPFR_RNDN);
        cells.push_back(mpfr_get_d(cell, MPFR_RNDN));
        mpfr_swap(below, up_to);
    }
    mpfr_ui_sub(cell, 1, below, MPFR_RNDN);
    cells.push_back(mpfr_get_d(cell, MPFR_RNDN));
    return cells;
}

}  // namespace dpcov::test
