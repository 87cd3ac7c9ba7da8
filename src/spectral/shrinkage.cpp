#include "spectral/shrinkage.hpp"

#include <cmath>
#include <vector>

#include "spectral/isotonic.hpp"
#include "spectral/risk.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

struct KernelValue {
    double value;
    double derivative;
};

// Hilbert transform of the Epanechnikov density 3/4 (1 - t^2) on [-1, 1], at u >= 0.
KernelValue hilbert_kernel(double u) {
    constexpr double far = 100.0;
    if (u > far) {  // the closed form loses digits; the next terms are below 10^-9 of these
        const double v = 1.0 / u;
        return {v * (1.0 + v * v / 5.0), -v * v * (1.0 + 0.6 * v * v)};
    }
    if (u == 1.0) {  // its derivative has a logarithmic pole there, which no noise hits
        return {1.5, 0.0};
    }
    const double logarithm = std::log(std::fabs((1.0 + u) / (1.0 - u)));
    return {0.75 * (2.0 * u + (1.0 - u * u) * logarithm), 1.5 * (2.0 - u * logarithm)};
}

}  // namespace

Shrinkage rotation_invariant_shrinkage(const VectorXd& noisy, double s, double bandwidth,
                                       Index bulk) {
    const Index d = noisy.size();
    // 2 sigma^2 H(l_i) = s^2 sum_j k(l_i - l_j), k the kernel's Hilbert transform.
    VectorXd values = noisy;
    Eigen::MatrixXd derivatives = Eigen::MatrixXd::Zero(d, d);
    for (Index j = 0; j < d; ++j) {
        for (Index i = j + 1; i < d; ++i) {
            const KernelValue kernel = hilbert_kernel((noisy[i] - noisy[j]) / bandwidth);
            const double pull = s * s / bandwidth * kernel.value;
            values[i] -= pull;
            values[j] += pull;
            derivatives(i, j) = s * s / (bandwidth * bandwidth) * kernel.derivative;
            derivatives(j, i) = derivatives(i, j);
        }
    }
    const VectorXd row_sums = derivatives.rowwise().sum();
    Shrinkage shrinkage = {VectorXd::Zero(d), 0.0};
    VectorXd slopes = VectorXd::Zero(d);
    for (const Block& block : isotonic_blocks(values, bulk)) {
        if (block.value > 0.0) {
            shrinkage.values.segment(block.first, block.size).setConstant(block.value);
            // Of the mean of a block, what its own members do to each other cancels.
            const auto size = static_cast<double>(block.size);
            const double inside =
                derivatives.block(block.first, block.first, block.size, block.size).sum();
            const double total = size - (row_sums.segment(block.first, block.size).sum() - inside);
            slopes.segment(block.first, block.size).setConstant(total / (size * size));
        }
    }
    shrinkage.divergence = spectral_divergence(noisy, shrinkage.values, slopes);
    return shrinkage;
}

Shrinkage positive_part(const VectorXd& noisy) {
    const VectorXd slopes = (noisy.array() > 0.0).cast<double>();
    VectorXd values = noisy.cwiseMax(0.0);
    const double divergence = spectral_divergence(noisy, values, slopes);
    return {std::move(values), divergence};
}

Shrinkage spiked_shrinkage(const VectorXd& noisy, double s) {
    const double edge = s * std::sqrt(2.0 * static_cast<double>(noisy.size()));
    VectorXd values = VectorXd::Zero(noisy.size());
    VectorXd slopes = values;
    for (Index i = 0; i < noisy.size(); ++i) {
        if (noisy[i] > edge) {
            values[i] = std::sqrt((noisy[i] - edge) * (noisy[i] + edge));
            slopes[i] = noisy[i] / values[i];
        }
    }
    const double divergence = spectral_divergence(noisy, values, slopes);
    return {std::move(values), divergence};
}

}  // namespace dpcov::detail
