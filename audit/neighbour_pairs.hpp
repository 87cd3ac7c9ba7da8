// Neighbouring tables that a mechanism should find hard to hide from each other.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "mechanism/mechanism.hpp"

namespace dpcov::audit {

/// Two tables: of the same number of rows, the last of which differs; or y with one row more than
/// x.
struct NeighbourPair {
    /// Rows are made for this norm bound; a few are longer, to be clipped.
    static constexpr double norm_bound = 1.0;

    std::string name;
    std::size_t dimension = 0;
    Neighbours neighbours = Neighbours::replace;
    std::vector<double> x;  ///< rows x dimension, row-major
    std::vector<double> y;  ///< the same

    /// d x d: the sum of r r^T over the rows r of x (of y), clipped to the norm bound; over n where
    /// that is public.
    [[nodiscard]] Eigen::MatrixXd moment_of_x() const;
    [[nodiscard]] Eigen::MatrixXd moment_of_y() const;
};

/// The pairs of that kind and that many columns, d >= 1 (those that want two directions are left
/// out at d = 1). Between them they reach every sensitivity of docs/privacy.md: orthogonal unit
/// rows (Frobenius, nuclear norm, range of quadratic forms), rows constant on halves (l1), ties of
/// eigenvalues, rows at the edge of a stratum, one large row among small ones (thresholds),
/// duplicates, a row over the bound.
[[nodiscard]] std::vector<NeighbourPair> neighbour_pairs(std::size_t d, Neighbours neighbours);

}  // namespace dpcov::audit
