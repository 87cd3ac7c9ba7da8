#include "spectral/shrinkage.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "spectral/isotonic.hpp"
#include "spectral/risk.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct KernelValue {
    double value;
    double derivative;
};

// The Epanechnikov density 3/4 (1 - t^2) on [-1, 1], at u >= 0.
KernelValue kernel_density(double u) {
    return u < 1.0 ? KernelValue{0.75 * (1.0 - u * u), -1.5 * u} : KernelValue{0.0, 0.0};
}

// Its Hilbert transform, at u >= 0.
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

// The Stieltjes transform x + i y of the eigenvalues' smoothed density, below the real axis at each
// of them; entry (i, j) of the matrices is minus the derivative of x_i or y_i by l_j, j != i, and
// those by l_i are what makes the rows of the derivatives sum to zero.
struct Stieltjes {
    VectorXd x;
    VectorXd y;
    MatrixXd x_by;
    MatrixXd y_by;
};

Stieltjes stieltjes(const VectorXd& noisy, double bandwidth) {
    const Index d = noisy.size();
    const double unit = 1.0 / (static_cast<double>(d) * bandwidth);
    constexpr double pi = std::numbers::pi;
    Stieltjes g = {VectorXd::Zero(d), VectorXd::Constant(d, unit * pi * kernel_density(0.0).value),
                   MatrixXd::Zero(d, d), MatrixXd::Zero(d, d)};
    for (Index j = 0; j < d; ++j) {
        for (Index i = j + 1; i < d; ++i) {
            const double u = (noisy[i] - noisy[j]) / bandwidth;
            const KernelValue hilbert = hilbert_kernel(u);
            g.x[i] += unit * hilbert.value;
            g.x[j] -= unit * hilbert.value;
            g.x_by(i, j) = unit / bandwidth * hilbert.derivative;
            g.x_by(j, i) = g.x_by(i, j);
            const KernelValue density = kernel_density(u);
            g.y[i] += unit * pi * density.value;
            g.y[j] += unit * pi * density.value;
            g.y_by(i, j) = unit * pi / bandwidth * density.derivative;
            g.y_by(j, i) = -g.y_by(i, j);
        }
    }
    return g;
}

}  // namespace

std::vector<Shrinkage> rotation_invariant_shrinkage(const VectorXd& noisy,
                                                    const NoiseSpectrum& noise, double bandwidth,
                                                    const std::vector<Index>& bulks) {
    const Index d = noisy.size();
    const Stieltjes g = stieltjes(noisy, bandwidth);
    VectorXd values = noisy;
    VectorXd by_x(d);
    VectorXd by_y(d);
    for (Index i = 0; i < d; ++i) {
        const NoiseSpectrum::Pull pull = noise.pull(g.x[i], g.y[i]);
        values[i] -= pull.value;
        by_x[i] = pull.by_x;
        by_y[i] = pull.by_y;
    }
    // Of the pull, in the same form.
    const MatrixXd derivatives = by_x.asDiagonal() * g.x_by + by_y.asDiagonal() * g.y_by;
    const VectorXd row_sums = derivatives.rowwise().sum();
    std::vector<Shrinkage> shrinkages;
    for (const Index bulk : bulks) {
        Shrinkage shrinkage = {VectorXd::Zero(d), 0.0};
        VectorXd slopes = VectorXd::Zero(d);
        for (const Block& block : isotonic_blocks(values, bulk)) {
            if (block.value > 0.0) {
                shrinkage.values.segment(block.first, block.size).setConstant(block.value);
                // Of the mean of a block, by its own members.
                const auto size = static_cast<double>(block.size);
                const double inside =
                    derivatives.block(block.first, block.first, block.size, block.size).sum();
                const double total =
                    size - (row_sums.segment(block.first, block.size).sum() - inside);
                slopes.segment(block.first, block.size).setConstant(total / (size * size));
            }
        }
        shrinkage.divergence = spectral_divergence(noisy, shrinkage.values, slopes);
        shrinkages.push_back(std::move(shrinkage));
    }
    return shrinkages;
}

Shrinkage positive_part(const VectorXd& noisy) {
    const VectorXd slopes = (noisy.array() > 0.0).cast<double>();
    VectorXd values = noisy.cwiseMax(0.0);
    const double divergence = spectral_divergence(noisy, values, slopes);
    return {std::move(values), divergence};
}

Shrinkage spiked_shrinkage(const VectorXd& noisy, const NoiseSpectrum& noise) {
    VectorXd values = VectorXd::Zero(noisy.size());
    VectorXd slopes = values;
    for (Index i = 0; i < noisy.size(); ++i) {
        if (noisy[i] > noise.edge()) {
            const NoiseSpectrum::Spike spike = noise.spike(noisy[i]);
            values[i] = spike.value;
            slopes[i] = spike.slope;
        }
    }
    const double divergence = spectral_divergence(noisy, values, slopes);
    return {std::move(values), divergence};
}

VectorXd excess_pull(const VectorXd& noisy, const NoiseSpectrum& noise, double bandwidth) {
    const Stieltjes g = stieltjes(noisy, bandwidth);
    VectorXd excess(noisy.size());
    for (Index i = 0; i < noisy.size(); ++i) {
        excess[i] = noise.pull(g.x[i], g.y[i]).value - 2.0 * noise.sigma_squared() * g.x[i];
    }
    return excess;
}

}  // namespace dpcov::detail
