#include "mechanism/em_sensitivity.hpp"

#include <Eigen/Core>
#include <cmath>

#include "mechanism/bingham.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

// Bounds the trace of the Gram, so its norms, whatever the table.
double trace_bound(std::size_t d, double rows) {
    return rows * (1.0 + 0x1p-40) + static_cast<double>(d) / full_weight;
}

// What the Gram is off by, in any norm of its spectrum's greatest value: its rounding to the
// lattice and to doubles.
double gram_rounding(std::size_t d, double rows) {
    return static_cast<double>(d) / full_weight + 0x1.01p-53 * trace_bound(d, rows);
}

}  // namespace

Sensitivity em_eigenvalue_sensitivity(Neighbours neighbours, std::size_t d, double rows) {
    const Sensitivity of_integers = eigenvalue_sensitivity(neighbours, d, rows);
    return {.l1 = of_integers.l1 / full_weight, .l2 = of_integers.l2 / full_weight};
}

// Forms along orthonormal vectors move as eigenvalues do.
Sensitivity em_form_sensitivity(Neighbours neighbours, std::size_t d, double rows, std::size_t k) {
    const double entries = static_cast<double>(k) + 1.0;
    const FormError error = form_error(d, rows, k);
    const double to_doubles = 0x1.01p-53 * trace_bound(d, rows);
    const double one_side_l2 =
        std::sqrt(entries - 1.0) * error.form + error.rest + std::sqrt(entries) / full_weight;
    const double one_side_l1 = (entries - 1.0) * error.form + error.rest + entries / full_weight;
    // Vectors that are nearly orthonormal lengthen what is measured in them.
    const double lengthened = 1.0 + 8.0 * frame_error(static_cast<Eigen::Index>(d)) + 0x1p-40;
    const double root = std::sqrt(static_cast<double>(d));
    return {
        .l1 = (differing_rows(neighbours) + 2.0 * (one_side_l1 + root * gram_rounding(d, rows))) *
              lengthened,
        .l2 = (gram_sensitivity(neighbours, d) / full_weight + 2.0 * (one_side_l2 + to_doubles)) *
              lengthened};
}

double em_form_range(Neighbours neighbours, std::size_t d, double rows) {
    const double lengthened = 1.0 + 3.0 * frame_error(static_cast<Eigen::Index>(d));
    return (differing_rows(neighbours) + 4.0 * gram_rounding(d, rows)) * lengthened;
}

FormError form_error(std::size_t d, double rows, std::size_t k) {
    const auto order = static_cast<double>(d);
    const auto count = static_cast<double>(k);
    // Two sums of d products each. In the rest: the trace, and the sum of the forms.
    const double form = 3.0 * (order + 2.0) * 0x1p-53 * trace_bound(d, rows);
    return {form, (count + 2.0) * form / std::sqrt(order - count)};
}

}  // namespace dpcov::detail
