#include "mechanism/sensitivity.hpp"

#include <cmath>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"

namespace dpcov::detail {
namespace {

// The root of the number of differing rows, or the double just above it.
double root_of_rows(Neighbours neighbours) {
    constexpr double above_sqrt2 = 0x1.6a09e667f3bcdp0;
    return neighbours == Neighbours::replace ? above_sqrt2 : 1.0;
}

// At d = 1 a row adds something between nothing and a full weight, whether it is replaced or added:
// squares of numbers are never orthogonal.
double number_sensitivity() {
    return (full_weight + 2.0) * (1.0 + 0x1p-50);
}

// Bound on the l2 distance between the eigenvalues of the Gram and the integers that stand for
// them, for any table of so many rows: what LAPACK errs by, the rounding of the Gram to doubles
// (2^-53 of an entry, so of the Frobenius norm, so of the trace), and the rounding of each value to
// an integer.
double integer_eigenvalue_error(std::size_t d, double rows) {
    const double trace_bound = rows * full_weight * (1.0 + 0x1p-40) + static_cast<double>(d);
    return eigenvalue_error(d, trace_bound) + 0x1p-53 * trace_bound +
           std::sqrt(static_cast<double>(d));
}

}  // namespace

double gram_sensitivity(Neighbours neighbours, std::size_t d, double one_side) {
    if (d == 1) {
        return number_sensitivity() + 2.0 * one_side;
    }
    return std::nextafter(root_of_rows(neighbours) * full_weight + 2.0 * static_cast<double>(d),
                          HUGE_VAL) +
           2.0 * one_side;
}

double gram_l1_sensitivity(Neighbours neighbours, NoiseLaw law, std::size_t d) {
    const auto order = static_cast<double>(d);
    if (law == NoiseLaw::wigner) {
        return (root_of_rows(neighbours) * order * full_weight + order * (order + 1.0)) *
               (1.0 + 0x1p-50);
    }
    if (d == 1) {
        return number_sensitivity();
    }
    // In d (d + 1) / 2 coordinates l1 is at most sqrt(d (d + 1) / 2) times l2.
    const double coordinates = 0.5 * order * (order + 1.0);
    return std::sqrt(coordinates) * gram_sensitivity(neighbours, d) * (1.0 + 0x1p-50);
}

double gram_nuclear_sensitivity(Neighbours neighbours, std::size_t d) {
    if (d == 1) {
        return number_sensitivity();
    }
    const auto order = static_cast<double>(d);
    return (differing_rows(neighbours) * full_weight + 2.0 * order * std::sqrt(order)) *
           (1.0 + 0x1p-50);
}

Sensitivity eigenvalue_sensitivity(Neighbours neighbours, std::size_t d, double rows) {
    const auto order = static_cast<double>(d);
    const double error = integer_eigenvalue_error(d, rows);
    const double one_side = std::sqrt(order) * (error + order);
    // One column's Gram is a square, of the one row less that of the other.
    const double weight = d == 1 ? full_weight : differing_rows(neighbours) * full_weight;
    return {.l1 = (weight + 2.0 * one_side) * (1.0 + 0x1p-50),
            .l2 = gram_sensitivity(neighbours, d) + 2.0 * error};
}

double trace_sensitivity() {
    return number_sensitivity();
}

Int128 bias_sensitivity(std::size_t d) {
    return (Int128{1} << bias_bits) +
           static_cast<Int128>(std::ceil(std::sqrt(static_cast<double>(d)))) * (Int128{1} << 11) +
           2;
}

Sensitivity sum_sensitivity(Neighbours neighbours, std::size_t d) {
    const double root = std::sqrt(static_cast<double>(d));
    const double l2 = differing_rows(neighbours) * 0x1p44 + 2.0 * root * (1.0 + 0x1p-50);
    return {.l1 = root * l2 * (1.0 + 0x1p-50), .l2 = l2};
}

Sensitivity squares_sensitivity(std::size_t d) {
    // A value is at most one unit of the grid above 1 / B of the radius, and of d values that are
    // squared and weighed each is off by one more in either table.
    const auto columns = static_cast<double>(d);
    const double greatest = std::ldexp(1.0 / std::sqrt(columns) + 0x1p-20, radius_bits);
    const double of_value = greatest * greatest * 0x1p24 + 2.0;
    return {.l1 = columns * of_value * (1.0 + 0x1p-50),
            .l2 = std::sqrt(columns) * of_value * (1.0 + 0x1p-50)};
}

double strata_sensitivity(Neighbours neighbours, std::size_t d, double full) {
    return root_of_rows(neighbours) * (full + 2.0 * static_cast<double>(d)) * (1.0 + 0x1p-50);
}

double strata_nuclear_sensitivity(Neighbours neighbours, std::size_t d, double full) {
    const auto order = static_cast<double>(d);
    return differing_rows(neighbours) * (full + 2.0 * order * std::sqrt(order)) * (1.0 + 0x1p-50);
}

double joint_sensitivity(Neighbours neighbours, std::size_t d, double full, double squared_weight) {
    const double of_row = neighbours == Neighbours::replace ? 1.0 + squared_weight
                                                            : std::sqrt(1.0 + 2.0 * squared_weight);
    return of_row * strata_sensitivity(neighbours, d + 1, full) * (1.0 + 0x1p-50);
}

double joint_nuclear_sensitivity(Neighbours neighbours, std::size_t d, double full,
                                 double squared_weight) {
    return (1.0 + squared_weight) * strata_nuclear_sensitivity(neighbours, d + 1, full) *
           (1.0 + 0x1p-50);
}

Sensitivity row_count_sensitivity() {
    return Sensitivity::of_number(1.0);
}

Sensitivity histogram_sensitivity(Neighbours neighbours) {
    return {.l1 = 1.0 * differing_rows(neighbours), .l2 = root_of_rows(neighbours)};
}

}  // namespace dpcov::detail
