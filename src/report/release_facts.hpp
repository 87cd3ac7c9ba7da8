// All of a release but its arrays, as JSON: what release.json in its archive says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dpcov/release.hpp"

namespace dpcov::detail {

[[nodiscard]] std::string facts_json(const Release& release);

/// A release with these facts and without its arrays. DataError, which calls it `name`, where
/// something is missing or of another kind.
[[nodiscard]] Release release_of_facts(const std::string& name, std::string_view json);

/// The columns' names, in valid UTF-8; none where no column has one.
[[nodiscard]] std::vector<std::string> valid_column_names(const Release& release);

}  // namespace dpcov::detail
