// From a file of rows to the secret detail::SecretMoment.
#pragma once

#include <string>

#include "arguments.hpp"
#include "dpcov/table.hpp"
#include "moment/secret_moment.hpp"
#include "progress.hpp"

namespace dpcov {

/// Reads the whole table into `secret`, a block of rows at a time; while one block is summed the
/// next is read. Blocks take 16 MiB each (8192 rows at most, one row at least) and two are in
/// flight, so memory does not grow with the number of rows. Throws DataError when the table has no
/// row at all, and whatever reading throws.
void accumulate(detail::SecretMoment& secret, TableReader& table, unsigned threads,
                Progress& progress);

/// Whether a path names a saved moment rather than a table.
[[nodiscard]] bool is_moment_path(const std::string& path);

/// Throws UsageError unless `norm_bound`, where given, is the moment's own.
void check_norm_bound(const MomentLayout& layout, std::optional<double> norm_bound,
                      const std::string& path);

}  // namespace dpcov
