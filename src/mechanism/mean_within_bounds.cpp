#include "mechanism/mean_within_bounds.hpp"

#include <cmath>
#include <cstddef>

#include "estimate/truncated_normal.hpp"

namespace dpcov::detail {

Eigen::VectorXd mean_within_bounds(Eigen::VectorXd mean, const Eigen::ArrayXd& deviations,
                                   const Release& release) {
    const double of_rows = release.statistics.rows_deviation / release.statistics.rows;
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (release.schema[j].bounds) {
            const auto i = static_cast<Eigen::Index>(j);
            const double origin = release.origin.size() > 0 ? release.origin[i] : 0.0;
            const double stretch = release.stretch.size() > 0 ? release.stretch[i] : 1.0;
            const double mapped = origin + mean[i] / stretch;
            const double deviation = std::hypot(deviations[i], of_rows * mean[i]) / stretch;
            // Not moved by rounding where the bounds are far from all that noise may hide.
            mean[i] += stretch * (mean_within_one(mapped, deviation) - mapped);
        }
    }
    return mean;
}

}  // namespace dpcov::detail
