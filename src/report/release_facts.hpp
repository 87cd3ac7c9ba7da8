// All of a release but its arrays, as JSON: what release.json in its archive says.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/release.hpp"

namespace dpcov::detail {

[[nodiscard]] std::string facts_json(const Release& release);

/// A release with these facts and without its arrays. DataError, which calls it `name`, where
/// something is missing or of another kind.
[[nodiscard]] Release release_of_facts(const std::string& name, std::string_view json);

}  // namespace dpcov::detail
