// Lines of a text that one thread takes and any thread makes rows of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dpcov {

/// Some lines, one behind another, each of them a row. Memory is taken once, and is resident.
class TakenLines {
public:
    /// Room for so many lines, and bytes.
    explicit TakenLines(std::size_t lines, std::size_t bytes = std::size_t{1} << 20U)
        : bytes_(bytes) {
        lines_.reserve(lines);
    }

    void clear() noexcept {
        lines_.clear();
        used_ = 0;
    }

    /// Where the first line stands in its text, and which row it is, both counted from 1.
    void number_first(std::uint64_t line, std::uint64_t row) noexcept {
        first_line_ = line;
        first_row_ = row;
    }

    /// How many bytes there is room for.
    [[nodiscard]] std::size_t room() const noexcept { return bytes_.size() - used_; }

    /// Copies lines that follow each other in one piece of memory; there is room.
    void add(std::span<const std::string_view> lines) {
        const char* const begin = lines.front().data();
        const char* const end = lines.back().data() + lines.back().size();
        char* const copy = bytes_.data() + used_;
        std::copy(begin, end, copy);
        for (const std::string_view line : lines) {
            lines_.emplace_back(copy + (line.data() - begin), line.size());
        }
        used_ += static_cast<std::size_t>(end - begin);
    }

    [[nodiscard]] std::span<const std::string_view> lines() const noexcept { return lines_; }
    [[nodiscard]] std::uint64_t first_line() const noexcept { return first_line_; }
    [[nodiscard]] std::uint64_t first_row() const noexcept { return first_row_; }

private:
    std::vector<char> bytes_;
    std::size_t used_ = 0;
    std::vector<std::string_view> lines_;
    std::uint64_t first_line_ = 0;
    std::uint64_t first_row_ = 0;
};

}  // namespace dpcov
