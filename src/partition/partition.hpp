// Which strata to release: a partition of fine bins of norms, chosen from a noisy histogram of
// them. Post-processing: nothing here sees un-noised data. Derivation:
// docs/algorithms.md#partition.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "dpcov/statistics.hpp"
#include "estimate/noise_spectrum.hpp"
#include "partition/partition_tuning.hpp"

namespace dpcov::detail {

/// What is public of the release to come.
struct PartitionFacts {
    Eigen::Index columns = 0;
    double rows = 0.0;  ///< n > 0
    NoiseShape noise = NoiseShape::gaussian;
    /// s of a stratum of radius 1, of the sum over n; a stratum of radius r has s r^2.
    double noise_deviation_at_radius_one = 0.0;
    /// The same of all bins, if they are one stratum: less for one column of which no mean is asked
    /// for, where a row is replaced. For one column only.
    double noise_deviation_of_all_rows = 0.0;
    /// c^2 of mechanism/joint_moment; 0 where no mean is asked for.
    double squared_mean_weight = 0.0;
    bool counts = false;      ///< whether strata count their rows
    bool about_mean = false;  ///< whether rows are about a rough mean
    /// What the second moment's trace is at most by other noisy sums, in squared norm bounds.
    double greatest_trace = HUGE_VAL;
    PartitionTuning tuning = {};
};

/// Bins `first` to `last` make one stratum, with noise by the radius of `last`.
struct StratumBins {
    std::size_t first = 0;
    std::size_t last = 0;

    friend bool operator==(const StratumBins&, const StratumBins&) = default;
};

/// The strata to release, finest first and disjoint. A bin in none of them is left out: it draws no
/// noise.
struct Partition {
    std::vector<StratumBins> strata = {};
    /// The stratum in which all longer rows count in part (docs/privacy.md#partial-rows).
    std::optional<std::size_t> extended = {};

    friend bool operator==(const Partition&, const Partition&) = default;
};
[[nodiscard]] Partition choose_partition(const NoisyHistogram& histogram,
                                         const PartitionFacts& facts);

/// What the model expects of the second moment, in units of the norm bound's fourth power.
struct Prediction {
    double squared_error = 0.0;  ///< of the estimate from these strata, were n known
    double squared_norm = 0.0;   ///< of the second moment itself
    double main_radius = 1.0;    ///< of the stratum with the greatest trace
    /// Of the mean, at most, in units of that radius squared.
    double squared_mean = 1.0;
};
[[nodiscard]] Prediction predicted(const NoisyHistogram& histogram, const PartitionFacts& facts,
                                   const std::vector<StratumBins>& strata);

/// A mean that is released with the strata. Public, but for noise.
struct MeanFacts {
    double squared_weight = 1.0;  ///< c^2 of mechanism/joint_moment
    double squared_mean = 0.0;    ///< in units of the norm bound squared
};

/// The expected squared error of the covariance about the mean, to compare ways to release the same
/// rows. By the bins that stand out alone, so that it hardly depends on noise: other bins may hold
/// what noise hides.
[[nodiscard]] double steady_squared_error(const NoisyHistogram& histogram,
                                          const PartitionFacts& facts,
                                          const std::vector<StratumBins>& strata,
                                          const MeanFacts& mean);

/// All of them as one stratum, of at least one bin.
[[nodiscard]] StratumBins all_bins(const NoisyHistogram& histogram);

/// The bins, of so many, that are in none of these strata; finest first, none beside another.
[[nodiscard]] std::vector<StratumBins> bins_left_out(const std::vector<StratumBins>& strata,
                                                     std::size_t bins);

}  // namespace dpcov::detail
