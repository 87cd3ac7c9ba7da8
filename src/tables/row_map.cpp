#include "tables/row_map.hpp"

#include <algorithm>
#include <utility>

#include "tables/all_finite.hpp"

namespace dpcov::detail {

RowMap::RowMap(Schema schema)
    : schema_(std::move(schema)),
      bounds_map_(BoundsMap::of(schema_)),
      values_stay_(std::all_of(schema_.begin(), schema_.end(), [](const Column& column) {
          return !column.bounds && column.scale == 1.0 && column.missing.empty();
      })) {}

bool RowMap::map(std::span<double> row) const noexcept {
    if (bounds_map_) {
        return bounds_map_->map(row);
    }
    return values_stay_ ? all_finite(row) : map_row(schema_, row);
}

}  // namespace dpcov::detail
