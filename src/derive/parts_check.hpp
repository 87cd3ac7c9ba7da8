// Whether a release is one that estimates can be derived from.
#pragma once

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// UsageError unless 0 < level < 1.
void check_level(double level);

/// Up to which squares are finite. What is released at any norm bound that there can be is far
/// below.
inline constexpr double greatest_value = 0x1p500;

/// UsageError unless all parts of a release are of one number of columns, at least 1, and their
/// numbers are finite and in the range of a release's: others would come to the eigenvalues, which
/// do not converge.
void check_parts(const Release& release);

}  // namespace dpcov::detail
