// SECRET. From the octaves to the integers that the mechanisms add noise to: the Gram, the trace
// and the sum of the rows clipped to tau = 2^-t B.
//
// Rows of octave t and finer have norm at most tau and enter as they are; rows of coarser octaves
// enter by their unit directions, scaled to tau. Everything is counted in lattice units in which a
// row of norm tau weighs 2^(40 + 24). Sensitivities: mechanism/sensitivity.
#pragma once

#include <Eigen/Core>
#include <span>

#include "arithmetic/row_grid.hpp"
#include "mechanism/stratum_rows.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// Binary digits below the integers of octave t, so that finer octaves are not lost.
inline constexpr int fraction_bits = 24;

/// tau^2 in lattice units: the weight of a row that fills the clipping ball.
inline constexpr double full_weight =
    static_cast<double>(Int128{1} << (2 * radius_bits + fraction_bits));

/// One lattice unit of the clipped Gram and trace, in units of the input squared.
[[nodiscard]] double lattice_unit(const SecretMoment& secret, int clip_exponent);

/// SECRET. sum of x x^T over the clipped rows, each entry off by at most one lattice unit.
/// 0 <= clip_exponent < NormBins::octaves; above 0 it needs kept directions (UsageError).
[[nodiscard]] PackedGram clipped_gram(const SecretMoment& secret, int clip_exponent);

/// SECRET. sum of x x^T over the rows of those bins, in units in which a row of norm 2^-k B weighs
/// full_weight, k the octave of the coarsest bin. Exact where the bins span at most 12 octaves,
/// else each entry is off by at most one.
[[nodiscard]] PackedGram gram_of_bins(const SecretMoment& secret, BinRange bins);

/// SECRET. The same of a stratum, of whose coarsest bin k is the octave. Partial bins are exact;
/// they lie at most 8 octaves below that one.
[[nodiscard]] PackedGram gram_of(const SecretMoment& secret, const StratumRows& stratum);

/// SECRET. `factor` times the sum of its rows, in units in which a row of norm 2^-k B and factor
/// 2^20 weighs full_weight. Exact where whole bins span at most 24 octaves, else each entry is off
/// by at most one. 0 <= factor <= 2^20.
[[nodiscard]] ExactSums sum_of(const SecretMoment& secret, const StratumRows& stratum,
                               Int128 factor);

/// SECRET. The trace of gram_of, were that not rounded; off by at most one.
[[nodiscard]] Int128 trace_of(const SecretMoment& secret, const StratumRows& stratum);

/// SECRET. The number of rows of a stratum, in units of 2^-part_bits.
[[nodiscard]] Int128 parts_of_rows(const SecretMoment& secret, const StratumRows& stratum);

/// The d x d matrix of a packed upper triangle, each entry times `unit`. As secret as its argument.
[[nodiscard]] Eigen::MatrixXd symmetric_matrix(const PackedGram& entries, std::size_t d,
                                               double unit);

/// The vector of these integers, each times `unit`. As secret as its argument.
[[nodiscard]] Eigen::VectorXd vector_of(std::span<const Int128> entries, double unit);

/// SECRET. sum of min(|x|, tau)^2, off by at most one lattice unit.
[[nodiscard]] Int128 clipped_trace(const SecretMoment& secret, int clip_exponent);

/// SECRET. sum over rows of max(0, |x|^2 - tau^2), |x| clipped to 2^-radius_exponent B first, in
/// units of 2^-bias_bits (2^-radius_exponent B)^2; off by less than one (up to 2^34 rows; it is not
/// what the sensitivity rests on). radius_exponent <= clip_exponent < NormBins::octaves.
inline constexpr int bias_bits = 30;
[[nodiscard]] Int128 clipping_bias(const SecretMoment& secret, int radius_exponent,
                                   int clip_exponent);

/// SECRET. The same, each row counted at the upper edge of its octave, as in the paper.
[[nodiscard]] Int128 clipping_bias_at_edges(const SecretMoment& secret, int radius_exponent,
                                            int clip_exponent);

/// SECRET. Sum of the rows (clipped to B only) in units of 2^-44 B, each entry off by at most one.
[[nodiscard]] ExactSums row_sum(const SecretMoment& secret);

/// SECRET. For each column the sum of the squares of its values, of rows clipped to B only: the
/// diagonal of clipped_gram(secret, 0).
[[nodiscard]] ExactSums column_squares(const SecretMoment& secret);

}  // namespace dpcov::detail
