#include "estimate/shared_basis.hpp"

#include <cmath>
#include <utility>

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

// The sets of directions of one eigenvalue, each with the mean of Y's diagonal there. Only means
// and blocks of them may be looked at, and differences by one weight: which basis of such a
// space LAPACK has found says nothing.
std::vector<Block> diagonal_means(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& shape) {
    std::vector<Block> sets;
    for (Eigen::Index i = 0; i < shape.size(); i += sets.back().size) {
        Eigen::Index size = 1;
        while (i + size < shape.size() && shape[i + size] == shape[i]) ++size;
        sets.push_back({i, size, noisy.diagonal().segment(i, size).mean()});
    }
    return sets;
}

// What stands at the coordinates beside the mean in a set of two directions or more.
template <class Matrix>
double inside(const Block& set, const Matrix& entries) {
    return entries(set.first + 1, set.first);
}

}  // namespace

Eigen::VectorXd with_near_ones_equal(Eigen::VectorXd ascending, double tolerance) {
    for (Eigen::Index i = 0; i < ascending.size();) {
        Eigen::Index size = 1;
        while (i + size < ascending.size() && ascending[i + size] - ascending[i] <= tolerance) {
            ++size;
        }
        ascending.segment(i, size).setConstant(ascending.segment(i, size).mean());
        i += size;
    }
    return ascending;
}

std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                               const Eigen::VectorXd& prior,
                                               const Eigen::MatrixXd& sampling,
                                               const std::vector<double>& strengths) {
    using Eigen::VectorXd;
    const Along nearest = nearest_shape(noisy, prior);
    const VectorXd& shape = nearest.shape;
    const VectorXd along = nearest.multiple * shape;

    const std::vector<Block> sets = diagonal_means(noisy, shape);
    VectorXd means(shape.size());
    for (const Block& set : sets) means.segment(set.first, set.size).setConstant(set.value);
    VectorXd levels = VectorXd::Zero(shape.size());
    double positive_levels = 0.0;
    for (const Block& block : isotonic_blocks(sets)) {
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
        Filtered filtered{
            .sampling = &sampling, .noisy = &noisy, .strength = strength, .diagonal = {}};
        const auto filter = filtered.kept().matrix();
        const VectorXd kept = filter.diagonal();
        const double kept_along =
            (kept.array() * shape.array().square()).sum() / shape.squaredNorm();
        double beside_means = 0.5 * (filter.sum() - kept.sum());
        double of_means = 0.0;
        VectorXd differences = noisy.diagonal() - means;
        for (const Block& set : sets) {
            of_means += kept[set.first];
            if (set.size > 1) {
                differences.segment(set.first, set.size) *= inside(set, filter);
                beside_means += static_cast<double>(set.size - 1) * inside(set, filter);
            }
        }
        filtered.diagonal = differences + (along + kept.cwiseProduct(means - along));
        add(filtered, beside_means + of_means + 1.0 - kept_along);
        filtered.diagonal = differences + levels;
        add(std::move(filtered), beside_means + positive_levels);
    }
    return candidates;
}

Eigen::MatrixXd sampling_ratios(const Eigen::MatrixXd& noisy, const Eigen::VectorXd& prior,
                                double radius, double rows, double s) {
    const Along along = nearest_shape(noisy, prior);
    // The fourth powers of the rows' norms sum to at most t r^2 n.
    const double total = std::fmax(0.0, along.multiple) * radius * radius / rows;
    Eigen::MatrixXd variances = direction_variances(along.shape);
    for (const Block& set : diagonal_means(noisy, along.shape)) {
        if (set.size > 1) {
            // Of the diagonal's sum over the root of the size: the entries' variance, and their
            // covariances with the others.
            const double covariance = variances(set.first, set.first) - inside(set, variances);
            variances.diagonal()
                .segment(set.first, set.size)
                .setConstant(std::fmax(
                    0.0, inside(set, variances) + static_cast<double>(set.size) * covariance));
        }
    }
    variances *= total / (s * s);
    return variances;
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
    // Along the diagonal, in each set: the mean at the first, the differences shared out to others.
    Eigen::VectorXd diagonal(d);
    Eigen::VectorXd variances = sampling.diagonal();
    for (const Block& set : diagonal_means(noisy, along.shape)) {
        const auto size = static_cast<double>(set.size);
        const auto entries = noisy.diagonal().segment(set.first, set.size).array();
        diagonal[set.first] =
            size * std::pow(set.value - along.multiple * along.shape[set.first], 2);
        if (set.size > 1) {
            diagonal.segment(set.first + 1, set.size - 1)
                .setConstant((entries - set.value).square().sum() / (size - 1.0));
            variances.segment(set.first + 1, set.size - 1).setConstant(inside(set, sampling));
        }
    }
    // The lower triangle column by column, so that nothing of d x d is written.
    Eigen::ArrayXd squares;
    Eigen::ArrayXd ratio;
    Eigen::ArrayXd filter;
    for (Eigen::Index j = 0; j < d; ++j) {
        squares = noisy.col(j).tail(d - j).array().square() / (s * s);
        // An entry off the diagonal is one coordinate of twice the square.
        squares[0] = 0.5 * diagonal[j] / (s * s);
        for (int step = 0; step <= steps; ++step) {
            ratio = std::ldexp(1.0, 2 * step) * sampling.col(j).tail(d - j).array();
            ratio[0] = std::ldexp(1.0, 2 * step) * variances[j];
            filter = ratio / (1.0 + ratio);
            evidence[step] += (squares * filter).sum() - 0.5 * sum_of_logs(1.0 + ratio);
            expected[step] += filter.sum();
        }
    }
    const Eigen::ArrayXd chances = (evidence - evidence.maxCoeff()).exp();
    return s * s * (1.0 + chances.matrix().dot(expected.matrix()) / chances.sum());
}

}  // namespace dpcov::detail
