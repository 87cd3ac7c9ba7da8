#include "dpcov/budget.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "dpcov/error.hpp"
#include "privacy/enclosure.hpp"
#include "text/number_text.hpp"

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
    const detail::Enclosure share = detail::Enclosure(whole) * static_cast<double>(numerator) *
                                    std::ldexp(1.0, -static_cast<int>(log2_denominator));
    const double rounded = share.lower();
    if (rounded == 0.0) {
        throw UsageError("the budget " + number_text(whole) +
                         " is too small to be split; give a larger one");
    }
    return rounded;
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

}  // namespace dpcov
