// The release record: everything a reader of a released matrix may and should know, as JSON.
#pragma once

#include <string>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// The release in the units of the table, where its columns have bounds: distances are multiplied
/// by each column's half-range, the mean is moved by its midpoint. A covariance that is not centred
/// is then about the midpoints. Post-processing: costs nothing. Columns without bounds stay in
/// units of their scale. Done once; a second time changes nothing.
[[nodiscard]] DPCOV_EXPORT Release in_table_units(Release release);

/// The record as a JSON object, indented, ending in a newline; share/dpcov/record.schema.json
/// describes it. Has no seed, no running time and nothing un-noised. Text that is not valid UTF-8
/// (a column name) has its bad bytes replaced by U+FFFD.
[[nodiscard]] DPCOV_EXPORT std::string format_record(const Release& release);

}  // namespace dpcov
