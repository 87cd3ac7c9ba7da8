// Files that hold moments, known by their names.
#pragma once

#include <optional>
#include <string>

#include "dpcov/second_moment.hpp"

namespace dpcov {

/// Whether a path names a saved moment rather than a table.
[[nodiscard]] bool is_moment_path(const std::string& path);

/// Throws UsageError where a path names a saved moment that was compressed: it is not read so, and
/// would be taken for a table.
void refuse_compressed_moment(const std::string& path);

/// Throws UsageError unless `path`, the value of `option`, names a saved moment.
void require_moment_path(const std::string& option, const std::string& path);

/// Throws UsageError unless `norm_bound`, where given, is the moment's own.
void check_norm_bound(const MomentLayout& layout, std::optional<double> norm_bound,
                      const std::string& path);

/// Writes the moment to its file, as the last thing that a command does: once the file is in place
/// the rows are in it. A signal that came while it was written must not tell otherwise, for whoever
/// runs the command again would have them twice.
void save_at_last(const SecondMoment& moment, const std::string& path);

}  // namespace dpcov
