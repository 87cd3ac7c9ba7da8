#include "spectral/shared_basis.hpp"

#include <cmath>
#include <utility>

#include "spectral/isotonic.hpp"

namespace dpcov::detail {

namespace {

struct Along {
    Eigen::VectorXd shape;  // the prior's eigenvalues, scaled to sum to one
    double multiple;        // of the shape, nearest to Y
    double share;           // the same as a multiple of the prior
};

Along nearest_multiple(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior) {
    const Eigen::VectorXd positive = prior.cwiseMax(0.0);
    const double sum = positive.sum();
    Eigen::VectorXd shape = positive / sum;
    const double multiple = noisy.diagonal().dot(shape) / shape.squaredNorm();
    return {std::move(shape), multiple, multiple / sum};
}

}  // namespace

std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                               const Eigen::VectorXd& prior,
                                               const std::vector<double>& strengths) {
    using Eigen::MatrixXd;
    using Eigen::VectorXd;
    const auto [shape, multiple, share] = nearest_multiple(noisy, prior);
    const MatrixXd along = (multiple * shape).asDiagonal();

    VectorXd levels = VectorXd::Zero(shape.size());
    double positive_levels = 0.0;
    for (const Block& block : isotonic_blocks(noisy.diagonal())) {
        if (block.value > 0.0) {
            levels.segment(block.first, block.size).setConstant(block.value);
            positive_levels += 1.0;
        }
    }
    const auto d = static_cast<double>(shape.size());
    const double coordinates = 0.5 * d * (d + 1.0);
    std::vector<Candidate> candidates;
    candidates.push_back({along, 1.0, share});
    candidates.push_back({levels.asDiagonal(), positive_levels, share});
    for (const double strength : strengths) {
        MatrixXd filter = strength * shape * shape.transpose();
        filter = filter.array() / (1.0 + filter.array());
        const VectorXd kept = filter.diagonal();
        const double off_diagonal = 0.5 * (filter.sum() - kept.sum());
        const double kept_along =
            (kept.array() * shape.array().square()).sum() / shape.squaredNorm();
        // What the filter lets through of Y is not taken from the prior.
        const double rest = share * (1.0 - (off_diagonal + kept.sum()) / coordinates);
        candidates.push_back({along + filter.cwiseProduct(noisy - along),
                              off_diagonal + kept.sum() + 1.0 - kept_along, rest});
        MatrixXd beside = filter.cwiseProduct(noisy);
        beside.diagonal() = levels;
        candidates.push_back({std::move(beside), off_diagonal + positive_levels, rest});
    }
    return candidates;
}

double sampling_strength(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior, double radius,
                         double rows, double s) {
    const Along along = nearest_multiple(noisy, prior);
    // The squared sampling error sums to t r^2 / n (1 - |p|^2), the filter's model to
    // strength s^2 (1 + |p|^2) / 2.
    const double squares = along.shape.squaredNorm();
    const double total = std::fmax(0.0, along.multiple) * radius * radius / rows;
    return 2.0 * total * (1.0 - squares) / (1.0 + squares) / (s * s);
}

double shared_basis_risk(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior, double s,
                         double least, int steps) {
    const Along along = nearest_multiple(noisy, prior);
    Eigen::MatrixXd rest = noisy;
    rest.diagonal() -= along.multiple * along.shape;
    const Eigen::ArrayXXd squares = rest.array().square() / (s * s);
    const Eigen::ArrayXXd product = (along.shape * along.shape.transpose()).array();
    double expected = 0.0;
    double best_likelihood = -HUGE_VAL;
    for (int step = 0; step <= steps; ++step) {
        const Eigen::ArrayXXd ratio = std::ldexp(least, 2 * step) * product;
        const Eigen::ArrayXXd filter = ratio / (1.0 + ratio);
        // Entries off the diagonal are one coordinate of twice the square, and stand here twice.
        const Eigen::ArrayXXd logarithm = (1.0 + ratio).log();
        const double likelihood = (squares * filter).sum() -
                                  0.5 * (logarithm.sum() + logarithm.matrix().diagonal().sum());
        if (likelihood > best_likelihood) {
            best_likelihood = likelihood;
            expected = 0.5 * (filter.sum() + filter.matrix().diagonal().sum());
        }
    }
    return s * s * (1.0 + expected);
}

}  // namespace dpcov::detail
