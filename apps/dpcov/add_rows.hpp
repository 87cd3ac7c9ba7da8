// The rows of a table, added to a moment.
#pragma once

#include "command_line/progress.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"

namespace dpcov {

/// Whether everybody may know how many rows there are.
enum class RowsShown { no, yes };

/// Adds all of them, and shows how far it is. Where their number is private it shows one word,
/// once: percent, rates and times would tell the number, and so would the pace of a sign of life.
/// SECRET.
void add_rows(TableReader& table, SecondMoment& secret, unsigned threads, Progress& progress,
              RowsShown rows_shown);

}  // namespace dpcov
