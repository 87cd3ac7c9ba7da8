// Whether the sums of a moment can be those of rows: a whole file from elsewhere, checksum and all,
// must not overflow them later.
#pragma once

#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// Whether some rows have such sums, as far as their sizes tell.
[[nodiscard]] bool has_possible_sums(const SecretMoment& moment);

}  // namespace dpcov::detail
