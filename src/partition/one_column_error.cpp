#include "partition/one_column_error.hpp"

#include <cmath>

namespace dpcov::detail {

OneColumnError::OneColumnError(const PartitionFacts& facts, double second_moment,
                               double squared_mean)
    : facts_(facts),
      squared_mean_(squared_mean),
      // The variance moves by this over n where n is one less.
      from_rows_(second_moment - 2.0 * squared_mean) {}

double OneColumnError::of_stratum(double square) const {
    const bool with_sum = facts_.counts && facts_.noise == NoiseShape::gaussian;
    return with_sum ? std::pow(square - from_rows_, 2) + from_rows_ * from_rows_ + of_mean(square)
                    : square * square + of_left_out(square);
}

double OneColumnError::of_left_out(double square) const {
    return of_rows() + of_mean(square);
}

double OneColumnError::of_rows() const {
    if (!facts_.counts) {
        return 0.0;
    }
    const double weight =
        facts_.noise == NoiseShape::gaussian ? 2.0 : std::pow(facts_.squared_mean_weight, -2.0);
    return weight * from_rows_ * from_rows_;
}

double OneColumnError::of_mean(double square) const {
    return facts_.squared_mean_weight > 0.0
               ? 2.0 * squared_mean_ * square / facts_.squared_mean_weight
               : 0.0;
}

double one_column_squared_error(const std::vector<StratumBins>& strata,
                                const NoisyHistogram& histogram, std::size_t last,
                                const PartitionFacts& facts, const OneColumnError& error) {
    const auto square = [&](std::size_t bin) { return std::pow(histogram.radii[bin], 2); };
    double sum = 0.0;
    for (const StratumBins& stratum : strata) {
        const double squared_radius = square(stratum.last);
        sum += stratum.first <= last ? error.of_stratum(squared_radius)
                                     : error.of_left_out(squared_radius);
    }
    const std::vector<StratumBins> rest = bins_left_out(strata, histogram.radii.size());
    if (!rest.empty()) {
        sum += error.of_left_out(square(rest.back().last));
    }
    return sum * std::pow(strata.front() == all_bins(histogram)
                              ? facts.noise_deviation_of_all_rows
                              : facts.noise_deviation_at_radius_one,
                          2);
}

}  // namespace dpcov::detail
