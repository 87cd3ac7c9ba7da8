// Arrays as .npy files hold them, in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpcov {

using NpyShape = std::vector<std::uint64_t>;

/// The beginning of an .npy file, version 1.0, of an array in C order. `type` is such as <f8.
[[nodiscard]] std::string npy_header(std::string_view type, const NpyShape& shape);

/// Little-endian float64. As many values as the shape says.
[[nodiscard]] std::string npy_array(const NpyShape& shape, std::span<const double> values);

/// Truth values.
[[nodiscard]] std::string npy_array(const std::vector<bool>& values);

/// Text, each as many UTF-32 characters wide as the longest, at least one. Valid UTF-8.
[[nodiscard]] std::string npy_array(const std::vector<std::string>& texts);

/// Values of an array that is of just that shape and little-endian float64 in C order (or has one
/// dimension at most). DataError where it is not, which calls it `name`.
[[nodiscard]] std::vector<double> doubles_of_npy(const std::string& name, std::string_view bytes,
                                                 const NpyShape& shape);

/// The same of truth values in one dimension.
[[nodiscard]] std::vector<bool> booleans_of_npy(const std::string& name, std::string_view bytes,
                                                std::uint64_t size);

/// The shape that it says it has.
[[nodiscard]] NpyShape shape_of_npy(const std::string& name, std::string_view bytes);

}  // namespace dpcov
