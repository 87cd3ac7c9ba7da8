// The rows of a moment, read once more about another origin and stretched: whoever asks for the
// release reads them again. What is drawn from them is the caller's (docs/privacy.md#two-passes).
#pragma once

#include <vector>

#include "mechanism/mechanism.hpp"
#include "mechanism/released_rows.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// Whether rows of that layout may be read again, however many they are: they lie about the
/// midpoints of their bounds and were not clipped. Public.
[[nodiscard]] bool may_read_again(const MomentLayout& layout, const ReleaseOptions& options);

/// The rows about `origin`, stretched. SECRET. UsageError where options.read_again put them into
/// another moment; DataError where n is public and another number of rows came.
[[nodiscard]] ReleasedRows rows_again(const SecretMoment& secret, const std::vector<double>& origin,
                                      const std::vector<double>& stretch,
                                      const ReleaseOptions& options);

}  // namespace dpcov::detail
