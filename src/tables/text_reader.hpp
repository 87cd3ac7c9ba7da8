// What readers of text have in common: a record a row, cells that are numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "arithmetic/parallel.hpp"
#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "tables/line_reader.hpp"
#include "tables/parse_number.hpp"
#include "tables/read_or_abandon.hpp"
#include "tables/row_finisher.hpp"
#include "tables/taken_lines.hpp"

namespace dpcov {

/// A row's text: one line.
struct Record {
    std::string_view text;  ///< empty where it is too long
    bool too_long = false;
};

/// Reads a table whose rows are a line each, whatever stands in it: what one row holds decides of
/// no other.
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
        return read_rows(rows.size() / columns(),
                         [&](std::size_t i, const RowPlace& place, const Record& record) {
                             read_row(place, record, rows.subspan(i * columns(), columns()));
                         });
    }

    /// Whether rows may be read in two steps: by take_lines(), one thread at a time, and each of
    /// them then by make_rows().
    [[nodiscard]] bool takes_lines() const noexcept { return threads_ > 0; }

    /// Takes the lines of the next rows, at most as many as `rows` has room for, and returns how
    /// many. Where the next line is longer than there is room for among the taken, none is taken,
    /// and the row is read to where the first one belongs. What the stream throws comes when the
    /// lines before it were handed out, for one of them may be bad.
    std::size_t take_lines(TakenLines& taken, std::span<double> rows) {
        const std::size_t capacity = rows.size() / columns();
        return read_or_abandon(*this, capacity, [&] {
            if (behind_taken_) {
                std::rethrow_exception(behind_taken_);
            }
            const std::size_t count = take_up_to(capacity, taken);
            if (count > 0 || !lines_.next()) {
                rows_read_ += count;
                return count;
            }
            read_row({++rows_read_, lines_.line()}, {lines_.text(), lines_.too_long()},
                     rows.first(columns()));
            return std::size_t{1};
        });
    }

    /// Rows of the lines that were taken. Safe for concurrent use. Throws what the first bad one
    /// is.
    void make_rows(const TakenLines& taken, std::span<double> rows) const {
        std::size_t i = 0;
        for (const std::string_view line : taken.lines()) {
            read_row({taken.first_row() + i, taken.first_line() + i}, Record{line},
                     rows.subspan(i * columns(), columns()));
            ++i;
        }
    }

protected:
    /// Calls fill(i, place, record) for row i of the next ones, at most `capacity`, on several
    /// threads at a time, and returns how many there were.
    template <class Fill>
    std::size_t read_rows(std::size_t capacity, const Fill& fill) {
        return read_or_abandon(*this, capacity, [&] { return read_up_to(capacity, fill); });
    }

    /// The first selected cell of a row that holds no number and has no fill.
    struct BadCell {
        std::size_t selected;
        DataProblem problem;
    };

    /// Many lines are read at a time, by so many threads at most; with 0 every line alone.
    TextReader(LineReader lines, RowFinisher finisher, unsigned threads)
        : lines_(std::move(lines)), finisher_(std::move(finisher)), threads_(threads) {}

    /// Fills `row` from the record, or has the finisher reject it. Safe for concurrent use.
    virtual void read_row(const RowPlace& place, const Record& record,
                          std::span<double> row) const = 0;

    /// The number that `text` spells for a selected column; NaN where it spells none. `explain`
    /// finds a closer word for that problem, and is asked where nothing was wrong in the row
    /// before.
    template <class Explain>
    double take_cell(const ParsedNumber& number, std::size_t selected,
                     std::optional<BadCell>& bad_cell, Explain&& explain) const {
        if (!number.problem) {
            return number.value;
        }
        if (!bad_cell && !finisher_.selection().selected()[selected].fill) {
            bad_cell = {selected, explain(*number.problem)};
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

    [[nodiscard]] const RowFinisher& finisher() const noexcept { return finisher_; }

private:
    /// As LineReader::next(), but false, too, where that throws and some lines were taken.
    bool next_behind(const TakenLines& taken) {
        try {
            return lines_.next();
        } catch (...) {
            if (taken.lines().empty()) {
                throw;
            }
            behind_taken_ = std::current_exception();
            return false;
        }
    }

    /// Lines that there is room for, at most so many.
    std::size_t take_up_to(std::size_t capacity, TakenLines& taken) {
        taken.clear();
        const auto add = [&](std::span<const std::string_view> lines) {
            if (taken.lines().empty()) {
                taken.number_first(lines_.line() + 1 - lines.size(), rows_read_ + 1);
            }
            taken.add(lines);
        };
        while (taken.lines().size() < capacity) {
            const auto lines = lines_.next_in_buffer(capacity - taken.lines().size(), taken.room());
            if (!lines.empty()) {
                add(lines);
                continue;
            }
            if (!next_behind(taken)) {
                break;
            }
            const std::string_view line = lines_.text();
            if (lines_.too_long() || line.size() > taken.room()) {
                lines_.again();
                break;
            }
            add({&line, 1});
        }
        return taken.lines().size();
    }

    /// As read_rows().
    template <class Fill>
    std::size_t read_up_to(std::size_t capacity, const Fill& fill) {
        std::size_t filled = 0;
        while (filled < capacity) {
            const std::uint64_t line = lines_.line() + 1;
            const auto lines = lines_.next_in_buffer(threads_ > 0 ? capacity - filled : 0);
            std::size_t read = lines.size();
            if (read > 0) {
                read_together(lines, line, filled, fill);
            } else if (lines_.next()) {
                read = 1;
                fill(filled, {rows_read_ + 1, lines_.line()},
                     Record{lines_.text(), lines_.too_long()});
            } else {
                break;
            }
            rows_read_ += read;
            filled += read;
        }
        return filled;
    }

    /// Reads lines that are records each, the first of them line `first_line` of the text and row
    /// `first_row` of the block. Throws what the first bad row is, as if they were read one after
    /// another.
    template <class Fill>
    void read_together(std::span<const std::string_view> lines, std::uint64_t first_line,
                       std::size_t first_row, const Fill& fill) const {
        constexpr std::size_t least_of_a_thread = 16;
        std::mutex mutex;
        std::size_t first_bad = lines.size();
        std::exception_ptr error;
        const auto read_some = [&](std::size_t begin, std::size_t end) {
            std::size_t i = begin;
            try {
                for (; i < end; ++i) {
                    fill(first_row + i, {rows_read_ + 1 + i, first_line + i}, Record{lines[i]});
                }
            } catch (...) {
                const std::lock_guard<std::mutex> lock(mutex);
                if (i < first_bad) {
                    first_bad = i;
                    error = std::current_exception();
                }
            }
        };
        const std::size_t enough = lines.size() / least_of_a_thread;
        detail::parallel_ranges(static_cast<unsigned>(std::min<std::size_t>(threads_, enough)),
                                lines.size(), read_some);
        if (error) {
            std::rethrow_exception(error);
        }
    }

    LineReader lines_;
    RowFinisher finisher_;
    unsigned threads_;
    std::uint64_t rows_read_ = 0;
    std::exception_ptr behind_taken_;  ///< what the stream threw there
};

}  // namespace dpcov
