// What somebody may have meant who wrote a name that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dpcov {

/// Edit distance, a swap of two neighbours being one edit: insertions, deletions and substitutions
/// of bytes.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The indices of at most `most` of `names`, those most like `wanted` first. Looks at the first
/// hundred bytes of each.
[[nodiscard]] std::vector<std::size_t> nearest_names(std::string_view wanted,
                                                     const std::vector<std::string>& names,
                                                     std::size_t most);

/// The name that `wanted` is most likely a slip of: at most a third of its letters are wrong, or
/// only their case is, or it begins one name and no other. Empty where there is none.
[[nodiscard]] std::string likely_name(std::string_view wanted,
                                      const std::vector<std::string>& names);

}  // namespace dpcov
