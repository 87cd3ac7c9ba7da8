// What every release has in common, whoever made it.
#pragma once

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// Throws UsageError where fields contradict each other, or are no values that a release can have:
/// arrays of another shape, numbers that are not finite, scales that are not above zero, an account
/// that does not add up. That it is true is another matter: whoever writes a file may write what
/// no mechanism drew.
void check_release(const Release& release);

}  // namespace dpcov::detail
