// Tables in text: CSV and TSV.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "io/byte_stream.hpp"

namespace dpcov {

/// A reader of separated values as in RFC 4180: fields may be quoted and then contain separators
/// and line ends, lines end in LF, CRLF or CR, a UTF-8 byte order mark and blank lines are skipped.
[[nodiscard]] std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteStream> stream,
                                                    char separator, const TableOptions& options);

}  // namespace dpcov
