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
std::vector<double> rough_stretch(const SecretMoment& secret, double rows,
                                  const std::vector<double>& origin, double origin_deviation,
                                  Share share, RandomSource& random) {
    ExactSums squares = column_squares(secret);
    const Noise<Share> noise(squares_sensitivity(squares.size()), share);
    noise.add_to(squares, random);
    const double unit = lattice_unit(secret, 0) / rows;
    const double deviation = noise.deviation() * unit;
    std::vector<double> stretch(squares.size());
    for (std::size_t j = 0; j < stretch.size(); ++j) {
        const double variance = static_cast<double>(squares[j]) * unit - origin[j] * origin[j];
        // Half of what the noise of both would hide.
        const double least = 0.5 * deviation + std::abs(origin[j]) * origin_deviation;
        const double factor = std::pow(std::clamp(variance, std::min(least, 1.0), 1.0), -0.25);
        stretch[j] =
            std::round(std::min(factor, greatest_factor) * steps_of_factor) / steps_of_factor;
    }
    return stretch;
}

template std::vector<double> rough_stretch(const SecretMoment&, double, const std::vector<double>&,
                                           double, Rho, RandomSource&);
template std::vector<double> rough_stretch(const SecretMoment&, double, const std::vector<double>&,
                                           double, Epsilon, RandomSource&);

}  // namespace dpcov::detail
