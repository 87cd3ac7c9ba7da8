// The name of a data set: in a moment file, and as the holder of a ledger's account.
#pragma once

#include <string>

namespace dpcov::detail {

/// Throws UsageError unless `name` has 1 to 200 bytes and no control characters.
void check_dataset_name(const std::string& name);

}  // namespace dpcov::detail
