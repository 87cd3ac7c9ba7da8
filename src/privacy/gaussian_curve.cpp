#include "privacy/gaussian_curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "privacy/enclosure.hpp"

namespace dpcov::detail {
namespace {

constexpr double least_positive = std::numeric_limits<double>::denorm_min();
// From here on a search goes: smaller doubles are zero to a process in which denormals are.
constexpr double least_normal = std::numeric_limits<double>::min();
constexpr double greatest = std::numeric_limits<double>::max();

// Beyond it e^epsilon may be more than MPFR holds.
constexpr double large_epsilon = 0x1p28;

// Where delta is neither 0 nor 1 to a double, the two tails differ by a factor 1 - O(mu) for small
// mu, and for large mu their arguments are differences of numbers of the order of mu, squared in
// the exponent. So much is lost; 100 bits and more are left.
mpfr_prec_t sufficient_precision(Rho rho) {
    return 192 + 2 * std::abs(std::ilogb(std::sqrt(rho.value())));
}

// The probability that a standard normal number is above x.
Enclosure upper_tail(const Enclosure& x) {
    return erfc(x / sqrt(Enclosure(2.0, x.precision_bits()))) * 0.5;
}

// The greatest double of [low, high] for which `holds`, which turns from true to false once; `low`
// where it holds for none. Positive doubles are in the order of their bits.
template <class Predicate>
double last_that_holds(double low, double high, const Predicate& holds) {
    auto below = std::bit_cast<std::uint64_t>(low);
    auto above = std::bit_cast<std::uint64_t>(high) + 1;
    while (above - below > 1) {
        const std::uint64_t middle = below + (above - below) / 2;
        (holds(std::bit_cast<double>(middle)) ? below : above) = middle;
    }
    return std::bit_cast<double>(below);
}

}  // namespace

double gaussian_delta(Rho rho, Epsilon epsilon) {
    const Enclosure mu = sqrt(Enclosure(rho.value(), sufficient_precision(rho)) * 2.0);
    const Enclosure middle = Enclosure(epsilon.value()) / mu;
    const Enclosure half = mu * 0.5;
    const Enclosure distance = middle - half;
    // Where rounding up gives the least double, or 1: Phi(-39) < 10^-330, and
    // 1 - delta = Phi(-9) + phi(9) R(9 + mu) < 2^-53 with Mills' ratio R < 1.26. Saves time.
    if (distance.lower() >= 39.0) {
        return least_positive;
    }
    if (distance.upper() <= -9.0) {
        return 1.0;
    }
    const Enclosure likelier = upper_tail(distance);
    if (epsilon.value() > large_epsilon) {
        // Less than one part in 500 of delta is left out (docs/bounds.md#gaussian-curve).
        return std::min(likelier.upper(), 1.0);
    }
    const Enclosure unlikelier =
        exp(Enclosure(epsilon.value(), mu.precision_bits())) * upper_tail(middle + half);
    return std::clamp((likelier - unlikelier).upper(), 0.0, 1.0);
}

double gaussian_epsilon(Rho rho, Delta delta) {
    const auto fails = [&](double epsilon) {
        return gaussian_delta(rho, Epsilon(epsilon)) > delta.value();
    };
    if (!fails(least_normal)) {
        return least_normal;
    }
    return std::nextafter(last_that_holds(least_normal, greatest, fails), HUGE_VAL);
}

double gaussian_rho(const ApproximateDp& target) {
    const auto holds = [&](double rho) {
        return gaussian_delta(Rho(rho), target.epsilon) <= target.delta.value();
    };
    return holds(least_normal) ? last_that_holds(least_normal, greatest, holds) : 0.0;
}

}  // namespace dpcov::detail
