// Rows from a table's reader: by one thread or several, the same sums and the same error.
#include "moment/table_rows.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "moment/secret_door.hpp"
#include "moment/secret_moment.hpp"
#include "moment/turns.hpp"
#include "support/temporary_folder.hpp"
#include "tables/concurrent_reader.hpp"

namespace dpcov::test {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// So many rows of different norms, all of them different.
class CountedRows final : public TableReader {
public:
    struct Faults {
        std::uint64_t not_finite = never;  // this row
        std::uint64_t also_not_finite = never;
        std::uint64_t unreadable = never;  // and all behind
    };

    CountedRows(std::size_t columns, std::uint64_t rows) : CountedRows(columns, rows, Faults{}) {}
    CountedRows(std::size_t columns, std::uint64_t rows, const Faults& faults)
        : columns_(columns), rows_(rows), faults_(faults) {}

    [[nodiscard]] std::size_t columns() const noexcept override { return columns_; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }

    /// How many rows a block has room for.
    [[nodiscard]] std::size_t block_rows() const { return block_rows_; }

    std::size_t read(std::span<double> block) override {
        const std::size_t most = block.size() / columns_;
        block_rows_ = most;
        std::size_t count = 0;
        for (; count < most && row_ < rows_; ++count, ++row_) {
            if (row_ >= faults_.unreadable) {
                throw DataError("unreadable");
            }
            const double length = std::ldexp(1.0 + static_cast<double>(row_ % 1000) / 1000.0,
                                             -static_cast<int>(row_ % 7) - 1);
            const auto place = block.subspan(count * columns_, columns_);
            for (std::size_t j = 0; j < columns_; ++j) {
                place[j] = length * std::sin(static_cast<double>(row_ + 17 * j)) /
                           static_cast<double>(columns_);
            }
            if (row_ == faults_.not_finite || row_ == faults_.also_not_finite) {
                place[columns_ - 1] = std::numeric_limits<double>::quiet_NaN();
            }
        }
        return count;
    }

private:
    std::size_t columns_;
    std::uint64_t rows_;
    Faults faults_;
    Schema schema_;
    std::uint64_t row_ = 0;
    std::size_t block_rows_ = 0;
};

/// The same rows, which several threads read at once.
class ScatteredRows final : public TableReader, public ConcurrentReader {
public:
    ScatteredRows(std::size_t columns, std::size_t rows, const CountedRows::Faults& faults = {},
                  bool are_in_place = false)
        : columns_(columns), values_(columns * rows), faults_(faults), in_place_(are_in_place) {
        CountedRows table(columns, rows, {.not_finite = faults.not_finite});
        for (std::size_t done = 0; done < rows;) {
            done += table.read(std::span(values_).subspan(done * columns));
        }
    }

    [[nodiscard]] std::size_t columns() const noexcept override { return columns_; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }
    [[nodiscard]] std::size_t rows() const noexcept override { return values_.size() / columns_; }

    std::size_t read(std::span<double> /*rows*/) override {
        throw std::logic_error("it is to be read at once");
    }

    void read_at(std::size_t first, std::span<double> into) const override {
        const std::size_t count = into.size() / columns_;
        if (faults_.unreadable >= first && faults_.unreadable < first + count) {
            throw DataError("unreadable");
        }
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first * columns_), into.size(),
                    into.begin());
    }

    [[nodiscard]] const double* in_place() const noexcept override {
        return in_place_ ? values_.data() : nullptr;
    }

private:
    std::size_t columns_;
    std::vector<double> values_;
    CountedRows::Faults faults_;
    bool in_place_;
    Schema schema_;
};

SecondMoment empty_moment(std::size_t columns) {
    return SecondMoment({.columns = columns, .norm_bound = 1.0});
}

// 20 columns: each thread has sums of its own. 300: one thread reads ahead of the others.
TEST(TableRows, AreTheSameSumsByAnyNumberOfThreads) {
    for (const std::size_t columns : {1U, 20U, 300U}) {
        const std::uint64_t rows = columns == 300 ? 9000 : 40000;
        SecondMoment expected = empty_moment(columns);
        CountedRows table(columns, rows);
        expected.add(table);
        EXPECT_EQ(detail::SecretDoor::open(expected)->rows(), rows);
        for (const unsigned threads : {2U, 3U, 20U}) {
            SecondMoment moment = empty_moment(columns);
            std::uint64_t told = 0;
            const std::thread::id caller = std::this_thread::get_id();
            CountedRows again(columns, rows);
            moment.add(again, threads, [&](std::uint64_t more) {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                EXPECT_GT(more, 0U);
                told += more;
            });
            EXPECT_EQ(told, rows);
            EXPECT_TRUE(*detail::SecretDoor::open(moment) == *detail::SecretDoor::open(expected))
                << columns << " columns, " << threads << " threads";
            EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 1U);
            // To rows that are there.
            CountedRows once_more(columns, rows);
            moment.add(once_more, threads);
            EXPECT_EQ(detail::SecretDoor::open(moment)->rows(), 2 * rows);
            EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 1U);
        }
    }
}

// One block, which any of the threads may be the one to read.
TEST(TableRows, AreToldOfWhicheverThreadReadsThem) {
    for (int i = 0; i < 100; ++i) {
        SecondMoment moment = empty_moment(3);
        CountedRows table(3, 10);
        std::uint64_t told = 0;
        moment.add(table, 8, [&](std::uint64_t more) { told += more; });
        ASSERT_EQ(told, 10U);
    }
}

std::string error_of(const CountedRows::Faults& faults, unsigned threads) {
    SecondMoment moment = empty_moment(20);
    CountedRows table(20, 60000, faults);
    try {
        moment.add(table, threads);
    } catch (const DataError& error) {
        EXPECT_EQ(detail::SecretDoor::open(moment)->rows(), 0U);
        return error.what();
    }
    return "";
}

// Blocks have 3276 rows or fewer, so that several threads meet bad ones at the same time.
TEST(TableRows, HaveTheErrorOfTheFirstBadOneByAnyNumberOfThreads) {
    const std::string first = error_of({.not_finite = 20000}, 1);
    EXPECT_NE(first.find("20001"), std::string::npos) << first;
    for (const unsigned threads : {1U, 2U, 4U}) {
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(error_of({.not_finite = 20000, .also_not_finite = 23000}, threads), first);
            EXPECT_EQ(error_of({.not_finite = 20000, .unreadable = 26000}, threads), first);
            EXPECT_EQ(error_of({.not_finite = 26000, .unreadable = 10000}, threads), "unreadable");
        }
    }
    // Control: another row is another error.
    EXPECT_NE(error_of({.not_finite = 23000}, 2), first);
}

TEST(TableRows, ReadAtOnceAreTheSameSums) {
    for (const std::size_t columns : {1U, 20U, 300U}) {
        const std::uint64_t rows = columns == 300 ? 9000 : 40000;
        SecondMoment expected = empty_moment(columns);
        CountedRows table(columns, rows);
        expected.add(table);
        for (const unsigned threads : {1U, 2U, 3U, 20U}) {
            for (const bool are_in_place : {false, true}) {
                SecondMoment moment = empty_moment(columns);
                ScatteredRows scattered(columns, rows, {}, are_in_place);
                std::uint64_t told = 0;
                moment.add(scattered, threads, [&](std::uint64_t more) { told += more; });
                EXPECT_EQ(told, rows);
                EXPECT_TRUE(*detail::SecretDoor::open(moment) ==
                            *detail::SecretDoor::open(expected))
                    << columns << " columns, " << threads << " threads, " << are_in_place;
            }
        }
    }
    // Rows that are yet to be mapped are not taken as they lie.
    MomentLayout moved{.columns = 20, .norm_bound = 1.0};
    moved.origin.assign(20, 0.01);
    SecondMoment about = SecondMoment(moved);
    SecondMoment about_in_place = SecondMoment(moved);
    CountedRows table(20, 40000);
    ScatteredRows scattered(20, 40000, {}, true);
    about.add(table);
    about_in_place.add(scattered);
    EXPECT_TRUE(*detail::SecretDoor::open(about) == *detail::SecretDoor::open(about_in_place));

    SecondMoment none = empty_moment(3);
    ScatteredRows empty(3, 0);
    none.add(empty, 2);
    EXPECT_EQ(detail::SecretDoor::open(none)->rows(), 0U);
}

TEST(TableRows, ReadAtOnceHaveTheErrorOfTheFirstBadOne) {
    const auto error_by = [](const CountedRows::Faults& faults, unsigned threads) {
        SecondMoment moment = empty_moment(20);
        ScatteredRows table(20, 60000, faults);
        try {
            moment.add(table, threads);
        } catch (const DataError& error) {
            EXPECT_EQ(detail::SecretDoor::open(moment)->rows(), 0U);
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string first = error_of({.not_finite = 20000}, 1);
    for (const unsigned threads : {1U, 2U, 4U}) {
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(error_by({.not_finite = 20000, .unreadable = 26000}, threads), first);
            EXPECT_EQ(error_by({.not_finite = 26000, .unreadable = 10000}, threads), "unreadable");
        }
    }
}

SecondMoment moment_of_text(const std::string& path, unsigned threads, BadRows bad_rows) {
    SecondMoment moment = empty_moment(3);
    const auto table = open_table(
        path, {.header = Header::no, .bad_rows = bad_rows, .dimension = 3, .threads = threads});
    moment.add(*table, threads);
    return moment;
}

// Lines are taken by one thread at a time and made out by any.
TEST(TableRows, OfTextAreTheSameByAnyNumberOfThreads) {
    const TemporaryFolder folder;
    std::string text;
    for (int row = 0; row < 100000; ++row) {
        text += std::to_string(row % 997) + "e-3," + std::to_string(row % 13) + ",-0." +
                std::to_string(row) + "\n";
    }
    const auto write = [&](const char* name, std::initializer_list<std::size_t> bad) {
        std::string changed = text;
        for (const std::size_t place : bad) {
            changed[changed.find('\n', place) - 1] = 'x';
        }
        std::ofstream(folder / name) << changed;
        return folder / name;
    };
    const std::string good = write("good.csv", {});
    const std::string bad = write("bad.csv", {text.size() / 2, text.size() / 2 + 40000});
    const SecondMoment expected = moment_of_text(good, 1, BadRows::error);
    const SecondMoment zeroed = moment_of_text(bad, 1, BadRows::zero);
    EXPECT_FALSE(*detail::SecretDoor::open(zeroed) == *detail::SecretDoor::open(expected));
    const auto error = [&](unsigned threads) {
        try {
            static_cast<void>(moment_of_text(bad, threads, BadRows::error));
        } catch (const DataError& thrown) {
            return std::string(thrown.what());
        }
        return std::string();
    };
    const std::string first = error(1);
    EXPECT_NE(first, "");
    for (const unsigned threads : {2U, 5U}) {
        EXPECT_TRUE(*detail::SecretDoor::open(moment_of_text(good, threads, BadRows::error)) ==
                    *detail::SecretDoor::open(expected));
        EXPECT_TRUE(*detail::SecretDoor::open(moment_of_text(bad, threads, BadRows::zero)) ==
                    *detail::SecretDoor::open(zeroed));
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(error(threads), first);
        }
    }
}

TEST(TableRows, AreNoneWhereWhoIsToldOfThemThrows) {
    SecondMoment moment = empty_moment(20);
    for (const unsigned threads : {1U, 2U, 4U}) {
        CountedRows table(20, 40000);
        std::uint64_t told = 0;
        const auto throw_at = [&told](std::uint64_t more) {
            told += more;
            if (told > 10000) {
                throw std::runtime_error("enough");
            }
        };
        EXPECT_THROW(moment.add(table, threads, throw_at), std::runtime_error);
        EXPECT_EQ(detail::SecretDoor::open(moment)->rows(), 0U);
    }
    CountedRows table(20, 40000);
    moment.add(table, 2);
    EXPECT_EQ(detail::SecretDoor::open(moment)->rows(), 40000U);
}

/// While it lives, so much address space may be mapped.
class LimitedAddressSpace {
public:
    explicit LimitedAddressSpace(rlim_t bytes) {
        EXPECT_EQ(::getrlimit(RLIMIT_AS, &before_), 0);
        rlimit limit = before_;
        limit.rlim_cur = bytes;
        EXPECT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
    }
    ~LimitedAddressSpace() { EXPECT_EQ(::setrlimit(RLIMIT_AS, &before_), 0); }
    LimitedAddressSpace(const LimitedAddressSpace&) = delete;
    LimitedAddressSpace& operator=(const LimitedAddressSpace&) = delete;

private:
    rlimit before_{};
};

// As many threads as call OpenBLAS at the same time have a buffer of it each. Without room for one
// they would look for it for ever.
TEST(TableRowsInLimits, AreAddedByNoMoreThreadsThanThereAreBuffersFor) {
    const auto block_rows = [](rlim_t limit) -> std::size_t {
        const LimitedAddressSpace limited(limit);
        try {
            SecondMoment moment = empty_moment(20);
            CountedRows table(20, 20000);
            moment.add(table, 4);
            return table.block_rows();
        } catch (const DeviceError&) {
            return 0;
        }
    };
    constexpr rlim_t step = rlim_t{16} << 20U;
    constexpr std::size_t by_turns = 4096;
    constexpr std::size_t read_ahead = 8192;
    // With more and more room: refused, read by one thread, and then by turns. What the process
    // holds meanwhile, such as malloc's arenas, moves both edges.
    int ahead = 0;
    std::size_t seen = 0;
    for (rlim_t limit = step; seen != by_turns && limit < (rlim_t{64} << 30U); limit += step) {
        seen = block_rows(limit);
        ahead += seen == read_ahead ? 1 : 0;
    }
    EXPECT_EQ(seen, by_turns);
    EXPECT_GE(ahead, 8);  // 128 MiB, a buffer
}

TEST(Turns, KeepTheErrorOfTheFirstRows) {
    detail::Turns turns;
    std::uint64_t first = 0;
    const auto read_ten = [] { return std::size_t{10}; };
    EXPECT_EQ(turns.next(first, read_ten), 10U);
    EXPECT_EQ(turns.next(first, read_ten), 10U);
    EXPECT_EQ(first, 10U);
    turns.rethrow();  // nothing
    EXPECT_THROW(turns.next(first, []() -> std::size_t { throw std::runtime_error("unreadable"); }),
                 std::runtime_error);
    EXPECT_EQ(first, 20U);
    EXPECT_EQ(turns.next(first, read_ten), 0U);  // what follows an error is not read
    for (const std::uint64_t at : {20U, 0U, 10U}) {
        turns.fail(at, std::make_exception_ptr(std::runtime_error(std::to_string(at))));
    }
    try {
        turns.rethrow();
        ADD_FAILURE();
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "0");
    }
    EXPECT_EQ(turns.rows(), 20U);
}

TEST(Turns, EndWithTheTable) {
    detail::Turns turns;
    std::uint64_t first = 0;
    EXPECT_EQ(turns.next(first, [] { return std::size_t{3}; }), 3U);
    EXPECT_EQ(turns.next(first, [] { return std::size_t{0}; }), 0U);
    EXPECT_EQ(turns.next(first, [] { return std::size_t{3}; }), 0U);  // no reader is asked again
    EXPECT_EQ(first, 3U);
}

}  // namespace
}  // namespace dpcov::test
