// A table that the experiments release covariances of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dpcov::research {

/// n rows of d values, row-major.
struct ExperimentTable {
    std::vector<double> rows;  ///< n * d values
    std::size_t n = 0;
    std::size_t d = 0;
    std::string name;  ///< which data these are, for the reader of a result
};

}  // namespace dpcov::research
