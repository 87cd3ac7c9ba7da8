#include "privacy/budget_meter.hpp"

#include <utility>

#include "arithmetic/real.hpp"
#include "dpcov/error.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {
namespace {

// The sum of all stages and of one part more, rounded up once. A finite double is a multiple of
// 2^-1074 below 2^1024, so 2200 bits hold the sum of 2^100 of them exactly.
template <class Share>
double sum_rounded_up(const std::vector<Stage<Share>>& stages, double part) {
    constexpr mpfr_prec_t exact = 2200;
    Real sum(exact);
    mpfr_set_d(sum, part, MPFR_RNDU);
    for (const Stage<Share>& stage : stages) {
        mpfr_add_d(sum, sum, stage.spent.value(), MPFR_RNDU);
    }
    return mpfr_get_d(sum, MPFR_RNDU);
}

const char* symbol_of(Rho) {
    return "rho";
}
const char* symbol_of(Epsilon) {
    return "epsilon";
}

}  // namespace

// Why the comparison is exact. The total is a double, so the exact sum is at most the total if and
// only if the sum rounded up to a double is. And no shares of a split of one are ever refused: each
// is at most its exact share, and those add up to the total.
template <class Share>
Share BudgetMeter<Share>::spend(std::string name, Share part, std::string what) {
    const double spent = sum_rounded_up(stages_, part.value());
    if (spent > total_.value()) {
        throw BudgetError("stage '" + name + "' wants " + symbol_of(part) + " = " +
                          number_text(part.value()) + ", which would bring the sum to " +
                          number_text(spent) + " of a total of " + number_text(total_.value()) +
                          "; raise the budget or lower the stage's share");
    }
    stages_.push_back({std::move(name), part, std::move(what)});
    return part;
}

template class BudgetMeter<Rho>;
template class BudgetMeter<Epsilon>;

}  // namespace dpcov::detail
