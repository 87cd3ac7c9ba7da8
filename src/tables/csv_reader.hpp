// Tables in text: CSV and TSV.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "tables/line_reader.hpp"

namespace dpcov {

/// A reader of separated values as in RFC 4180, as open_table() says. TableOptions::delimiter,
/// where given, takes the place of `delimiter`. `longest_line` is what LineReader takes memory for,
/// beside the numbers of a row: less makes opening many small tables quick.
[[nodiscard]] std::unique_ptr<TableReader> open_csv(
    std::unique_ptr<ByteStream> stream, char delimiter, const TableOptions& options,
    std::size_t longest_line = LineReader::longest_by_default);

}  // namespace dpcov
