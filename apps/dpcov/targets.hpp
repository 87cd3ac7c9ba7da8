// Checks of the files to be written, before there is anything to write.
#pragma once

#include <string>
#include <string_view>

namespace dpcov {

/// The word for standard output.
inline constexpr std::string_view standard_output_word = "-";

/// The path of a target, as OutputSet wants it.
[[nodiscard]] std::string path_of(const std::string& target);

/// Whether two targets, or a target and an input, lead to the same place; neither needs to exist.
[[nodiscard]] bool same_place(const std::string& a, const std::string& b);

/// Throws DeviceError where nothing can be put at `target`: fail before the reading, not after it.
/// Leaves nothing behind.
void check_target(const std::string& target);

/// Throws DeviceError where there is no file at `path`, and says how a ledger is begun.
void require_ledger(const std::string& path);

}  // namespace dpcov
