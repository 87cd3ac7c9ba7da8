// Tables in the sparse text format of LIBSVM and SVMlight.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "tables/line_reader.hpp"

namespace dpcov {

/// A reader of lines `label index:value index:value ... # comment`. Indices count from 1 to
/// TableOptions::dimension, which is required: taken from the data, the largest index would give
/// away a row. Absent indices are zero, in the table's units; the label and `qid:` fields are
/// dropped. A line without a label, such as a blank one, is a bad row. `longest_line` as for
/// open_csv().
[[nodiscard]] std::unique_ptr<TableReader> open_svm(
    std::unique_ptr<ByteStream> stream, const TableOptions& options,
    std::size_t longest_line = LineReader::longest_by_default);

}  // namespace dpcov
