#include "partition/partial_rows.hpp"

#include <algorithm>
#include <cmath>

namespace dpcov::detail {
namespace {

// t^2 + (1 - t)^2: of a row of squared norm t, with what it counts for in the number of rows.
double with_count(double t) {
    return t * t + (1.0 - t) * (1.0 - t);
}

}  // namespace

double greatest_part(double inner, const OwnSquares& own, NoiseShape noise) {
    if (noise == NoiseShape::wishart) {
        // w t + (1 - w) u = 1. Beside its sum, which weighs as much as a full row at most, a row of
        // squared norm u has (1 + u) / 2 of one's nuclear norm.
        const double u = 0.5 * (1.0 + own.greatest);
        return (1.0 - u) / (inner - u);
    }
    // w^2 h + (1 - w)^2 q = 1
    const double h = with_count(inner);
    const double q = std::max({own.greatest, with_count(own.least), with_count(own.greatest)});
    return (q + std::sqrt(q * q + (h + q) * (1.0 - q))) / (h + q);
}

}  // namespace dpcov::detail
