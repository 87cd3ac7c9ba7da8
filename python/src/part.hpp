// Rows on their way into a moment: all of them or none.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "gil.hpp"
#include "rows.hpp"

namespace dpcov::python {

/// A SecondMoment that several threads of Python may hold: one at a time does anything with it.
/// SECRET.
struct SharedMoment {
    explicit SharedMoment(SecondMoment rows) : moment(std::move(rows)) {}

    std::mutex mutex;
    SecondMoment moment;
    /// Without rows, for those of the next call: from the second call to a release. To make one may
    /// take a hundred times as long as to add a few rows.
    std::optional<SecondMoment> spare;
    bool added_to = false;
    std::atomic<std::thread::id> owner;  ///< who is alone with it
};

/// UsageError where this thread is alone with the moment already: it would wait for itself.
void require_not_mine(const SharedMoment& shared);

/// Alone with a moment, and without the GIL while it lives. A release holds the moment and asks for
/// the GIL now and then: whoever waited for the one with the other in hand would wait for ever. So
/// would a handler of signals that runs in a release, and uses its moment: UsageError.
class Alone {
public:
    explicit Alone(SharedMoment& shared);
    ~Alone() { shared_->owner = std::thread::id(); }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

private:
    SharedMoment* shared_;
    WithoutGil no_gil_;
    std::unique_lock<std::mutex> lock_;
};

/// A selected column as its table knows it, for messages.
struct Label {
    std::size_t place = 0;  ///< from 0
    std::string name;       ///< may be empty
};

/// What is to be added in one call of Python's. Rows are gathered into blocks, summed block by
/// block apart from the moment, and merged into it at the end; whatever is thrown before, the
/// moment is what it was. SECRET.
class Part {
public:
    /// For rows of `shared`. `labels`: of the columns taken. `zero_bad_rows`: a bad row becomes
    /// zeros, not an error.
    Part(SharedMoment& shared, std::vector<Label> labels, bool zero_bad_rows, unsigned threads);

    [[nodiscard]] std::size_t columns() const noexcept { return layout_.columns; }

    /// What messages call column j of those taken: its place in the table, and its name.
    [[nodiscard]] std::string label(std::size_t j) const;

    /// Takes rows. Without the GIL; looks for signals between blocks. DataError for a bad row.
    void take(const Rows& rows);
    /// Adds what was taken to the moment that the part is for. Once.
    void add_to(SharedMoment& shared);

private:
    class DenseTable;
    class SparseTable;

    /// As a table of the library's.
    void take_table(TableReader& table, std::size_t count);
    void flush();
    /// Sums a block whose first row is row `first` of all; a bad row is found where it fails.
    void sum(std::span<const double> block, std::uint64_t first, SecondMoment& into);
    [[noreturn]] void fail(std::uint64_t row, std::size_t column, double value) const;
    [[noreturn]] void diagnose(std::span<const double> block, std::uint64_t first,
                               const std::string& otherwise) const;
    [[nodiscard]] std::optional<std::size_t> bad_column(const double* row) const;
    [[nodiscard]] const Column& column(std::size_t j) const;
    void zero_bad(std::span<double> block) const;
    void set_to_zero(double* row) const;
    /// DataError of a row with an index that is no column.
    void fail_unless_zeroed(std::uint64_t row) const;
    [[noreturn]] void fail_for_index(std::uint64_t row) const;

    SecondMoment summed_;
    MomentLayout layout_;
    std::vector<Label> labels_;
    bool zero_bad_rows_;
    unsigned threads_;
    std::size_t block_rows_;
    std::vector<double> block_;      ///< rows gathered and not summed yet
    std::uint64_t block_first_ = 0;  ///< number of the first of them
    std::uint64_t taken_ = 0;
};

/// Without the GIL: throws what Python's handlers of signals raised. They run in its main thread
/// alone; others need not ask, and could not while Python ends.
void check_signals();

/// The same, asked again and again: looks ten times a second, so that the GIL is not in the way.
class SignalCheck {
public:
    void operator()();

private:
    std::chrono::steady_clock::time_point next_ = {};
};

}  // namespace dpcov::python
