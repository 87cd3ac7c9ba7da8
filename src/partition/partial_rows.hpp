// How much of a row may count in a stratum that it is too long for, at no cost.
//
// Strata without a row in common are each released at the whole budget, for a row moves one of them
// alone. Moving two of them, each by less, costs no more: as the two sides of a right angle under
// Gaussian noise, as two parts of one whole under pure DP. So a long row counts with a part w in a
// finer stratum, and with 1 - w in its own. Proof: docs/privacy.md#partial-rows.
#pragma once

#include "dpcov/statistics.hpp"

namespace dpcov::detail {

/// Squared norms of some rows in units of the squared radius of their own stratum, at most 1.
struct OwnSquares {
    double least = 0.0;
    double greatest = 0.0;
};

/// The greatest w in [0, 1] for rows whose squared norms are at most `inner` > 1 in units of the
/// finer stratum's squared radius.
[[nodiscard]] double greatest_part(double inner, const OwnSquares& own, NoiseShape noise);

}  // namespace dpcov::detail
