#include "add_rows.hpp"

#include <cstdint>

namespace dpcov {

void add_rows(TableReader& table, SecondMoment& secret, unsigned threads, Progress& progress) {
    progress.start_reading(table.row_count_hint(), table.columns() * sizeof(double));
    secret.add(table, threads, [&progress](std::uint64_t rows) { progress.add_rows(rows); });
}

}  // namespace dpcov
