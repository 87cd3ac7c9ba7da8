// What readers of text have in common: a record a row, cells that are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "tables/line_reader.hpp"
#include "tables/parse_number.hpp"
#include "tables/row_finisher.hpp"

namespace dpcov {

/// Reads a table whose rows begin at a line each.
class TextReader : public TableReader {
public:
    [[nodiscard]] std::size_t columns() const noexcept override {
        return finisher_.selection().size();
    }
    [[nodiscard]] const Schema& schema() const noexcept override {
        return finisher_.selection().schema();
    }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }

    std::size_t read(std::span<double> rows) override {
        const std::size_t capacity = rows.size() / columns();
        if (capacity == 0) {
            throw UsageError("a block of rows must hold at least one row");
        }
        std::size_t filled = 0;
        while (filled < capacity && lines_.next()) {
            const RowPlace place{++rows_read_, lines_.line()};
            read_row(place, rows.subspan(filled * columns(), columns()));
            ++filled;
        }
        return filled;
    }

protected:
    /// The first selected cell of a row that holds no number and has no fill.
    struct BadCell {
        std::size_t selected;
        DataProblem problem;
    };

    TextReader(LineReader lines, RowFinisher finisher)
        : lines_(std::move(lines)), finisher_(std::move(finisher)) {}

    /// Fills `row` from the record whose first line is at hand, or has the finisher reject it.
    virtual void read_row(const RowPlace& place, std::span<double> row) = 0;

    /// Puts the number that `text` spells into the row; NaN where it spells none. `explain` finds a
    /// closer word for that problem, and is asked where nothing was wrong in the row before.
    template <class Explain>
    void take_cell(std::string_view text, std::size_t selected, std::span<double> row,
                   std::optional<BadCell>& bad_cell, Explain&& explain) const {
        const ParsedNumber number = parse_number(text);
        row[selected] = number.value;
        if (number.problem) {
            row[selected] = std::numeric_limits<double>::quiet_NaN();
            if (!bad_cell && !finisher_.selection().selected()[selected].fill) {
                bad_cell = {selected, explain(*number.problem)};
            }
        }
    }

    LineReader& lines() noexcept { return lines_; }
    [[nodiscard]] const LineReader& lines() const noexcept { return lines_; }
    RowFinisher& finisher() noexcept { return finisher_; }
    [[nodiscard]] const RowFinisher& finisher() const noexcept { return finisher_; }

private:
    LineReader lines_;
    RowFinisher finisher_;
    std::uint64_t rows_read_ = 0;
};

}  // namespace dpcov
