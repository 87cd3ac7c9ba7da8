#include "estimate/error_model.hpp"

namespace dpcov::detail {

ExpectedError with_stratum_error(const ExpectedError& before, const StratumError& stratum,
                                 double weight) {
    const auto [fresh, share] = stratum;
    const double kept = 1.0 + weight * share;
    return {.estimate =
                before.estimate + (fresh + share * (share * before.prior + 2.0 * before.common)),
            .prior = kept * kept * before.prior + weight * weight * fresh,
            .common = kept * (before.common + share * before.prior) + weight * fresh};
}

}  // namespace dpcov::detail
