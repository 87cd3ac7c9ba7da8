#include "arrow_stream.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/decimal.hpp"

namespace dpcov::python {
namespace {

/// How the values of a column lie, and how many digits of decimals are behind the point.
struct Values {
    Element element = Element::none;
    int places = 0;
};

/// Of "d:precision,places" or "d:precision,places,bits"; none of other bits than are known.
std::optional<Values> decimals_of(const std::string& format) {
    std::array<int, 3> numbers = {0, decimal::most_places + 1, 128};  // 128 where none is told
    const char* at = format.data() + 1;
    const char* const end = format.data() + format.size();
    for (std::size_t k = 0; k < numbers.size() && at != end; ++k) {
        const auto [behind, error] = std::from_chars(at + 1, end, numbers[k]);
        if (error != std::errc() || *at != (k == 0 ? ':' : ',')) {
            return std::nullopt;
        }
        at = behind;
    }
    const auto& [precision, places, bits] = numbers;
    if (at != end || std::abs(places) > decimal::most_places) {
        return std::nullopt;
    }
    switch (bits) {
        case 32:
            return Values{.element = Element::decimal32, .places = places};
        case 64:
            return Values{.element = Element::decimal64, .places = places};
        case 128:
            return Values{.element = Element::decimal128, .places = places};
        default:
            return std::nullopt;
    }
}

std::optional<Values> values_of(const std::string& format) {
    static constexpr std::array<std::pair<const char*, Element>, 13> known = {
        {{"n", Element::none},
         {"b", Element::bits},
         {"c", Element::int8},
         {"C", Element::uint8},
         {"s", Element::int16},
         {"S", Element::uint16},
         {"i", Element::int32},
         {"I", Element::uint32},
         {"l", Element::int64},
         {"L", Element::uint64},
         {"e", Element::float16},
         {"f", Element::float32},
         {"g", Element::float64}}};
    for (const auto& [text, element] : known) {
        if (format == text) {
            return Values{.element = element};
        }
    }
    return format.starts_with("d:") ? decimals_of(format) : std::nullopt;
}

std::optional<Element> text_of(std::string_view format) {
    return format == "u"    ? std::optional(Element::text32)
           : format == "U"  ? std::optional(Element::text64)
           : format == "vu" ? std::optional(Element::text_view)
                            : std::nullopt;
}

/// What a column of that format holds that is no plain number, in words.
std::string kind_of(const std::string& format) {
    if (format == "dictionary") {
        return "categories";
    }
    switch (format.empty() ? '\0' : format.front()) {
        case 'u':
        case 'U':
            return "text";
        case 'v':
            return format == "vu" ? "text" : "bytes";
        case 'z':
        case 'Z':
        case 'w':
            return "bytes";
        case 't':
            return "dates or times";
        case 'd':
            return "decimals of the Arrow type '" + format + "'";
        case '+':
            return "lists, structures or other values of the Arrow type '" + format + "'";
        default:
            return "values of the Arrow type '" + format + "'";
    }
}

std::string remedy_for(const std::string& format) {
    const std::string kind = kind_of(format);
    if (kind == "text" || kind == "categories") {
        return "take it as 'NAME=VALUE', a column of zeros and ones, for each value on a public "
               "list (for scikit-learn make these columns)";
    }
    if (format.starts_with('+')) {
        return "make a column of each of its numbers";
    }
    return kind == "dates or times" ? "take the time since a public date, as a number"
                                    : "convert it to float64";
}

Validity validity_of(const ArrowArray& array, std::size_t offset) {
    if (array.n_buffers < 1 || array.buffers == nullptr || array.buffers[0] == nullptr ||
        array.null_count == 0) {
        return {};
    }
    return {static_cast<const std::uint8_t*>(array.buffers[0]), offset};
}

/// `values`, of the array's type, where they lie in an array of at least `first` + `length` values.
ColumnView view_of(const ArrowArray& array, std::int64_t first, std::int64_t length,
                   ColumnView values) {
    if (values.element == Element::none || length == 0) {
        values.element = Element::none;
        return values;
    }
    const bool has_text = values.element == Element::text32 || values.element == Element::text64 ||
                          values.element == Element::text_view;
    if (array.n_buffers < (has_text ? 3 : 2) || array.buffers[1] == nullptr ||
        array.length < first + length) {
        throw DataError("the Arrow stream hands out a column that is shorter than its batch");
    }
    const auto offset = static_cast<std::size_t>(first + array.offset);
    values.data = static_cast<const unsigned char*>(array.buffers[1]);
    values.stride = static_cast<std::ptrdiff_t>(bytes_of(values.element));
    values.valid = validity_of(array, offset);
    values.text = has_text ? array.buffers + 2 : nullptr;
    if (values.element == Element::bits) {
        values.offset = offset;
    } else {
        values.data += offset * bytes_of(values.element);
    }
    return values;
}

}  // namespace

/// How a column is read: views of its values that lie nowhere yet.
struct ArrowStream::Reading {
    std::size_t place = 0;
    ColumnView values = {};
    std::optional<ColumnView> entries = {};  ///< of a dictionary

    [[nodiscard]] ColumnView of(const ArrowArray& batch) const {
        const ArrowArray& column = *batch.children[place];
        ColumnView view = view_of(column, batch.offset, batch.length, values);
        view.row_valid = validity_of(batch, static_cast<std::size_t>(batch.offset));
        if (entries) {
            if (column.dictionary == nullptr) {
                throw DataError("the Arrow stream hands out categories without their names");
            }
            const ArrowArray& dictionary = *column.dictionary;
            view.entries = std::make_shared<const ColumnView>(
                view_of(dictionary, 0, dictionary.length, *entries));
            view.entry_count = static_cast<std::size_t>(dictionary.length);
        }
        return view;
    }
};

ArrowStream::ArrowStream(ArrowArrayStream* stream) : stream_(*stream) {
    if (stream_.value.release == nullptr) {
        throw UsageError("the Arrow stream was read before; a stream can be read once");
    }
    Owned<ArrowSchema> schema;
    if (stream_.value.get_schema(&stream_.value, &schema.value) != 0) {
        fail("tells no schema");
    }
    if (std::string(schema.value.format) != "+s") {
        throw UsageError(
            "one column is no table: pass a table (a data frame, a RecordBatchReader), with the "
            "columns to take");
    }
    for (std::int64_t j = 0; j < schema.value.n_children; ++j) {
        const ArrowSchema& column = *schema.value.children[j];
        names_.emplace_back(column.name == nullptr ? "" : column.name);
        const ArrowSchema* const entries = column.dictionary;
        types_.push_back({column.format, entries == nullptr               ? ""
                                         : entries->dictionary == nullptr ? entries->format
                                                                          : "dictionary"});
    }
}

void ArrowStream::fail(const char* what) {
    // What the producer says of it may quote a value.
    throw DeviceError(std::string("the Arrow stream ") + what +
                      "; what hands it out tells why when its rows are read without dpcov");
}

ArrowStream::Reading ArrowStream::reading_of(const Type& type, const Source& source,
                                             const std::string& label) {
    const auto& [place, value] = source;
    const bool in_dictionary = !type.entries.empty();
    const std::string& format = in_dictionary ? type.entries : type.format;
    const std::optional<Values> numbers =
        in_dictionary && !value ? std::nullopt : values_of(format);
    const std::optional<Element> text = value ? text_of(format) : std::nullopt;
    if (!numbers && !text) {
        const std::string told = in_dictionary && !value ? "dictionary" : format;
        const std::string message = label + " holds " + kind_of(told) + ", no real numbers" +
                                    (value ? " and no text; " : "; ") + remedy_for(told) +
                                    ", or leave it out with columns or bounds";
        throw nanobind::type_error(message.c_str());
    }
    ColumnView values{.element = text ? *text : numbers->element,
                      .places = text ? 0 : numbers->places};
    if (text) {
        values.equal_text = *value;
    } else if (value && values.element != Element::none) {
        const bool is_float =
            values.element == Element::float16 || values.element == Element::float32;
        values.equal_number = number_of_value(label, *value, values.element == Element::bits,
                                              is_float ? bytes_of(values.element) : 8);
    }
    if (!in_dictionary) {
        return {.place = place, .values = std::move(values)};
    }
    const std::optional<Values> codes = values_of(type.format);
    return {.place = place,
            .values = {.element = codes ? codes->element : Element::none},
            .entries = std::move(values)};
}

void ArrowStream::read(const std::vector<Source>& sources, const std::vector<std::string>& labels,
                       const std::function<void(const Rows&)>& take) {
    std::vector<Reading> taken;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        taken.push_back(reading_of(types_.at(sources[j].first), sources[j], labels.at(j)));
    }
    while (true) {
        Owned<ArrowArray> batch;
        if (stream_.value.get_next(&stream_.value, &batch.value) != 0) {
            fail("broke off");
        }
        if (batch.value.release == nullptr) {
            return;
        }
        if (batch.value.length > 0) {
            if (static_cast<std::size_t>(batch.value.n_children) != names_.size()) {
                throw DataError("the Arrow stream hands out batches of other columns");
            }
            std::vector<ColumnView> columns;
            columns.reserve(taken.size());
            for (const Reading& reading : taken) {
                columns.push_back(reading.of(batch.value));
            }
            take(ColumnRows(std::move(columns), static_cast<std::size_t>(batch.value.length)));
        }
        check_signals();
    }
}

}  // namespace dpcov::python
