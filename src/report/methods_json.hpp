// What the program and Python say of methods, made of the catalogue in one place.
#pragma once

#include <string>

namespace dpcov::detail {

/// An array of objects, one a method: what a user may have to know of it to call it.
[[nodiscard]] std::string methods_json();

}  // namespace dpcov::detail
