#include "mechanism/noise.hpp"

#include <cmath>
#include <numbers>

#include "mechanism/noise_scale.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov::detail {

Noise<Rho>::Noise(const Sensitivity& sensitivity, Rho rho)
    : deviation_(gaussian_deviation(sensitivity.l2, rho)), law_(gaussian_noise(deviation_)) {}

void Noise<Rho>::add_to(std::span<Int128> values, RandomSource& random) const {
    add_gaussian(random, values, law_);
}

Int128 Noise<Rho>::added_to(Int128 value, RandomSource& random) const {
    return add_gaussian(random, value, law_);
}

double Noise<Rho>::tail(double chance) const {
    return deviation_ * std::sqrt(-2.0 * std::log(chance));
}

Noise<Epsilon>::Noise(const Sensitivity& sensitivity, Epsilon epsilon)
    : scale_(laplace_noise_scale(sensitivity.l1, epsilon)), law_(laplace_scale(scale_)) {}

void Noise<Epsilon>::add_to(std::span<Int128> values, RandomSource& random) const {
    add_discrete_laplace(random, values, law_);
}

Int128 Noise<Epsilon>::added_to(Int128 value, RandomSource& random) const {
    return value + discrete_laplace(random, law_);
}

double Noise<Epsilon>::deviation() const noexcept {
    return std::numbers::sqrt2 * scale_;
}

double Noise<Epsilon>::tail(double chance) const {
    return -scale_ * std::log(2.0 * chance);
}

}  // namespace dpcov::detail
