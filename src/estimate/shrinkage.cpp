#include "estimate/shrinkage.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "arithmetic/unwritten_matrix.hpp"
#include "estimate/isotonic.hpp"
#include "estimate/risk.hpp"

namespace dpcov::detail {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A kernel and its derivative at distances u >= 0.
struct KernelValues {
    ArrayXd value;
    ArrayXd derivative;
};

// The Epanechnikov density 3/4 (1 - t^2) on [-1, 1].
KernelValues kernel_density(const ArrayXd& u) {
    return {(u < 1.0).select(0.75 * (1.0 - u.square()), 0.0), (u < 1.0).select(-1.5 * u, 0.0)};
}
constexpr double density_at_zero = 0.75;

// Its Hilbert transform.
KernelValues hilbert_kernel(const ArrayXd& u) {
    const ArrayXd logarithm = ((1.0 + u) / (1.0 - u)).abs().log();
    // Far away the closed form loses digits; the next terms are below 10^-9 of these.
    const auto far = u > 100.0;
    const ArrayXd v = u.inverse();
    // Its derivative has a logarithmic pole at one, which no noise hits.
    const auto pole = u == 1.0;
    return {far.select(v * (1.0 + v.square() / 5.0),
                       pole.select(1.5, 0.75 * (2.0 * u + (1.0 - u.square()) * logarithm))),
            far.select(-v.square() * (1.0 + 0.6 * v.square()),
                       pole.select(0.0, 1.5 * (2.0 - u * logarithm)))};
}

// The Stieltjes transform x + i y of the eigenvalues' smoothed density, below the real axis at each
// of them. Minus the derivative of x_i by l_j, j != i, is x_by(i, j), symmetric, and that of y_i
// y_by(i, j), antisymmetric: the part below the diagonal is kept, and the sums of whole rows. The
// derivatives by l_i are what makes them sum to zero.
struct Stieltjes {
    VectorXd x;
    VectorXd y;
    MatrixXd x_by;
    MatrixXd y_by;
    VectorXd x_by_all;
    VectorXd y_by_all;
};

Stieltjes stieltjes(const VectorXd& noisy, double bandwidth) {
    const Index d = noisy.size();
    const double unit = 1.0 / (static_cast<double>(d) * bandwidth);
    constexpr double pi = std::numbers::pi;
    Stieltjes g = {VectorXd::Zero(d),
                   VectorXd::Constant(d, unit * pi * density_at_zero),
                   unwritten_matrix<double>(d, d),
                   unwritten_matrix<double>(d, d),
                   VectorXd::Zero(d),
                   VectorXd::Zero(d)};
    for (Index j = 0; j < d; ++j) {
        const Index rest = d - 1 - j;
        const ArrayXd u = (noisy.tail(rest).array() - noisy[j]) / bandwidth;
        const KernelValues hilbert = hilbert_kernel(u);
        g.x.tail(rest).array() += unit * hilbert.value;
        g.x[j] -= unit * hilbert.value.sum();
        auto x_by = g.x_by.col(j).tail(rest);
        x_by = unit / bandwidth * hilbert.derivative.matrix();
        g.x_by_all.tail(rest) += x_by;
        g.x_by_all[j] += x_by.sum();
        const KernelValues density = kernel_density(u);
        g.y.tail(rest).array() += unit * pi * density.value;
        g.y[j] += unit * pi * density.value.sum();
        auto y_by = g.y_by.col(j).tail(rest);
        y_by = unit * pi / bandwidth * density.derivative.matrix();
        g.y_by_all.tail(rest) += y_by;
        g.y_by_all[j] -= y_by.sum();
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
    // Minus the derivatives of the pull along i, by all l_j, and inside a block of them.
    const VectorXd by_all = by_x.cwiseProduct(g.x_by_all) + by_y.cwiseProduct(g.y_by_all);
    const auto by_each_other = [&](const Block& block) {
        double sum = 0.0;
        for (Index j = block.first; j < block.first + block.size; ++j) {
            const Index rest = block.first + block.size - 1 - j;
            const auto x_by = g.x_by.col(j).segment(j + 1, rest);
            const auto y_by = g.y_by.col(j).segment(j + 1, rest);
            sum += by_x.segment(j + 1, rest).dot(x_by) + by_x[j] * x_by.sum();
            sum += by_y.segment(j + 1, rest).dot(y_by) - by_y[j] * y_by.sum();
        }
        return sum;
    };
    std::vector<Shrinkage> shrinkages;
    for (const Index bulk : bulks) {
        Shrinkage shrinkage = {VectorXd::Zero(d), 0.0};
        VectorXd slopes = VectorXd::Zero(d);
        for (const Block& block : isotonic_blocks(values, bulk)) {
            if (block.value > 0.0) {
                shrinkage.values.segment(block.first, block.size).setConstant(block.value);
                // Of the mean of a block, by its own members.
                const auto size = static_cast<double>(block.size);
                const double total =
                    size - (by_all.segment(block.first, block.size).sum() - by_each_other(block));
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
