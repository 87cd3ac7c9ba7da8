// Reading that stops for good where it fails.
#pragma once

#include <cstddef>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"

namespace dpcov {

/// What read() returns, of a reader that was not abandoned, else UsageError, as for a block without
/// room for a row. Where it throws, the reader is: the rows of the block are lost.
template <class Read>
std::size_t read_or_abandon(TableReader& reader, std::size_t capacity, const Read& read) {
    if (capacity == 0) {
        throw UsageError("a block of rows must hold at least one row");
    }
    reader.require_all_rows();
    try {
        return read();
    } catch (...) {
        reader.abandon();
        throw;
    }
}

}  // namespace dpcov
