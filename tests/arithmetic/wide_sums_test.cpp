// Sums in two words are those of 128-bit integers, and take half of their memory.
#include "arithmetic/wide_sums.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace dpcov::detail {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

WideSums sums_of(const std::vector<Int128>& values) {
    WideSums sums;
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums.set(i, values[i]);
    }
    return sums;
}

// Where a word ends, on both sides of zero, and far beyond.
std::vector<Int128> borders() {
    std::vector<Int128> values;
    for (const Int128 middle : {Int128{0}, Int128{1} << 63, Int128{1} << 64, Int128{3} << 63,
                                Int128{1} << 104, (Int128{1} << 100) + (Int128{1} << 63)}) {
        for (const int step : {-1, 0, 1}) {
            values.push_back(middle + step);
            values.push_back(-middle + step);
        }
    }
    return values;
}

TEST(WideSums, HoldEveryInteger) {
    std::vector<Int128> values = borders();
    const auto greatest = static_cast<Int128>(~UInt128{0} >> 1U);
    for (const Int128 value : {greatest, -greatest, -greatest - 1, greatest - (Int128{1} << 63),
                               greatest - (Int128{1} << 63) + 1}) {
        values.push_back(value);
    }
    const WideSums sums = sums_of(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_TRUE(sums[i] == values[i]) << i;
    }
}

// Each has its own words, high ones too; cleared sums hold zeros again.
TEST(WideSums, ShareOnePieceOfMemory) {
    const std::vector<Int128> values = borders();
    const std::size_t size = values.size();
    const std::shared_ptr<std::int64_t[]> words = words_of_zeros(4 * size);
    WideSums first({words, words.get()}, size);
    WideSums second({words, words.get() + 2 * size}, size);
    EXPECT_TRUE(first.empty());
    for (WideSums* sums : {&first, &second}) {
        sums->resize(size);
        EXPECT_TRUE(*sums == sums_of(std::vector<Int128>(size)));
        for (std::size_t i = 0; i < size; ++i) {
            sums->set(i, values[i]);
        }
    }
    first.clear();
    EXPECT_TRUE(second == sums_of(values));
    first.resize(size);
    EXPECT_TRUE(first == sums_of(std::vector<Int128>(size)));
    const WideSums moved = std::move(second);  // NOLINT(bugprone-use-after-move): it is empty then
    EXPECT_TRUE(second.empty());
    EXPECT_TRUE(moved == sums_of(values));
    EXPECT_EQ(words.use_count(), 5);  // this one, and two each of `first` and `moved`
}

TEST(WideSums, AddAsIntegersDo) {
    const std::vector<Int128> values = borders();
    for (const std::int64_t added :
         {most, most - 1, std::int64_t{1}, std::int64_t{0}, std::int64_t{-1}, least + 1, least}) {
        WideSums sums = sums_of(values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            sums.add(i, added);
            EXPECT_TRUE(sums[i] == values[i] + added) << i << ' ' << added;
        }
    }
    for (const Int128 added : values) {
        WideSums sums = sums_of(values);
        sums.add(sums_of(std::vector<Int128>(values.size(), added)));
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_TRUE(sums[i] == values[i] + added) << i;
        }
    }
}

TEST(WideSums, AddAtRandom) {
    std::mt19937_64 generator(1);
    WideSums sums;
    sums.resize(1);
    Int128 expected = 0;
    for (int step = 0; step < 10'000; ++step) {
        const auto value = static_cast<std::int64_t>(generator());
        sums.add(0, value);
        expected += value;
        ASSERT_TRUE(sums[0] == expected) << step;
    }
}

// However a value came about, it stands in the same words: only so are equal sums equal.
TEST(WideSums, OfOneValueAreEqual) {
    for (const Int128 value : borders()) {
        WideSums there_and_back = sums_of({value});
        for (const std::int64_t step : {most, most, least, least, std::int64_t{2}}) {
            there_and_back.add(0, step);
        }
        EXPECT_TRUE(there_and_back == sums_of({value}));
        there_and_back.add(0, 1);
        EXPECT_FALSE(there_and_back == sums_of({value}));
    }
    EXPECT_FALSE(sums_of({Int128{1} << 64}) == sums_of({0}));
    EXPECT_FALSE(sums_of({0, 0}) == sums_of({0}));
    EXPECT_TRUE(WideSums() == WideSums());
}

TEST(WideSums, AreZerosAgainAfterTheyWereCleared) {
    WideSums sums = sums_of(borders());
    const std::size_t size = sums.size();
    sums.clear();
    EXPECT_TRUE(sums.empty());
    sums.resize(size);
    EXPECT_TRUE(sums == sums_of(std::vector<Int128>(size)));
}

TEST(WideSums, AreCopiedAndMoved) {
    const std::vector<Int128> values = borders();
    const WideSums sums = sums_of(values);
    WideSums copy = sums;
    EXPECT_TRUE(copy == sums);
    copy.add(0, 1);
    EXPECT_FALSE(copy == sums);
    copy = sums_of({5});  // smaller, and into memory that held more
    EXPECT_TRUE(copy == sums_of({5}));
    copy = sums;
    EXPECT_TRUE(copy == sums);
    WideSums& itself = copy;
    copy = itself;
    EXPECT_TRUE(copy == sums);
    const WideSums moved = std::move(copy);
    EXPECT_TRUE(moved == sums);
    copy = WideSums();
    EXPECT_TRUE(copy.empty());
    copy.resize(values.size());
    EXPECT_TRUE(copy == sums_of(std::vector<Int128>(values.size())));
    copy.add(WideSums());
    EXPECT_EQ(copy.size(), values.size());
}

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    file >> all >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// High words are read and copied without being taken; the control writes one in each page.
TEST(WideSums, TakeHalfOfTheMemoryWhileEntriesAreSmall) {
    std::ifstream zero_page("/sys/kernel/mm/transparent_hugepage/use_zero_page");
    if (int used = 1; zero_page >> used && used == 0) {
        GTEST_SKIP() << "the kernel takes a huge page where one is only read";
    }
    constexpr std::size_t size = std::size_t{1} << 23U;
    constexpr std::size_t word = size * sizeof(std::int64_t);  // 64 MiB
    const std::size_t before = resident_bytes();
    WideSums sums;
    sums.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        sums.add(i, i % 2 == 0 ? most : least);
    }
    EXPECT_LT(resident_bytes() - before, word + word / 4);
    {
        const WideSums copy = sums;
        EXPECT_TRUE(copy == sums);
        EXPECT_LT(resident_bytes() - before, 2 * (word + word / 4));
    }
    constexpr std::size_t page = 512;  // words
    for (std::size_t i = 0; i < size; i += page) {
        sums.add(i, 1);
    }
    EXPECT_GT(resident_bytes() - before, 2 * word - word / 4);
}

// Both low words lie in one piece, which the one that is kept holds on to.
TEST(WideSums, GiveBackMemoryThatTheyShare) {
    constexpr std::size_t size = (std::size_t{1} << 23U) + 3;
    constexpr std::size_t word = size * sizeof(std::int64_t);
    const std::size_t before = resident_bytes();
    WideSums kept;
    WideSums gone;
    {
        const std::shared_ptr<std::int64_t[]> piece = words_of_zeros(2 * size);
        for (WideSums* const sums : {&kept, &gone}) {
            sums->reserve(size);
            sums->keep_low_words_in({piece, piece.get() + (sums == &kept ? 0 : size)});
            sums->resize_unwritten(size);
            for (std::size_t i = 0; i < size; ++i) {
                sums->put(i, static_cast<std::int64_t>(i) + 1);
            }
        }
    }
    EXPECT_GT(resident_bytes() - before, 2 * word - word / 4);
    gone.forget();
    EXPECT_TRUE(gone.empty());
    EXPECT_LT(resident_bytes() - before, word + word / 4);
    ASSERT_EQ(kept.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(kept[i], static_cast<Int128>(i) + 1);
    }
}

}  // namespace
}  // namespace dpcov::detail
