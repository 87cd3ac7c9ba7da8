#include "arrow_stream.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
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
        return "make a column of zeros and ones for each value it can have, by a public list";
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

ColumnView view_of(const ArrowArray& batch, std::size_t place, const Values& values) {
    const ArrowArray& column = *batch.children[place];
    const auto offset = static_cast<std::size_t>(batch.offset + column.offset);
    const Element element = values.element;
    ColumnView view{.element = element, .places = values.places};
    if (element == Element::none) {
        return view;
    }
    if (column.n_buffers < 2 || column.buffers[1] == nullptr ||
        column.length < batch.offset + batch.length) {
        throw DataError("the Arrow stream hands out a column that is shorter than its batch");
    }
    view.data = static_cast<const unsigned char*>(column.buffers[1]);
    view.stride = static_cast<std::ptrdiff_t>(bytes_of(element));
    view.valid = validity_of(column, offset);
    view.row_valid = validity_of(batch, static_cast<std::size_t>(batch.offset));
    if (element == Element::bits) {
        view.offset = offset;
    } else {
        view.data += offset * bytes_of(element);
    }
    return view;
}

}  // namespace

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
        formats_.emplace_back(column.dictionary == nullptr ? column.format : "dictionary");
    }
}

void ArrowStream::fail(const char* what) {
    // What the producer says of it may quote a value.
    throw DeviceError(std::string("the Arrow stream ") + what +
                      "; what hands it out tells why when its rows are read without dpcov");
}

void ArrowStream::read_into(Part& part, const std::vector<std::size_t>& places) {
    std::vector<Values> taken;
    for (std::size_t j = 0; j < places.size(); ++j) {
        const std::size_t place = places[j];
        const std::optional<Values> values = values_of(formats_.at(place));
        if (!values) {
            const std::string text = part.label(j) + " holds " + kind_of(formats_[place]) +
                                     ", no real numbers; " + remedy_for(formats_[place]) +
                                     ", or leave it out with columns or bounds";
            throw nanobind::type_error(text.c_str());
        }
        taken.push_back(*values);
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
            for (std::size_t j = 0; j < places.size(); ++j) {
                columns.push_back(view_of(batch.value, places[j], taken[j]));
            }
            part.take(ColumnRows(std::move(columns), static_cast<std::size_t>(batch.value.length)));
        }
        check_signals();
    }
}

}  // namespace dpcov::python
