// Text of unknown origin, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace dpcov {

/// Control characters and marks of the direction of writing replaced by question marks, so that a
/// terminal obeys none; and each byte that is of no UTF-8 character.
[[nodiscard]] std::string printable(std::string_view text);

/// The text between single quotes, printable, and cut after 60 bytes at most, between characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace dpcov
