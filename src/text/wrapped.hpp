// Text in lines of a given width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dpcov {

/// Of what is read on a terminal.
inline constexpr std::size_t page_width = 79;

/// The text with its lines broken anew, at spaces, so that none is longer than `width` unless one
/// word is. Lines that are indented are left as they are, and blank ones part paragraphs.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

/// The same of a text that begins in column `indent`, as its other lines then do.
[[nodiscard]] std::string indented(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace dpcov
