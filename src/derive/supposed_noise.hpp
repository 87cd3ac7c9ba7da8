// How much noise a release is taken to have whose noise has no simple law.
#pragma once

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// The deviation of the noise on the diagonal of the second moment, as method gauss would have it
/// (wishart under pure DP) had it spent all that the release spent. For rows as long as the norm
/// bound; without centring, as long as the threshold, where one was chosen. In units of the mapped
/// rows squared. 0 where nothing was spent.
[[nodiscard]] double supposed_noise_deviation(const Release& release);

}  // namespace dpcov::detail
