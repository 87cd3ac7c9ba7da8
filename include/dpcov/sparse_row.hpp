// A row that is mostly zeros.
#pragma once

#include <cstdint>
#include <span>

namespace dpcov {

/// The entries of a row that are written down; the others are zero. As many columns, strictly
/// ascending, as values.
struct SparseRow {
    std::span<const std::uint32_t> columns;
    std::span<const double> values;
};

}  // namespace dpcov
