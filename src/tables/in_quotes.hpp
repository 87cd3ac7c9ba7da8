// Text of unknown origin, made fit for a message.
#pragma once

#include <string>
#include <string_view>

namespace dpcov {

/// The text between single quotes, with control characters replaced by '?' and cut after 60 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace dpcov
