// Tables in binary arrays, NPY and IDX.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"

namespace dpcov {

/// A reader of an NPY stream. Throws DataError also for a column-major array in a stream without
/// random access.
[[nodiscard]] std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteStream> stream,
                                                    const TableOptions& options);

/// A reader of an IDX stream.
[[nodiscard]] std::unique_ptr<TableReader> open_idx(std::unique_ptr<ByteStream> stream,
                                                    const TableOptions& options);

}  // namespace dpcov
