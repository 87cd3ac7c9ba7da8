// Progress on standard error. Never depends on what a row holds, and on how many there are only
// where that is public.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "command_line/arguments.hpp"

namespace dpcov {

/// Whether everybody may know how many rows there are.
enum class RowsShown { no, yes };

class Progress {
public:
    /// Shows on a terminal unless --quiet, and elsewhere with --progress. Where the number of rows
    /// is private, reading shows one word, once: percent, rates and times would tell the number,
    /// and so would the pace of a sign of life.
    explicit Progress(const RunningArguments& arguments, RowsShown rows_shown = RowsShown::no);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    /// Wipes the line from a terminal.
    ~Progress();

    /// Reading starts: `total_rows` where known, and the size of a row in memory.
    void start_reading(std::optional<std::uint64_t> total_rows, std::size_t bytes_per_row);
    /// So many more rows are done.
    void add_rows(std::uint64_t rows);
    /// Runs of an experiment start.
    void start_runs(std::string_view experiment);
    /// So many runs are there; `share_left` of the work since start_runs() is still to do.
    void show_runs(std::size_t done, std::size_t wanted, double share_left, std::string_view at);
    /// Something without a measure starts, e.g. "releasing".
    void start_phase(std::string_view what);

private:
    using Clock = std::chrono::steady_clock;

    void show(const std::string& text);
    /// Whether a line is due now; then the next is not due for a while.
    bool is_due(Clock::time_point now);

    bool on_;
    bool terminal_;
    bool shows_rows_;
    std::optional<std::uint64_t> total_rows_;
    std::size_t bytes_per_row_ = 0;
    std::uint64_t rows_ = 0;
    std::string experiment_;
    Clock::time_point started_;
    Clock::time_point next_;
};

}  // namespace dpcov
