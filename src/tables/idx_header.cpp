#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "dpcov/error.hpp"
#include "files/gzip_stream.hpp"
#include "tables/array_header.hpp"
#include "tables/column_selection.hpp"

namespace dpcov {

namespace {

std::optional<ElementType> element_type(unsigned code) {
    switch (code) {
        case 0x08:
            return ElementType::uint8;
        case 0x09:
            return ElementType::int8;
        case 0x0b:
            return ElementType::int16;
        case 0x0c:
            return ElementType::int32;
        case 0x0d:
            return ElementType::float32;
        case 0x0e:
            return ElementType::float64;
        default:
            return std::nullopt;
    }
}

using Word = std::array<unsigned char, 4>;

Word read_word(ByteStream& stream) {
    Word word{};
    if (read_fully(stream, word) < word.size()) {
        throw DataError(stream.name() + ": the IDX file is truncated in its header");
    }
    return word;
}

std::uint32_t to_number(const Word& word) {
    return std::uint32_t{word[0]} << 24U | std::uint32_t{word[1]} << 16U |
           std::uint32_t{word[2]} << 8U | std::uint32_t{word[3]};
}

}  // namespace

ArrayLayout read_idx_header(ByteStream& stream) {
    const Word magic = read_word(stream);
    const std::optional<ElementType> type = element_type(magic[2]);
    if (magic[0] != 0 || magic[1] != 0 || !type) {
        throw DataError(stream.name() + (is_gzip(magic) ? compressed_text : ": not an IDX file"));
    }
    const unsigned dimensions = magic[3];
    if (dimensions < 2) {
        throw DataError(stream.name() + ": an IDX file of " + std::to_string(dimensions) +
                        " dimension(s), such as labels; a table needs at least two");
    }
    ArrayLayout layout;
    layout.type = *type;
    layout.big_endian = true;
    layout.rows = to_number(read_word(stream));
    std::uint64_t columns = 1;
    for (unsigned i = 1; i < dimensions; ++i) {
        columns *= to_number(read_word(stream));
        if (columns > ColumnSelection::most_columns) {
            // The next factor may wrap; and check_layout refuses this much anyway.
            break;
        }
    }
    layout.columns = columns;
    layout.data_offset = 4 * (std::uint64_t{dimensions} + 1);
    check_layout(stream.name(), layout);
    return layout;
}

}  // namespace dpcov
