#include "estimate/entrywise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of clipped and of moved entries the divergence is the number of those that are left.
double number_left(const VectorXd& clipped) {
    return static_cast<double>((clipped.array() > 0.0).count());
}

Candidate diagonal_alone(const VectorXd& diagonal) {
    return {Diagonal{diagonal}, number_left(diagonal)};
}

Candidate with_great_entries(const MatrixXd& noisy, const VectorXd& diagonal, double threshold) {
    MatrixXd matrix = diagonal.asDiagonal().toDenseMatrix();
    double divergence = number_left(diagonal);
    for (Index j = 0; j < noisy.cols(); ++j) {
        for (Index i = 0; i < j; ++i) {
            const double left = std::abs(noisy(i, j)) - threshold;
            if (left > 0.0) {
                matrix(i, j) = std::copysign(left, noisy(i, j));
                matrix(j, i) = matrix(i, j);
                divergence += 1.0;
            }
        }
    }
    return {std::move(matrix), divergence};
}

}  // namespace

std::vector<Candidate> entrywise_candidates(const MatrixXd& noisy, const NoiseSpectrum& noise,
                                            const Tuning& tuning) {
    constexpr Index widest = 256;
    const VectorXd diagonal = noisy.diagonal().cwiseMax(0.0);
    std::vector<Candidate> candidates;
    if (tuning.entrywise_candidates >= 1) {
        candidates.push_back(diagonal_alone(diagonal));
    }
    // The number that is left is E<noise, candidate> / s^2 of independent normal entries; Wishart
    // noise has neither.
    if (tuning.entrywise_candidates >= 2 && noise.shape() == NoiseShape::gaussian &&
        noisy.rows() <= widest) {
        const double deviation = noise.s() / std::numbers::sqrt2;
        candidates.push_back(
            with_great_entries(noisy, diagonal, tuning.entry_threshold * deviation));
    }
    return candidates;
}

}  // namespace dpcov::detail
