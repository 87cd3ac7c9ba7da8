// The output law of the sparse vector technique, by summing over the threshold's noise.
#pragma once

#include <cstdint>
#include <vector>

namespace dpcov::test {

/// P(index = 0), P(1), ..., and last P(none) of AboveThreshold on integer queries, with discrete
/// Laplace noise of these scales on the threshold (scale 0: none) and on each query. Long double
/// throughout; what the sum leaves out is below exp(-60).
[[nodiscard]] std::vector<long double> sparse_vector_law(const std::vector<std::int64_t>& queries,
                                                         std::int64_t threshold,
                                                         long double threshold_scale,
                                                         long double query_scale);

/// The largest |log(p_i / q_i)|: the privacy loss between two laws.
[[nodiscard]] long double privacy_loss(const std::vector<long double>& p,
                                       const std::vector<long double>& q);

}  // namespace dpcov::test
