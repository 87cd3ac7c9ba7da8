// "Did you mean": answers to names that do not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dpcov/methods.hpp"

namespace dpcov {

/// "; did you mean X?", or nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view wanted,
                                       const std::vector<std::string>& names);

/// The method of that name. Throws UsageError with the nearest one and all there are.
const Method& asked_method(const std::string& name);

}  // namespace dpcov
