// All of a release but its arrays, as JSON: what release.json in its archive says.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/error.hpp"
#include "dpcov/release.hpp"

namespace dpcov::detail {

[[nodiscard]] std::string facts_json(const Release& release);

/// Versions of the format. One with a stretch has an origin, too, and one with a number of rows per
/// person has both.
inline constexpr int first_with_origin = 2;
inline constexpr int first_with_stretch = 3;
inline constexpr int first_with_rows_per_person = 4;

/// The oldest version that can tell a release, in which it is written.
[[nodiscard]] int version_of(const Release& release);

/// Of an archive that says that this version does not know it; nothing else of it was looked at.
struct LaterVersion : DataError {
    using DataError::DataError;
};

/// A release with these facts and without its arrays, in that version. DataError, which calls it
/// `name`, where something is missing or of another kind; LaterVersion.
struct VersionedFacts {
    Release release;
    int version = 0;
};
[[nodiscard]] VersionedFacts release_of_facts(const std::string& name, std::string_view json);

}  // namespace dpcov::detail
