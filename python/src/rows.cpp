#include "rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "arithmetic/wide_integer.hpp"
#include "dpcov/error.hpp"
#include "tables/blanks.hpp"
#include "tables/decimal.hpp"
#include "tables/parse_number.hpp"
#include "text/in_quotes.hpp"

namespace dpcov::python {
namespace {

struct Half {
    std::uint16_t bits;
};

double to_double(Half half, int /*places*/) noexcept {
    const unsigned exponent = (half.bits >> 10U) & 31U;
    const double fraction = half.bits & 1023U;
    const double sign = (half.bits & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction == 0.0 ? sign * std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    }
    return exponent == 0 ? sign * std::ldexp(fraction, -24)
                         : sign * std::ldexp(1024.0 + fraction, static_cast<int>(exponent) - 25);
}

/// Its digits; how many are behind the point is the column's.
template <class T>
struct Decimal {
    T digits;
};

template <class T>
double to_double(T value, int /*places*/) noexcept {
    return static_cast<double>(value);
}

template <class T>
double to_double(Decimal<T> value, int places) noexcept {
    return decimal::signed_quotient(value.digits, places);
}

// Memory from elsewhere may be aligned to nothing.
template <class T>
T load(const unsigned char* from) noexcept {
    T value{};
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Values one behind the other. They are no doubles of `into`, so that many are converted at a
/// time.
template <class T>
void convert(const unsigned char* __restrict from, std::size_t count, double* __restrict into) {
    for (std::size_t i = 0; i < count; ++i) {
        into[i] = to_double(load<T>(from + i * sizeof(T)), 0);
    }
}

/// Calls visit(T{}) with a value of the type of an element of whole bytes.
template <class Visitor>
void visit_type(Element element, const Visitor& visit) {
    switch (element) {
        case Element::boolean:
        case Element::uint8:
            return visit(std::uint8_t{});
        case Element::int8:
            return visit(std::int8_t{});
        case Element::int16:
            return visit(std::int16_t{});
        case Element::int32:
            return visit(std::int32_t{});
        case Element::int64:
            return visit(std::int64_t{});
        case Element::uint16:
            return visit(std::uint16_t{});
        case Element::uint32:
            return visit(std::uint32_t{});
        case Element::uint64:
            return visit(std::uint64_t{});
        case Element::float16:
            return visit(Half{});
        case Element::float32:
            return visit(float{});
        case Element::float64:
            return visit(double{});
        case Element::decimal32:
            return visit(Decimal<std::int32_t>{});
        case Element::decimal64:
            return visit(Decimal<std::int64_t>{});
        case Element::decimal128:
            return visit(Decimal<Int128>{});
        case Element::bits:
        case Element::none:
        case Element::text32:
        case Element::text64:
        case Element::text_view:
            return;
    }
}

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

template <class Offset>
std::string_view text_between(const unsigned char* offsets, const void* const* text) {
    const auto begin = load<Offset>(offsets);
    const auto length = static_cast<std::size_t>(load<Offset>(offsets + sizeof(Offset)) - begin);
    return length == 0 ? std::string_view()
                       : std::string_view(static_cast<const char*>(text[0]) + begin, length);
}

// A view has the length, and 12 bytes of text; or 4, the number of a buffer, and a place in it.
std::string_view text_viewed(const unsigned char* view, const void* const* text) {
    const auto length = static_cast<std::size_t>(load<std::int32_t>(view));
    if (length <= 12) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
        return {reinterpret_cast<const char*>(view + 4), length};
    }
    const auto buffer = static_cast<std::size_t>(load<std::int32_t>(view + 8));
    return {static_cast<const char*>(text[buffer]) + load<std::int32_t>(view + 12), length};
}

/// The nearest of the floats of 2, 4 or 8 bytes. What is beyond all of them is equal to none.
double nearest_float(double value, std::size_t bytes) noexcept {
    if (bytes != 2 && bytes != 4) {
        return value;
    }
    const int digits = bytes == 2 ? 11 : 24;
    const int least = bytes == 2 ? -24 : -149;  // the smallest float is 2 to that power
    int exponent = 0;
    static_cast<void>(std::frexp(value, &exponent));
    const int last = std::max(exponent - digits, least);
    return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
}

bool is_text(Element element) noexcept {
    return element == Element::text32 || element == Element::text64 ||
           element == Element::text_view;
}

/// Whether value i of a column of text is the text of its indicator. A value that is missing may
/// have no text.
bool is_equal_text(const ColumnView& column, std::size_t i) {
    if (column.valid.is_missing(i) || column.row_valid.is_missing(i)) {
        return false;
    }
    const unsigned char* const at = column.data + static_cast<std::ptrdiff_t>(i) * column.stride;
    const std::string_view found =
        column.element == Element::text32   ? text_between<std::int32_t>(at, column.text)
        : column.element == Element::text64 ? text_between<std::int64_t>(at, column.text)
                                            : text_viewed(at, column.text);
    return without_blanks(found) == column.equal_text;
}

/// Values first, ..., first + count - 1 of a column into every `step`th double.
void gather_column(const ColumnView& column, std::size_t first, std::size_t count, double* into,
                   std::size_t step) {
    if (column.element == Element::bits) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t bit = column.offset + first + i;
            into[i * step] = (column.data[bit / 8] >> (bit % 8)) & 1U;
        }
    } else if (column.element == Element::none) {
        for (std::size_t i = 0; i < count; ++i) {
            into[i * step] = missing;
        }
    } else if (is_text(column.element)) {
        for (std::size_t i = 0; i < count; ++i) {
            into[i * step] = is_equal_text(column, first + i) ? 1.0 : 0.0;
        }
    }
    visit_type(column.element, [&](auto type) {
        const unsigned char* from =
            column.data + static_cast<std::ptrdiff_t>(first) * column.stride;
        for (std::size_t i = 0; i < count; ++i, from += column.stride) {
            into[i * step] = to_double(load<decltype(type)>(from), column.places);
        }
    });
    for (const Validity& valid : {column.valid, column.row_valid}) {
        for (std::size_t i = 0; valid.bits != nullptr && i < count; ++i) {
            if (valid.is_missing(first + i)) {
                into[i * step] = missing;
            }
        }
    }
    for (std::size_t i = 0; column.equal_number && i < count; ++i) {
        double& value = into[i * step];
        value = std::isnan(value) ? missing : value == *column.equal_number ? 1.0 : 0.0;
    }
    for (std::size_t i = 0; column.entries && i < count; ++i) {
        double& value = into[i * step];
        if (value >= 0.0 && value < static_cast<double>(column.entry_count)) {
            gather_column(*column.entries, static_cast<std::size_t>(value), 1, &value, 1);
        } else {
            value = missing;
        }
    }
}

}  // namespace

std::size_t bytes_of(Element element) noexcept {
    std::size_t bytes = element == Element::text32      ? 4
                        : element == Element::text64    ? 8
                        : element == Element::text_view ? 16
                                                        : 0;
    visit_type(element, [&](auto type) { bytes = sizeof(type); });
    return bytes;
}

double number_of_value(const std::string& label, const std::string& value, bool truth,
                       std::size_t float_bytes) {
    const std::optional<double> truth_told = truth ? truth_value(value) : std::nullopt;
    const ParsedNumber number = parse_number(value);
    if (!truth_told && (number.problem || !std::isfinite(number.value))) {
        throw UsageError(label + " holds " + (truth ? "truth values" : "numbers") + ", and " +
                         in_quotes(value) +
                         " is none; take another value, as in 'NAME=" + (truth ? "true'" : "3'"));
    }
    return nearest_float(truth_told.value_or(number.value), float_bytes);
}

void ColumnRows::gather(std::size_t first, std::size_t count, double* into) const {
    // So few rows that what is written stays in the cache from column to column.
    constexpr std::size_t tile = 64;
    const std::size_t d = columns_.size();
    for (std::size_t done = 0; done < count; done += tile) {
        const std::size_t rows = std::min(tile, count - done);
        for (std::size_t j = 0; j < d; ++j) {
            gather_column(columns_[j], first + done, rows, into + done * d + j, d);
        }
    }
}

void MatrixRows::gather(std::size_t first, std::size_t count, double* into) const {
    visit_type(element_, [&](auto type) {
        using Value = decltype(type);
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned char* const row =
                data_ + static_cast<std::ptrdiff_t>(first + i) * stride_;
            convert<Value>(row, columns_, into + i * columns_);
        }
    });
}

const double* MatrixRows::in_place() const noexcept {
    const bool just_so = element_ == Element::float64 &&
                         stride_ == static_cast<std::ptrdiff_t>(columns_ * sizeof(double)) &&
                         std::bit_cast<std::uintptr_t>(data_) % alignof(double) == 0;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): it was doubles before
    return just_so ? reinterpret_cast<const double*>(data_) : nullptr;
}

std::vector<std::int64_t> integers_of(const ColumnView& column, std::size_t count) {
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned char* const from =
            column.data + static_cast<std::ptrdiff_t>(i) * column.stride;
        values[i] =
            column.element == Element::int32 ? load<std::int32_t>(from) : load<std::int64_t>(from);
    }
    return values;
}

SparseRows::SparseRows(ColumnView values, std::vector<std::int64_t> starts, ColumnView indices,
                       std::size_t stored, std::size_t width, const std::vector<std::size_t>& taken)
    : values_(std::move(values)),
      starts_(std::move(starts)),
      indices_(std::move(indices)),
      width_(width),
      columns_(taken.size()) {
    for (std::size_t j = 0; j < taken.size(); ++j) {
        if (taken[j] >= width) {
            throw UsageError("there is no column " + std::to_string(taken[j]));
        }
        places_.emplace_back(taken[j], j);
    }
    all_in_order_ = taken.size() == width && std::is_sorted(places_.begin(), places_.end());
    std::sort(places_.begin(), places_.end());
    if (starts_.empty() || starts_.front() < 0 || !std::is_sorted(starts_.begin(), starts_.end()) ||
        static_cast<std::uint64_t>(starts_.back()) > stored) {
        throw UsageError("the sparse matrix is damaged: its indptr does not ascend");
    }
}

// In the order in which they stand.
template <class Take>
bool SparseRows::for_entries(std::size_t row, const Take& take) const {
    for (auto k = static_cast<std::size_t>(starts_[row]);
         k < static_cast<std::size_t>(starts_[row + 1]); ++k) {
        const unsigned char* const from =
            indices_.data + static_cast<std::ptrdiff_t>(k) * indices_.stride;
        const std::int64_t column = indices_.element == Element::int32 ? load<std::int32_t>(from)
                                                                       : load<std::int64_t>(from);
        const auto found = static_cast<std::size_t>(column);  // a negative one is greater than all
        if (found >= width_) {
            return false;
        }
        std::size_t place = found;
        if (!all_in_order_) {
            const auto at =
                std::lower_bound(places_.begin(), places_.end(), std::pair(found, std::size_t{0}));
            if (at == places_.end() || at->first != found) {
                continue;
            }
            place = at->second;
        }
        double value = 0.0;
        gather_column(values_, k, 1, &value, 1);
        take(place, value);
    }
    return true;
}

void SparseRows::gather(std::size_t first, std::size_t count, double* into) const {
    for (std::size_t i = 0; i < count; ++i) {
        static_cast<void>(gather_row(first + i, into + i * columns_));
    }
}

bool SparseRows::gather_row(std::size_t row, double* into) const {
    std::fill_n(into, columns_, 0.0);
    return for_entries(row, [into](std::size_t place, double value) { into[place] += value; });
}

bool SparseRows::gather_sparse(std::size_t row, SparseScratch& into) const {
    into.clear();
    return for_entries(row, [&into](std::size_t place, double value) { into.add(place, value); });
}

void SparseScratch::clear() {
    for (const std::uint32_t place : places_) {
        is_there_[place] = 0;
    }
    places_.clear();
}

void SparseScratch::add(std::size_t place, double value) {
    if (is_there_[place] != 0) {
        sums_[place] += value;
        return;
    }
    is_there_[place] = 1;
    sums_[place] = value;
    places_.push_back(static_cast<std::uint32_t>(place));
}

std::span<const std::uint32_t> SparseScratch::places() {
    if (!std::is_sorted(places_.begin(), places_.end())) {
        std::sort(places_.begin(), places_.end());
    }
    return places_;
}

}  // namespace dpcov::python
