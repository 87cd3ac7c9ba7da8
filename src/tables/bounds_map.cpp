#include "tables/bounds_map.hpp"

#include <algorithm>
#include <limits>

#include "arithmetic/wide_registers.hpp"

namespace dpcov::detail {
namespace {

// A schema's columns, each array one number a column.
struct Columns {
    const double* lower;
    const double* upper;
    const double* midpoint;
    const double* unit;
    const double* fill;
};

// In vector instructions, hence no early exit. NaN is not equal to itself.
DPCOV_FOR_WIDE_REGISTERS bool has_missing(const double* row, const std::uint64_t* counts,
                                          std::size_t size) {
    std::uint64_t found = 0;
    for (std::size_t j = 0; j < size; ++j) {
        found |= row[j] != row[j] ? counts[j] : 0;
    }
    return found != 0;
}

DPCOV_FOR_WIDE_REGISTERS void map_values(const Columns& columns, double* __restrict row,
                                         std::size_t size) {
    for (std::size_t j = 0; j < size; ++j) {
        const double given = row[j];
        // Each column's numbers are read in any case: GCC 12 has no vector of what may not be read.
        const double fill = columns.fill[j];
        const double lower = columns.lower[j];
        const double upper = columns.upper[j];
        double value = given != given ? fill : given;
        value = value < lower ? lower : value;
        value = upper < value ? upper : value;
        value = (value - columns.midpoint[j]) / columns.unit[j];
        // Rounding may leave [-1, 1] by a bit.
        value = value < -1.0 ? -1.0 : value;
        row[j] = 1.0 < value ? 1.0 : value;
    }
}

}  // namespace

std::optional<BoundsMap> BoundsMap::of(const Schema& schema) {
    if (schema.empty()) {
        return std::nullopt;
    }
    BoundsMap map;
    for (std::size_t j = 0; j < schema.size(); ++j) {
        const Column& column = schema[j];
        if (!column.bounds) {
            return std::nullopt;
        }
        map.lower_.push_back(column.bounds->lower);
        map.upper_.push_back(column.bounds->upper);
        map.midpoint_.push_back(column.midpoint());
        map.unit_.push_back(column.unit());
        map.fill_.push_back(column.fill.value_or(0.0));
        map.may_not_be_missing_.push_back(column.fill ? 0 : 1);
        for (const double code : column.missing) {
            map.codes_.push_back({.column = j, .value = code});
        }
    }
    return map;
}

bool BoundsMap::is_usable(std::span<const double> row) const noexcept {
    std::uint64_t coded = 0;
    for (const Code& code : codes_) {
        coded |= row[code.column] == code.value ? may_not_be_missing_[code.column] : 0;
    }
    return coded == 0 && !has_missing(row.data(), may_not_be_missing_.data(), row.size());
}

bool BoundsMap::map(std::span<double> row) const noexcept {
    if (!is_usable(row)) {
        return false;
    }
    for (const Code& code : codes_) {
        double& value = row[code.column];
        value = value == code.value ? std::numeric_limits<double>::quiet_NaN() : value;
    }
    map_values({.lower = lower_.data(),
                .upper = upper_.data(),
                .midpoint = midpoint_.data(),
                .unit = unit_.data(),
                .fill = fill_.data()},
               row.data(), row.size());
    return true;
}

}  // namespace dpcov::detail
