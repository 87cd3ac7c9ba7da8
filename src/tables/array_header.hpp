// Headers of the two binary formats. Each function reads the header from the front of the stream
// and leaves the stream at the first element.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/byte_stream.hpp"
#include "tables/array_layout.hpp"

namespace dpcov {

/// What the dictionary of an NPY header says, of an array of any shape and type.
struct NpyDescription {
    std::string type;         ///< such as <f8, as it stands there; empty for a structured one
    bool structured = false;  ///< with named fields
    bool fortran_order = false;
    std::vector<std::uint64_t> shape = {};
    std::uint64_t data_offset = 0;  ///< bytes before the first element
};

/// Reads that, of versions 1 to 3 (numpy.lib.format). Throws DataError where there is none.
[[nodiscard]] NpyDescription read_npy_description(ByteStream& stream);

/// NPY, versions 1 to 3 (numpy.lib.format): float32, float64, integers or bool, 2-D. Throws
/// DataError that says what else the file holds and how to convert it.
[[nodiscard]] ArrayLayout read_npy_header(ByteStream& stream);

/// IDX (the format of MNIST): two or more dimensions; all but the first are taken together as the
/// columns of a row. Throws DataError likewise.
[[nodiscard]] ArrayLayout read_idx_header(ByteStream& stream);

}  // namespace dpcov
