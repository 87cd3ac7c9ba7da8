// map_row() of a schema, worked out once, in the way that suits the schema.
#pragma once

#include <optional>
#include <span>

#include "dpcov/schema.hpp"
#include "tables/bounds_map.hpp"

namespace dpcov::detail {

class RowMap {
public:
    explicit RowMap(Schema schema);

    /// Does what map_row() does with a row of as many values as the schema has columns, bit for
    /// bit; any finite values stay where there is no schema. Of a row that cannot be mapped nothing
    /// is left to rely on.
    [[nodiscard]] bool map(std::span<double> row) const noexcept;

private:
    Schema schema_;
    std::optional<BoundsMap> bounds_map_;
    bool values_stay_;
};

}  // namespace dpcov::detail
