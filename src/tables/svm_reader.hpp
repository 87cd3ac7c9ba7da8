// Tables in the sparse text format of LIBSVM and SVMlight.
#pragma once

#include <memory>

#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"

namespace dpcov {

/// A reader of lines `label index:value index:value ... # comment`. Indices count from 1 to
/// TableOptions::dimension, which is required: taken from the data, the largest index would give
/// away a row. Absent indices are zero, in the table's units; the label and `qid:` fields are
/// dropped. A line without a label, such as a blank one, is a bad row.
[[nodiscard]] std::unique_ptr<TableReader> open_svm(std::unique_ptr<ByteStream> stream,
                                                    const TableOptions& options);

}  // namespace dpcov
