// Zero: the matrix that looks at nothing. The baseline: a mechanism that errs more has failed.
//
// Source       Dong, Liang, Yi 2022, section 6 (baseline)
// Neighbours   any
// Budget       none, under every definition
// Output       the zero matrix
// Assumes      nothing
// Proof        docs/privacy.md#zero
#pragma once

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// The catalogue's `zero`.
[[nodiscard]] Release zero_cov(const ReleasedRows& rows, const Budget& budget,
                               const ReleaseOptions& options, RandomSource& random);

}  // namespace dpcov::detail
