#include "mechanism/rough_stretch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

constexpr double steps_of_factor = 64.0;  // of the grid that factors are rounded to, in a unit
constexpr double greatest_factor = 1024.0;

}  // namespace

template <class Share>
RoughStretch rough_stretch(const SecretMoment& secret, const RowCount& rows,
                           const std::vector<double>& origin, double origin_deviation, Share share,
                           RandomSource& random) {
    ExactSums squares = column_squares(secret);
    const Noise<Share> noise(squares_sensitivity(squares.size()), share);
    noise.add_to(squares, random);
    const double unit = lattice_unit(secret, 0) / rows.value;
    const double deviation = noise.deviation() * unit;
    RoughStretch rough;
    double noise_variance = 0.0;
    double origin_square = 0.0;  // stretched
    for (std::size_t j = 0; j < squares.size(); ++j) {
        const double variance = static_cast<double>(squares[j]) * unit - origin[j] * origin[j];
        const double hidden_by_origin = std::abs(origin[j]) * origin_deviation;
        // Half of what the noise of both would hide.
        const double least = 0.5 * deviation + hidden_by_origin;
        const double exact = std::pow(std::clamp(variance, std::min(least, 1.0), 1.0), -0.25);
        const double factor =
            std::round(std::min(exact, greatest_factor) * steps_of_factor) / steps_of_factor;
        const double square = factor * factor;
        rough.factors.push_back(factor);
        rough.trace += square * variance;
        noise_variance +=
            square * square * (deviation * deviation + 4.0 * hidden_by_origin * hidden_by_origin);
        origin_square += square * origin[j] * origin[j];
    }
    // The mean square is over n, and the square of the origin over its square.
    rough.trace_deviation =
        std::hypot(std::sqrt(noise_variance), origin_square * rows.deviation / rows.value);
    return rough;
}

template RoughStretch rough_stretch(const SecretMoment&, const RowCount&,
                                    const std::vector<double>&, double, Rho, RandomSource&);
template RoughStretch rough_stretch(const SecretMoment&, const RowCount&,
                                    const std::vector<double>&, double, Epsilon, RandomSource&);

}  // namespace dpcov::detail
