#include "report/npy_array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dpcov/error.hpp"
#include "files/byte_stream.hpp"
#include "tables/array_header.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string to_text(const NpyShape& shape) {
    std::string text = "(";
    for (const std::uint64_t extent : shape) {
        text += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
    }
    if (shape.size() > 1) {
        text.resize(text.size() - 2);
    }
    return text + ")";
}

// The characters of valid UTF-8.
std::vector<char32_t> characters(const std::string& text) {
    std::vector<char32_t> all;
    for (const char byte : text) {
        const auto value = static_cast<unsigned char>(byte);
        if (value < 0x80U) {
            all.push_back(value);
        } else if (value >= 0xC0U) {
            all.push_back(value & (value >= 0xF0U ? 0x07U : value >= 0xE0U ? 0x0FU : 0x1FU));
        } else if (!all.empty()) {
            all.back() = all.back() << 6U | (value & 0x3FU);
        }
    }
    return all;
}

NpyDescription description_of(const std::string& name, std::string_view bytes) {
    // The header is within so many bytes, or there is none.
    constexpr std::size_t longest = std::size_t{1} << 16U;
    const std::string_view front = bytes.substr(0, longest);
    return read_npy_description(*open_memory_stream(name, {front.begin(), front.end()}));
}

// What stands behind the header, if that is of just this type and shape.
std::string_view elements_of(const std::string& name, std::string_view bytes, std::string_view type,
                             std::size_t element_size, const NpyShape& shape) {
    const NpyDescription is = description_of(name, bytes);
    if (is.type != type || (is.fortran_order && shape.size() > 1)) {
        throw DataError(name + ": an array of type " + in_quotes(is.type) +
                        (is.fortran_order ? " in Fortran order" : "") + " where " +
                        std::string(type) + " in C order should be");
    }
    if (is.shape != shape) {
        throw DataError(name + ": an array of shape " + in_quotes(to_text(is.shape)) + " where " +
                        to_text(shape) + " should be");
    }
    const std::string_view elements = bytes.substr(is.data_offset);
    std::uint64_t left = elements.size() / element_size;
    bool fits = elements.size() % element_size == 0;
    for (const std::uint64_t extent : shape) {
        fits = fits && extent > 0 && left % extent == 0;
        left = fits ? left / extent : 0;
    }
    if (left != 1) {
        throw DataError(name + ": the array has another number of bytes than its shape says");
    }
    return elements;
}

}  // namespace

std::string npy_header(std::string_view type, const NpyShape& shape) {
    constexpr std::size_t fixed_bytes = 10;
    constexpr std::size_t alignment = 64;
    std::string header = "{'descr': '" + std::string(type) +
                         "', 'fortran_order': False, 'shape': " + to_text(shape) + ", }";
    const std::size_t unpadded = fixed_bytes + header.size() + 1;
    header.append((alignment - unpadded % alignment) % alignment, ' ');
    header += '\n';
    const auto length = static_cast<std::uint16_t>(header.size());
    std::string prefix = "\x93NUMPY";
    prefix += {'\x01', '\x00', static_cast<char>(length & 0xffU), static_cast<char>(length >> 8U)};
    return prefix + header;
}

std::string npy_array(const NpyShape& shape, std::span<const double> values) {
    std::string bytes = npy_header("<f8", shape);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return bytes;
}

std::string npy_array(const std::vector<bool>& values) {
    std::string bytes = npy_header("|b1", {values.size()});
    for (const bool value : values) {
        bytes += value ? '\x01' : '\x00';
    }
    return bytes;
}

std::string npy_array(const std::vector<std::string>& texts) {
    std::size_t width = 1;
    for (const std::string& text : texts) {
        width = std::max(width, characters(text).size());
    }
    std::string bytes = npy_header("<U" + std::to_string(width), {texts.size()});
    for (const std::string& text : texts) {
        std::vector<char32_t> line = characters(text);
        line.resize(width, U'\0');
        bytes.append(reinterpret_cast<const char*>(line.data()), width * sizeof(char32_t));
    }
    return bytes;
}

std::vector<double> doubles_of_npy(const std::string& name, std::string_view bytes,
                                   const NpyShape& shape) {
    const std::string_view elements = elements_of(name, bytes, "<f8", sizeof(double), shape);
    std::vector<double> values(elements.size() / sizeof(double));
    if (!values.empty()) {
        std::memcpy(values.data(), elements.data(), elements.size());
    }
    return values;
}

std::vector<bool> booleans_of_npy(const std::string& name, std::string_view bytes,
                                  std::uint64_t size) {
    const std::string_view elements = elements_of(name, bytes, "|b1", 1, {size});
    std::vector<bool> values;
    for (const char element : elements) {
        values.push_back(element != 0);
    }
    return values;
}

NpyShape shape_of_npy(const std::string& name, std::string_view bytes) {
    return description_of(name, bytes).shape;
}

}  // namespace dpcov
