// Of a release whose noise has no law that can be told: how much noise it is taken to have.
#pragma once

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// The deviation, on the diagonal, of the noise that method gauss would have put on the second
/// moment, or wishart under pure DP, at all that the release spent: of rows up to the norm bound,
/// or without a mean up to the threshold where one was chosen. In units of the mapped rows squared.
/// 0 where nothing was spent.
[[nodiscard]] double supposed_noise_deviation(const Release& release);

}  // namespace dpcov::detail
