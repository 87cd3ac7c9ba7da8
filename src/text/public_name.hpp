// A name that is public: of a data set, in a moment file and as the holder of a ledger's account;
// or of a part of a table.
#pragma once

#include <string>

namespace dpcov::detail {

/// Whether it has 1 to 200 bytes of UTF-8 and no control characters.
[[nodiscard]] bool is_name(const std::string& text);

/// Throws UsageError, about `what`, unless `name` is one.
void check_name(const std::string& what, const std::string& name);

}  // namespace dpcov::detail
