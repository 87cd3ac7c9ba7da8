// What to do about an error of the library, in the words of the command line: the library has none.
#pragma once

#include <string>

#include "dpcov/error.hpp"

namespace dpcov {

/// The error's text and, where there is one, the remedy behind it. Never advises `--bad-rows zero`
/// where it would take every row as zeros: for text in a column, or a wrong delimiter.
std::string with_remedy(const DataError& error);

/// Likewise, for what a table needs to have declared.
std::string with_remedy(const UndeclaredError& error);

}  // namespace dpcov
