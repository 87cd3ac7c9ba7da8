// The release record: everything a reader of a released matrix may and should know, as JSON.
#pragma once

#include <string>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// The record as a JSON object, indented, ending in a newline; share/dpcov/record.schema.json
/// describes it. Has no seed, no running time and nothing un-noised. In a Release that a program
/// filled in itself, names that are not UTF-8 have their bad bytes replaced by U+FFFD.
[[nodiscard]] DPCOV_EXPORT std::string format_record(const Release& release);

/// Why Release::estimated_frobenius_error is none, in words. Depends on public facts, and on
/// whether the released matrix is zero.
[[nodiscard]] DPCOV_EXPORT std::string why_no_estimated_error(const Release& release);

}  // namespace dpcov
