#include "mechanism/noise_levels.hpp"

#include <cmath>

#include "dpcov/bounds.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/published_levels.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

// Of the failure probability, what is left to the release: the text leaves the other half to the
// radius, the trace and the threshold; the published code leaves them a quarter.
double release_beta(const LevelSetting& setting) {
    return (setting.variant == Variant::paper ? 0.5 : 0.75) * setting.beta;
}

double whole_bound(const LevelSetting& s, Rho rho, double tau) {
    return gauss_error_bound(s.d, s.n, rho, tau, release_beta(s));
}
double whole_bound(const LevelSetting& s, Epsilon epsilon, double tau) {
    return lap_error_bound(s.d, s.n, epsilon, tau, release_beta(s));
}

double separate_bound(const LevelSetting& s, Rho rho, double tau) {
    return separate_error_bound(s.d, s.n, rho, tau, s.trace, release_beta(s));
}
double separate_bound(const LevelSetting& s, Epsilon epsilon, double tau) {
    return separate_lap_error_bound(s.d, s.n, epsilon, tau, s.trace, release_beta(s));
}

template <class Share>
NoiseLevels bounds(const LevelSetting& s, Share release, double tau) {
    return {
        .whole = whole_bound(s, release, tau),
        .separate = s.variant == Variant::published
                        ? published_separate_level(s.d, s.n, release, tau, s.trace, release_beta(s))
                        : separate_bound(s, release, tau)};
}

// What isotropic noise errs by on average. The shape of SeparateCov's is the theorem's, with the
// sharp bound on the spectral norm.
NoiseLevels expected(const LevelSetting& setting, Rho rho, double tau,
                     const LevelConstants& constants) {
    const auto d = static_cast<double>(setting.d);
    const double s = gaussian_deviation(gram_sensitivity(setting.neighbours, setting.d), rho) /
                     full_weight * tau * tau / static_cast<double>(setting.n);
    const double spectral_norm = s * upsilon_sharp(setting.d, release_beta(setting) / 2.0);
    return {.whole = s * std::sqrt(d * (d + 1.0) / 2.0),
            .separate = 2.0 * constants.rotation * std::sqrt(setting.trace * spectral_norm) +
                        s * std::sqrt(d)};
}

// A matrix with Wishart noise of scale c, projected to the trace, errs by no more than all of the
// noise, and by a multiple of the root of trace and spectral norm, as does SeparateCov at half the
// budget, which is twice the noise.
NoiseLevels expected(const LevelSetting& setting, Epsilon epsilon, double tau,
                     const LevelConstants& constants) {
    const auto d = static_cast<double>(setting.d);
    const double c = 0.5 * gram_nuclear_sensitivity(setting.neighbours, setting.d) / full_weight *
                     tau * tau / (epsilon.value() * static_cast<double>(setting.n));
    const double frobenius_norm = std::sqrt(2.0 * d) * (d + 1.0) * c;
    const double spectral_norm = 3.33 * (d + 1.0) * c;  // docs/bounds.md#wishart
    const double trace = std::fmin(setting.trace, tau * tau);
    const double eigenvalue_noise = std::sqrt(32.0 * d) * c;
    return {
        .whole = std::fmin(frobenius_norm, constants.projected * std::sqrt(trace * spectral_norm)),
        .separate = std::fmin(2.0 * frobenius_norm,
                              constants.separate * std::sqrt(trace * 2.0 * spectral_norm)) +
                    eigenvalue_noise};
}

}  // namespace

template <class Share>
NoiseLevels noise_levels(const LevelSetting& setting, Share release, double tau,
                         const LevelConstants& constants) {
    return setting.variant == Variant::best ? expected(setting, release, tau, constants)
                                            : bounds(setting, release, tau);
}

template NoiseLevels noise_levels(const LevelSetting&, Rho, double, const LevelConstants&);
template NoiseLevels noise_levels(const LevelSetting&, Epsilon, double, const LevelConstants&);

double level_against_bias(const LevelSetting& setting, Rho release, double tau,
                          const LevelConstants& constants) {
    return noise_levels(setting, release, tau, constants).lesser();
}

double level_against_bias(const LevelSetting& setting, Epsilon release, double tau,
                          const LevelConstants& constants) {
    return (setting.variant == Variant::best ? constants.bias : 1.0) *
           noise_levels(setting, release, tau, constants).lesser();
}

}  // namespace dpcov::detail
