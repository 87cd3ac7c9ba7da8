#include "mechanism/whole_matrix.hpp"

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
           MatrixNoise::wishart;
}

}  // namespace

MatrixNoise matrix_noise(Rho /*budget*/, Neighbours /*neighbours*/, std::size_t /*d*/,
                         Variant /*variant*/) {
    return MatrixNoise::gaussian;
}

MatrixNoise matrix_noise(Epsilon /*budget*/, Neighbours neighbours, std::size_t d,
                         Variant variant) {
    return variant == Variant::best && wishart_beats_laplace(neighbours, d) ? MatrixNoise::wishart
                                                                            : MatrixNoise::laplace;
}

std::string name_of(MatrixNoise noise) {
    switch (noise) {
        case MatrixNoise::gaussian:
            return "Gaussian noise";
        case MatrixNoise::laplace:
            return "Laplace noise";
        case MatrixNoise::wishart:
            break;
    }
    return "Wishart noise";
}

std::string mechanism_of(MatrixNoise noise) {
    switch (noise) {
        case MatrixNoise::gaussian:
            return "GaussCov";
        case MatrixNoise::laplace:
            return "LapCov";
        case MatrixNoise::wishart:
            break;
    }
    return "WishartCov";
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
