// Reading that stops for good where it fails.
#pragma once

#include <cstddef>

#include "dpcov/table.hpp"

namespace dpcov {

/// What read() returns, of a reader that was not abandoned, else UsageError. Where it throws, the
/// reader is: the rows of the block are lost.
template <class Read>
std::size_t read_or_abandon(TableReader& reader, const Read& read) {
    reader.require_all_rows();
    try {
        return read();
    } catch (...) {
        reader.abandon();
        throw;
    }
}

}  // namespace dpcov
