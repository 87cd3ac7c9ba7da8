#include "tables/array_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "dpcov/error.hpp"
#include "tables/column_selection.hpp"

namespace dpcov {

namespace {

template <class Element, bool SwapBytes>
void decode_as(const unsigned char* from, std::span<double> to) {
    for (double& value : to) {
        unsigned char bytes[sizeof(Element)];
        std::memcpy(bytes, from, sizeof(Element));
        if constexpr (SwapBytes) {
            std::reverse(std::begin(bytes), std::end(bytes));
        }
        Element element;
        std::memcpy(&element, bytes, sizeof(Element));
        value = static_cast<double>(element);
        from += sizeof(Element);
    }
}

bool is_native(bool big_endian) noexcept {
    return big_endian == (std::endian::native == std::endian::big);
}

template <class Element>
void decode_in_order(bool big_endian, const unsigned char* from, std::span<double> to) {
    if (is_native(big_endian)) {
        decode_as<Element, false>(from, to);
    } else {
        decode_as<Element, true>(from, to);
    }
}

}  // namespace

std::size_t element_bytes(ElementType type) noexcept {
    switch (type) {
        case ElementType::boolean:
        case ElementType::uint8:
        case ElementType::int8:
            return 1;
        case ElementType::uint16:
        case ElementType::int16:
            return 2;
        case ElementType::uint32:
        case ElementType::int32:
        case ElementType::float32:
            return 4;
        case ElementType::uint64:
        case ElementType::int64:
        case ElementType::float64:
            break;
    }
    return 8;
}

bool is_native_double(const ArrayLayout& layout) noexcept {
    return layout.type == ElementType::float64 && is_native(layout.big_endian);
}

void check_layout(const std::string& table, const ArrayLayout& layout) {
    // How many rows there are may be private.
    if (layout.columns == 0) {
        throw DataError(table + ": the table has no columns");
    }
    if (layout.columns > ColumnSelection::most_columns) {
        throw DataError(table + ": the header speaks of " + std::to_string(layout.columns) +
                        " columns, more than the " + std::to_string(ColumnSelection::most_columns) +
                        " columns that can be used; is the file damaged?");
    }
    constexpr auto longest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t row_bytes = layout.columns * element_bytes(layout.type);
    if (layout.rows > (longest - layout.data_offset) / row_bytes) {
        throw DataError(table +
                        ": the header speaks of more rows than a file can hold; is the file "
                        "damaged?");
    }
}

void decode(const ArrayLayout& layout, std::span<const unsigned char> from, std::span<double> to) {
    switch (layout.type) {
        case ElementType::boolean:
            std::transform(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(to.size()),
                           to.begin(), [](unsigned char byte) { return byte == 0 ? 0.0 : 1.0; });
            return;
        case ElementType::uint8:
            return decode_in_order<std::uint8_t>(layout.big_endian, from.data(), to);
        case ElementType::uint16:
            return decode_in_order<std::uint16_t>(layout.big_endian, from.data(), to);
        case ElementType::uint32:
            return decode_in_order<std::uint32_t>(layout.big_endian, from.data(), to);
        case ElementType::uint64:
            return decode_in_order<std::uint64_t>(layout.big_endian, from.data(), to);
        case ElementType::int8:
            return decode_in_order<std::int8_t>(layout.big_endian, from.data(), to);
        case ElementType::int16:
            return decode_in_order<std::int16_t>(layout.big_endian, from.data(), to);
        case ElementType::int32:
            return decode_in_order<std::int32_t>(layout.big_endian, from.data(), to);
        case ElementType::int64:
            return decode_in_order<std::int64_t>(layout.big_endian, from.data(), to);
        case ElementType::float32:
            return decode_in_order<float>(layout.big_endian, from.data(), to);
        case ElementType::float64:
            return decode_in_order<double>(layout.big_endian, from.data(), to);
    }
}

}  // namespace dpcov
