// The tables that the figures are measured on, and what is known of them before any noise.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "moment/secret_moment.hpp"
#include "research/figures.hpp"

namespace dpcov::research {

/// A table as the mechanisms get it, and the truth that their errors are measured from.
struct PreparedTable {
    detail::SecretMoment moment;
    Eigen::MatrixXd covariance;  ///< of the rows in plain doubles
};

/// Of rows of `layout`, one behind another.
[[nodiscard]] PreparedTable prepared(const std::vector<double>& rows, const MomentLayout& layout,
                                     unsigned threads = 1);

/// Generates or reads the table; real data lies in `folder`. `threads` >= 1 bounds the library's
/// threads; the result does not depend on it. Throws DataError, DeviceError for files that are
/// missing or damaged.
[[nodiscard]] PreparedTable prepare_table(const DataSet& data, const std::string& folder,
                                          unsigned threads);

}  // namespace dpcov::research
