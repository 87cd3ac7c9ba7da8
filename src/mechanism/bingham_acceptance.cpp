#include "mechanism/bingham_acceptance.hpp"

#include <cmath>
#include <numbers>

namespace dpcov::detail {

double rough_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);
    if (m < 0.5 * std::numbers::sqrt2) {
        m *= 2.0;
        --exponent;
    }
    // m in [0.7, 1.42]. log m = 2 (r + r^3 / 3 + r^5 / 5 + ...), |r| < 0.172: ten terms leave less
    // than 2^-55 of it, and the dozen roundings less than 2^-49.
    const double r = (m - 1.0) / (m + 1.0);
    const double square = r * r;
    double sum = 0.0;
    for (int odd = 19; odd >= 3; odd -= 2) {
        sum = (sum + 1.0 / odd) * square;
    }
    return exponent * std::numbers::ln2 + 2.0 * r * (1.0 + sum);
}

Verdict quick_verdict(double q, double rough_s, double error, double slack, std::uint64_t v) {
    constexpr std::uint64_t enough_digits = std::uint64_t{1} << 30U;
    if (!(error < 0x1p-7 && rough_s >= 0x1p-900 && rough_s <= 0x1p900) || v < enough_digits) {
        return Verdict::open;
    }
    const double log_v = rough_log(static_cast<double>(v) * 0x1p-64);
    const double log_s = rough_log(rough_s / q);
    const double bound = 0.5 * (q - rough_s) + 0.5 * q * log_s;
    // V known to 2^-30 of itself; both logarithms; s, in either place; the sums.
    const double either_way = 0x1p-29 + 0x1p-44 * (1.0 + std::fabs(log_v)) +
                              q * 0x1p-44 * (1.0 + std::fabs(log_s)) + (rough_s + q) * error +
                              0x1p-48 * (q + rough_s);
    if (log_v > bound + either_way) {
        return Verdict::rejected;
    }
    return log_v < bound - either_way - rough_s * slack ? Verdict::accepted : Verdict::open;
}

Verdict verdict(double q, const RealInterval& s, const RealInterval& t, const LazyNumber& v) {
    const mpfr_prec_t bits = mpfr_get_prec(s.low());
    RealInterval ratio(bits);
    ratio.set(s);
    ratio.divide(RealInterval(bits, q));
    ratio.take_log();
    // Twice the bound.
    RealInterval bound(bits, q);
    bound.add_product(-1.0, t);
    bound.add_product(q, ratio);
    RealInterval log_v(bits);
    log_v.set(v.digits, v.fraction_bits);
    log_v.take_log();
    RealInterval twice(bits);
    twice.add_product(2.0, log_v);
    if (mpfr_greater_p(twice.low(), bound.high()) != 0) {
        return Verdict::rejected;
    }
    return mpfr_less_p(twice.high(), bound.low()) != 0 ? Verdict::accepted : Verdict::open;
}

}  // namespace dpcov::detail
