// Which norms there are bounds for.
#pragma once

#include "dpcov/error.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {

/// UsageError unless 2^-300 <= r <= 2^300, so that its square is a number. All norm bounds of
/// moments are in there, and what rows may be clipped to below them.
inline void check_radius(double r) {
    if (!(r >= 0x1p-300 && r <= 0x1p300)) {
        throw UsageError("the norm bound is " + number_text(r) +
                         ", but must be between 2^-300 and 2^300 (4.9e-91 and 2e90); change the "
                         "units of the columns");
    }
}

}  // namespace dpcov::detail
