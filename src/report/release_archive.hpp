// A release as the bytes of an .npz archive, and back.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/release.hpp"

namespace dpcov::detail {

/// What save_release() writes.
[[nodiscard]] std::string release_archive(const Release& release);

/// What load_release() makes of that. Messages call the archive `name`.
[[nodiscard]] Release release_of_archive(const std::string& name, std::string_view archive);

}  // namespace dpcov::detail
