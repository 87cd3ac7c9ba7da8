#include "estimate/shared_basis.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "estimate/direction_moments.hpp"
#include "estimate/isotonic.hpp"

namespace dpcov::detail {

namespace {

struct Along {
    Eigen::VectorXd shape;  // the prior's eigenvalues, scaled to sum to one
    double multiple;        // of the shape, nearest to Y
    double share;           // the same as a multiple of the prior
};

Along nearest_shape(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior) {
    const Eigen::VectorXd positive = prior.cwiseMax(0.0);
    const double sum = positive.sum();
    Eigen::VectorXd shape = positive / sum;
    const double multiple = noisy.diagonal().dot(shape) / shape.squaredNorm();
    return {std::move(shape), multiple, multiple / sum};
}

}  // namespace

std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                               const Eigen::VectorXd& prior,
                                               const Eigen::MatrixXd& sampling,
                                               const std::vector<double>& strengths) {
    using Eigen::MatrixXd;
    using Eigen::VectorXd;
    const auto [shape, multiple, share] = nearest_shape(noisy, prior);
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
    candidates.push_back({along, {}, 1.0, share});
    candidates.push_back({levels.asDiagonal(), {}, positive_levels, share});
    for (const double strength : strengths) {
        MatrixXd filter = strength * sampling;
        filter = filter.array() / (1.0 + filter.array());
        const VectorXd kept = filter.diagonal();
        const double off_diagonal = 0.5 * (filter.sum() - kept.sum());
        const double kept_along =
            (kept.array() * shape.array().square()).sum() / shape.squaredNorm();
        // What the filter lets through of Y is not taken from the prior.
        const double rest = share * (1.0 - (off_diagonal + kept.sum()) / coordinates);
        candidates.push_back({along + filter.cwiseProduct(noisy - along),
                              {},
                              off_diagonal + kept.sum() + 1.0 - kept_along,
                              rest});
        MatrixXd beside = filter.cwiseProduct(noisy);
        beside.diagonal() = levels;
        candidates.push_back({std::move(beside), {}, off_diagonal + positive_levels, rest});
    }
    return candidates;
}

Eigen::MatrixXd sampling_ratios(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior,
                                double radius, double rows, double s) {
    const Along along = nearest_shape(noisy, prior);
    // The fourth powers of the rows' norms sum to at most t r^2 n.
    const double total = std::fmax(0.0, along.multiple) * radius * radius / rows;
    return total / (s * s) * direction_variances(along.shape);
}

double shared_basis_risk(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior, double s,
                         const Eigen::MatrixXd& sampling, int steps, double odds) {
    const Along along = nearest_shape(noisy, prior);
    Eigen::MatrixXd rest = noisy;
    rest.diagonal() -= along.multiple * along.shape;
    const Eigen::ArrayXXd squares = rest.array().square() / (s * s);
    Eigen::ArrayXd evidence(steps + 1);  // logarithms
    Eigen::ArrayXd expected(steps + 1);
    Eigen::ArrayXXd filter(noisy.rows(), noisy.cols());
    for (int step = 0; step <= steps; ++step) {
        const double strength = std::ldexp(1.0, 2 * step);
        const auto ratio = strength * sampling.array();
        filter = ratio / (1.0 + ratio);
        const Eigen::ArrayXd along_diagonal = (1.0 + strength * sampling.diagonal().array()).log();
        // Entries off the diagonal are one coordinate of twice the square, and stand here twice.
        const double logarithms =
            (1.0 + ratio).log().sum() +
            std::accumulate(along_diagonal.begin(), along_diagonal.end(), 0.0);
        evidence[step] = 0.5 * (squares * filter).sum() - 0.25 * logarithms + step * std::log(odds);
        expected[step] = 0.5 * (filter.sum() + filter.matrix().diagonal().sum());
    }
    const Eigen::ArrayXd chances = (evidence - evidence.maxCoeff()).exp();
    return s * s * (1.0 + chances.matrix().dot(expected.matrix()) / chances.sum());
}

}  // namespace dpcov::detail
