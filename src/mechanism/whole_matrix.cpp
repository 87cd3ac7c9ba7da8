#include "mechanism/whole_matrix.hpp"

#include "dpcov/words.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/wishart_cov.hpp"

namespace dpcov::detail {
namespace {

bool takes_wishart_noise(const CountedMoment& moment, Epsilon epsilon, Variant variant) {
    return matrix_noise(epsilon, moment.neighbours, moment.secret.layout().columns, variant) ==
           NoiseKind::wishart;
}

}  // namespace

NoiseKind matrix_noise(Rho /*budget*/, Neighbours /*neighbours*/, std::size_t /*d*/,
                       Variant /*variant*/) {
    return NoiseKind::gaussian;
}

NoiseKind matrix_noise(Epsilon /*budget*/, Neighbours neighbours, std::size_t d, Variant variant) {
    return variant == Variant::best && wishart_beats_laplace(neighbours, d) ? NoiseKind::wishart
                                                                            : NoiseKind::laplace;
}

std::string mechanism_of(NoiseKind noise) {
    constexpr auto words = words_of<NoiseKind>({{"GaussCov", NoiseKind::gaussian},
                                                {"LapCov", NoiseKind::laplace},
                                                {"WishartCov", NoiseKind::wishart}});
    return std::string(word_of(words, noise));
}

NoisyMatrix noisy_matrix(const CountedMoment& moment, int clip_exponent, Rho rho, Variant variant,
                         RandomSource& random) {
    return noisy_second_moment(moment, clip_exponent, rho, noise_law(variant), random);
}

NoisyMatrix noisy_matrix(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                         Variant variant, RandomSource& random) {
    if (takes_wishart_noise(moment, epsilon, variant)) {
        return wishart_covariance(moment, clip_exponent, epsilon, random);
    }
    return noisy_second_moment(moment, clip_exponent, epsilon, noise_law(variant), random);
}

CovarianceEstimate matrix_estimate(const CountedMoment& moment, int clip_exponent, Rho rho,
                                   Variant variant, double /*trace_bound*/, RandomSource& random) {
    return gauss_estimate(moment, clip_exponent, rho, variant, random);
}

CovarianceEstimate matrix_estimate(const CountedMoment& moment, int clip_exponent, Epsilon epsilon,
                                   Variant variant, double trace_bound, RandomSource& random) {
    const bool wishart = takes_wishart_noise(moment, epsilon, variant);
    return (wishart ? wishart_estimate : lap_estimate)(moment, clip_exponent, epsilon, variant,
                                                       trace_bound, random);
}

}  // namespace dpcov::detail
