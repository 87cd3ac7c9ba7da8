#include "research/worked_examples.hpp"

#include <algorithm>
#include <cmath>

#include "dpcov/bounds.hpp"

namespace dpcov::research {
namespace {

double power(std::uint64_t n, double exponent) {
    return std::pow(static_cast<double>(n), exponent);
}

std::size_t columns_of(std::uint64_t n, double exponent) {
    return static_cast<std::size_t>(std::llround(power(n, exponent)));
}

// n^e rows of squared norm n^-s beside one row of norm 1, the others of squared norm n^-t; against
// n^(1-t) rows of norm 1, the others zero. All exponents but that of d in 64ths.
QuantileExample quantile_example(std::uint64_t n, double columns_exponent, double rows,
                                 double middle, double least) {
    const std::size_t d = columns_of(n, columns_exponent);
    const auto all = static_cast<double>(n);
    const double few = power(n, rows / 64.0);
    const double full = power(n, 1.0 - least / 64.0);
    const double middle_square = power(n, -middle / 64.0);
    const double least_square = power(n, -least / 64.0);
    return {.first = {n, d, {{full, 1.0}, {all - full, 0.0}}},
            .second = {n, d, {{1.0, 1.0}, {few, middle_square}, {all - few - 1.0, least_square}}},
            .first_thresholds = {1.0, 0.0},
            .second_thresholds = {1.0, std::sqrt(middle_square), std::sqrt(least_square), 0.0},
            .first_rank = full,
            .second_rank = few + 1.0};
}

}  // namespace

double ExampleTable::trace() const {
    return tail(0.0);
}

double ExampleTable::tail(double tau) const {
    double sum = 0.0;
    for (const NormGroup& group : groups) {
        if (std::sqrt(group.squared_norm) > tau) {
            sum += group.rows * group.squared_norm / static_cast<double>(n);
        }
    }
    return sum;
}

double clipped_error(const ExampleTable& table, double tau) {
    const double noise =
        tau > 0.0 ? adaptive_noise(table.d, table.n, Rho(1.0), tau, table.trace(), 0.1) : 0.0;
    return noise + table.tail(tau);
}

ExampleTable skewed_example(std::uint64_t n) {
    constexpr double long_rows = 3.0;
    return {n,
            columns_of(n, 0.75),
            {{long_rows, 1.0}, {static_cast<double>(n) - long_rows, power(n, -0.5)}}};
}

QuantileExample printed_quantile_example(std::uint64_t n) {
    return quantile_example(n, 9.0 / 16.0, 38.0, 26.0, 28.0);
}

QuantileExample corrected_quantile_example(std::uint64_t n) {
    return quantile_example(n, 0.75, 34.0, 24.0, 32.0);
}

double best_threshold(const ExampleTable& table, const std::vector<double>& thresholds) {
    return *std::min_element(thresholds.begin(), thresholds.end(), [&](double a, double b) {
        return clipped_error(table, a) < clipped_error(table, b);
    });
}

}  // namespace dpcov::research
