// What whoever released should hear before the release is used.
#pragma once

#include <optional>
#include <vector>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// Of public numbers alone.
enum class Concern {
    worse_than_zero,      ///< Release::worse_than_zero, of a matrix that is not zero
    norm_bound_too_long,  ///< no row within the bounds is as long as the norm bound, whose noise is
                          ///< for nothing
    rows_at_norm_bound,   ///< nearly every row is at the norm bound: if some are longer, they were
                          ///< clipped, which no estimated error covers
    far_from_midpoints,   ///< rows are much further from the midpoints of their bounds than from
                          ///< each other: tighter bounds, or reading twice, would err less
    delta_not_small,      ///< delta is not below 1/n: publishing one row whole would meet it
    not_private,          ///< made with a seed: whoever knows it can remove the noise
};

inline constexpr Words<Concern, 6> concern_words = {
    {{"worse-than-zero", Concern::worse_than_zero},
     {"norm-bound-too-long", Concern::norm_bound_too_long},
     {"rows-at-norm-bound", Concern::rows_at_norm_bound},
     {"far-from-midpoints", Concern::far_from_midpoints},
     {"delta-not-small", Concern::delta_not_small},
     {"not-private", Concern::not_private}}};

/// The longest that a row can be whose values are within their bounds, as moved and stretched; in
/// units of the norm bound. None where not every column has bounds.
[[nodiscard]] DPCOV_EXPORT std::optional<double> longest_row(const Release& release);

/// In that order; empty where there is nothing to say. UsageError for a release whose parts do not
/// fit together.
[[nodiscard]] DPCOV_EXPORT std::vector<Concern> concerns_of(const Release& release);

}  // namespace dpcov
