// The release record: all that a reader of a released matrix may and should know, as JSON.
#pragma once

#include <string>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// The record as a JSON object, indented, ending in a newline. share/dpcov/record.schema.json
/// describes it. The record has no seed, no running time and no number without noise. If a program
/// filled in the Release itself, bytes of names that are not UTF-8 are replaced by U+FFFD.
[[nodiscard]] DPCOV_EXPORT std::string format_record(const Release& release);

/// The reason, in words, why Release::estimated_frobenius_error is none. It depends on public
/// facts, and on whether the released matrix is zero.
[[nodiscard]] DPCOV_EXPORT std::string why_no_estimated_error(const Release& release);

}  // namespace dpcov
