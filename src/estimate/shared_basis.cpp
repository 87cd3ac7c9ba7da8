#include "estimate/shared_basis.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "arithmetic/unwritten_matrix.hpp"
#include "estimate/direction_moments.hpp"
#include "estimate/error_model.hpp"
#include "estimate/isotonic.hpp"
#include "estimate/sum_of_logs.hpp"

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
    const Along nearest = nearest_shape(noisy, prior);
    const VectorXd& shape = nearest.shape;
    const VectorXd along = nearest.multiple * shape;

    VectorXd levels = VectorXd::Zero(shape.size());
    double positive_levels = 0.0;
    for (const Block& block : isotonic_blocks(noisy.diagonal())) {
        if (block.value > 0.0) {
            levels.segment(block.first, block.size).setConstant(block.value);
            positive_levels += 1.0;
        }
    }
    std::vector<Candidate> candidates;
    const auto add = [&](auto value, double divergence) {
        candidates.push_back({std::move(value), divergence,
                              share_of_prior(nearest.share, divergence, shape.size())});
    };
    add(Diagonal{along}, 1.0);
    add(Diagonal{levels}, positive_levels);
    for (const double strength : strengths) {
        MatrixXd filter = in_huge_pages(strength * sampling);
        filter = filter.array() / (1.0 + filter.array());
        const VectorXd kept = filter.diagonal();
        const double off_diagonal = 0.5 * (filter.sum() - kept.sum());
        const double kept_along =
            (kept.array() * shape.array().square()).sum() / shape.squaredNorm();
        filter = filter.cwiseProduct(noisy);
        MatrixXd beside = in_huge_pages(filter);
        beside.diagonal() = levels;
        filter.diagonal() += along - kept.cwiseProduct(along);
        add(std::move(filter), off_diagonal + kept.sum() + 1.0 - kept_along);
        add(std::move(beside), off_diagonal + positive_levels);
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
    const Eigen::Index d = noisy.rows();
    Eigen::ArrayXd evidence(steps + 1);  // logarithms
    Eigen::ArrayXd expected = Eigen::ArrayXd::Zero(steps + 1);
    for (int step = 0; step <= steps; ++step) {
        evidence[step] = step * std::log(odds);
    }
    // The lower triangle column by column, so that nothing of d x d is written.
    Eigen::ArrayXd squares;
    Eigen::ArrayXd ratio;
    Eigen::ArrayXd filter;
    for (Eigen::Index j = 0; j < d; ++j) {
        squares = noisy.col(j).tail(d - j);
        // An entry off the diagonal is one coordinate of twice the square.
        squares[0] = (squares[0] - along.multiple * along.shape[j]) / std::numbers::sqrt2;
        squares = squares.square() / (s * s);
        for (int step = 0; step <= steps; ++step) {
            ratio = std::ldexp(1.0, 2 * step) * sampling.col(j).tail(d - j).array();
            filter = ratio / (1.0 + ratio);
            evidence[step] += (squares * filter).sum() - 0.5 * sum_of_logs(1.0 + ratio);
            expected[step] += filter.sum();
        }
    }
    const Eigen::ArrayXd chances = (evidence - evidence.maxCoeff()).exp();
    return s * s * (1.0 + chances.matrix().dot(expected.matrix()) / chances.sum());
}

}  // namespace dpcov::detail
