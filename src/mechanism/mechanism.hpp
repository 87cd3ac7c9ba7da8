// What a mechanism is: the only kind of function that sees both data and noise.
#pragma once

#include "dpcov/release.hpp"
#include "moment/secret_moment.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// Spends at most the budget, as the stages of what it returns say. For a budget in a definition,
/// or for options, that it cannot honour it throws UsageError before its first noise. Charges
/// nobody: that is release()'s.
using Mechanism = Release (*)(const SecretMoment&, const Budget&, const ReleaseOptions&,
                              RandomSource&);

}  // namespace dpcov::detail
