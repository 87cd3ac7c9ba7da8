#include "files/descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace dpcov::test {
namespace {

bool is_open(int descriptor) {
    return ::fcntl(descriptor, F_GETFD) != -1;
}

Descriptor some_descriptor() {
    return Descriptor(::open("/dev/null", O_RDWR | O_CLOEXEC));
}

TEST(Descriptors, HaveOneOwnerWhoClosesThem) {
    static_assert(!std::is_copy_constructible_v<Descriptor>);
    static_assert(!std::is_copy_assignable_v<Descriptor>);
    int first = -1;
    int second = -1;
    {
        Descriptor one = some_descriptor();
        Descriptor other = some_descriptor();
        first = one.get();
        second = other.get();
        ASSERT_TRUE(is_open(first) && is_open(second) && first != second);
        one = std::move(other);
        EXPECT_FALSE(is_open(first));
        EXPECT_EQ(one.get(), second);
        const Descriptor last(std::move(one));
        EXPECT_EQ(last.get(), second);
        EXPECT_TRUE(is_open(second));
    }
    EXPECT_FALSE(is_open(second));
}

TEST(Descriptors, AreClosedOnce) {
    Descriptor none;
    EXPECT_FALSE(none.is_open());
    EXPECT_EQ(none.close(), 0);
    Descriptor one = some_descriptor();
    const int number = one.get();
    EXPECT_EQ(one.close(), 0);
    EXPECT_FALSE(one.is_open());
    const Descriptor another = some_descriptor();
    ASSERT_EQ(another.get(), number) << "the system gives the number again";
    EXPECT_EQ(one.close(), 0);
    EXPECT_TRUE(is_open(number));
    ::close(another.get());
    EXPECT_EQ(Descriptor(Descriptor(number)).close(), -1) << "what close(2) says is told";
}

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        out = Descriptor(ends[0]);
        in = Descriptor(ends[1]);
    }
    Descriptor out;
    Descriptor in;
};

TEST(Descriptors, TakeAllOfItOrSayHowMuch) {
    Pipe pipe;
    const std::string text(1U << 20U, 'x');  // more than a pipe holds
    ASSERT_EQ(::fcntl(pipe.in.get(), F_SETFL, O_NONBLOCK), 0);
    std::size_t came = 0;
    std::thread reader([&] {
        std::array<char, 4096> buffer{};
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        while (came < text.size() + 5) {
            came += static_cast<std::size_t>(
                std::max<ssize_t>(::read(pipe.out.get(), buffer.data(), buffer.size()), 0));
        }
        pipe.out.close();
    });
    const Written all = write_all(pipe.in.get(), text);
    EXPECT_EQ(all.bytes, text.size());
    EXPECT_EQ(all.error, 0);
    EXPECT_EQ(write_all(pipe.in.get(), "12345").error, 0);
    reader.join();
    EXPECT_EQ(came, text.size() + 5);
    const auto handler = ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(write_all(pipe.in.get(), text).error, EPIPE);
    EXPECT_EQ(write_all(pipe.in.get(), "").error, 0);
    ::signal(SIGPIPE, handler);
}

}  // namespace
}  // namespace dpcov::test
