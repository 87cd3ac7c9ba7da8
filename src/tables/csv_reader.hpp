// Tables in text: CSV and TSV.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"

namespace dpcov {

/// A reader of separated values as in RFC 4180, as open_table() says. TableOptions::delimiter,
/// where given, takes the place of `delimiter`.
[[nodiscard]] std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteStream> stream,
                                                    char delimiter, const TableOptions& options);

}  // namespace dpcov
