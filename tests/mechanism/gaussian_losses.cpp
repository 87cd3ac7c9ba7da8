#include "gaussian_losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "random/statistics.hpp"

namespace dpcov::test {

MeanAndVariance mean_and_variance(const std::vector<double>& values) {
    MeanAndVariance m;
    for (const double value : values) {
        m.mean += value / static_cast<double>(values.size());
    }
    for (const double value : values) {
        m.variance += std::pow(value - m.mean, 2) / static_cast<double>(values.size());
    }
    return m;
}

double gaussian_loss(const std::vector<double>& released, const std::vector<double>& on_x,
                     const std::vector<double>& on_y, double s) {
    double loss = 0.0;
    for (std::size_t e = 0; e < released.size(); ++e) {
        loss += (std::pow(released[e] - on_y[e], 2) - std::pow(released[e] - on_x[e], 2)) /
                (2.0 * s * s);
    }
    return loss;
}

double loss_p_value(const std::vector<double>& losses, double divergence) {
    const MeanAndVariance m = mean_and_variance(losses);
    const auto count = static_cast<double>(losses.size());
    const double mean_z = (m.mean - divergence) / std::sqrt(2.0 * divergence / count);
    const double variance_z = (m.variance / (2.0 * divergence) - 1.0) / std::sqrt(2.0 / count);
    return 2.0 * std::min(two_sided_p_value(mean_z), two_sided_p_value(variance_z));
}

}  // namespace dpcov::test
