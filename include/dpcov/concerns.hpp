// Warnings for whoever made a release, to be heard before the release is used.
#pragma once

#include <optional>
#include <vector>

#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/release.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// A warning about a release. It is found from public numbers alone.
enum class Concern {
    worse_than_zero,      ///< Release::worse_than_zero is set, and the matrix is not zero
    norm_bound_too_long,  ///< no row within the bounds is as long as the norm bound: there is more
                          ///< noise than is needed
    rows_at_norm_bound,   ///< nearly every row is at the norm bound: longer rows, if there are any,
                          ///< were clipped, and no estimated error covers that
    far_from_midpoints,   ///< rows are much further from the midpoints of their bounds than from
                          ///< each other: tighter bounds, or two passes, would err less
    values_at_bound,  ///< nearly all values of a column count as one of its bounds: these may be in
                      ///< another unit, or a value be written otherwise (columns_at_bound)
    delta_not_small,  ///< delta is not below 1/n: publishing one whole row would meet it
    hides_nobody,     ///< whoever knows all other rows guesses right about one, by best_guess,
                      ///< in 999 of 1000 cases or more
    not_private,      ///< made with a seed: whoever knows it can remove the noise
};

inline constexpr auto concern_words =
    words_of<Concern>({{"worse-than-zero", Concern::worse_than_zero},
                       {"norm-bound-too-long", Concern::norm_bound_too_long},
                       {"rows-at-norm-bound", Concern::rows_at_norm_bound},
                       {"far-from-midpoints", Concern::far_from_midpoints},
                       {"values-at-bound", Concern::values_at_bound},
                       {"delta-not-small", Concern::delta_not_small},
                       {"hides-nobody", Concern::hides_nobody},
                       {"not-private", Concern::not_private}});

/// The greatest Euclidean norm of a row whose values are within their bounds, after the row was
/// mapped, moved and stretched; in units of the norm bound. None where a column has no bounds.
[[nodiscard]] DPCOV_EXPORT std::optional<double> longest_row(const Release& release);

/// A column of which nearly all values count as one of its bounds.
struct ColumnAtBound {
    Eigen::Index column = 0;
    double bound = 0.0;  ///< in the table's units. Zero, which many columns are in most rows, for
                         ///< columns of zeros and ones alone, and those for no other bound
};

/// Those whose released mean is within half a per cent of the range of a bound, where the noise on
/// it is less than that. Of zeros and ones those that are called NAME=VALUE or have the fill 0,
/// where no ones show in the noise. Empty without a mean or bounds.
[[nodiscard]] DPCOV_EXPORT std::vector<ColumnAtBound> columns_at_bound(const Release& release);

/// All concerns about a release, in the order of the enum; empty where there are none. Throws
/// UsageError for a release whose parts do not fit together.
[[nodiscard]] DPCOV_EXPORT std::vector<Concern> concerns_of(const Release& release);

}  // namespace dpcov
