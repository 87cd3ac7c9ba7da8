// What must not fail once a file is in its place, where no memory is left.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
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

}  // namespace
}  // namespace dpcov
