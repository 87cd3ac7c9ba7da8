#include "text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpcov {

namespace {

/// Letters of UTF-8, as fmt pads them.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t j = 0; j < line.size(); ++j) {
            widths[j] = std::max(widths[j], width_of(line[j]));
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
