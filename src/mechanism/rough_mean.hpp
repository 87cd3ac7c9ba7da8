// A first look at the rows: a rough mean, about which they are then read again.
//
// Source       this project
// Neighbours   replace or add or remove one row
// Sensitivity  of the sum of the rows 2 B or B in l2, sqrt(d) times that in l1, and its rounding
// Budget       all of what is given to it
// Output       the noisy sum over a public or noisy number of rows, shrunk by its noise (James and
//              Stein), clamped to [-1, 1] and rounded
// Assumes      nothing beyond the exact samplers and the secret random source
// Proof        docs/privacy.md#two-passes
#pragma once

#include <vector>

#include "estimate/covariance_estimate.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// The sum of the rows plus noise, over a public or noisy number of rows, and the deviation of each
/// entry; in mapped units.
template <class Share>
[[nodiscard]] NoisyMean noisy_mean(const SecretMoment& secret, Neighbours neighbours, double rows,
                                   Share share, RandomSource& random);

/// The deviation that each entry of the rough mean would have, in mapped units. Public, if `rows`
/// is.
template <class Share>
[[nodiscard]] double rough_mean_deviation(const MomentLayout& layout, Neighbours neighbours,
                                          double rows, Share share);

/// A point near the mean of the rows as mapped; empty where noise hides in which direction it is.
template <class Share>
[[nodiscard]] std::vector<double> rough_mean(const SecretMoment& secret, Neighbours neighbours,
                                             double rows, Share share, RandomSource& random);

}  // namespace dpcov::detail
