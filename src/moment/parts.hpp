// Which parts of a table a moment holds, so that none is counted twice.
#pragma once

#include <set>
#include <string>

namespace dpcov::detail {

/// Names of parts. One that was declared is public, and stands as it is behind "name:"; one that
/// was not is drawn at random, so that copies of a moment know each other.
using Parts = std::set<std::string>;

/// A part's identity where none was declared: 128 random bits. Throws DeviceError without entropy.
[[nodiscard]] std::string random_part();

/// That of a part that its owner names. Throws UsageError unless the name has 1 to 200 bytes and no
/// control characters.
[[nodiscard]] std::string declared_part(const std::string& name);

[[nodiscard]] bool is_declared(const std::string& part);

/// Whether that can be a part's identity, as read from a file.
[[nodiscard]] bool is_part(const std::string& text);

/// Throws UsageError where `a` and `b` have a part in common.
void check_disjoint(const Parts& a, const Parts& b);

}  // namespace dpcov::detail
