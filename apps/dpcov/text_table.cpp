#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpcov {

std::string text_table(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t j = 0; j < line.size(); ++j) {
            widths[j] = std::max(widths[j], fmt::formatted_size("{}", line[j]));
        }
    }
    std::string text;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t j = 0; j < line.size(); ++j) {
            row += j == 0 ? fmt::format("{:<{}}", line[j], widths[j])
                          : fmt::format("  {:>{}}", line[j], widths[j]);
        }
        text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

}  // namespace dpcov
