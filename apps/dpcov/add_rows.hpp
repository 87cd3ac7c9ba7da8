// The rows of a table, added to a moment.
#pragma once

#include "command_line/progress.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"

namespace dpcov {

/// Adds all of them, and shows how far it is. SECRET.
void add_rows(TableReader& table, SecondMoment& secret, unsigned threads, Progress& progress);

}  // namespace dpcov
