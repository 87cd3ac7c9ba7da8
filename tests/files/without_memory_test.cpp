// What must not fail once a file is in its place, where no memory is left.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <new>
#include <string>

#include "files/atomic_file.hpp"
#include "support/failing_memory.hpp"
#include "support/temporary_folder.hpp"

namespace dpcov {
namespace {

std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A failure there would end the process, for neither may throw.
TEST(AtomicFile, SettlesAndIsTakenBackWithoutMemory) {
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max() / 2;
    const test::TemporaryFolder folder;
    const std::string path = folder / "a name that is longer than a string holds by itself";
    {
        AtomicFile first(path);
        first.write("first");
        first.commit_reversibly();
        const test::FailingMemory none(0, all);
        first.settle();
    }
    EXPECT_EQ(contents(path), "first");
    {
        AtomicFile second(path);
        second.write("second");
        second.commit_reversibly();
        EXPECT_EQ(contents(path), "second");
        const test::FailingMemory none(0, all);
        second.take_back();
    }
    EXPECT_EQ(contents(path), "first");
    const std::size_t before = test::failed_allocations();
    {
        const test::FailingMemory none(0, all);
        EXPECT_THROW(static_cast<void>(std::string(1000, 'x')), std::bad_alloc);  // Control
    }
    EXPECT_GT(test::failed_allocations(), before);
}

std::size_t descriptors() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// A constructor that fails has no destructor to clean up after it.
TEST(AtomicFile, LeavesNothingWhereItCannotBeMade) {
    for (const bool named : {false, true}) {
        const test::TemporaryFolder folder;
        const std::string name = "a name that is longer than a string holds by itself";
        if (named) {  // where that name is taken the file gets another one at once
            const std::ofstream taken(folder / ("." + name + ".XXXXXX"));
        }
        const std::string path = folder / name;
        const auto files = folder.names();
        const std::size_t open = descriptors();
        std::size_t good = 0;
        for (bool fails = true; fails; ++good) {
            const std::size_t before = test::failed_allocations();
            try {
                const test::FailingMemory once(good, 1);
                const AtomicFile file(path);
            } catch (const std::bad_alloc&) {  // some are dealt with inside
            }
            fails = test::failed_allocations() > before;
            ASSERT_EQ(descriptors(), open) << named << " " << good;
            ASSERT_EQ(folder.names(), files) << named << " " << good;
        }
        EXPECT_GT(good, 10U);
    }
}

}  // namespace
}  // namespace dpcov
