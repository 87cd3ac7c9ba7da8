#include "io/row_finisher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "dpcov/error.hpp"

namespace dpcov {

namespace {

std::string_view to_text(CellProblem problem) {
    switch (problem) {
        case CellProblem::missing:
            return "the value is missing";
        case CellProblem::unreadable:
            return "the field is not a number";
        case CellProblem::out_of_range:
            return "the number is too large or too small for a double";
        case CellProblem::not_a_number:
            return "the value is NaN";
        case CellProblem::infinite:
            return "the value is infinite";
        case CellProblem::overflow:
            return "the value overflows when it is divided by the scale";
    }
    return "the value cannot be used";
}

/// Without an early exit, so that the loop becomes a few vector instructions.
bool all_finite(std::span<const double> row) {
    bool finite = true;
    for (const double value : row) {
        finite &= std::abs(value) <= std::numeric_limits<double>::max();
    }
    return finite;
}

std::size_t first_not_finite(std::span<const double> row) {
    const auto found =
        std::find_if(row.begin(), row.end(), [](double value) { return !std::isfinite(value); });
    return static_cast<std::size_t>(found - row.begin());
}

}  // namespace

void RowFinisher::finish(const RowPlace& place, std::span<double> row) const {
    if (!all_finite(row)) {
        const std::size_t selected = first_not_finite(row);
        reject(place, row, selected,
               std::isnan(row[selected]) ? CellProblem::not_a_number : CellProblem::infinite);
        return;
    }
    const std::vector<double>& divisors = selection_.divisors();
    for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] /= divisors[j];
    }
    if (!all_finite(row)) {
        reject(place, row, first_not_finite(row), CellProblem::overflow);
    }
}

void RowFinisher::reject(const RowPlace& place, std::span<double> row, std::size_t selected,
                         CellProblem problem) const {
    reject_for(place, row,
               ", " + selection_.describe(selected) + ": " + std::string(to_text(problem)));
}

void RowFinisher::reject_width(const RowPlace& place, std::span<double> row,
                               std::size_t found) const {
    reject_for(place, row,
               ": the row has " + std::to_string(found) + " fields, the table has " +
                   std::to_string(selection_.width()) + " columns");
}

void RowFinisher::reject_index(const RowPlace& place, std::span<double> row) const {
    reject_for(place, row,
               ": a field is not index:value with an index from 1 to " +
                   std::to_string(selection_.width()));
}

void RowFinisher::reject_for(const RowPlace& place, std::span<double> row,
                             const std::string& reason) const {
    if (bad_rows_ == BadRows::zero) {
        std::fill(row.begin(), row.end(), 0.0);
        return;
    }
    const std::string line = place.line ? " (line " + std::to_string(*place.line) + ")" : "";
    throw DataError(table_ + ": row " + std::to_string(place.row) + line + reason +
                    "; mend or remove the row, or take bad rows as zero vectors with "
                    "--bad-rows zero");
}

}  // namespace dpcov
