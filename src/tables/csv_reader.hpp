// Tables in text: CSV and TSV.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "tables/line_reader.hpp"

namespace dpcov {

/// Whether rows take the short way where there is one. Without, each line is read by itself, and
/// each field is split off before it is a number: tests compare the two, which are the same.
enum class Shortcuts { taken, left_out };

/// A reader of separated values as in RFC 4180, as open_table() says. TableOptions::delimiter,
/// where given, takes the place of `delimiter`. `longest_line` is what LineReader takes memory for,
/// beside the numbers of a row: less makes opening many small tables quick.
[[nodiscard]] std::unique_ptr<TableReader> open_csv(
    std::unique_ptr<ByteStream> stream, char delimiter, const TableOptions& options,
    std::size_t longest_line = LineReader::longest_by_default,
    Shortcuts shortcuts = Shortcuts::taken);

}  // namespace dpcov
