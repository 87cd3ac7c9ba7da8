// What the frequencies of an event on neighbouring tables prove about privacy.
#pragma once

#include <cstddef>

namespace dpcov::test {

/// The greatest epsilon that is refuted by an event seen on x and on y so often in `draws` draws
/// each: (epsilon, delta)-DP asks for P_x <= exp(epsilon) P_y + delta. Both probabilities within
/// their Clopper-Pearson limits, each of which is wrong with probability alpha. Zero if none is.
[[nodiscard]] double shown_epsilon(std::size_t on_x, std::size_t on_y, std::size_t draws,
                                   double delta, double alpha);

}  // namespace dpcov::test
