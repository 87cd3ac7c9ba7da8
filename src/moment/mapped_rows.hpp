// Rows in the table's units, as they are mapped before they are added: each by itself.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dpcov/second_moment.hpp"
#include "dpcov/sparse_row.hpp"

namespace dpcov::detail {

/// Whether rows of that layout are not added as they come.
[[nodiscard]] bool maps_values(const MomentLayout& layout);

/// Rows one behind another, mapped by the schema and moved. DataError, which names the row and the
/// column, where a value has no place.
[[nodiscard]] std::vector<double> mapped(std::span<const double> rows, const MomentLayout& layout);

/// UsageError where a row's columns do not ascend, are not as many as its values, or are none of
/// the `columns`.
void check_sparse_rows(std::span<const SparseRow> rows, std::size_t columns);

/// The rows, and the memory of their values.
struct ScaledRows {
    std::vector<double> values;
    std::vector<SparseRow> rows;
};

/// Mapped by a schema without bounds, where zeros stay zeros. DataError as of mapped().
[[nodiscard]] ScaledRows scaled(std::span<const SparseRow> rows, const Schema& schema);

/// With their zeros, one behind another.
[[nodiscard]] std::vector<double> written_out(std::span<const SparseRow> rows, std::size_t columns);

}  // namespace dpcov::detail
