// Second moment, sum and number of some rows as one query.
//
// Source       this project. A row x of a stratum of radius r, as a vector of length at most 1, is
//              written as the symmetric (d + 1) x (d + 1) matrix
//                  [ x x^T   c x   ]
//                  [ c x^T   1 - t ]    t = |x|^2,
//              under pure DP as (x, c) (x, c)^T, which has c^2 in the corner
// Neighbours   replace one row, n public: the corner is not asked for; or add or remove one
// Sensitivity  over strata that have no row in common, each in units of a full row:
//              sqrt(2) (1 + c^2) where a row is replaced and sqrt(1 + 2 c^2) where one is added, in
//              the Frobenius norm; 2 (1 + c^2) and 1 + c^2 in the nuclear norm. 1 where a row of
//              one number is replaced, c = 0, and one stratum has all rows
// Budget       all of rho or epsilon on each of the strata, and in all
// Output       the matrix plus isotropic Gaussian noise, or P - Q with P and Q independent
//              Wishart_{d+1}(d + 2, C I)
// Assumes      nothing beyond the exact samplers and the secret random source
// Proof        docs/privacy.md#joint
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "dpcov/statistics.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/stratum_rows.hpp"
#include "random/symmetric_noise.hpp"

namespace dpcov::detail {

/// What is asked of the rows besides their second moment. Public.
struct JointQuery {
    unsigned mean_weight = 0;  ///< 64 c, at most 64; 0: the sum is not asked for
    bool counts = false;       ///< whether the number of rows is asked for

    [[nodiscard]] bool is_joint() const noexcept { return mean_weight > 0 || counts; }
    [[nodiscard]] double squared_weight() const noexcept {  ///< c^2, exactly
        return static_cast<double>(mean_weight) * static_cast<double>(mean_weight) * 0x1p-12;
    }
};

/// The weight c of the sum at which a centred covariance has the least squared error. Let m be the
/// squared length of the rows' mean, in units of a full row and at most 1, and v = c^2. Then
/// d v^2 + m v = m; under add or remove one row and zCDP d v^2 = m.
[[nodiscard]] unsigned mean_weight(Neighbours neighbours, std::size_t d, double squared_mean,
                                   Rho budget);
[[nodiscard]] unsigned mean_weight(Neighbours neighbours, std::size_t d, double squared_mean,
                                   Epsilon budget);

/// What a release asks for: the sum where it centres, with the weight for a mean as long as the
/// norm bound; the number of rows where that is private.
[[nodiscard]] JointQuery joint_query(std::size_t d, const ReleaseOptions& options, Rho budget);
/// The same; under pure DP without a sum there is no number of rows to be had beside it.
[[nodiscard]] JointQuery joint_query(std::size_t d, const ReleaseOptions& options, Epsilon budget);

/// As the account of a release calls it: "the second moment, the sum and the number of the rows".
[[nodiscard]] std::string name_of(const JointQuery& query);

/// Noisy sums over the rows of a stratum. Public, and everything from here is post-processing. In
/// integers, so that whatever they are divided by they are rounded to doubles once.
struct NoisySums {
    std::size_t columns = 0;
    PackedGram gram;
    ExactSums sum;           ///< empty where it was not asked for
    double unit = 0.0;       ///< of `gram`, in units of the input squared
    double deviation = 0.0;  ///< of the noise on the diagonal of `gram`
    int grid_log2 = 0;       ///< `gram` is on multiples of 2^grid_log2
    double sum_unit = 0.0;   ///< of `sum`, in units of the input
    double sum_deviation = 0.0;
    bool counted = false;
    double rows = 0.0;  ///< unbiased for the number of rows, where that was asked for
    double rows_deviation = 0.0;

    /// With the sums divided by `n`.
    [[nodiscard]] NoisyMatrix matrix_over(double n) const;
    /// The same, and the mean, of a stratum of that radius. `gram` is gone then: as many bytes
    /// again are a lot where tables are wide.
    [[nodiscard]] NoisyMoment take_moment_over(double n, double radius);
    /// Every entry of the matrix is this times an integer.
    [[nodiscard]] double grid_over(double n) const;
};

/// The deviation of the noise on the diagonal of the second moment, over the weight of a row of the
/// stratum's radius, whatever that is; and of the number of rows.
struct NoiseSize {
    double diagonal = 0.0;
    double rows = 0.0;
};
[[nodiscard]] NoiseSize noise_size(Neighbours neighbours, std::size_t d, const JointQuery& query,
                                   Rho rho);
[[nodiscard]] NoiseSize noise_size(Neighbours neighbours, std::size_t d, const JointQuery& query,
                                   Epsilon epsilon);

/// Of the rows of a stratum. Strata without a bin in common, or what with_extended() makes of such,
/// cost `rho` all together.
[[nodiscard]] NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours,
                                   const StratumRows& stratum, const JointQuery& query, Rho rho,
                                   RandomSource& random);

/// The same with Wishart noise: all strata together cost `epsilon`. With a mean weight of 0 there
/// is no corner, and no number of rows.
[[nodiscard]] NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours,
                                   const StratumRows& stratum, const JointQuery& query,
                                   Epsilon epsilon, RandomSource& random);

/// Of all rows, clipped to 2^-clip_exponent B, with Gaussian noise of either law. A clipping
/// exponent above 0 has no sum (UsageError with a mean weight).
[[nodiscard]] NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours,
                                   int clip_exponent, const JointQuery& query, Rho rho,
                                   NoiseLaw law, RandomSource& random);

/// The rows that the sums counted, as sums over all rows do where their number is private; else as
/// counted_openly().
[[nodiscard]] CountedMoment counted_by(const NoisySums& sums, const SecretMoment& secret,
                                       Neighbours neighbours);

}  // namespace dpcov::detail
