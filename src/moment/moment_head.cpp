#include "moment/moment_head.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {
namespace {

constexpr std::array<char, 7> magic = {'d', 'p', 'c', 'o', 'v', 'S', 'M'};
constexpr std::uint64_t bounds_flag = 1;
constexpr std::uint64_t fill_flag = 2;

// Grows as it is read: a damaged number of values takes no memory.
std::vector<double> reals_from(MomentReader& reader, std::uint64_t count) {
    std::vector<double> reals;
    while (reals.size() < count) {
        reals.push_back(reader.real());
    }
    return reals;
}

void put_schema(MomentWriter& writer, const Schema& schema, char version) {
    writer.put(std::uint64_t{schema.size()});
    for (const Column& column : schema) {
        const ColumnBounds bounds = column.bounds.value_or(ColumnBounds{});
        writer.put(column.name);
        writer.put((column.bounds ? bounds_flag : 0) | (column.fill ? fill_flag : 0));
        writer.put(bounds.lower);
        writer.put(bounds.upper);
        writer.put(column.fill.value_or(0.0));
        writer.put(column.scale);
        if (version >= MomentHead::first_with_codes) {
            writer.put(std::uint64_t{column.missing.size()});
            for (const double code : column.missing) {
                writer.put(code);
            }
        }
    }
}

Schema schema_from(MomentReader& reader, std::size_t columns, char version) {
    const std::uint64_t count = reader.number();
    if (count != 0 && count != columns) {
        reader.senseless_head();
    }
    Schema schema;
    for (std::uint64_t j = 0; j < count; ++j) {
        Column column;
        column.name = reader.text();
        const std::uint64_t flags = reader.number();
        const double lower = reader.real();
        const double upper = reader.real();
        const double fill = reader.real();
        column.scale = reader.real();
        if ((flags & bounds_flag) != 0) {
            column.bounds = ColumnBounds{lower, upper};
        }
        if ((flags & fill_flag) != 0) {
            column.fill = fill;
        }
        if (flags > (bounds_flag | fill_flag)) {
            reader.senseless_head();
        }
        if (version >= MomentHead::first_with_codes) {
            column.missing = reals_from(reader, reader.number());
        }
        schema.push_back(std::move(column));
    }
    return schema;
}

NormBins norm_bins_from(MomentReader& reader) {
    const std::uint64_t per_octave = reader.number();
    const std::uint64_t fine_octaves = reader.number();
    constexpr std::uint64_t most = NormBins::octaves;
    if (per_octave > most || fine_octaves > most) {
        reader.senseless_head();
    }
    try {
        return {static_cast<int>(per_octave), static_cast<int>(fine_octaves)};
    } catch (const UsageError&) {
        reader.senseless_head();
    }
}

// What stands for an origin or a stretch that there is none of: zeros.
void put_or_zeros(MomentWriter& writer, const std::vector<double>& values, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
        writer.put(values.empty() ? 0.0 : values[j]);
    }
}

Parts parts_from(MomentReader& reader) {
    Parts parts;
    for (std::uint64_t left = reader.number(); left > 0; --left) {
        const std::string part = reader.text();
        if (!is_part(part) || !parts.insert(part).second) {
            reader.senseless_head();
        }
    }
    return parts;
}

// As old as can be, so that older versions of this library read it.
char version_of(const MomentLayout& layout) {
    const bool has_codes =
        std::any_of(layout.schema.begin(), layout.schema.end(),
                    [](const Column& column) { return !column.missing.empty(); });
    return has_codes                 ? MomentHead::first_with_codes
           : !layout.stretch.empty() ? MomentHead::first_with_stretch
           : !layout.origin.empty()  ? MomentHead::first_with_origin
                                     : MomentHead::first_with_bins;
}

}  // namespace

void put_moment_head(MomentWriter& writer, const MomentHead& head) {
    const MomentLayout& layout = head.layout;
    const char version = version_of(layout);
    writer.put(magic.data(), magic.size());
    writer.put(&version, 1);
    writer.put(std::uint64_t{layout.columns});
    writer.put(layout.norm_bound);
    writer.put(std::uint64_t{layout.keep_directions});
    writer.put(layout.dataset);
    put_schema(writer, layout.schema, version);
    writer.put(std::uint64_t{head.parts.size()});
    for (const std::string& part : head.parts) {
        writer.put(part);
    }
    if (version >= MomentHead::first_with_origin) {
        put_or_zeros(writer, layout.origin, layout.columns);
    }
    if (version >= MomentHead::first_with_stretch) {
        put_or_zeros(writer, layout.stretch, layout.columns);
    }
    writer.put(static_cast<std::uint64_t>(head.bins.per_octave()));
    writer.put(static_cast<std::uint64_t>(head.bins.fine_octaves()));
}

MomentHead moment_head_from(MomentReader& reader) {
    std::array<char, magic.size()> found{};
    MomentHead head;
    reader.get(found.data(), found.size());
    reader.get(&head.version, 1);
    if (found != magic) {
        reader.damaged("it does not begin as one");
    }
    if (head.version < MomentHead::oldest || head.version > '9') {
        reader.damaged("it does not say its version");
    }
    if (head.version > MomentHead::newest) {
        reader.of_later_version();
    }
    MomentLayout& layout = head.layout;
    layout.columns = reader.number();
    layout.norm_bound = reader.real();
    const std::uint64_t keep_directions = reader.number();
    layout.keep_directions = keep_directions == 1;
    if (keep_directions > 1 || layout.columns < 1 || layout.columns > limits::columns ||
        !(layout.norm_bound >= limits::least_norm_bound &&
          layout.norm_bound <= limits::greatest_norm_bound)) {
        reader.senseless_head();
    }
    layout.dataset = reader.text();
    if (head.version >= MomentHead::first_with_schema) {
        layout.schema = schema_from(reader, layout.columns, head.version);
        head.parts = parts_from(reader);
    }
    if (head.version >= MomentHead::first_with_origin) {
        layout.origin = reals_from(reader, layout.columns);
    }
    if (head.version >= MomentHead::first_with_stretch) {
        layout.stretch = reals_from(reader, layout.columns);
        if (layout.origin == std::vector<double>(layout.columns)) {
            layout.origin.clear();
        }
    }
    if (head.version >= MomentHead::first_with_codes &&
        layout.stretch == std::vector<double>(layout.columns)) {
        layout.stretch.clear();
    }
    if (head.version >= MomentHead::first_with_bins) {
        head.bins = norm_bins_from(reader);
    }
    return head;
}

}  // namespace dpcov::detail
