#include "moment/mapped_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "dpcov/error.hpp"
#include "moment/moved_rows.hpp"
#include "tables/quotient.hpp"
#include "tables/row_map.hpp"
#include "tables/value_problem.hpp"
#include "text/in_quotes.hpp"

namespace dpcov::detail {

bool maps_values(const MomentLayout& layout) {
    return moves_rows(layout) ||
           std::any_of(layout.schema.begin(), layout.schema.end(),
                       [](const Column& column) { return column.bounds || column.scale != 1.0; });
}

namespace {

// Of a row, counted from 1, the value of column j, which cannot be mapped.
[[noreturn]] void refuse(std::uint64_t row, const Schema& schema, std::size_t j, double value) {
    throw DataError("row " + std::to_string(row) + ", column " + std::to_string(j) +
                        (schema[j].name.empty() ? "" : " " + in_quotes(schema[j].name)) +
                        " (counted from 0) is missing or not finite; "
                        "correct the row, or give the column bounds and a fill",
                    value_problem(schema[j], value).value_or(DataProblem::other),
                    {.row = row, .column = j, .column_name = schema[j].name});
}

[[noreturn]] void refuse(std::uint64_t row, const Schema& schema, std::span<const double> values) {
    std::size_t j = 0;
    while (j + 1 < values.size() && !value_problem(schema[j], values[j])) {
        ++j;
    }
    refuse(row, schema, j, values[j]);
}

}  // namespace

std::vector<double> mapped(std::span<const double> rows, const MomentLayout& layout) {
    std::vector<double> values(rows.begin(), rows.end());
    const Schema& schema = layout.schema;
    const RowMap map(schema);
    for (std::size_t first = 0; !schema.empty() && first < values.size(); first += schema.size()) {
        const std::span<double> row = std::span(values).subspan(first, schema.size());
        if (!map.map(row)) {
            refuse(first / schema.size() + 1, schema, rows.subspan(first, schema.size()));
        }
    }
    move_rows(layout, values);
    return values;
}

void check_sparse_rows(std::span<const SparseRow> rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [places, values] = rows[i];
        const bool ascending = std::adjacent_find(places.begin(), places.end(),
                                                  std::greater_equal<>()) == places.end();
        if (places.size() != values.size() || !ascending ||
            (!places.empty() && places.back() >= columns)) {
            throw UsageError("sparse row " + std::to_string(i + 1) +
                             ": its columns do not ascend, are not as many as its values, or are "
                             "none of the " +
                             std::to_string(columns));
        }
    }
}

ScaledRows scaled(std::span<const SparseRow> rows, const Schema& schema) {
    ScaledRows result;
    std::size_t entries = 0;
    for (const SparseRow& row : rows) {
        entries += row.values.size();
    }
    result.values.reserve(entries);
    for (const SparseRow& row : rows) {
        const std::size_t first = result.values.size();
        for (std::size_t k = 0; k < row.columns.size(); ++k) {
            const Column& column = schema[row.columns[k]];
            if (value_problem(column, row.values[k])) {
                refuse(result.rows.size() + 1, schema, row.columns[k], row.values[k]);
            }
            result.values.push_back(quotient(row.values[k], column.scale));
        }
        result.rows.push_back(
            {.columns = row.columns, .values = std::span(result.values).subspan(first)});
    }
    return result;
}

std::vector<double> written_out(std::span<const SparseRow> rows, std::size_t columns) {
    std::vector<double> values(rows.size() * columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < rows[i].columns.size(); ++k) {
            values[i * columns + rows[i].columns[k]] = rows[i].values[k];
        }
    }
    return values;
}

}  // namespace dpcov::detail
