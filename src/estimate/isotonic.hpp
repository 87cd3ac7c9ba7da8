// Isotonic regression. Post-processing: sees no un-noised data.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace dpcov::detail {

/// Consecutive values that were replaced by their mean.
struct Block {
    Eigen::Index first;
    Eigen::Index size;
    double value;
};

/// The blocks of the non-decreasing vector that is nearest to the given one, by pooling adjacent
/// violators (Ayer, Brunk, Ewing, Reid, Silverman 1955). The first `together` >= 1 values are one
/// block from the start, or `values` are blocks already, one behind the other. Levels rise strictly
/// from block to block. O(length).
[[nodiscard]] std::vector<Block> isotonic_blocks(const std::vector<Block>& values);
[[nodiscard]] std::vector<Block> isotonic_blocks(const Eigen::VectorXd& values,
                                                 Eigen::Index together = 1);

}  // namespace dpcov::detail
