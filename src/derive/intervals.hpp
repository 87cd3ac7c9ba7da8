// Estimates without intervals, why they have none, and how they get some.
#pragma once

#include <Eigen/Core>
#include <string>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Without intervals: NaN.
[[nodiscard]] MatrixEstimate without_intervals(Eigen::MatrixXd estimate);
[[nodiscard]] VectorEstimate without_intervals(Eigen::VectorXd estimate);

/// Why a release has none.
[[nodiscard]] std::string why_no_intervals(const Release& release);

/// The part of an interval that is possible, from `least` to `most`. Where noise has moved it
/// beyond an end, a standard error is left at that end, or half of the interval if that is less: a
/// single point would claim to know the value.
[[nodiscard]] Interval possible_part(const Interval& interval, double least, double most);

/// The same, without covering more often than it should near an end. A value in the part that is
/// always left there can be missed on one side alone. So as far as that part goes ends are those of
/// `one_sided`, whose ends each cover with the probability that `interval` as a whole does.
[[nodiscard]] Interval possible_part(const Interval& interval, const Interval& one_sided,
                                     double least, double most);

/// Whether an interval reaches into the parts that are always left; elsewhere both are the same.
[[nodiscard]] inline bool is_near_an_end(const Interval& interval, double least, double most) {
    return interval.lower < least + interval.standard_error ||
           interval.upper > most - interval.standard_error;
}

/// Why intervals are as wide as bounds allow.
inline constexpr const char* rows_may_be_none =
    "intervals of all that is possible: the noisy number of rows is not far enough above its noise "
    "to divide by";

/// Of the entries (i, j) and (j, i).
void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval);

}  // namespace dpcov::detail
