// Privacy budgets as types that cannot be mixed up, and the conversions between them, which spend
// nothing.
// Proofs: docs/privacy.md#definitions and #gaussian-curve.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "dpcov/export.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// rho of rho-zCDP (Bun and Steinke 2016): finite and > 0, else UsageError.
class DPCOV_EXPORT Rho {
public:
    explicit Rho(double value);
    [[nodiscard]] double value() const noexcept { return value_; }

    /// The share numerator / 2^log2_denominator of this budget. It is never rounded up: shares
    /// whose fractions add up to one never add up to more than the whole. UsageError unless
    /// 0 < numerator <= 2^log2_denominator and log2_denominator <= 63.
    [[nodiscard]] Rho share(unsigned numerator, unsigned log2_denominator) const;

private:
    double value_;
};

/// epsilon of pure epsilon-DP: finite and > 0, else UsageError.
class DPCOV_EXPORT Epsilon {
public:
    explicit Epsilon(double value);
    [[nodiscard]] double value() const noexcept { return value_; }
    /// As Rho::share.
    [[nodiscard]] Epsilon share(unsigned numerator, unsigned log2_denominator) const;

private:
    double value_;
};

/// delta of (epsilon, delta)-DP: 0 < delta < 1, else UsageError.
class DPCOV_EXPORT Delta {
public:
    explicit Delta(double value);
    [[nodiscard]] double value() const noexcept { return value_; }

private:
    double value_;
};

/// (epsilon, delta)-DP.
struct ApproximateDp {
    Epsilon epsilon;
    Delta delta;
};

/// What a release is asked to satisfy.
using Definition = std::variant<Rho, Epsilon, ApproximateDp>;

/// What a mechanism spends: rho or epsilon, as in the definition for which it is proved. To meet
/// (epsilon, delta)-DP it spends rho_for(target, curve).
using Budget = std::variant<Rho, Epsilon>;

/// The number in a budget: rho or epsilon.
[[nodiscard]] inline double amount_of(const Budget& budget) {
    return std::visit([](auto amount) { return amount.value(); }, budget);
}

/// What is known of a mechanism that spends rho. This decides which pairs (epsilon, delta) it
/// satisfies.
enum class Curve {
    zcdp,      ///< rho-zCDP, and nothing else: Canonne, Kamath and Steinke 2020, Proposition 12
    gaussian,  ///< all of its noise is Gaussian: exactly the trade-off curve of N(0, 1) and
               ///< N(sqrt(2 rho), 1) (Balle and Wang 2018; Dong, Roth and Su 2022)
};

inline constexpr auto curve_words =
    words_of<Curve>({{"zcdp", Curve::zcdp}, {"gaussian", Curve::gaussian}});

[[nodiscard]] inline std::string_view name_of(Curve curve) {
    return word_of(curve_words, curve);
}

/// The smallest delta for which every mechanism of this `curve` that spends `rho` is
/// (epsilon, delta)-DP. Rounded up; at most 1, at least 2^-1022.
[[nodiscard]] DPCOV_EXPORT double delta_of(Rho rho, Epsilon epsilon, Curve curve = Curve::zcdp);

/// The smallest epsilon for which every mechanism of this `curve` that spends `rho` is
/// (epsilon, delta)-DP. Rounded up. Where delta is large enough for epsilon = 0, the result is
/// 2^-1022.
[[nodiscard]] DPCOV_EXPORT Epsilon epsilon_of(Rho rho, Delta delta, Curve curve = Curve::zcdp);

/// The largest rho for which every mechanism of this `curve` is (epsilon, delta)-DP. Rounded down.
[[nodiscard]] DPCOV_EXPORT Rho rho_for(const ApproximateDp& target, Curve curve = Curve::zcdp);

/// The rho-zCDP that every epsilon-DP mechanism satisfies: epsilon^2 / 2 (Bun and Steinke 2016,
/// Proposition 1.4; rounded up).
[[nodiscard]] DPCOV_EXPORT Rho rho_of(Epsilon epsilon);

/// The largest epsilon whose epsilon-DP implies rho-zCDP: sqrt(2 rho), rounded down. A pure-DP part
/// of a zCDP mechanism (the sparse vector technique) runs at this epsilon.
[[nodiscard]] DPCOV_EXPORT Epsilon epsilon_within(Rho rho);

/// The greatest probability of a right guess about one row, from 1/2 to 1, rounded up. Whoever
/// guesses sees the release and knows all other rows. The guess is which of two equally likely
/// neighbouring tables was released, whatever else was known of them. Exact for a query with
/// Gaussian noise and under pure DP (docs/privacy.md#best-guess).
[[nodiscard]] DPCOV_EXPORT double best_guess(Rho rho, Curve curve = Curve::zcdp);
/// The same for a release that spends `epsilon`.
[[nodiscard]] DPCOV_EXPORT double best_guess(Epsilon epsilon);
/// The same for a release that is (epsilon, delta)-DP.
[[nodiscard]] DPCOV_EXPORT double best_guess(const ApproximateDp& pair);
/// The same for a release that promises that by noise of this `curve`. Under (epsilon, delta)-DP it
/// is the lesser of what the pair allows and what the rho allows that is spent for it.
[[nodiscard]] DPCOV_EXPORT double best_guess(const Definition& promised, Curve curve);

/// One line of a release's account: which part of the mechanism spent what, and on what.
template <class Amount>
struct Stage {
    std::string name;
    Amount spent;
    std::string what;
};

}  // namespace dpcov
