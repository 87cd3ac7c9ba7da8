#include "arithmetic/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace dpcov::detail {
namespace {

TEST(ParallelRanges, CoverEachIndexOnce) {
    for (const unsigned threads : {0U, 1U, 2U, 3U, 7U, 16U}) {
        for (std::size_t count = 0; count <= 40; ++count) {
            std::vector<int> visits(count);
            parallel_ranges(threads, count, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    ++visits[i];
                }
            });
            EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }))
                << threads << " threads, " << count << " indices";
        }
    }
}

TEST(ParallelRanges, RunOnThatManyThreads) {
    const std::thread::id here = std::this_thread::get_id();
    for (const unsigned threads : {1U, 2U, 5U}) {
        std::atomic<unsigned> calls = 0;
        std::atomic<unsigned> calls_here = 0;
        parallel_ranges(threads, 100, [&](std::size_t begin, std::size_t end) {
            EXPECT_EQ(end - begin, 100 / threads);
            ++calls;
            calls_here += std::this_thread::get_id() == here ? 1 : 0;
        });
        EXPECT_EQ(calls, threads);
        EXPECT_EQ(calls_here, 1U);
    }
}

}  // namespace
}  // namespace dpcov::detail
