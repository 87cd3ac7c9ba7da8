// A table to be read on a screen.
#pragma once

#include <string>
#include <vector>

namespace dpcov {

/// Lines of cells, as wide as each column needs: the first column to the left, the others to the
/// right, two spaces between. Lines may have different numbers of cells.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& lines);

}  // namespace dpcov
