// What a mechanism drew, before anything was estimated: noisy sums, whose noise has a known
// distribution. Public. Estimates and their intervals are functions of it (dpcov/derive.hpp).
#pragma once

#include <optional>
#include <vector>

#include "dpcov/eigen.hpp"

namespace dpcov {

/// The distributions of noise on a matrix. Neither changes under rotation, and in both no two
/// entries are correlated.
enum class NoiseShape {
    gaussian,  ///< isotropic Gaussian: zCDP
    wishart,   ///< P - Q, each Wishart_d(d + 1, c I), or Wishart_d(d + 2, c I) beside the noise on
               ///< a mean: pure DP
};

/// The noisy moments of one stratum: of rows with norms in one range. Units are those of the rows
/// as mapped, moved and stretched, and rows count as clipped. Unbiased, except for the division by
/// Statistics::rows where that is noisy.
struct NoisyMoment {
    double radius = 0.0;  ///< no row counts for more than one row of this norm
    /// d x d, symmetric: the sum of x x^T over the stratum's rows, over Statistics::rows, plus
    /// noise; units squared.
    Eigen::MatrixXd second_moment = {};
    double noise_scale = 0.0;  ///< s: noise has deviation s on the diagonal, s / sqrt(2) off it
    /// d, or empty: the sum of x over the same rows, over Statistics::rows, plus noise.
    Eigen::VectorXd mean = {};
    double mean_noise_scale = 0.0;  ///< deviation of each of its entries
    /// The covariance is estimated without this stratum: it holds next to nothing, and more noise
    /// than that.
    bool left_out = false;
};

/// How many rows have about which norm: bins of norms, the finest first. Of the rows as mapped,
/// moved and stretched.
struct NoisyHistogram {
    /// Numbers of rows plus noise, whole numbers; may be below 0.
    std::vector<double> counts = {};
    /// The longest that a row of each bin is, in units of the norm bound; ascending, the last is 1.
    std::vector<double> radii = {};
    /// Standard deviation of each count's noise: Gaussian under zCDP, before it is rounded to a
    /// whole number; discrete Laplace under pure DP.
    double deviation = 0.0;
};

/// All noisy sums of known distribution that a release drew. Their noises are independent. A row is
/// in at most one stratum, or in two, with parts that add up to one row.
struct Statistics {
    NoiseShape noise = NoiseShape::gaussian;
    double rows = 0.0;            ///< what sums are divided by: n, or a noisy n >= 1
    double rows_deviation = 0.0;  ///< of the noise in `rows`; 0 where n is public
    /// The rows were counted with the strata. The relative noise of `rows` is then a sum over the
    /// strata: (tr N + e) / radius^2. N is the stratum's noise; e is separate noise with the
    /// deviation of a diagonal entry of N. So the noise of `rows` is correlated with that of the
    /// second moment, and their quotient errs less than if the two were independent.
    bool counted_with_strata = false;
    /// From the finest to the coarsest, and then those left out. Empty where the method's noise has
    /// no such distribution, where nothing was drawn, or where statistics were not kept.
    std::vector<NoisyMoment> strata = {};
    /// By which the strata were chosen. Of methods that choose them so, and only beside strata.
    std::optional<NoisyHistogram> norms = {};
    /// Every row is in one of the strata, or in two with parts that add up to one row. Then the sum
    /// of the strata is unbiased for the table's second moment.
    bool complete = false;
    /// d values: the sum of the rows over `rows`, plus noise, where the mean was released
    /// separately.
    std::optional<Eigen::VectorXd> mean = {};
    /// Standard deviation of the noise on each entry of `mean`: Gaussian under zCDP, Laplace under
    /// pure DP.
    double mean_noise_scale = 0.0;
};

}  // namespace dpcov
