// The property that rows are mapped each by itself, for any bytes: what `--bad-rows zero` promises.
// Shared by the tests and the fuzzers.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"

namespace dpcov::test {

/// All values of the table that the text is, row-major.
using ReadRows = std::function<std::vector<double>(std::string_view text)>;

/// The physical lines of a text, each with its line feed.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end)).push_back('\n');
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// Nothing where every line of the text is one row of `columns` values, the same whatever the other
/// lines are; else what is wrong. At most `most_alone` lines from either end are read alone, and
/// all of them in reverse order.
inline std::string row_by_row_violation(std::string_view text, std::size_t columns,
                                        const ReadRows& read, std::size_t most_alone = 1000) {
    const auto same = [columns](const std::vector<double>& a, std::size_t i,
                                const std::vector<double>& b, std::size_t k) {
        return std::memcmp(&a[i * columns], &b[k * columns], columns * sizeof(double)) == 0;
    };
    const std::vector<std::string> lines = lines_of(text);
    try {
        const std::vector<double> whole = read(text);
        if (whole.size() != lines.size() * columns) {
            return "not a row for every line";
        }
        std::string reversed;
        for (std::size_t i = lines.size(); i-- > 0;) {
            reversed += lines[i];
        }
        const std::vector<double> backwards = read(reversed);
        if (backwards.size() != lines.size() * columns) {
            return "not a row for every line in reverse order";
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string place = "line " + std::to_string(i + 1);
            if (!same(whole, i, backwards, lines.size() - 1 - i)) {
                return place + " is another row in reverse order";
            }
            if (i < most_alone || lines.size() - i <= most_alone) {
                const std::vector<double> alone = read(lines[i]);
                if (alone.size() != columns || !same(whole, i, alone, 0)) {
                    return place + " is another row alone";
                }
            }
        }
    } catch (const Error& error) {
        return std::string("refused: ") + error.what();
    }
    return {};
}

}  // namespace dpcov::test
