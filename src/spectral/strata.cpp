#include "spectral/strata.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstdio>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "spectral/aggregate.hpp"
#include "spectral/clamp.hpp"
#include "spectral/shared_basis.hpp"
#include "spectral/shrinkage.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double env(const char* name, double def) {
    const char* v = std::getenv(name);
    return v ? std::atof(v) : def;
}

void add_spectral_candidates(std::vector<Candidate>& candidates, const EigenDecomposition& eigen,
                             double s) {
    const auto add = [&](const Shrinkage& shrinkage) {
        candidates.push_back({assemble(eigen.vectors, shrinkage.values), shrinkage.divergence});
    };
    const VectorXd& noisy = eigen.values;
    const Index d = noisy.size();
    const double edge = s * std::sqrt(2.0 * static_cast<double>(d));
    const double width = edge * std::cbrt(1.0 / static_cast<double>(d));
    add(positive_part(noisy));
    add(spiked_shrinkage(noisy, s));
    for (const double factor : {0.5, 1.0, 2.0}) {
        add(rotation_invariant_shrinkage(noisy, s, factor * width));
    }
    for (Index spikes = 0; spikes < std::min<Index>(d, 17); spikes = spikes == 0 ? 1 : 2 * spikes) {
        add(rotation_invariant_shrinkage(noisy, s, width, d - spikes));
    }
}

}  // namespace

StrataEstimator::StrataEstimator(Index d, double rows)
    : rows_(rows),
      estimate_(MatrixXd::Zero(d, d)),
      pooled_(MatrixXd::Zero(d, d)),
      prior_(MatrixXd::Zero(d, d)),
      residual_(MatrixXd::Zero(d, d)) {}

void StrataEstimator::add(MatrixXd noisy, double s, double radius) {
    static const double limit = env("LIMIT", 3), price = env("PRICE", 3), verbose=env("VERB",0), wi=env("WIENER",1);
    const Index d = noisy.rows();
    pooled_ += noisy;
    pooled_variance_ += s * s;
    const double scale = std::sqrt(pooled_variance_);
    const double trace_z = pooled_.trace() / (scale * std::sqrt(static_cast<double>(d)));
    const bool taught = prior_.trace() > 0.0;
    const double shape_z =
        taught ? pooled_.cwiseProduct(prior_).sum() / (scale * prior_.norm()) : 0.0;
    if (std::max(trace_z, shape_z) < limit) {
        return;
    }
    MatrixXd basis;
    MatrixXd turned = pooled_;
    std::vector<Candidate> candidates;
    if (taught) {
        EigenDecomposition shape = eigen_decomposition(prior_);
        basis = std::move(shape.vectors);
        turned = basis.transpose() * pooled_ * basis;
        turned = 0.5 * (turned + turned.transpose()).eval();
        std::vector<double> strengths;
        const double full = 2.0 * std::pow(radius, 4) / rows_ / pooled_variance_;
        if (wi > 0) for (const double fraction : {8.0, 1.0, 0.125, 1.0 / 64, 1.0 / 512}) {
            strengths.push_back(full * fraction);
        }
        candidates = shared_basis_candidates(turned, shape.values, strengths);
    }
    add_spectral_candidates(candidates, eigen_decomposition(turned), scale);
    Mixture mixture = best_mixture(candidates, turned, scale, price);
    if (verbose > 0) {
        std::fprintf(stderr, "r=%g ztr=%.1f zs=%.1f df=%.1f risk=%.3g s=%.3g |g|=%.3g tr=%.3g w=", radius, trace_z, shape_z,
                     mixture.divergence, mixture.risk, scale, mixture.matrix.norm(), mixture.matrix.trace());
        for (double w : mixture.weights) std::fprintf(stderr, "%.2f ", w);
        std::fprintf(stderr, "\n");
    }
    if (mixture.weights.isZero(0.0)) {
        return;
    }
    if (taught) {
        mixture.matrix = basis * mixture.matrix * basis.transpose();
    }
    const MatrixXd left = mixture.matrix - pooled_;
    risk_ += mixture.risk + 2.0 * left.cwiseProduct(residual_).sum();
    residual_ += left;
    estimate_ += mixture.matrix;
    const double trace = std::max(0.0, mixture.matrix.trace());
    const double error = std::max(mixture.risk, pooled_variance_) + radius * radius * trace / rows_;
    prior_ += mixture.matrix * (trace / error);
    pooled_.setZero();
    pooled_variance_ = 0.0;
}

double StrataEstimator::risk() const {
    const auto d = static_cast<double>(pooled_.rows());
    return risk_ + pooled_.squaredNorm() - pooled_variance_ * 0.5 * d * (d + 1.0) -
           2.0 * pooled_.cwiseProduct(residual_).sum();
}

}  // namespace dpcov::detail
