// What is said of a row that is not added.
#pragma once

#include <cstdint>

#include "dpcov/sparse_row.hpp"

namespace dpcov::detail {

/// Throws DataError that names the first value that is not finite, of a row counted from 0. Where
/// there is none any more, another thread changed the row since one was found: the error says so.
[[noreturn]] void refuse_row(std::uint64_t row, const SparseRow& values);

}  // namespace dpcov::detail
