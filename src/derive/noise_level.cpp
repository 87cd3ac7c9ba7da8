#include <cmath>

#include "derive/column_units.hpp"
#include "derive/noise_of_release.hpp"
#include "derive/parts_check.hpp"
#include "dpcov/derive.hpp"
#include "estimate/noise_spectrum.hpp"

namespace dpcov {

std::optional<double> noise_level(const Release& release) {
    detail::check_parts(release);
    const Statistics& statistics = release.statistics;
    const double deviation = std::sqrt(detail::noise_variance_of(statistics));
    if (!statistics.complete || !(deviation > 0.0)) {
        return std::nullopt;
    }
    const Eigen::Index d = release.covariance.rows();
    const double edge = deviation * detail::NoiseSpectrum(statistics.noise, d, 1.0).edge();
    // What columns in units u make of it at most, of Gaussian noise and but for s max u^2
    // (docs/deriving.md#components).
    const Eigen::VectorXd units = detail::stretch_of(release).cwiseInverse();
    return edge * units.maxCoeff() * units.norm() / std::sqrt(static_cast<double>(d));
}

}  // namespace dpcov
