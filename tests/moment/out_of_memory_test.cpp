// What a moment is after memory ran out half-way: what it was before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "moment/secret_moment.hpp"
#include "support/failing_memory.hpp"
#include "support/octave_sums.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max() / 2;
constexpr std::size_t d = 3;

// Most rows in the first octave, more than doubles hold, and the last in eleven more: the third of
// four chunks meets octaves that no earlier one did.
std::vector<double> table(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> entry(0.6, 0.9);  // so |x| is in (0.5 B, B]
    const std::size_t last = n / 4;
    std::vector<double> rows(n * d);
    for (std::size_t row = 0; row < n; ++row) {
        const std::size_t octave = row < n - last ? 0 : 1 + (row - (n - last)) * 11 / last;
        for (std::size_t j = 0; j < d; ++j) {
            rows[row * d + j] = std::ldexp(entry(generator), -static_cast<int>(octave));
        }
    }
    return rows;
}

detail::SecretMoment empty() {
    return detail::SecretMoment({.columns = d, .norm_bound = 1.6, .keep_directions = true});
}

detail::SecretMoment moment_of(const std::vector<double>& rows) {
    detail::SecretMoment moment = empty();
    moment.add(rows);
    return moment;
}

// Calls change() again and again, with one allocation more succeeding each time, until it succeeds.
// Every failure must leave the moment as it was. Returns how many there were.
template <class Change>
int failures_until_success(const detail::SecretMoment& before, std::size_t bad,
                           const Change& change) {
    detail::SecretMoment expected = before;
    change(expected);
    // By day one moment in ten is asked whether it still works, which takes most of the time.
    const auto every = test_size<std::size_t>(10, 1);
    int failures = 0;
    for (std::size_t good = 0;; ++good) {
        detail::SecretMoment moment = before;
        const std::size_t failed_before = failed_allocations();
        try {
            const FailingMemory memory(good, bad);
            change(moment);
        } catch (const std::bad_alloc&) {
            ++failures;
            EXPECT_TRUE(moment == before) << "after " << good << " allocations";
            if (good % every != 0) continue;
            change(moment);  // and it still works
        }
        EXPECT_TRUE(moment == expected) << "after " << good << " allocations";
        if (failed_allocations() == failed_before || ::testing::Test::HasFailure()) {
            return failures;
        }
    }
}

TEST(OutOfMemory, AddingRowsAddsAllOrNone) {
    const std::vector<double> rows = table(25000, 1);
    for (const detail::SecretMoment& before : {empty(), moment_of(table(1, 2))}) {
        for (const std::size_t bad : {std::size_t{1}, all}) {
            for (const unsigned threads : {1U, 3U}) {
                // All of it before the first row: integers, Grams in doubles, places.
                EXPECT_GE(failures_until_success(
                              before, bad,
                              [&](detail::SecretMoment& moment) { moment.add(rows, threads); }),
                          3);
            }
        }
    }
}

// The bad row is found, or memory runs out before; either way nothing is added.
TEST(OutOfMemory, ABadRowAddsNothing) {
    std::vector<double> rows = table(25000, 3);
    rows[24990 * d] = std::numeric_limits<double>::quiet_NaN();
    const detail::SecretMoment before = moment_of(table(1, 4));
    bool named = false;
    for (std::size_t good = 0; !named && good < 1000; ++good) {
        detail::SecretMoment moment = before;
        try {
            const FailingMemory memory(good, all);
            moment.add(rows, 2);
            ADD_FAILURE() << "a bad row was added";
        } catch (const std::bad_alloc&) {  // again, with more
        } catch (const DataError&) {
            named = true;
        }
        EXPECT_TRUE(moment == before) << "after " << good << " allocations";
    }
    EXPECT_TRUE(named);
}

// Rows with more entries or fewer, and more of them, take the same memory.
TEST(OutOfMemory, MemoryDoesNotDependOnEntries) {
    static_cast<void>(empty());
    const std::vector<std::uint32_t> places = {0, 1, 2};
    const std::vector<double> values = {0.5, 0.25, 0.125};
    const auto taken = [&](std::size_t rows, std::size_t entries) {
        const std::vector<SparseRow> sparse(
            rows, {std::span(places).first(entries), std::span(values).first(entries)});
        const std::size_t before = allocated_bytes();
        detail::SecretMoment moment = empty();
        moment.add_sparse(sparse);
        return allocated_bytes() - before;
    };
    const std::size_t expected = taken(100, 3);
    EXPECT_EQ(taken(100, 1), expected);
    EXPECT_EQ(taken(100, 0), expected);
    EXPECT_EQ(taken(20000, 2), expected);
    EXPECT_EQ(taken(0, 0), expected);
}

// What merging, adding and copying take does not depend on the rows; merging takes nothing but the
// names of the parts.
TEST(OutOfMemory, MemoryDoesNotDependOnRows) {
    static_cast<void>(
        empty());  // the first moment of a process tries its BLAS, in memory of its own
    const auto taken = [](const std::vector<double>& rows) {
        const std::size_t before = allocated_bytes();
        detail::SecretMoment moment = empty();
        moment.add(rows);
        const detail::SecretMoment copy = moment;
        return allocated_bytes() - before;
    };
    const std::size_t expected = taken(std::vector<double>(100 * d, 0.8));
    EXPECT_EQ(taken(std::vector<double>(100 * d, 0.01)), expected);
    EXPECT_EQ(taken(table(100, 7)), expected);                      // twelve octaves
    EXPECT_EQ(taken(std::vector<double>(101 * d, 0.8)), expected);  // one row more
    EXPECT_EQ(taken({}), expected);                                 // or none
    const auto taken_by_merging = [](const std::vector<double>& rows) {
        const detail::SecretMoment other = moment_of(rows);
        detail::SecretMoment moment = empty();
        const std::size_t before = allocated_bytes();
        moment.merge(other);
        return allocated_bytes() - before;
    };
    const detail::Parts names = moment_of({}).parts();
    const std::size_t before_copying = allocated_bytes();
    const detail::Parts copied = names;
    const std::size_t of_names = allocated_bytes() - before_copying;
    EXPECT_EQ(copied.size(), 1U);
    EXPECT_EQ(taken_by_merging(table(5000, 5)), of_names);
    EXPECT_EQ(taken_by_merging({}), of_names);
    // Control: memory for each octave in use is seen.
    const auto by_octave = [&](const std::vector<double>& rows) {
        const detail::SecretMoment sums = moment_of(rows);
        const std::size_t start = allocated_bytes();
        for (int k = 0; k < detail::NormBins::octaves; ++k) {
            const detail::PackedGram gram = octave_sums(sums, k).gram;
        }
        return allocated_bytes() - start;
    };
    EXPECT_NE(by_octave(table(100, 7)), by_octave(std::vector<double>(100 * d, 0.8)));
}

// Rows in no order that the library knows of: `left` times the same.
class Repeated final : public TableReader {
public:
    explicit Repeated(std::size_t rows) : left_(rows) {}
    [[nodiscard]] std::size_t columns() const noexcept override { return d; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }
    std::size_t read(std::span<double> rows) override {
        const std::size_t count = std::min(rows.size() / d, left_);
        std::fill_n(rows.begin(), count * d, 0.5);
        left_ -= count;
        return count;
    }

private:
    Schema schema_;
    std::size_t left_;
};

// The memory that a second table takes does not tell whether the first one had rows, nor does
// whether a part may still be named.
TEST(OutOfMemory, MemoryOfASecondTableDoesNotDependOnTheFirst) {
    static_cast<void>(empty());
    const auto taken = [](std::size_t rows) {
        SecondMoment moment({.columns = d, .norm_bound = 1.6});
        Repeated first(rows);
        moment.add(first);
        EXPECT_THROW(moment.declare_part("too late"), UsageError);
        Repeated second(10);
        const std::size_t before = allocated_bytes();
        moment.add(second);
        return allocated_bytes() - before;
    };
    EXPECT_EQ(taken(1), taken(0));
    // Control: where nothing was added before, which is public, other memory is taken.
    SecondMoment moment({.columns = d, .norm_bound = 1.6});
    Repeated only(10);
    const std::size_t before = allocated_bytes();
    moment.add(only);
    EXPECT_NE(allocated_bytes() - before, taken(0));
}

// A copy takes the sums along and not the working memory, here ten times as large.
TEST(OutOfMemory, CopiesHoldNoWorkingMemory) {
    constexpr std::size_t columns = 100;
    detail::SecretMoment moment({.columns = columns, .norm_bound = 1.0});
    moment.add(std::vector<double>(columns * 1000, 0.05));
    constexpr std::size_t little = 30000;  // names, tables of bins
    const std::size_t sums =
        moment.norm_bins().size() * (columns * (columns + 1) / 2 + columns) * sizeof(Int128);
    const std::size_t before = allocated_bytes();
    const detail::SecretMoment copy = moment;
    const std::size_t constructed = allocated_bytes() - before;
    EXPECT_LT(constructed, sums + little);
    detail::SecretMoment assigned({.columns = columns, .norm_bound = 1.0});
    const std::size_t before_assigning = allocated_bytes();
    assigned = moment;
    EXPECT_LT(allocated_bytes() - before_assigning, sums + little);
    // Control: the working memory is what adding one row to the copy has to find anew.
    const std::size_t before_adding = allocated_bytes();
    assigned.add(std::vector<double>(columns, 0.05));
    EXPECT_GT(allocated_bytes() - before_adding, columns * columns * sizeof(double));
    EXPECT_FALSE(copy == assigned);
}

}  // namespace
}  // namespace dpcov::test
