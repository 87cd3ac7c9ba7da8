// From rho to (epsilon, delta)-DP and back. By the Gaussian curve: gaussian_curve.hpp. For all that
// is rho-zCDP: Canonne, Kamath and Steinke 2020, Proposition 12.
//
// With x = alpha - 1 > 0 it says that a rho-zCDP mechanism is (epsilon, delta)-DP whenever
//
//   log delta >= L(x) = x ((x + 1) rho - epsilon) - x log(1 + 1/x) - log(1 + x)
//
// for some x. Solved for any one of delta, epsilon and rho, this is a bound that holds for *every*
// x. So each function below goes in two steps: search for a good x in plain doubles, where an
// inexact answer costs tightness only (to second order, as x is an optimum), and evaluate the bound
// at that x once, in interval arithmetic, taking the safe end. Derivations: docs/bounds.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "privacy/enclosure.hpp"
#include "privacy/gaussian_curve.hpp"

namespace dpcov {

namespace {

using detail::Enclosure;

constexpr double smallest_normal = std::numeric_limits<double>::min();

// The x > 0 where `falls_before` turns from true to false, by bisection of log x over the range of
// doubles; 60 halvings of 1400 leave a relative error of 1e-15.
template <class Predicate>
double turning_point(const Predicate& falls_before) {
    double low = -700.0;
    double high = 700.0;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2.0;
        (falls_before(std::exp(middle)) ? low : high) = middle;
    }
    return std::exp(low);
}

double zcdp_delta(Rho rho, Epsilon epsilon) {
    // L is strictly convex: L'(x) = (2x + 1) rho - epsilon - log(1 + 1/x) increases.
    const double x = turning_point([&](double candidate) {
        return (2.0 * candidate + 1.0) * rho.value() - epsilon.value() <
               std::log1p(1.0 / candidate);
    });
    const Enclosure point(x);
    const Enclosure log_delta = point * (point + 1.0) * rho.value() - point * epsilon.value() -
                                point * log1p(Enclosure(1.0) / point) - log1p(point);
    return exp(log_delta).upper();
}

double zcdp_epsilon(Rho rho, Delta delta) {
    // The bound has the derivative rho - (log(1/delta) - log(1 + x)) / x^2.
    const double log_inverse_delta = -std::log(delta.value());
    const double x = turning_point([&](double candidate) {
        return candidate * candidate * rho.value() + std::log1p(candidate) < log_inverse_delta;
    });
    const Enclosure point(x);
    const Enclosure epsilon = (point + 1.0) * rho.value() -
                              (log(Enclosure(delta.value())) + log1p(point)) / point -
                              log1p(Enclosure(1.0) / point);
    return epsilon.upper();
}

double zcdp_rho(const ApproximateDp& target) {
    // The bound increases while (2x + 1) (log(1/delta) - log(1 + x)) > x^2 (epsilon + log(1 +
    // 1/x)).
    const double epsilon = target.epsilon.value();
    const double log_inverse_delta = -std::log(target.delta.value());
    const double x = turning_point([&](double candidate) {
        return (2.0 * candidate + 1.0) * (log_inverse_delta - std::log1p(candidate)) >
               candidate * candidate * (epsilon + std::log1p(1.0 / candidate));
    });
    const Enclosure point(x);
    const Enclosure rho = (point * epsilon + point * log1p(Enclosure(1.0) / point) + log1p(point) +
                           log(Enclosure(target.delta.value()))) /
                          (point * (point + 1.0));
    return rho.lower();
}

}  // namespace

double delta_of(Rho rho, Epsilon epsilon, Curve curve) {
    const double delta =
        curve == Curve::gaussian ? detail::gaussian_delta(rho, epsilon) : zcdp_delta(rho, epsilon);
    return std::clamp(delta, smallest_normal, 1.0);
}

Epsilon epsilon_of(Rho rho, Delta delta, Curve curve) {
    const double epsilon =
        curve == Curve::gaussian ? detail::gaussian_epsilon(rho, delta) : zcdp_epsilon(rho, delta);
    return Epsilon(std::max(epsilon, smallest_normal));
}

Rho rho_for(const ApproximateDp& target, Curve curve) {
    const double rho = curve == Curve::gaussian ? detail::gaussian_rho(target) : zcdp_rho(target);
    if (!(rho > 0.0)) {
        throw UsageError(
            "no rho that a double can hold is small enough for this epsilon and delta; give a "
            "larger epsilon or delta");
    }
    if (std::isinf(rho)) {
        throw UsageError("this epsilon allows more rho than a double can hold; give a smaller one");
    }
    return Rho(rho);
}

Rho rho_of(Epsilon epsilon) {
    const Enclosure value(epsilon.value());
    const double rho = (value * value * 0.5).upper();
    if (std::isinf(rho)) {
        throw UsageError(
            "this epsilon implies more rho than a double can hold; give a smaller one");
    }
    return Rho(rho);
}

Epsilon epsilon_within(Rho rho) {
    return Epsilon(sqrt(Enclosure(rho.value()) * 2.0).lower());
}

}  // namespace dpcov
