// How long a run of independent threshold tests goes without success, drawn in one step.
#pragma once

#include <cstdint>
#include <optional>

#include "random/discrete_laplace.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// The 0-based index of the first of `trials` independent discrete Laplace variables that is at
/// least `threshold`; none when no one is. The law is exact, and the time does not depend on
/// `trials`: a sparse vector technique over a long run of equal query values costs one call.
/// Derivation: docs/sampling.md#runs.
[[nodiscard]] std::optional<std::uint64_t> geometric_run(RandomSource& random, std::uint64_t trials,
                                                         LaplaceScale scale, Int128 threshold);

}  // namespace dpcov
