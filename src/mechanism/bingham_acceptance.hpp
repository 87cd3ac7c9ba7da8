// The exact decision on a proposal for a Bingham vector.
//
// A proposal in q dimensions with the numbers 0 < s <= t is accepted with probability
//
//   p = exp((q - t) / 2) (s / q)^(q/2),
//
// that is, if log V < (q - t) / 2 + (q / 2) log(s / q), V uniform on (0, 1). V is a real number of
// which more digits are drawn on demand, so that no p > 0 is too small to be accepted; s and t are
// known by enclosures, which the caller can narrow. Derivation: docs/sampling.md#bingham.
#pragma once

#include <cstdint>

#include "random/lazy_number.hpp"
#include "random/real_interval.hpp"

namespace dpcov::detail {

enum class Verdict { rejected, accepted, open };

/// What doubles can tell: s is within the relative `error` < 2^-7 of `rough_s`, s <= t <= s (1 +
/// slack), and V lies in [v, v + 1] 2^-64. q <= 2^20. No accuracy of a mathematical library is
/// assumed.
[[nodiscard]] Verdict quick_verdict(double q, double rough_s, double error, double slack,
                                    std::uint64_t v);

/// What the digits of V and the enclosures tell, 0 < s: open where they leave it open.
[[nodiscard]] Verdict verdict(double q, const RealInterval& s, const RealInterval& t,
                              const LazyNumber& v);

/// log(x) within 2^-45 (1 + |log(x)|), for normal x > 0.
[[nodiscard]] double rough_log(double x);

}  // namespace dpcov::detail
