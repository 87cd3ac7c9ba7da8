// The release record: everything a reader of a released matrix may and should know, as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// What a record says besides the Release itself; all of it public.
struct RecordFacts {
    std::string version;  ///< of the program or package that made the release
    Definition definition;
    double norm_bound = 0.0;                     ///< B, in units of the input after scaling
    std::string input_kind = {};                 ///< "csv", "npy", "moment", ...; never a path
    std::vector<std::string> column_names = {};  ///< d names, or empty where there are none
    double scale = 1.0;                          ///< public divisor of every value
    std::vector<std::pair<std::string, double>> column_scales = {};  ///< public divisors by column
    bool center = false;   ///< the release is the centred covariance
    double seconds = 0.0;  ///< wall time of the whole run; null in the record where n is private
};

/// The record as a JSON object, indented, ending in a newline. Has no seed and nothing un-noised.
/// Text that is not valid UTF-8 (a column name) has its bad bytes replaced by U+FFFD.
[[nodiscard]] std::string format_record(const Release& release, const RecordFacts& facts);

}  // namespace dpcov
