// What the probabilities of one event on neighbouring tables say about privacy.
// Proofs: docs/privacy.md#audit.
#pragma once

#include <cstdint>

#include "dpcov/budget.hpp"

namespace dpcov::audit {

/// How often an event was seen.
struct Count {
    std::uint64_t seen = 0;
    std::uint64_t runs = 0;
};

/// Clopper and Pearson's limits of the probability behind a count; each is wrong with probability
/// at most `risk`, 0 < risk < 1.
[[nodiscard]] double lower_limit(Count count, double risk);
[[nodiscard]] double upper_limit(Count count, double risk);

/// The least loss, in the definition of `claim`, of a mechanism that gives some event a probability
/// of at least p on one table and at most q on its neighbour; 0 <= p, q <= 1. Zero where p <= q.
///   Rho            max over alpha > 1 of D_alpha(Bernoulli(p) || Bernoulli(q)) / alpha
///   Epsilon        ln(p / q)
///   ApproximateDp  ln((p - delta) / q), at the claim's delta
/// Infinite where q = 0.
[[nodiscard]] double implied_loss(const Definition& claim, double p, double q);

/// The loss that is claimed: rho or epsilon.
[[nodiscard]] double claimed_loss(const Definition& claim);

}  // namespace dpcov::audit
