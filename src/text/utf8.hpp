// Whether text is UTF-8, as everything that is published in JSON has to be.
#pragma once

#include <string_view>

namespace dpcov::detail {

/// Whether the bytes are well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing
/// above U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace dpcov::detail
