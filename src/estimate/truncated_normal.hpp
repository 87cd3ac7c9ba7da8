// Means of normal variables of which more is known than their law: what a noisy number is believed
// to be of a quantity that has bounds.
#pragma once

namespace dpcov::detail {

/// The mean of a normal variable of mean m and deviation s > 0, given that it is positive.
[[nodiscard]] double positive_mean(double m, double s);

/// The mean of a normal variable of mean m and deviation s >= 0, given that it is in [-1, 1].
[[nodiscard]] double mean_within_one(double m, double s);

}  // namespace dpcov::detail
