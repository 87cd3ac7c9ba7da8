#include "spectral/shared_basis.hpp"

#include "spectral/isotonic.hpp"

namespace dpcov::detail {

std::vector<Candidate> shared_basis_candidates(const Eigen::MatrixXd& noisy,
                                               const Eigen::VectorXd& prior,
                                               const std::vector<double>& strengths) {
    using Eigen::MatrixXd;
    using Eigen::VectorXd;
    const VectorXd shape = prior.cwiseMax(0.0) / prior.cwiseMax(0.0).sum();
    const double multiple = noisy.diagonal().dot(shape) / shape.squaredNorm();
    const MatrixXd along = (multiple * shape).asDiagonal();

    VectorXd levels = VectorXd::Zero(shape.size());
    double positive_levels = 0.0;
    for (const Block& block : isotonic_blocks(noisy.diagonal())) {
        if (block.value > 0.0) {
            levels.segment(block.first, block.size).setConstant(block.value);
            positive_levels += 1.0;
        }
    }
    std::vector<Candidate> candidates;
    candidates.push_back({along, 1.0});
    candidates.push_back({levels.asDiagonal(), positive_levels});
    for (const double strength : strengths) {
        MatrixXd filter = strength * shape * shape.transpose();
        filter = filter.array() / (1.0 + filter.array());
        const VectorXd kept = filter.diagonal();
        const double off_diagonal = 0.5 * (filter.sum() - kept.sum());
        const double kept_along =
            (kept.array() * shape.array().square()).sum() / shape.squaredNorm();
        candidates.push_back({along + filter.cwiseProduct(noisy - along),
                              off_diagonal + kept.sum() + 1.0 - kept_along});
        MatrixXd beside = filter.cwiseProduct(noisy);
        beside.diagonal() = levels;
        candidates.push_back({std::move(beside), off_diagonal + positive_levels});
    }
    return candidates;
}

}  // namespace dpcov::detail
