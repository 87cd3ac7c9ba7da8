// How far neighbours' integers can be apart: the place where it matters whether a row is replaced
// or added. (Of what EMCov draws: em_sensitivity.hpp.)
//
// Neighbours differ by the rows that are in one of the tables only: two where a row is replaced,
// one where a row is added or removed. Each contributes a positive semidefinite matrix of rank one
// and at most full weight. Everything is in lattice units, rounding included. Proofs:
// docs/privacy.md#clipped-gram, docs/privacy.md#add-remove.
#pragma once

#include <cstddef>

#include "arithmetic/wide_integer.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noise.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {

/// The rows that are in one of two neighbouring tables only: 2 or 1.
[[nodiscard]] constexpr int differing_rows(Neighbours neighbours) {
    return neighbours == Neighbours::replace ? 2 : 1;
}

/// Greatest l2 distance between the clipped Grams of neighbours, m differing rows: over the
/// symmetric matrix (and so over its upper triangle too) sqrt(m) 2^64 + 2 d, or 2^64 + 2 for d = 1.
/// `one_side`: by how much more either may be off, where it was multiplied and rounded since.
[[nodiscard]] double gram_sensitivity(Neighbours neighbours, std::size_t d, double one_side = 0.0);

/// Greatest l1 distance between them: `wigner` over the upper triangle, sqrt(m) d 2^64 + d (d + 1),
/// as the paper counts it; `isotropic` over (A_ii, sqrt(2) A_ij), sqrt(d (d + 1) / 2) times the l2
/// distance, or 2^64 + 2 for d = 1.
[[nodiscard]] double gram_l1_sensitivity(Neighbours neighbours, NoiseLaw law, std::size_t d);

/// Greatest nuclear norm of their difference: m 2^64 + 2 d^(3/2), or 2^64 + 2 for d = 1.
[[nodiscard]] double gram_nuclear_sensitivity(Neighbours neighbours, std::size_t d);

/// Greatest distances between the eigenvalues of neighbours' clipped Grams, at most `rows` rows
/// each, as LAPACK computes them and rounded to integers. In l2 the Grams'. In l1 a matrix moves
/// them by its nuclear norm at most, which is a full weight for each row that differs, and less
/// than d^(3/2) for a Gram's own rounding; l1 is at most sqrt(d) times l2 for the rest.
[[nodiscard]] Sensitivity eigenvalue_sensitivity(Neighbours neighbours, std::size_t d, double rows);

/// Most by which clipped_trace changes: 2^64 + 2 for either kind of neighbours, since a row adds
/// something between nothing and a full weight.
[[nodiscard]] double trace_sensitivity();

/// Most by which clipping_bias or clipping_bias_at_edges changes, for either kind of neighbours:
/// 2^30 + 2^11 ceil(sqrt(d)) + 2. A row adds at most 2^30, and takes away no more than what its
/// rounding to integers costs at its stratum's lower edge.
[[nodiscard]] Int128 bias_sensitivity(std::size_t d);

/// Greatest distances between the sums of neighbours' rows (row_sum): m 2^44 + 2 sqrt(d) in l2, and
/// l1 is at most sqrt(d) times that.
[[nodiscard]] Sensitivity sum_sensitivity(Neighbours neighbours, std::size_t d);

/// Between the squares of neighbours' columns (column_squares), where no value of a row is beyond
/// 1 and B = sqrt(d), for either kind of neighbours: sqrt(d) in l2 and d in l1, in units of the
/// mapped rows squared, and what rounding adds (docs/privacy.md#rough-stretch).
[[nodiscard]] Sensitivity squares_sensitivity(std::size_t d);

/// Greatest l2 distance between neighbours' Grams (gram_of) of all strata together, each in units
/// in which a row of the stratum's radius weighs `full`: sqrt(m) (full + 2 d), where 2 d is
/// rounding.
[[nodiscard]] double strata_sensitivity(Neighbours neighbours, std::size_t d, double full);

/// The same of the sum of the nuclear norms: m (full + 2 d^(3/2)). Not less for d = 1, since two
/// rows may be in different strata.
[[nodiscard]] double strata_nuclear_sensitivity(Neighbours neighbours, std::size_t d, double full);

/// The same of the joint moments (mechanism/joint_moment), in Frobenius norms. With
/// W = full + 2 (d + 1) it is sqrt(2) (1 + c^2) W where a row is replaced and there is no corner,
/// sqrt(1 + 2 c^2) W where one is added.
[[nodiscard]] double joint_sensitivity(Neighbours neighbours, std::size_t d, double full,
                                       double squared_weight);

/// The same in nuclear norms, of (x, c) (x, c)^T: m (1 + c^2) W with W = full + 2 (d + 1)^(3/2).
[[nodiscard]] double joint_nuclear_sensitivity(Neighbours neighbours, std::size_t d, double full,
                                               double squared_weight);

/// Between the numbers of rows, where one is added or removed: 1.
[[nodiscard]] Sensitivity row_count_sensitivity();

/// Between the numbers of rows in bins: a row replaced leaves one for another.
[[nodiscard]] Sensitivity histogram_sensitivity(Neighbours neighbours);

/// Whether Wishart noise of the same epsilon is less, in the Frobenius norm, than isotropic Laplace
/// noise: 2 d (d + 1)^2 (m / 2)^2 < d^2 (d + 1)^2 m / 2, that is d > m. For d = m their sizes are
/// equal, for d = 1 they are one law.
[[nodiscard]] constexpr bool wishart_beats_laplace(Neighbours neighbours, std::size_t d) {
    return d > static_cast<std::size_t>(differing_rows(neighbours));
}

}  // namespace dpcov::detail
