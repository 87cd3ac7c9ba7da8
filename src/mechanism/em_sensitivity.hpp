// What a row can change in the numbers that EMCov adds noise to, and in the forms that its vectors
// are drawn by. In units of one full row (B^2), rounding included. Proof: docs/privacy.md#emcov.
#pragma once

#include <cstddef>

#include "mechanism/mechanism.hpp"
#include "mechanism/noise.hpp"

namespace dpcov::detail {

/// Of the d eigenvalues of the Gram of at most `rows` rows, as LAPACK finds them, cut to the
/// lattice.
[[nodiscard]] Sensitivity em_eigenvalue_sensitivity(Neighbours neighbours, std::size_t d,
                                                    double rows);

/// Of k < d quadratic forms u_i^T G u_i and of (tr G - their sum) / sqrt(d - k), cut to the
/// lattice.
[[nodiscard]] Sensitivity em_form_sensitivity(Neighbours neighbours, std::size_t d, double rows,
                                              std::size_t k);

/// The range of the change of y^T Q^T G Q y over unit vectors y, Q the nearly orthonormal frame of
/// a BinghamSequence. Its law is exact, so nothing is added but what the Gram's own rounding is.
[[nodiscard]] double em_form_range(Neighbours neighbours, std::size_t d, double rows);

/// What the computed numbers can be off by on one table of at most `rows` rows: each of k < d
/// quadratic forms, and (trace - their sum) / sqrt(d - k), which has the errors of all of them in
/// it and little to divide them by where k = d - 1.
struct FormError {
    double form = 0.0;
    double rest = 0.0;
};
[[nodiscard]] FormError form_error(std::size_t d, double rows, std::size_t k);

}  // namespace dpcov::detail
