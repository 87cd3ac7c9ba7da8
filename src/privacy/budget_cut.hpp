// A budget in two.
#pragma once

#include <algorithm>
#include <cmath>

namespace dpcov::detail {

/// A share of something in 64ths: rounded, from 1 to `most`.
[[nodiscard]] inline unsigned sixty_fourths(double share, unsigned most) {
    return static_cast<unsigned>(std::clamp(std::round(64.0 * share), 1.0, 1.0 * most));
}

/// Of a budget, Rho or Epsilon: the two add up to it.
template <class Share>
struct Cut {
    Share part;
    Share rest;
};

/// Its part is that share of the budget, in 64ths.
template <class Share>
[[nodiscard]] Cut<Share> cut(Share budget, double share, unsigned most) {
    const unsigned parts = sixty_fourths(share, most);
    return {budget.share(parts, 6), budget.share(64 - parts, 6)};
}

}  // namespace dpcov::detail
