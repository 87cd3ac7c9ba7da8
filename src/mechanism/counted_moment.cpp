#include "mechanism/counted_moment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dpcov/error.hpp"
#include "mechanism/noise_scale.hpp"
#include "random/discrete_laplace.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov::detail {
namespace {

// c of the count's share c / (1 + c). Squared errors fall with rho, or with epsilon^2.
double count_weight(std::size_t d, Rho /*budget*/) {
    const auto order = static_cast<double>(d);
    return std::sqrt(2.0 / (order * (order + 1.0)));
}
double count_weight(std::size_t d, Epsilon /*budget*/) {
    const auto order = static_cast<double>(d);
    return std::cbrt(4.0 / (order * (order + 1.0) * (order + 1.0)));
}

// A count with noise, its deviation, and how far it can be below n.
struct NoisyCount {
    Int128 value = 0;
    double deviation = 0.0;
    double shortfall = 0.0;
};

NoisyCount noisy_count(std::uint64_t rows, Rho rho, RandomSource& random) {
    const double deviation = gaussian_deviation(1.0, rho);
    // Z is below -2^8 with a chance below exp(-2^15), as is a Laplace variable below -2^15 scales.
    return {add_gaussian(random, Int128{rows}, gaussian_noise(deviation)), deviation,
            0x1p8 * deviation + 1.0};
}

NoisyCount noisy_count(std::uint64_t rows, Epsilon epsilon, RandomSource& random) {
    const double scale = laplace_noise_scale(1.0, epsilon);
    return {Int128{rows} + discrete_laplace(random, laplace_scale(scale)),
            std::numbers::sqrt2 * scale, 0x1p15 * scale + 1.0};
}

}  // namespace

CountedMoment counted_openly(const SecretMoment& secret) {
    const auto rows = static_cast<double>(secret.rows());
    return {secret, Neighbours::replace, {.value = rows, .deviation = 0.0, .at_most = rows}};
}

template <class Share>
Counted<Share> count_rows(const SecretMoment& secret, const ReleaseOptions& options,
                          BudgetMeter<Share>& meter, RandomSource& random) {
    const Share total = meter.total();
    if (options.neighbours == Neighbours::replace) {
        if (secret.rows() == 0) {
            throw DataError("there are no rows; nothing can be estimated");
        }
        return {counted_openly(secret), total};
    }
    const double weight = count_weight(secret.layout().columns, total);
    const auto sixty_fourths =
        static_cast<unsigned>(std::clamp(std::round(64.0 * weight / (1.0 + weight)), 1.0, 32.0));
    const Share part = meter.spend("rows", total.share(sixty_fourths, 6),
                                   noise_for(total) + " on the number of rows");
    const NoisyCount noisy = noisy_count(secret.rows(), part, random);
    const auto value = static_cast<double>(noisy.value);
    const RowCount rows{.value = std::clamp(value, 1.0, 0x1p48),
                        .deviation = noisy.deviation,
                        .at_most = std::fmax(1.0, value + noisy.shortfall) * (1.0 + 0x1p-50)};
    return {{secret, options.neighbours, rows}, total.share(64 - sixty_fourths, 6)};
}

template Counted<Rho> count_rows(const SecretMoment&, const ReleaseOptions&, RhoMeter&,
                                 RandomSource&);
template Counted<Epsilon> count_rows(const SecretMoment&, const ReleaseOptions&, EpsilonMeter&,
                                     RandomSource&);

}  // namespace dpcov::detail
