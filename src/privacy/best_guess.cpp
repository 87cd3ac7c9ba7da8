// How often at most a guess about one row is right. Proof: docs/privacy.md#best-guess.
#include <algorithm>
#include <variant>

#include "dpcov/budget.hpp"
#include "privacy/enclosure.hpp"

namespace dpcov {
namespace {

using detail::Enclosure;

double guess_from(const Enclosure& variation) {
    return std::clamp(((variation + 1.0) * 0.5).upper(), 0.5, 1.0);
}

}  // namespace

double best_guess(Rho rho, Curve curve) {
    // The total variation is the delta at epsilon = 0: at most that at an epsilon above it, and
    // e^epsilon - 1 <= 2 epsilon more.
    constexpr double above_zero = 0x1p-1022;
    const double at_zero =
        guess_from(Enclosure(delta_of(rho, Epsilon(above_zero), curve)) + 2.0 * above_zero);
    if (curve == Curve::gaussian) {
        return at_zero;
    }
    // The Kullback-Leibler divergence is at most rho; Pinsker.
    return std::min(at_zero, guess_from(sqrt(Enclosure(rho.value()) * 0.5)));
}

double best_guess(Epsilon epsilon) {
    const Enclosure one(1.0);
    return std::clamp((one / (one + exp(Enclosure(0.0) - Enclosure(epsilon.value())))).upper(), 0.5,
                      1.0);
}

double best_guess(const ApproximateDp& pair) {
    const Enclosure one(1.0);
    const Enclosure odds = exp(Enclosure(0.0) - Enclosure(pair.epsilon.value()));
    return std::clamp(((one + odds * Enclosure(pair.delta.value())) / (one + odds)).upper(), 0.5,
                      1.0);
}

double best_guess(const Definition& promised, Curve curve) {
    if (const auto* rho = std::get_if<Rho>(&promised)) {
        return best_guess(*rho, curve);
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&promised)) {
        return best_guess(*epsilon);
    }
    const auto& pair = std::get<ApproximateDp>(promised);
    return std::min(best_guess(pair), best_guess(rho_for(pair, curve), curve));
}

}  // namespace dpcov
