// The mean of all rows from the means of strata, of which most hold few rows or none. Pure
// functions of public numbers. Derivation: docs/algorithms.md#centred.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dpcov/statistics.hpp"

namespace dpcov::detail {

/// A mean with noise of known deviation in each direction.
struct NoisyMean {
    Eigen::VectorXd mean;
    double deviation = 0.0;
    /// By how much its variance is greater along the mean itself.
    double more_variance_along = 0.0;
    /// Of the number of rows that sums were divided by, over that number: a common factor.
    double relative_rows_variance = 0.0;

    /// Of its noise in each entry, without that of the number of rows.
    [[nodiscard]] Eigen::ArrayXd deviations() const;
};

/// Of the strata's second moments.
[[nodiscard]] std::vector<double> traces_of(const Statistics& statistics);

/// The mean of all rows, from the strata that have one, and the traces of their second moments;
/// none where no stratum has. Most strata have few rows or none, and much noise. So what a stratum
/// has along the mean of the clearest one that holds rows is what is expected of it, of any size,
/// with the chance that it holds nothing; what it has across that is shrunk (James and Stein), and
/// by that chance.
[[nodiscard]] std::optional<NoisyMean> mean_of_strata(const Statistics& statistics,
                                                      const std::vector<double>& traces);

/// The same, shrunk by its noise. `directions` are the leading ones of the rows' second moment,
/// orthonormal, d x 0 to 4. The mean lies mostly along these, and noise moves them less than it
/// (docs/algorithms.md#shrunk-mean). What it has along the first stays. The rest is shrunk in two
/// parts (James and Stein), as one along the others and as one across all of them; or as what is
/// expected of a mean that spreads as the rows do. That which is estimated to err less is taken.
[[nodiscard]] NoisyMean shrunk_mean(const NoisyMean& mean, const Eigen::MatrixXd& directions,
                                    const Eigen::MatrixXd& second_moment);

/// `shrunk`, with no entry further from the noisy mean than two of its deviations (Efron and
/// Morris's limited translation): what a release tells. For one column may lie apart from all
/// others.
[[nodiscard]] Eigen::VectorXd with_limited_translation(const Eigen::VectorXd& shrunk,
                                                       const NoisyMean& noisy);

}  // namespace dpcov::detail
