// Stratified: a noisy histogram of norms says which bins of norms go together into a stratum; every
// stratum's Gram then gets noise to its own measure, each at the full rest of the budget. All else
// is post-processing.
//
// Source       this project; the paper's tail-sensitive bound without a private threshold
// Neighbours   replace one row, n public; or add or remove one, n counted with the strata, or
//              apart where that promises less error. They differ in m = 2 or 1 rows
// Sensitivity  of the histogram sqrt(m) in l2, m in l1. Of the strata, for any partition into bins:
//              each differing row moves at most one, by r_k^2 / n, r_k the radius of its coarsest
//              bin: in the Frobenius norm for zCDP, where two rows in one stratum make
//              sqrt(2) r_k^2 / n, in the nuclear norm for pure DP; plus the rounding of bins that
//              lie more than 12 octaves below their stratum's radius. Rows longer than one chosen
//              stratum count in that in part as well, by no more in all
//              (docs/privacy.md#partial-rows)
// Budget       5/256 on the histogram; the rest on each stratum, and the rest in all: a replaced
//              row touches at most two, one row more touches one
//              Where statistics are kept, all bins that are in none of these strata make one
//              more, which the estimate leaves out
//              Where rows are read again (two_passes) up to 35/256 on that, and the rest as above
//              With centring, and under zCDP where n is private, the strata's query has the sum and
//              the number of their rows too (mechanism/joint_moment); the rest is then drawn always
// Output       estimate/strata of Sigma_k + N_k, from the finest to the coarsest; N_k isotropic
//              Gaussian noise of scale sqrt(m / 2) r_k^2 / (sqrt(rho) n), or under pure DP the
//              difference of two Wishart_d(d + 1, c I) matrices, c = m r_k^2 / (2 epsilon n);
//              projected to the positive semidefinite matrices of trace at most B^2. The same under
//              every variant
// Assumes      nothing beyond the exact samplers and the secret random source
// Proof        docs/privacy.md#stratified
#pragma once

#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "partition/partition_tuning.hpp"

namespace dpcov::detail {

/// The catalogue's `stratified`.
[[nodiscard]] Release stratified_cov(const ReleasedRows& rows, const Budget& budget,
                                     const ReleaseOptions& options, RandomSource& random);

/// With other constants in the choice of strata, to measure what they are worth.
[[nodiscard]] Release stratified_cov_with(const PartitionTuning& tuning, const ReleasedRows& rows,
                                          const Budget& budget, const ReleaseOptions& options,
                                          RandomSource& random);

}  // namespace dpcov::detail
