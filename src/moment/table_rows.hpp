// From a table's reader into sums, on several threads.
#pragma once

#include <cstdint>
#include <functional>

#include "dpcov/table.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// Adds all rows of `table`, whose columns are those of the moment's layout, and whose values are
/// mapped already. `on_rows` is told on this thread how many rows were read since it was told last.
/// What reading, adding and `on_rows` throw comes through, of rows what concerns the first; some
/// rows may be in then.
void add_table(SecretMoment& secret, TableReader& table, unsigned threads,
               const std::function<void(std::uint64_t)>& on_rows);

}  // namespace dpcov::detail
