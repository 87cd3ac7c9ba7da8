// A name that is public: of a data set, in a moment file and as the holder of a ledger's account;
// or of a part of a table.
#pragma once

#include <string>

namespace dpcov::detail {

/// Throws UsageError, about `what`, unless `name` has 1 to 200 bytes and no control characters.
void check_name(const std::string& what, const std::string& name);

}  // namespace dpcov::detail
