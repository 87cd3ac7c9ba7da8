// All of a release but its arrays, as JSON: what release.json in its archive says.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/release.hpp"

namespace dpcov::detail {

[[nodiscard]] std::string facts_json(const Release& release);

/// The version of the format that a release is written in: 3 with a stretch, and then an origin; 2
/// with an origin; else 1.
[[nodiscard]] int version_of(const Release& release);

/// A release with these facts and without its arrays, in that version. DataError, which calls it
/// `name`, where something is missing or of another kind.
struct VersionedFacts {
    Release release;
    int version = 0;
};
[[nodiscard]] VersionedFacts release_of_facts(const std::string& name, std::string_view json);

}  // namespace dpcov::detail
