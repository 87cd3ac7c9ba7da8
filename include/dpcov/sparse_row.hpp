// A row that is mostly zeros.
#pragma once

#include <cstdint>
#include <span>

namespace dpcov {

/// The entries of a row that are written down; all others are zero. There are as many columns as
/// values. Columns are counted from 0, and strictly ascend.
struct SparseRow {
    std::span<const std::uint32_t> columns;
    std::span<const double> values;
};

}  // namespace dpcov
