// The mechanisms' side of dpcov::release(): the only place that sees both data and noise.
#pragma once

#include "dpcov/release.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// Runs a mechanism of the catalogue. It spends at most `budget`, as the stages say; for a budget
/// in a definition, or for options, that it cannot honour it throws UsageError before its first
/// noise. Charges nobody: that is release()'s.
[[nodiscard]] Release run_method(const Method& method, const SecretMoment& secret,
                                 const Budget& budget, const ReleaseOptions& options,
                                 RandomSource& random);

}  // namespace dpcov::detail
