#include "mechanism/rough_mean.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

constexpr double steps = 1024.0;  // of the grid that the point is rounded to, in a unit

// Of row_sum(), over the number of rows.
double unit_of_mean(const MomentLayout& layout, double rows) {
    return std::ldexp(layout.norm_bound, -44) / rows;
}

template <class Share>
Noise<Share> noise_on_sum(Neighbours neighbours, std::size_t d, Share share) {
    return Noise<Share>(sum_sensitivity(neighbours, d), share);
}

}  // namespace

template <class Share>
NoisyMean noisy_mean(const SecretMoment& secret, Neighbours neighbours, double rows, Share share,
                     RandomSource& random) {
    const MomentLayout& layout = secret.layout();
    ExactSums sum = row_sum(secret);
    const Noise<Share> noise = noise_on_sum(neighbours, layout.columns, share);
    noise.add_to(sum, random);
    const double unit = unit_of_mean(layout, rows);
    return {vector_of(sum, unit), noise.deviation() * unit};
}

template <class Share>
double rough_mean_deviation(const MomentLayout& layout, Neighbours neighbours, double rows,
                            Share share) {
    return noise_on_sum(neighbours, layout.columns, share).deviation() * unit_of_mean(layout, rows);
}

template <class Share>
std::vector<double> rough_mean(const SecretMoment& secret, Neighbours neighbours, double rows,
                               Share share, RandomSource& random) {
    const NoisyMean noisy = noisy_mean(secret, neighbours, rows, share, random);
    std::vector<double> mean(noisy.mean.begin(), noisy.mean.end());
    const double square = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
    const double noise = static_cast<double>(mean.size()) * noisy.deviation * noisy.deviation;
    if (!(square > noise)) {
        return {};
    }
    for (double& value : mean) {
        const double kept = std::clamp((1.0 - noise / square) * value, -1.0, 1.0);
        value = std::round(kept * steps) / steps + 0.0;  // of -0, 0
    }
    return mean;
}

template NoisyMean noisy_mean(const SecretMoment&, Neighbours, double, Rho, RandomSource&);
template NoisyMean noisy_mean(const SecretMoment&, Neighbours, double, Epsilon, RandomSource&);
template double rough_mean_deviation(const MomentLayout&, Neighbours, double, Rho);
template double rough_mean_deviation(const MomentLayout&, Neighbours, double, Epsilon);
template std::vector<double> rough_mean(const SecretMoment&, Neighbours, double, Rho,
                                        RandomSource&);
template std::vector<double> rough_mean(const SecretMoment&, Neighbours, double, Epsilon,
                                        RandomSource&);

}  // namespace dpcov::detail
