// What AdaptiveCov takes a release at a threshold to err by: three models, as its variants have
// them. Nothing is proved of the levels and nothing rests on them but a choice between thresholds
// and mechanisms, so they are functions of public numbers and of a released trace.
//
//   paper      the error bounds of the theorems (dpcov/bounds.hpp) at beta / 2
//   published  the same at 3 beta / 4, SeparateCov's in the authors' form (published_levels)
//   best       what the noise errs by on average, with the constants below
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dpcov/budget.hpp"
#include "dpcov/methods.hpp"

namespace dpcov::detail {

/// What `best` has fitted. docs/tuning.md has what each is worth, by `dpcov-lab levels`; all are
/// ratios.
struct LevelConstants {
    /// zCDP: what SeparateCov's rotation costs, over the bound of Theorem 5's proof.
    double rotation = 0.16;
    /// Pure DP: what a matrix with Wishart noise, projected to the trace, errs by, over the root of
    /// trace and spectral norm of the noise.
    double projected = 0.52;
    /// Pure DP: the same of SeparateCov, at half the budget.
    double separate = 0.34;
    /// Pure DP: what the bias at a threshold is held against, over the level. The bias is a nuclear
    /// norm, several times the error that clipping makes.
    double bias = 3.0;
};

/// What the levels depend on beside budget and threshold.
struct LevelSetting {
    Variant variant = Variant::best;
    Neighbours neighbours = Neighbours::replace;
    std::size_t d = 0;
    std::uint64_t n = 0;  ///< as released, where it is private
    double trace = 0.0;   ///< an upper bound, as released
    double beta = 0.0;    ///< the whole release's
};

/// The two that AdaptiveCov compares.
struct NoiseLevels {
    double whole = 0.0;  ///< GaussCov, or LapCov or WishartCov under pure DP
    double separate = 0.0;

    [[nodiscard]] double lesser() const { return std::min(whole, separate); }
};

/// Of a release with that budget of rows clipped to norm tau.
template <class Share>
[[nodiscard]] NoiseLevels noise_levels(const LevelSetting& setting, Share release, double tau,
                                       const LevelConstants& constants);

/// What the bias of clipping to tau is held against.
[[nodiscard]] double level_against_bias(const LevelSetting& setting, Rho release, double tau,
                                        const LevelConstants& constants);
[[nodiscard]] double level_against_bias(const LevelSetting& setting, Epsilon release, double tau,
                                        const LevelConstants& constants);

}  // namespace dpcov::detail
