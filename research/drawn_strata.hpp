// Strata drawn apart, each at the full budget, and estimated together: what experiments on the
// estimate take to pieces.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/eigen.hpp"
#include "estimate/strata.hpp"
#include "mechanism/counted_moment.hpp"
#include "random/random_source.hpp"

namespace dpcov::research {

/// Every octave of norms, from the shortest on.
[[nodiscard]] std::vector<detail::BinRange> octaves(const detail::NormBins& bins);

/// One noisy matrix a stratum, each of which spends the whole budget.
[[nodiscard]] std::vector<detail::NoisyStratum> drawn(const detail::CountedMoment& moment,
                                                      std::span<const detail::BinRange> strata,
                                                      const Budget& budget_of_each,
                                                      RandomSource& random);

struct EstimateOfStrata {
    Eigen::MatrixXd covariance;
    std::optional<double> error;  ///< its own estimate of its RMS error
};

/// The estimate from them, of rows whose norm bound is 1; zero where nothing can show.
[[nodiscard]] EstimateOfStrata estimate_from(std::span<const detail::NoisyStratum> strata,
                                             const detail::StrataModel& model);

}  // namespace dpcov::research
