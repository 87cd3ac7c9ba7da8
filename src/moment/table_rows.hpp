// From a table's reader into sums, one block while the next is read.
#pragma once

#include <cstdint>
#include <functional>

#include "dpcov/table.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// Adds all rows of `table`, whose columns are those of the moment's layout, and whose values are
/// mapped already. `on_rows` is told after every block how many rows it had. What reading, adding
/// and `on_rows` throw comes through; some rows may be in then.
void add_table(SecretMoment& secret, TableReader& table, unsigned threads,
               const std::function<void(std::uint64_t)>& on_rows);

}  // namespace dpcov::detail
