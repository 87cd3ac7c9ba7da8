// Inputs that are saved moments rather than tables.
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

/// Throws UsageError unless `norm_bound`, where given, is the moment's own.
void check_norm_bound(const MomentLayout& layout, std::optional<double> norm_bound,
                      const std::string& path);

}  // namespace dpcov
