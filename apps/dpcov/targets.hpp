// Checks of the files to be written, before there is anything to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpcov {

/// The word for standard output, and of INPUT for standard input.
inline constexpr std::string_view standard_stream_word = "-";

/// The path of a target, as OutputSet wants it.
[[nodiscard]] std::string path_of(const std::string& target);

/// Whether two targets lead to the same place; neither needs to exist.
[[nodiscard]] bool same_place(const std::string& a, const std::string& b);

/// Throws UsageError where writing `target` would replace the file at `path`, which the command
/// reads or keeps: `what` it is, as "the input". Nothing is at an empty path; "-" is standard
/// input. Pipes and devices are not replaced.
void refuse_to_replace(const std::string& target, const std::string& path, std::string_view what);

/// Throws DeviceError where nothing can be put at `target`: fail before the reading, not after it.
/// Leaves nothing behind.
void check_target(const std::string& target);
/// The same of several at once, which may take more than each alone; empty ones are none.
void check_targets_together(const std::vector<std::string>& targets);

}  // namespace dpcov
