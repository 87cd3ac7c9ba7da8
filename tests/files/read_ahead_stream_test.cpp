#include "files/read_ahead_stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "files/byte_stream.hpp"
#include "files/gzip_stream.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t bytes_ahead = std::size_t{2} << 18;

unsigned char byte_at(std::size_t i) {
    return static_cast<unsigned char>((i * 2654435761U) >> 13U);
}

/// So many bytes, in pieces of all sizes; then `at_end`, which may throw. Counts what was taken.
class CountedStream final : public ByteStream {
public:
    CountedStream(
        std::size_t size, std::atomic<std::size_t>& taken, std::function<void()> at_end = [] {})
        : ByteStream("counted"), size_(size), taken_(taken), at_end_(std::move(at_end)) {}

    std::size_t read(std::span<unsigned char> into) override {
        const std::size_t count = std::min({into.size(), size_ - taken_, (taken_ * 7) % 9001 + 1});
        if (count == 0) {
            at_end_();
            return 0;
        }
        for (std::size_t i = 0; i < count; ++i) {
            into[i] = byte_at(taken_ + i);
        }
        taken_ += count;
        return count;
    }

private:
    std::size_t size_;
    std::atomic<std::size_t>& taken_;
    std::function<void()> at_end_;
};

/// How many bytes came, in steps of `step`, all of them right, until the end or an error.
std::size_t right_bytes(ByteStream& stream, std::size_t step) {
    std::vector<unsigned char> buffer(step);
    std::size_t seen = 0;
    while (const std::size_t count = stream.read(buffer)) {
        for (std::size_t i = 0; i < count; ++i) {
            if (buffer[i] != byte_at(seen + i)) {
                return seen + i;
            }
        }
        seen += count;
    }
    return seen;
}

TEST(ReadAhead, GivesTheSameBytesAndTheEndAsOftenAsAsked) {
    for (const std::size_t size : {0U, 1U, 1000U, 262'144U, 1'500'000U}) {
        for (const std::size_t step : {7U, 4096U, 300'000U}) {
            std::atomic<std::size_t> taken = 0;
            const auto stream = open_read_ahead(std::make_unique<CountedStream>(size, taken));
            EXPECT_EQ(stream->name(), "counted");
            EXPECT_FALSE(stream->has_random_access());
            EXPECT_EQ(right_bytes(*stream, step), size);
            EXPECT_EQ(right_bytes(*stream, step), 0U);
        }
    }
}

// An error stands where it stood: behind all bytes before it. Asked again, it is there again.
TEST(ReadAhead, ThrowsWhatTheStreamThrowsBehindTheBytesBeforeIt) {
    for (const std::size_t size : {0U, 5U, 900'000U}) {
        std::atomic<std::size_t> taken = 0;
        const auto stream = open_read_ahead(
            std::make_unique<CountedStream>(size, taken, [] { throw DataError("damaged"); }));
        std::vector<unsigned char> buffer(1000);
        for (std::size_t seen = 0; seen < size;) {
            seen += stream->read(buffer);
        }
        for (int again = 0; again < 2; ++again) {
            expect_error<DataError>([&] { (void)stream->read(buffer); }, {"damaged"});
        }
    }
}

TEST(ReadAhead, TakesTwoBlocksAtMostThatNobodyAskedFor) {
    std::atomic<std::size_t> taken = 0;
    const auto stream = open_read_ahead(std::make_unique<CountedStream>(20'000'000, taken));
    EXPECT_EQ(taken, 0U);  // nor any before the first is asked for
    std::vector<unsigned char> one(1);
    ASSERT_EQ(stream->read(one), 1U);
    std::size_t before = 0;
    while (before != taken) {  // until it rests
        before = taken;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_LE(taken, bytes_ahead);
}

// Whoever stops early, for an error in a row or an interruption, waits for no more than a block.
TEST(ReadAhead, EndsEarly) {
    for (const std::size_t consumed : {0U, 1U, 300'000U, 700'000U}) {
        std::atomic<std::size_t> taken = 0;
        {
            const auto stream = open_read_ahead(std::make_unique<CountedStream>(1U << 30U, taken));
            std::vector<unsigned char> buffer(std::max<std::size_t>(consumed, 1));
            if (consumed > 0) {
                EXPECT_EQ(read_fully(*stream, buffer), consumed);
            }
        }
        const std::size_t when_destroyed = taken;
        EXPECT_LE(when_destroyed, consumed + bytes_ahead);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(taken, when_destroyed);
    }
}

TEST(ReadAhead, OfAGzipStreamIsItsTextAndItsErrors) {
    std::string text;
    for (std::size_t i = 0; i < 1'000'000; ++i) {
        text.push_back(static_cast<char>(byte_at(i)));
    }
    const std::string packed = gzip(text);
    const auto whole = open_read_ahead(open_gzip_stream(in_memory(packed)));
    EXPECT_EQ(right_bytes(*whole, 5000), text.size());
    const auto part =
        open_read_ahead(open_gzip_stream(in_memory(packed.substr(0, packed.size() - 100))));
    expect_error<DataError>([&] { (void)right_bytes(*part, 5000); }, {"truncated"});
}

// Whoever made a pipe may have made it non-blocking for both ends.
TEST(FileStream, WaitsForANonBlockingPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    const int input = ::dup(STDIN_FILENO);
    ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    std::thread late([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        EXPECT_EQ(::write(ends[1], "late", 4), 4);
        ::close(ends[1]);
    });
    std::vector<unsigned char> bytes(16);
    {
        const std::unique_ptr<ByteStream> stream = open_standard_input();
        EXPECT_EQ(stream->read(bytes), 4U);
        EXPECT_EQ(stream->read(bytes), 0U);
    }
    late.join();
    ::dup2(input, STDIN_FILENO);
    ::close(input);
    ::close(ends[0]);
}

}  // namespace
}  // namespace dpcov::test
