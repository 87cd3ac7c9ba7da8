#include "dpcov/budget.hpp"

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "dpcov/error.hpp"
#include "privacy/interval.hpp"
#include "privacy/number_text.hpp"

namespace dpcov {

namespace {

using detail::number_text;

double positive_finite(const char* name, double value) {
    if (!(value > 0.0) || !std::isfinite(value)) {
        throw UsageError(std::string(name) + " is " + number_text(value) +
                         ", but must be a finite number greater than 0; give for example 0.1");
    }
    return value;
}

// Exact but for the last step, which rounds toward zero: the product has at most 53 + 32 bits, and
// 1 / denominator is a power of two.
double share_of(double whole, unsigned numerator, unsigned log2_denominator) {
    constexpr unsigned most = 63;
    if (numerator == 0 || log2_denominator > most ||
        numerator > std::uint64_t{1} << log2_denominator) {
        throw UsageError("a share of " + std::to_string(numerator) + " / 2^" +
                         std::to_string(log2_denominator) +
                         " of a budget was asked for; a share is more than 0, at most the whole, "
                         "and its denominator at most 2^63");
    }
    const detail::Interval share = detail::Interval(whole) * static_cast<double>(numerator) *
                                   std::ldexp(1.0, -static_cast<int>(log2_denominator));
    const double rounded = share.lower();
    if (rounded == 0.0) {
        throw UsageError("the budget " + number_text(whole) +
                         " is too small to be split; give a larger one");
    }
    return rounded;
}

// The sum of all stages and of one part more, rounded up once. A finite double is a multiple of
// 2^-1074 below 2^1024, so 2200 bits hold the sum of 2^100 of them exactly.
template <class Budget>
double sum_rounded_up(const std::vector<Stage<Budget>>& stages, double part) {
    constexpr mpfr_prec_t exact = 2200;
    mpfr_t sum;
    mpfr_init2(sum, exact);
    mpfr_set_d(sum, part, MPFR_RNDU);
    for (const Stage<Budget>& stage : stages) {
        mpfr_add_d(sum, sum, stage.spent.value(), MPFR_RNDU);
    }
    const double rounded = mpfr_get_d(sum, MPFR_RNDU);
    mpfr_clear(sum);
    return rounded;
}

const char* symbol_of(Rho) {
    return "rho";
}
const char* symbol_of(Epsilon) {
    return "epsilon";
}

}  // namespace

Rho::Rho(double value) : value_(positive_finite("rho", value)) {}

Rho Rho::share(unsigned numerator, unsigned log2_denominator) const {
    return Rho(share_of(value_, numerator, log2_denominator));
}

Epsilon::Epsilon(double value) : value_(positive_finite("epsilon", value)) {}

Epsilon Epsilon::share(unsigned numerator, unsigned log2_denominator) const {
    return Epsilon(share_of(value_, numerator, log2_denominator));
}

Delta::Delta(double value) : value_(value) {
    if (!(value > 0.0 && value < 1.0)) {
        throw UsageError("delta is " + number_text(value) +
                         ", but must lie strictly between 0 and 1; give less than 1 / (number of "
                         "rows), for example 1e-6, or leave it out for pure epsilon-DP");
    }
}

// Why the comparison is exact. The total is a double, so the exact sum is at most the total if and
// only if the sum rounded up to a double is. And no shares of a split of one are ever refused: each
// is at most its exact share, and those add up to the total.
template <class Budget>
Budget BudgetMeter<Budget>::spend(std::string name, Budget part, std::string what) {
    const double spent = sum_rounded_up(stages_, part.value());
    if (spent > total_.value()) {
        throw BudgetError("stage '" + name + "' wants " + symbol_of(part) + " = " +
                          number_text(part.value()) + ", which would bring the sum to " +
                          number_text(spent) + " of a total of " + number_text(total_.value()) +
                          "; raise the budget or lower the stage's share");
    }
    stages_.push_back({std::move(name), part, std::move(what)});
    spent_ = spent;
    return part;
}

template class BudgetMeter<Rho>;
template class BudgetMeter<Epsilon>;

}  // namespace dpcov
