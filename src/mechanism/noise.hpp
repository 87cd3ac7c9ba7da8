// The noise that hides integers for a budget: Gaussian for rho, Laplace for epsilon.
#pragma once

#include <span>
#include <string>

#include "arithmetic/wide_integer.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/statistics.hpp"
#include "dpcov/words.hpp"
#include "random/discrete_laplace.hpp"
#include "random/gaussian_noise.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// How far apart the integers that neighbours give can be, at most.
struct Sensitivity {
    double l1 = 0.0;
    double l2 = 0.0;

    /// Of one number.
    [[nodiscard]] static Sensitivity of_number(double distance) { return {distance, distance}; }
};

/// The kinds of noise that are drawn, as the account of a release calls them. NoiseShape, for
/// users, has fewer: those that do not change under rotation, for which there are estimates.
enum class NoiseKind { gaussian, laplace, wishart };

inline constexpr auto noise_kind_words =
    words_of<NoiseKind>({{"Gaussian noise", NoiseKind::gaussian},
                         {"Laplace noise", NoiseKind::laplace},
                         {"Wishart noise", NoiseKind::wishart}});

[[nodiscard]] inline std::string name_of(NoiseKind kind) {
    return std::string(word_of(noise_kind_words, kind));
}

/// The law of the noise on matrices of strata that a budget pays for.
[[nodiscard]] inline NoiseShape shape_of(Rho /*budget*/) {
    return NoiseShape::gaussian;
}
[[nodiscard]] inline NoiseShape shape_of(Epsilon /*budget*/) {
    return NoiseShape::wishart;
}
[[nodiscard]] inline std::string name_of(NoiseShape shape) {
    return name_of(shape == NoiseShape::gaussian ? NoiseKind::gaussian : NoiseKind::wishart);
}

/// Independent noise on each of some integers, which spends `Share`, Rho or Epsilon, on all of
/// them together.
template <class Share>
class Noise;

/// Exactly rounded Gaussian noise, by the distance in l2 (docs/sampling.md#gaussian).
template <>
class Noise<Rho> {
public:
    [[nodiscard]] static std::string name() { return name_of(NoiseKind::gaussian); }

    Noise(const Sensitivity& sensitivity, Rho rho);

    void add_to(std::span<Int128> values, RandomSource& random) const;
    [[nodiscard]] Int128 added_to(Int128 value, RandomSource& random) const;

    /// The standard deviation of one number's noise.
    [[nodiscard]] double deviation() const noexcept { return deviation_; }
    /// What one number's noise exceeds with a chance of at most `chance`, 0 < chance <= 1/2.
    [[nodiscard]] double tail(double chance) const;
    /// What it exceeds with a chance below exp(-2^15).
    [[nodiscard]] double limit() const noexcept { return 0x1p8 * deviation_; }

private:
    double deviation_;
    GaussianNoise law_;
};

/// Discrete Laplace noise, by the distance in l1 (docs/sampling.md#laplace).
template <>
class Noise<Epsilon> {
public:
    [[nodiscard]] static std::string name() { return name_of(NoiseKind::laplace); }

    Noise(const Sensitivity& sensitivity, Epsilon epsilon);

    void add_to(std::span<Int128> values, RandomSource& random) const;
    [[nodiscard]] Int128 added_to(Int128 value, RandomSource& random) const;

    [[nodiscard]] double deviation() const noexcept;
    [[nodiscard]] double tail(double chance) const;
    [[nodiscard]] double limit() const noexcept { return 0x1p15 * scale_; }

private:
    double scale_;
    LaplaceScale law_;
};

}  // namespace dpcov::detail
