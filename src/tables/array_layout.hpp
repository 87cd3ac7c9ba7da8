// How a binary array lies in its file: what an NPY or IDX header says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dpcov {

/// Type of the array's elements.
enum class ElementType {
    boolean,  ///< one byte; anything but 0 is 1
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float32,
    float64,
};

/// Shape and encoding of an n x d array behind its header.
struct ArrayLayout {
    ElementType type = ElementType::float64;
    bool big_endian = false;
    bool column_major = false;
    std::uint64_t rows = 0;         ///< n
    std::size_t columns = 0;        ///< d
    std::uint64_t data_offset = 0;  ///< bytes before the first element
};

/// Bytes of one element.
[[nodiscard]] std::size_t element_bytes(ElementType type) noexcept;

/// Whether elements are doubles of this machine.
[[nodiscard]] bool is_native_double(const ArrayLayout& layout) noexcept;

/// Throws DataError unless 1 <= d <= ColumnSelection::most_columns and the file's length
/// fits 63 bits. `table` names the file.
void check_layout(const std::string& table, const ArrayLayout& layout);

/// Decodes to.size() elements that lie one after the other at the front of `from`. Exact, but
/// for 64-bit integers beyond 2^53, which are rounded to the nearest double.
void decode(const ArrayLayout& layout, std::span<const unsigned char> from, std::span<double> to);

}  // namespace dpcov
