// The synthetic data of the paper's experiments (Dong, Liang, Yi 2022, section 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dpcov::research {

/// What fixes a synthetic table.
struct SyntheticSettings {
    std::size_t d = 200;
    std::size_t n = 50000;
    int bins = 4;       ///< N: norms are 2^(1-N), ..., 1/2, 1
    double skew = 3.0;  ///< s: the k-th smallest norm has Zipf weight k^-s
    std::uint64_t seed = 0;
};

/// n rows of d values, row-major: standard normal vectors times a d x d matrix of uniform [0, 1)
/// entries, less their mean, each row then scaled to its norm; rows of one norm stand together.
[[nodiscard]] std::vector<double> synthetic_table(const SyntheticSettings& settings);

}  // namespace dpcov::research
