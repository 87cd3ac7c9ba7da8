#include "tables/row_finisher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "tables/in_quotes.hpp"

namespace dpcov {

namespace {

std::string_view to_text(DataProblem problem) {
    switch (problem) {
        case DataProblem::missing:
            return "the value is missing";
        case DataProblem::unreadable:
            return "the field is not a number";
        case DataProblem::out_of_range:
            return "the number is too large or too small for a double";
        case DataProblem::not_a_number:
            return "the value is NaN";
        case DataProblem::infinite:
            return "the value is infinite";
        case DataProblem::overflow:
            return "the value overflows when it is divided by the scale";
        case DataProblem::blank:
            return "the line is blank";
        case DataProblem::semicolons:
            return "the field is not a number, but several between semicolons";
        case DataProblem::thousands:
            return "the field is not a number, but one with commas between its thousands";
        default:
            return "the value cannot be used";
    }
}

/// Without an early exit, so that the loop becomes a few vector instructions.
bool all_finite(std::span<const double> row) {
    bool finite = true;
    for (const double value : row) {
        finite &= std::abs(value) <= std::numeric_limits<double>::max();
    }
    return finite;
}

}  // namespace

void RowFinisher::finish(const RowPlace& place, std::span<double> row) {
    if (!zeroes()) {
        original_.assign(row.begin(), row.end());
    }
    // What map_row() does where there are no bounds, in vector instructions.
    if (selection_.has_bounds() ? map_row(selection_.selected(), row) : divide(row)) {
        return;
    }
    if (!zeroes()) {
        throw_first_problem(place, original_);
    }
    std::fill(row.begin(), row.end(), 0.0);
}

bool RowFinisher::divide(std::span<double> row) const {
    const bool usable = all_finite(row);
    const std::vector<double>& divisors = selection_.divisors();
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] /= divisors[j];
    }
    return usable && all_finite(row);
}

void RowFinisher::throw_first_problem(const RowPlace& place, std::span<const double> row) const {
    for (std::size_t j = 0; j < row.size(); ++j) {
        const Column& column = selection_.selected()[j];
        if (std::isnan(row[j])) {
            if (!column.fill) {
                throw_error(place, j, DataProblem::not_a_number, {});
            }
        } else if (!column.bounds && std::isinf(row[j])) {
            throw_error(place, j, DataProblem::infinite, {});
        } else if (!column.bounds && !std::isfinite(row[j] / column.scale)) {
            throw_error(place, j, DataProblem::overflow, {});
        }
    }
    throw_error(place, std::nullopt, DataProblem::other, "the row cannot be used");
}

void RowFinisher::reject(const RowPlace& place, std::span<double> row, std::size_t selected,
                         DataProblem problem) const {
    if (!zeroes()) {
        throw_error(place, selected, problem, {});
    }
    std::fill(row.begin(), row.end(), 0.0);
}

void RowFinisher::reject_row(const RowPlace& place, std::span<double> row, DataProblem problem,
                             std::string_view reason) const {
    if (!zeroes()) {
        throw_error(place, std::nullopt, problem, reason);
    }
    std::fill(row.begin(), row.end(), 0.0);
}

void RowFinisher::throw_error(const RowPlace& place, std::optional<std::size_t> selected,
                              DataProblem problem, std::string_view reason) const {
    std::string text = table_ + ": row " + std::to_string(place.row);
    if (place.line) {
        text += " (line " + std::to_string(*place.line) + ")";
    }
    DataPlace data_place{.row = place.row, .line = place.line};
    if (selected) {
        data_place.column = selection_.sources()[*selected];
        data_place.column_name = selection_.selected()[*selected].name;
        text += ", column " + std::to_string(*data_place.column);
        if (!data_place.column_name.empty()) {
            text += " " + in_quotes(data_place.column_name);
        }
        text += " (counted from 0)";
    }
    text += ": ";
    text += reason.empty() ? to_text(problem) : reason;
    throw DataError(text, problem, std::move(data_place));
}

}  // namespace dpcov
