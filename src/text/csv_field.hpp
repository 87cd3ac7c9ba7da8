// Text as one field of a line of CSV.
#pragma once

#include <string>

namespace dpcov::detail {

/// The text as it is, or in quotes (RFC 4180) where it would be read as something else: as several
/// fields or lines, as none, or without the blanks in it.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace dpcov::detail
