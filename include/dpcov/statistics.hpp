// What a mechanism drew, before anything was estimated from it: noisy sums of known law. Public.
// Estimates and their intervals are functions of it (dpcov/derive.hpp).
#pragma once

#include <optional>
#include <vector>

#include "dpcov/eigen.hpp"

namespace dpcov {

/// The laws of noise on a matrix. Both do not change under rotation, and no two entries are
/// correlated.
enum class NoiseShape {
    gaussian,  ///< isotropic Gaussian: zCDP
    wishart,   ///< P - Q, each Wishart_d(d + 1, c I), or Wishart_d(d + 2, c I) beside the noise on
               ///< a mean: pure DP
};

/// The noisy moments of some rows: those of a stratum of norms. Units are those of the rows as
/// mapped, moved and stretched, and rows count as clipped. Unbiased, but for the division by
/// Statistics::rows where that is noisy.
struct NoisyMoment {
    double radius = 0.0;  ///< a row counts for no more than a whole one of that norm would
    /// d x d, symmetric: the sum of x x^T over the stratum's rows, over Statistics::rows, plus
    /// noise; units squared.
    Eigen::MatrixXd second_moment = {};
    double noise_scale = 0.0;  ///< s: deviation of the noise on the diagonal; s / sqrt(2) off it
    /// d, or empty: the sum of x over the same rows, over Statistics::rows, plus noise.
    Eigen::VectorXd mean = {};
    double mean_noise_scale = 0.0;  ///< deviation of each of its entries
    /// The covariance is estimated without it: next to nothing is in it, and more noise than that.
    bool left_out = false;
};

/// Everything of known law that a release drew. Noises are independent of each other. A row is in
/// one stratum at most, or in two of them in parts that make one row.
struct Statistics {
    NoiseShape noise = NoiseShape::gaussian;
    double rows = 0.0;            ///< what sums are divided by: n, or the noisy n
    double rows_deviation = 0.0;  ///< of the noise in it; 0 where n is public
    /// The rows were counted with the strata. The relative noise of `rows` is then a sum over the
    /// strata: (tr N + e) / radius^2, N being the stratum's noise, and e noise of its own with the
    /// deviation of a diagonal entry of N. So it goes along with the noise of the second moment,
    /// and their quotient errs less than if the two were independent.
    bool counted_with_strata = false;
    /// From the finest to the coarsest, and then what was left out. Empty where the method's noise
    /// has no such law, where nothing was drawn, or where they were not kept.
    std::vector<NoisyMoment> strata = {};
    /// Every row is in one of the strata, or in two in parts that make one: their sum is unbiased
    /// for the table's second moment.
    bool complete = false;
    /// d: the sum of the rows over `rows`, plus noise, where it was released apart.
    std::optional<Eigen::VectorXd> mean = {};
    /// Deviation of each of its entries: of a Gaussian under zCDP, of a Laplace variable under pure
    /// DP.
    double mean_noise_scale = 0.0;
};

}  // namespace dpcov
