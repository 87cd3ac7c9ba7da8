#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "files/gzip_stream.hpp"
#include "tables/array_header.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;

/// Reads the Python dictionary literal of an NPY header.
class DictionaryParser {
public:
    explicit DictionaryParser(std::string_view text) : rest_(text) {}

    /// None where it is no such thing, or a key is missing. Of a structured type nothing else need
    /// be said.
    std::optional<NpyDescription> parse() {
        bool ok = take('{');
        while (ok && !take('}')) {
            ok = parse_entry() && (take(',') || next() == '}');
            if (found_.structured) {
                return found_;
            }
        }
        constexpr std::size_t all_keys = 3;
        return ok && next() == '\0' && keys_.size() == all_keys ? std::optional(found_)
                                                                : std::nullopt;
    }

private:
    bool parse_entry() {
        const std::optional<std::string> key = parse_string();
        if (!key || !take(':')) {
            return false;
        }
        keys_.insert(*key);
        if (*key == "descr") {
            found_.structured = next() == '[';
            return keep(parse_string(), found_.type);
        }
        if (*key == "fortran_order") {
            return keep(parse_bool(), found_.fortran_order);
        }
        return *key == "shape" && keep(parse_tuple(), found_.shape);
    }

    template <class Value>
    static bool keep(std::optional<Value> value, Value& place) {
        const bool there = value.has_value();
        place = std::move(value).value_or(Value());
        return there;
    }

    std::optional<std::string> parse_string() {
        const char quote = next();
        if (quote != '\'' && quote != '"') {
            return std::nullopt;
        }
        const std::size_t end = rest_.find(quote, 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }

    std::optional<bool> parse_bool() {
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (next() == word[0] && rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        return std::nullopt;
    }

    std::optional<std::vector<std::uint64_t>> parse_tuple() {
        if (!take('(')) {
            return std::nullopt;
        }
        std::vector<std::uint64_t> items;
        while (!take(')')) {
            std::uint64_t item = 0;
            next();
            const auto [end, error] =
                std::from_chars(rest_.data(), rest_.data() + rest_.size(), item);
            if (error != std::errc{}) {
                return std::nullopt;
            }
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            take('L');  // written by Python 2
            items.push_back(item);
            if (!take(',') && next() != ')') {
                return std::nullopt;
            }
        }
        return items;
    }

    /// The next character that is no blank; NUL at the end.
    char next() {
        const std::size_t blanks = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(blanks == std::string_view::npos ? rest_.size() : blanks);
        return rest_.empty() ? '\0' : rest_.front();
    }

    bool take(char wanted) {
        if (next() != wanted || rest_.empty()) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    std::string_view rest_;
    NpyDescription found_;
    std::set<std::string> keys_;
};

/// The type that NumPy writes as a byte order, a kind and a number of bytes.
std::optional<ElementType> element_type(std::string_view descr) {
    struct Code {
        std::string_view text;
        ElementType type;
    };
    constexpr std::array<Code, 11> codes = {{{"b1", ElementType::boolean},
                                             {"u1", ElementType::uint8},
                                             {"u2", ElementType::uint16},
                                             {"u4", ElementType::uint32},
                                             {"u8", ElementType::uint64},
                                             {"i1", ElementType::int8},
                                             {"i2", ElementType::int16},
                                             {"i4", ElementType::int32},
                                             {"i8", ElementType::int64},
                                             {"f4", ElementType::float32},
                                             {"f8", ElementType::float64}}};
    const std::string_view order = descr.substr(0, 1);
    for (const Code& code : codes) {
        // A single byte has no order, which is written as a bar.
        if (order.size() == 1 && descr.substr(1) == code.text &&
            (order == "<" || order == ">" || (order == "|" && element_bytes(code.type) == 1))) {
            return code.type;
        }
    }
    return std::nullopt;
}

std::string kind_of(std::string_view descr) {
    switch (descr.size() > 1 ? descr[1] : '\0') {
        case 'b':
            return "truth values of another kind";
        case 'i':
            return "integers of another width";
        case 'u':
            return "unsigned integers of another width";
        case 'f':
            return "floating-point numbers of another width";
        case 'c':
            return "complex numbers";
        case 'S':
        case 'U':
            return "text";
        case 'O':
            return "Python objects";
        case 'M':
        case 'm':
            return "times";
        default:
            return "values of another type";
    }
}

std::string read_text(ByteStream& stream, std::size_t length) {
    std::vector<unsigned char> bytes(length);
    if (read_fully(stream, bytes) < length) {
        throw DataError(stream.name() + ": the NPY file is truncated in its header");
    }
    return {bytes.begin(), bytes.end()};
}

void set_type(const std::string& table, const NpyDescription& description, ArrayLayout& layout) {
    if (description.structured) {
        throw DataError(table +
                        ": a structured NumPy array (named fields); save it with numpy.save("
                        "name, numpy.lib.recfunctions.structured_to_unstructured(array)"
                        ".astype('float64'))");
    }
    const std::string& descr = description.type;
    const std::optional<ElementType> type = element_type(descr);
    if (!type) {
        throw DataError(table + ": the array holds " + kind_of(descr) + " (NumPy type " +
                        in_quotes(descr) +
                        "), not integers, truth values, float32 or float64; save it with "
                        "numpy.save(name, array.astype('float64'))");
    }
    layout.type = *type;
    layout.big_endian = descr.starts_with('>');
}

void set_shape(const std::string& table, const NpyDescription& description, ArrayLayout& layout) {
    const std::vector<std::uint64_t>& shape = description.shape;
    if (shape.size() != 2) {
        const char* const remedy =
            shape.size() < 2 ? "array.reshape(-1, 1)" : "array.reshape(len(array), -1)";
        throw DataError(table + ": a " + std::to_string(shape.size()) +
                        "-D array, not a table of rows and columns; save it with "
                        "numpy.save(name, " +
                        remedy + ")");
    }
    layout.rows = shape[0];
    layout.columns = static_cast<std::size_t>(shape[1]);
    layout.column_major = description.fortran_order;
}

}  // namespace

NpyDescription read_npy_description(ByteStream& stream) {
    constexpr std::string_view magic = "\x93NUMPY";
    std::array<unsigned char, 8> prefix{};
    const std::size_t count = read_fully(stream, prefix);
    if (count == 0) {
        throw DataError(stream.name() + ": the file is empty");
    }
    if (!std::equal(magic.begin(), magic.end(), prefix.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
        throw DataError(stream.name() +
                        (is_gzip(prefix)
                             ? compressed_text
                             : ": not an NPY file; make one with numpy.save(name, array)"));
    }
    const unsigned version = prefix[6];
    if (count < prefix.size() || version < 1 || version > 3) {
        throw DataError(stream.name() +
                        (count < prefix.size() ? ": the NPY file is truncated in its header"
                                               : ": an NPY file of an unknown version") +
                        "; make it again with numpy.save(name, array)");
    }
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::string length_text = read_text(stream, length_bytes);
    std::size_t length = 0;
    for (std::size_t i = length_bytes; i-- > 0;) {
        length = length << 8U | static_cast<unsigned char>(length_text[i]);
    }
    if (length > longest_header) {
        throw DataError(stream.name() + ": the NPY header claims " + std::to_string(length) +
                        " bytes; is the file damaged?");
    }
    const std::string header = read_text(stream, length);
    std::optional<NpyDescription> description = DictionaryParser(header).parse();
    if (!description) {
        throw DataError(stream.name() +
                        ": the NPY header cannot be read; make the file again with "
                        "numpy.save(name, array)");
    }
    description->data_offset = prefix.size() + length_bytes + length;
    return *std::move(description);
}

ArrayLayout read_npy_header(ByteStream& stream) {
    const NpyDescription description = read_npy_description(stream);
    ArrayLayout layout;
    set_type(stream.name(), description, layout);
    set_shape(stream.name(), description, layout);
    layout.data_offset = description.data_offset;
    check_layout(stream.name(), layout);
    return layout;
}

}  // namespace dpcov
