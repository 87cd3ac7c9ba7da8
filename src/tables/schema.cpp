#include "dpcov/schema.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/column_problem.hpp"
#include "tables/norm_bounds.hpp"
#include "tables/quotient.hpp"
#include "tables/value_problem.hpp"
#include "text/in_quotes.hpp"
#include "text/utf8.hpp"

namespace dpcov {
namespace {

std::string describe(const Schema& schema, std::size_t j) {
    const std::string& name = schema[j].name;
    return "column " + std::to_string(j) + (name.empty() ? "" : " " + in_quotes(name));
}

}  // namespace

double Column::midpoint() const {
    return bounds ? 0.5 * bounds->lower + 0.5 * bounds->upper : 0.0;
}

double Column::unit() const {
    return bounds ? 0.5 * bounds->upper - 0.5 * bounds->lower : scale;
}

std::vector<std::string> column_names(const Schema& schema) {
    std::vector<std::string> names;
    for (const Column& column : schema) {
        names.push_back(column.name);
    }
    const bool named = std::any_of(names.begin(), names.end(),
                                   [](const std::string& name) { return !name.empty(); });
    return named ? names : std::vector<std::string>();
}

bool has_bounds(const Schema& schema) {
    return std::any_of(schema.begin(), schema.end(),
                       [](const Column& column) { return column.bounds.has_value(); });
}

Schema without_defaults(Schema schema) {
    const bool says_nothing = std::all_of(schema.begin(), schema.end(),
                                          [](const Column& column) { return column == Column{}; });
    return says_nothing ? Schema{} : std::move(schema);
}

namespace detail {

namespace {

// Of half-ranges: ranges are as norm bounds.
constexpr double least_unit = 0.5 * least_stated_norm_bound;
constexpr double greatest_unit = 0.5 * greatest_stated_norm_bound;
static_assert(least_unit == 0.5e-60 && greatest_unit == 0.5e60);

// Whether the map takes the bounds to -1 and 1. Where they are close together for their size their
// midpoint is no double, and what is taken for it may be one of them.
bool reaches_both_ends(const Column& column) {
    constexpr double tolerance = 1e-6;
    const auto is_mapped_to = [&](double value, double end) {
        return std::abs((value - column.midpoint()) / column.unit() - end) <= tolerance;
    };
    return is_mapped_to(column.bounds->lower, -1.0) && is_mapped_to(column.bounds->upper, 1.0);
}

}  // namespace

std::string_view problem_of(const Column& column) {
    if (!is_utf8(column.name)) {
        return "the name is no UTF-8 text; convert the file by iconv -f LATIN1 -t UTF-8 (or from "
               "what it is in)";
    }
    if (column.name.find('\0') != std::string::npos) {
        return "the name has a NUL byte; give it another";
    }
    if (!(std::isfinite(column.scale) && column.scale > 0.0)) {
        return "the scale must be finite and above zero";
    }
    if (!column.bounds) {
        return column.fill               ? "a fill needs bounds"
               : !column.missing.empty() ? "codes for missing values need bounds"
                                         : "";
    }
    const auto [lower, upper] = *column.bounds;
    if (!(std::isfinite(lower) && std::isfinite(upper) && lower < upper)) {
        return "the bounds must be finite, the lower one below the upper one";
    }
    if (!(column.unit() >= least_unit && column.unit() <= greatest_unit)) {
        return "the bounds must be from 1e-60 to 1e60 apart; take another unit";
    }
    if (!reaches_both_ends(column)) {
        return "the bounds are too close together for numbers of their size: no double is their "
               "midpoint; subtract a public number from the column and from its bounds first";
    }
    if (column.scale != 1.0) {
        return "there are bounds and a scale; bounds say the scale too";
    }
    if (column.fill && !(lower <= *column.fill && *column.fill <= upper)) {
        return "the fill must be within the bounds";
    }
    if (!std::all_of(column.missing.begin(), column.missing.end(),
                     [](double code) { return std::isfinite(code); })) {
        return "a code for missing values must be finite";
    }
    return {};
}

}  // namespace detail

void check_schema(const Schema& schema) {
    for (std::size_t j = 0; j < schema.size(); ++j) {
        if (const std::string_view problem = detail::problem_of(schema[j]); !problem.empty()) {
            throw UsageError(describe(schema, j) + ": " + std::string(problem));
        }
    }
}

std::optional<double> implied_norm_bound(const Schema& schema, std::span<const double> origin,
                                         std::span<const double> stretch) {
    if (schema.empty() || !std::all_of(schema.begin(), schema.end(),
                                       [](const Column& column) { return column.bounds; })) {
        return std::nullopt;
    }
    for (const auto& [values, name] :
         {std::pair(origin, "origin"), std::pair(stretch, "stretch")}) {
        if (!values.empty() && values.size() != schema.size()) {
            throw UsageError(std::string("the ") + name + " has " + std::to_string(values.size()) +
                             " values for " + std::to_string(schema.size()) + " columns");
        }
    }
    double square = 0.0;
    for (std::size_t j = 0; j < schema.size(); ++j) {
        const double distance = 1.0 + (origin.empty() ? 0.0 : std::abs(origin[j]));
        square += std::pow(stretch.empty() ? distance : distance * stretch[j], 2);
    }
    return std::sqrt(square);
}

double norm_bound_within(const Schema& schema, double asked, std::span<const double> origin,
                         std::span<const double> stretch) {
    if (!(asked >= 0.0 && std::isfinite(asked))) {
        throw UsageError("a norm bound must be above 0 and finite, or 0 for none");
    }
    const std::optional<double> implied = implied_norm_bound(schema, origin, stretch);
    const bool adds_noise = implied && asked > detail::needlessly_long * *implied;
    return implied && (asked == 0.0 || adds_noise) ? *implied : asked;
}

bool map_row(const Schema& schema, std::span<double> row) noexcept {
    if (row.size() != schema.size()) {
        return false;
    }
    bool usable = true;
    for (std::size_t j = 0; j < row.size(); ++j) {
        const Column& column = schema[j];
        double value = row[j];
        const bool missing = detail::stands_for_missing(column, value);
        usable &= !detail::value_problem(column, value, missing);
        if (column.bounds) {
            value = missing ? column.fill.value_or(0.0) : value;
            value = std::clamp(value, column.bounds->lower, column.bounds->upper);
            // Rounding may leave [-1, 1] by a bit.
            row[j] = std::clamp((value - column.midpoint()) / column.unit(), -1.0, 1.0);
        } else {
            row[j] = detail::quotient(value, column.scale);
        }
    }
    return usable;
}

}  // namespace dpcov
