// Privacy losses of Gaussian noise: their law is normal, with a variance of twice the mean.
#pragma once

#include <vector>

namespace dpcov::test {

struct MeanAndVariance {
    double mean = 0.0;
    double variance = 0.0;
};

[[nodiscard]] MeanAndVariance mean_and_variance(const std::vector<double>& values);

/// The privacy loss at `released`: the log of its density around on_x over that around on_y, by
/// noise of deviation s on each entry.
[[nodiscard]] double gaussian_loss(const std::vector<double>& released,
                                   const std::vector<double>& on_x, const std::vector<double>& on_y,
                                   double s);

/// Two-sided p-value of the mean and the variance of losses that should be N(divergence,
/// 2 divergence).
[[nodiscard]] double loss_p_value(const std::vector<double>& losses, double divergence);

}  // namespace dpcov::test
