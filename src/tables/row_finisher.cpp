#include "tables/row_finisher.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tables/all_finite.hpp"
#include "tables/quotient.hpp"
#include "tables/value_problem.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {

namespace {

std::string_view to_text(DataProblem problem) {
    switch (problem) {
        case DataProblem::missing:
            return "the value is missing";
        case DataProblem::unreadable:
            return "the field is not a number";
        case DataProblem::out_of_range:
            return "the number is too large for a double";
        case DataProblem::not_a_number:
            return "the value is NaN";
        case DataProblem::infinite:
            return "the value is infinite";
        case DataProblem::blank:
            return "the line is blank";
        case DataProblem::tabs:
            return "the field is not a number, but several values between tabs";
        case DataProblem::semicolons:
            return "the field is not a number, but several values between semicolons";
        case DataProblem::decimal_comma:
            return "the field is not a number, but one with a comma";
        case DataProblem::decimal_point:
            return "the field is not a number, but one with a point, where commas are declared";
        case DataProblem::thousands:
            return "the field is not a number: it has thousands separators";
        case DataProblem::percent:
            return "the field is not a number: it has a percent sign";
        case DataProblem::unit:
            return "the field is not a number: it has a sign or a unit beside the number";
        case DataProblem::missing_word:
            return "the field is not a number, but perhaps a word for a missing value";
        case DataProblem::bars:
            return "the field is not a number, but several values between vertical bars";
        default:
            return "the value cannot be used";
    }
}

}  // namespace

void RowFinisher::finish(const RowPlace& place, std::span<double> row) const {
    if (selection_.has_bounds() ? map(row) : divide(row)) {
        return;
    }
    if (zeroes()) {
        std::fill(row.begin(), row.end(), 0.0);
    } else if (const std::optional<Problem> problem = first_problem(row)) {
        throw_error(place, problem->selected, problem->problem, {});
    } else {
        throw_error(place, std::nullopt, DataProblem::other, "the row cannot be used");
    }
}

void RowFinisher::finish_rows(std::uint64_t first, std::span<double> rows) const {
    const bool stay_as_they_are = !selection_.has_bounds() && !selection_.has_divisors();
    if (stay_as_they_are && detail::all_finite(rows)) {
        return;
    }
    const std::size_t columns = selection_.size();
    for (std::size_t at = 0; at < rows.size(); at += columns, ++first) {
        finish({first, std::nullopt}, rows.subspan(at, columns));
    }
}

bool RowFinisher::finish_sparse(const RowPlace& place, std::span<const std::uint32_t> columns,
                                std::span<double> values) const {
    const std::vector<double>& divisors = selection_.divisors();
    const bool usable = detail::all_finite(values);
    if (usable) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = detail::quotient(values[i], divisors[columns[i]]);
        }
    } else if (!zeroes()) {
        std::vector<double> row(selection_.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            row[columns[i]] = values[i];
        }
        finish(place, row);  // throws, with the words for it
    }
    return usable;
}

/// Where there will be a message, a row that cannot be mapped is left as it is.
bool RowFinisher::map(std::span<double> row) const {
    if (bounds_map_) {
        return bounds_map_->map(row);
    }
    return (zeroes() || !first_problem(row)) && map_row(selection_.selected(), row);
}

/// What map_row() does where there are no bounds. A row that cannot be divided is left as it is.
bool RowFinisher::divide(std::span<double> row) const {
    if (!detail::all_finite(row)) {
        return false;
    }
    if (selection_.has_divisors()) {
        const std::vector<double>& divisors = selection_.divisors();
        for (std::size_t j = 0; j < row.size(); ++j) {
            row[j] = detail::quotient(row[j], divisors[j]);
        }
    }
    return true;
}

std::optional<RowFinisher::Problem> RowFinisher::first_problem(std::span<const double> row) const {
    for (std::size_t j = 0; j < row.size(); ++j) {
        if (const auto problem = detail::value_problem(selection_.selected()[j], row[j])) {
            return Problem{j, *problem};
        }
    }
    return std::nullopt;
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
        const std::string index = std::to_string(*data_place.column);
        text += ", column " + index;
        if (!data_place.column_name.empty() && data_place.column_name != index) {
            text += " " + in_quotes(data_place.column_name);
        }
        text += " (counted from 0)";
    }
    text += ": ";
    text += reason.empty() ? to_text(problem) : reason;
    throw DataError(text, problem, std::move(data_place));
}

}  // namespace dpcov
