#include "moment/refused_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "dpcov/error.hpp"

namespace dpcov::detail {

void refuse_row(std::uint64_t row, const SparseRow& values) {
    const auto found = std::find_if_not(values.values.begin(), values.values.end(),
                                        [](double x) { return std::isfinite(x); });
    if (found == values.values.end()) {
        throw DataError(
            "the rows changed while they were added; nobody may write to them meanwhile");
    }
    const double value = *found;
    const auto entry = static_cast<std::size_t>(found - values.values.begin());
    const std::size_t column = values.columns.empty() ? entry : values.columns[entry];
    throw DataError("row " + std::to_string(row + 1) + ", column " + std::to_string(column) +
                        " (counted from 0) is not a finite number; correct the row or set it to "
                        "zeros",
                    std::isnan(value) ? DataProblem::not_a_number : DataProblem::infinite,
                    {.row = row + 1, .column = column});
}

}  // namespace dpcov::detail
