// A first look at how far the values of each column are apart: by how much they are stretched
// when the rows are read again. The noise of the second reading is alike in all columns, so columns
// that vary little should not be drowned by those that vary much.
//
// Source       this project
// Neighbours   replace or add or remove one row
// Sensitivity  of the squares of d values in [-1, 1]: sqrt(d) in l2, d in l1, and their rounding
// Budget       all of what is given to it
// Output       the noisy squares over a public or noisy number of rows, less those of the rough
//              mean: variances, not below their noise; of each the fourth root, inverted and
//              rounded; and the sum of the variances, so stretched
// Assumes      every column has bounds, and the norm bound is the one that they imply
// Proof        docs/privacy.md#rough-stretch
#pragma once

#include <vector>

#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

struct RoughStretch {
    /// What each column is multiplied by, at least 1: over the root of a rough deviation.
    std::vector<double> factors;
    /// The mean square of rows that are so stretched, and the deviation of the noise in it.
    double trace = 0.0;
    double trace_deviation = 0.0;
};

/// Of rows about `origin`, whose entries have noise of the deviation `origin_deviation`.
template <class Share>
[[nodiscard]] RoughStretch rough_stretch(const SecretMoment& secret, const RowCount& rows,
                                         const std::vector<double>& origin, double origin_deviation,
                                         Share share, RandomSource& random);

}  // namespace dpcov::detail
