#include "mechanism/coinpress.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/matrix_product.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/bounds.hpp"
#include "dpcov/error.hpp"
#include "estimate/simplex.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/budget_meter.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int usual_steps = 2;

// What the steps of a release share; lengths in units of B, so that rows lie in the unit ball.
struct Setting {
    MatrixXd gram;  // SECRET: sum x x^T / B^2
    RowCount rows;
    Neighbours neighbours = Neighbours::replace;
    NoiseLaw law = NoiseLaw::isotropic;
    double least_radius = 0.0;  // gamma, or 0
};

// At least |a|_2, and at most a hair more.
double spectral_norm_bound(const MatrixXd& a) {
    const auto d = static_cast<std::size_t>(a.rows());
    const double squares = a.squaredNorm() * (1.0 + 0x1p-30);
    const double error = 2.0 * eigenvalue_error(d, squares);  // of LAPACK and of the product
    return std::sqrt(eigenvalues(product_transposed(a, a)).maxCoeff() + error) * (1.0 + 0x1p-50);
}

// A Sigma A^T plus noise that spends `rho`, as the eigendecomposition of the noisy matrix.
EigenDecomposition noisy_whitened(const Setting& setting, const MatrixXd& a, Rho rho,
                                  RandomSource& random) {
    const auto d = static_cast<std::size_t>(a.rows());
    const double radius = std::max(setting.least_radius, spectral_norm_bound(a));
    // One lattice unit is radius^2 / 2^64, so that a whitened row weighs at most 2^64.
    const double unit = radius * radius / full_weight;
    const MatrixXd whitened = product_transposed(product(a, setting.gram), a);
    PackedGram entries;
    entries.reserve(packed_size(d));
    for (Index j = 0; j < whitened.cols(); ++j) {
        for (Index i = 0; i <= j; ++i) {
            entries.push_back(static_cast<Int128>(whitened(i, j) / unit));
        }
    }
    // In whatever order the products are summed, they err by at most 3 d u |A|_F^2 |G|_F, and
    // |G|_F <= n <= at_most; the rounding of G to doubles and of the quotient is in the third d.
    // Then each entry is rounded to the lattice, and so are those of G, |A|_2^2 <= radius^2 times.
    const auto order = static_cast<double>(d);
    const double one_side = 3.0 * (order + 2.0) * 0x1p-53 * a.squaredNorm() * setting.rows.at_most *
                                (1.0 + 0x1p-20) / unit +
                            2.0 * order;
    const double sensitivity = gram_sensitivity(setting.neighbours, d, one_side);
    const SymmetricNoise noise = symmetric_noise(setting.law, gaussian_deviation(sensitivity, rho));
    add_symmetric_gaussian(random, entries, noise);
    return eigen_decomposition(symmetric_matrix(entries, d, unit / setting.rows.value));
}

std::vector<Rho> budgets(RhoMeter& meter, Rho total, int steps) {
    std::vector<Rho> parts;
    for (int step = 1; step < steps; ++step) {
        const Rho quarter = total.share(1, 2);
        const Rho part(steps == 2 ? quarter.value()
                                  : quarter.value() / (steps - 1) * (1.0 - 0x1p-50));
        parts.push_back(meter.spend("whitening " + std::to_string(step), part,
                                    "Gaussian noise on the covariance of the whitened rows"));
    }
    parts.push_back(meter.spend("covariance", steps == 1 ? total : total.share(3, 2),
                                "Gaussian noise on the covariance of the whitened rows"));
    return parts;
}

}  // namespace

Release coinpress_cov(const SecretMoment& secret, const Budget& budget,
                      const ReleaseOptions& options, RandomSource& random) {
    const Rho rho = std::get<Rho>(budget);
    RhoMeter meter(rho);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const std::vector<Rho> parts = budgets(meter, rest, options.steps.value_or(usual_steps));

    const std::size_t d = secret.layout().columns;
    const auto order = static_cast<Index>(d);
    const bool best = options.variant == Variant::best;
    Setting setting;
    setting.gram = symmetric_matrix(clipped_gram(secret, 0), d, 1.0 / full_weight);
    setting.rows = moment.rows;
    setting.neighbours = moment.neighbours;
    setting.law = noise_law(options.variant);
    setting.least_radius = best ? 0.0 : eta(d, 0.1);

    const double ratio = static_cast<double>(d) / setting.rows.value;
    const double regularisation = std::sqrt(ratio) + 0.5 * ratio;
    MatrixXd whitening = MatrixXd::Identity(order, order);
    MatrixXd undo = whitening;  // the inverse of `whitening`
    CovarianceEstimate estimate;
    for (std::size_t step = 0; step < parts.size(); ++step) {
        const EigenDecomposition z = noisy_whitened(setting, whitening, parts[step], random);
        const VectorXd values = options.variant == Variant::published
                                    ? VectorXd(z.values.cwiseAbs())
                                    : VectorXd(z.values.cwiseMax(0.0));
        if (step + 1 < parts.size()) {
            const VectorXd root = (values.array() + regularisation).sqrt();
            whitening = product(assemble(z.vectors, root.cwiseInverse()), whitening);
            undo = product(undo, assemble(z.vectors, root));
        } else {
            const MatrixXd half = product(undo, z.vectors) * values.cwiseSqrt().asDiagonal();
            estimate.covariance = product_transposed(half, half);
        }
    }
    if (best) {
        const EigenDecomposition found = eigen_decomposition(estimate.covariance);
        estimate.covariance =
            assemble(found.vectors, project_onto_simplex(found.values, 1.0).values);
    }
    const double bound = secret.layout().norm_bound;
    estimate.covariance *= bound * bound;
    estimate.covariance.triangularView<Eigen::StrictlyLower>() = estimate.covariance.transpose();
    return make_release(moment, options, meter, std::move(estimate));
}

}  // namespace dpcov::detail
