// The version of the headers, for the preprocessor, and of the library that runs.
#pragma once

#include <string_view>

#include "dpcov/export.hpp"

#define DPCOV_VERSION_MAJOR 0
#define DPCOV_VERSION_MINOR 1
#define DPCOV_VERSION_PATCH 0

namespace dpcov {

/// The version of the library that runs, such as "1.2.3".
[[nodiscard]] DPCOV_EXPORT std::string_view version();

}  // namespace dpcov
