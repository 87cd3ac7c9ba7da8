// map_row() of a schema whose columns all have bounds, worked out once, and many columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dpcov/schema.hpp"

namespace dpcov::detail {

class BoundsMap {
public:
    /// None where a column has no bounds, and without columns.
    [[nodiscard]] static std::optional<BoundsMap> of(const Schema& schema);

    /// Does what map_row() does with a row of as many values as the schema has columns, bit for
    /// bit, but leaves a row that cannot be mapped as it is.
    [[nodiscard]] bool map(std::span<double> row) const noexcept;

private:
    [[nodiscard]] bool is_usable(std::span<const double> row) const noexcept;

    // A code for a missing value; a column may have several.
    struct Code {
        std::size_t column;
        double value;
    };

    std::vector<double> lower_;
    std::vector<double> upper_;
    std::vector<double> midpoint_;
    std::vector<double> unit_;
    std::vector<double> fill_;
    std::vector<std::uint64_t> may_not_be_missing_;  // 1 where there is no fill
    std::vector<Code> codes_;
};

}  // namespace dpcov::detail
