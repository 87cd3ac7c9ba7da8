#include "part.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "arithmetic/blas_threads.hpp"
#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "gil.hpp"
#include "moment/mapped_rows.hpp"
#include "moment/rows_apart.hpp"
#include "tables/concurrent_reader.hpp"
#include "tables/quotient.hpp"
#include "tables/row_map.hpp"
#include "tables/sparse_block.hpp"
#include "tables/value_problem.hpp"

namespace dpcov::python {
namespace {

// Large enough to keep the threads busy, small enough to stay near the cache and to notice Ctrl-C.
constexpr std::size_t block_values = std::size_t{1} << 20U;
// So many at a time are worth threads with sums of their own.
constexpr std::size_t table_values = std::size_t{1} << 22U;

std::string text_of(DataProblem problem, const Column& column) {
    if (problem == DataProblem::missing) {
        return "the value is a code for a missing one; give the column a fill in its bounds, "
               "(lower, upper, fill, missing)";
    }
    if (problem == DataProblem::not_a_number) {
        return column.bounds ? "the value is missing (NaN or null); give the column a fill in its "
                               "bounds, (lower, upper, fill)"
                             : "the value is missing (NaN or null); give the column bounds "
                               "with a fill, (lower, upper, fill)";
    }
    return "the value is infinite; correct the row, or give the column bounds";
}

SecondMoment spare_of(SharedMoment& shared) {
    const Alone alone(shared);
    if (shared.spare) {
        SecondMoment spare = std::move(*shared.spare);
        shared.spare.reset();
        return spare;
    }
    return detail::empty_like(shared.moment);
}

}  // namespace

void require_not_mine(const SharedMoment& shared) {
    if (shared.owner == std::this_thread::get_id()) {
        throw UsageError("this moment is in use further up, by the call that a signal interrupted");
    }
}

Alone::Alone(SharedMoment& shared) : shared_(&shared), lock_(shared.mutex, std::defer_lock) {
    require_not_mine(shared);
    lock_.lock();
    shared.owner = std::this_thread::get_id();
}

void check_signals() {
    if (::getpid() != static_cast<pid_t>(::syscall(SYS_gettid))) {
        return;
    }
    const WithGil gil;
    if (PyErr_CheckSignals() != 0) {
        throw nanobind::python_error();
    }
}

void SignalCheck::operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_) {
        next_ = now + std::chrono::milliseconds(100);
        check_signals();
    }
}

Part::Part(SharedMoment& shared, std::vector<Label> labels, bool zero_bad_rows, unsigned threads)
    : summed_(spare_of(shared)),
      layout_(summed_.layout()),
      labels_(std::move(labels)),
      zero_bad_rows_(zero_bad_rows),
      threads_(threads),
      block_rows_(
          std::max<std::size_t>(block_values / std::max<std::size_t>(layout_.columns, 1), 64)) {}

// As a table that the library reads by several threads at once.
class Part::DenseTable final : public TableReader, public ConcurrentReader {
public:
    DenseTable(const Part& part, const Rows& rows)
        : part_(&part), rows_(&rows), map_(part.layout_.schema) {}

    [[nodiscard]] std::size_t columns() const noexcept override { return part_->columns(); }
    [[nodiscard]] const Schema& schema() const noexcept override { return part_->layout_.schema; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return rows();
    }
    [[nodiscard]] std::size_t rows() const noexcept override { return rows_->count(); }

    std::size_t read(std::span<double> rows) override {
        const std::size_t d = columns();
        const std::size_t count = std::min(rows.size() / d, rows_->count() - done_);
        read_at(done_, rows.first(count * d));
        done_ += count;
        return count;
    }

    void read_at(std::size_t first, std::span<double> into) const override {
        const std::size_t d = columns();
        const SparseRows* const sparse = rows_->sparse();
        if (sparse == nullptr) {
            rows_->gather(first, into.size() / d, into.data());
        }
        for (std::size_t i = 0; i < into.size() / d; ++i) {
            const std::span<double> row = into.subspan(i * d, d);
            const bool is_whole = sparse == nullptr || sparse->gather_row(first + i, row.data());
            if (is_whole && map_.map(row)) {
                continue;
            }
            if (!part_->zero_bad_rows_) {
                fail(first + i, is_whole);
            }
            std::fill(row.begin(), row.end(), 0.0);
        }
    }

    [[nodiscard]] const double* in_place() const noexcept override {
        return part_->zero_bad_rows_ || detail::maps_values(part_->layout_) ? nullptr
                                                                            : rows_->in_place();
    }

    /// The library's error of a row that is in place, in the words of this package.
    void explain(const DataError& error) const {
        if (in_place() != nullptr && error.place().row) {
            fail(*error.place().row - 1, true);
        }
    }

private:
    [[noreturn]] void fail(std::size_t row, bool is_whole) const {
        const std::uint64_t number = part_->taken_ + row;
        if (!is_whole) {
            part_->fail_for_index(number);
        }
        std::vector<double> values(columns());
        if (rows_->sparse() != nullptr) {
            static_cast<void>(rows_->sparse()->gather_row(row, values.data()));
        } else {
            rows_->gather(row, 1, values.data());
        }
        part_->diagnose(values, number, "a row changed while it was read");
    }

    const Part* part_;
    const Rows* rows_;
    detail::RowMap map_;
    std::size_t done_ = 0;
};

// As a table without zeros: the library reads it in blocks with room for every column of every row,
// so that neither memory nor what is added at a time depends on the entries.
class Part::SparseTable final : public TableReader, public SparseReader {
public:
    SparseTable(const Part& part, const SparseRows& rows)
        : part_(&part), rows_(&rows), scratch_(part.columns()) {}

    [[nodiscard]] std::size_t columns() const noexcept override { return part_->columns(); }
    [[nodiscard]] const Schema& schema() const noexcept override { return part_->layout_.schema; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }
    [[nodiscard]] bool keeps_zeros() const noexcept override { return true; }

    std::size_t read_sparse(SparseBlock& block) override {
        const std::size_t count = std::min(block.capacity(), rows_->count() - done_);
        for (std::size_t i = 0; i < count; ++i) {
            block.clear(i);
            take_next([&](std::uint32_t place, double value) { block.put(i, place, value); });
        }
        return count;
    }

    std::size_t read(std::span<double> rows) override {
        const std::size_t d = columns();
        const std::size_t count = std::min(rows.size() / d, rows_->count() - done_);
        std::fill_n(rows.begin(), count * d, 0.0);
        for (std::size_t i = 0; i < count; ++i) {
            take_next([&](std::uint32_t place, double value) { rows[i * d + place] = value; });
        }
        return count;
    }

private:
    // The entries of the next row; none where it is to be zeros.
    template <class Put>
    void take_next(const Put& put) {
        if (!rows_->gather_sparse(done_, scratch_)) {
            part_->fail_unless_zeroed(part_->taken_ + done_);
        } else if (finish_row(done_)) {
            for (const std::uint32_t place : scratch_.places()) {
                put(place, detail::quotient(scratch_.value(place), scale_of(place)));
            }
        }
        ++done_;
    }

    [[nodiscard]] double scale_of(std::size_t column) const {
        return schema().empty() ? 1.0 : schema()[column].scale;
    }

    // False where the row is to be zeros.
    [[nodiscard]] bool finish_row(std::size_t row) {
        for (const std::uint32_t place : scratch_.places()) {
            if (detail::value_problem(part_->column(place), scratch_.value(place))) {
                if (part_->zero_bad_rows_) {
                    return false;
                }
                part_->fail(part_->taken_ + row, place, scratch_.value(place));
            }
        }
        return true;
    }

    const Part* part_;
    const SparseRows* rows_;
    SparseScratch scratch_;
    std::size_t done_ = 0;
};

void Part::take(const Rows& rows) {
    const std::size_t d = columns();
    const std::size_t count = rows.count();
    const SparseRows* const sparse = rows.sparse();
    if (sparse != nullptr && !has_bounds(layout_.schema)) {
        flush();
        SparseTable table(*this, *sparse);
        take_table(table, count);
        return;
    }
    if (count >= table_values / d) {
        flush();
        DenseTable table(*this, rows);
        try {
            take_table(table, count);
        } catch (const DataError& error) {
            table.explain(error);
            throw;
        }
        return;
    }
    for (std::size_t done = 0; done < count;) {
        const std::size_t held = block_.size() / d;
        const std::size_t more = std::min(block_rows_ - held, count - done);
        block_.resize((held + more) * d);
        double* const into = block_.data() + held * d;
        if (sparse == nullptr) {
            rows.gather(done, more, into);
        }
        for (std::size_t i = 0; sparse != nullptr && i < more; ++i) {
            if (!sparse->gather_row(done + i, into + i * d)) {
                fail_unless_zeroed(taken_ + i);
                set_to_zero(into + i * d);
            }
        }
        done += more;
        taken_ += more;
        if (held + more == block_rows_) {
            flush();
            check_signals();
        }
    }
}

void Part::take_table(TableReader& table, std::size_t count) {
    const detail::BlasThreads bound(threads_);
    summed_.add(table, threads_, [](std::uint64_t /*rows*/) { check_signals(); });
    taken_ += count;
    block_first_ = taken_;
}

void Part::flush() {
    if (zero_bad_rows_) {
        zero_bad(block_);
    }
    const detail::BlasThreads bound(threads_);
    sum(block_, block_first_, summed_);
    block_.clear();
    block_first_ = taken_;
}

namespace {

// Of what came while rows were moved in: whoever is interrupted would else add them again.
void tell_that_rows_are_in() {
    try {
        check_signals();
    } catch (nanobind::python_error& raised) {
        const WithGil gil;
        if (!raised.matches(PyExc_KeyboardInterrupt)) {
            throw;
        }
        PyErr_SetString(PyExc_KeyboardInterrupt,
                        "the rows are in; if they are added again they count twice");
        throw nanobind::python_error();
    }
}

}  // namespace

// However many rows there were, what they were summed in is a moment beside the other, and a part.
// Who presses Ctrl-C meanwhile may add the rows anew: they are not in when it is raised, or it says
// so.
void Part::add_to(SharedMoment& shared) {
    flush();
    check_signals();
    {
        const std::scoped_lock lock(shared.mutex);
        detail::move_sums(summed_, shared.moment);
        if (shared.added_to) {
            shared.spare = std::move(summed_);
        }
        shared.added_to = true;
    }
    // Memory goes before signals are looked at: one that came later would come without its words.
    { const SecondMoment gone = std::move(summed_); }
    std::vector<double>().swap(block_);
    tell_that_rows_are_in();
}

void Part::sum(std::span<const double> block, std::uint64_t first, SecondMoment& into) {
    try {
        into.add_row_major(block, threads_);
    } catch (const DataError& error) {
        diagnose(block, first, error.what());
    }
}

const Column& Part::column(std::size_t j) const {
    static const Column plain;
    return layout_.schema.empty() ? plain : layout_.schema[j];
}

std::optional<std::size_t> Part::bad_column(const double* row) const {
    for (std::size_t j = 0; j < columns(); ++j) {
        if (detail::value_problem(column(j), row[j])) {
            return j;
        }
    }
    return std::nullopt;
}

void Part::zero_bad(std::span<double> block) const {
    const std::size_t d = columns();
    for (std::size_t first = 0; first < block.size(); first += d) {
        if (bad_column(&block[first])) {
            set_to_zero(&block[first]);
        }
    }
}

// What is mapped to zero; where the midpoint is a code for a missing value, to the nearest that can
// be had, for the row is not missing any more.
void Part::set_to_zero(double* row) const {
    for (std::size_t j = 0; j < columns(); ++j) {
        row[j] = column(j).midpoint();
        while (detail::stands_for_missing(column(j), row[j])) {
            row[j] = std::nextafter(row[j], std::numeric_limits<double>::infinity());
        }
    }
}

void Part::fail_unless_zeroed(std::uint64_t row) const {
    if (!zero_bad_rows_) {
        fail_for_index(row);
    }
}

void Part::fail_for_index(std::uint64_t row) const {
    throw DataError("row " + std::to_string(row) +
                        " (counted from 0): an index is no column of the sparse matrix; repair "
                        "the matrix, or take such rows as zeros with bad_rows='zero'",
                    DataProblem::sparse_index, {.row = row});
}

std::string Part::label(std::size_t j) const {
    const Label& label = labels_.at(j);
    return "column " + std::to_string(label.place) +
           (label.name.empty() ? "" : " '" + label.name + "'");
}

void Part::fail(std::uint64_t row, std::size_t j, double value) const {
    const DataProblem problem =
        detail::value_problem(column(j), value).value_or(DataProblem::other);
    throw DataError(
        "row " + std::to_string(row) + ", " + label(j) + " (counted from 0): " +
            text_of(problem, column(j)) + "; or take such rows as zeros with bad_rows='zero'",
        problem, {.row = row, .column = labels_[j].place, .column_name = labels_[j].name});
}

void Part::diagnose(std::span<const double> block, std::uint64_t first,
                    const std::string& otherwise) const {
    const std::size_t d = columns();
    for (std::size_t i = 0; i < block.size() / d; ++i) {
        if (const std::optional<std::size_t> j = bad_column(&block[i * d])) {
            fail(first + i, *j, block[i * d + *j]);
        }
    }
    throw DataError(otherwise);
}

}  // namespace dpcov::python
