// The program gnuplot, run as a child.
#pragma once

#include <optional>
#include <string>

namespace dpcov::research {

/// What gnuplot writes to its standard output for `script`; nothing where it is not installed.
/// Throws DeviceError with its messages where it fails.
[[nodiscard]] std::optional<std::string> run_gnuplot(const std::string& script);

}  // namespace dpcov::research
