// What memory there is, from files as Linux has them, in a folder in place of the root.
#include "moment/memory_limits.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/special_numbers.hpp"
#include "support/temporary_folder.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

class MemoryLimits : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = root_ / name;
        std::filesystem::create_directories(path.parent_path());
        write_file(path.string(), text);
    }
    [[nodiscard]] double limit() const { return detail::resident_memory_limit(root_.path()); }

    static constexpr double gibibyte = 0x1p30;

    const TemporaryFolder root_;  // NOLINT(readability-identifier-naming)
};

TEST_F(MemoryLimits, NothingToReadIsNoLimit) {
    EXPECT_EQ(limit(), infinity);
    write("proc/self/cgroup", "");
    write("proc/meminfo", "MemTotal: 8388608 kB\nSwapFree: 4 kB\n");  // of a kernel before 3.14
    EXPECT_EQ(limit(), infinity);
}

TEST_F(MemoryLimits, MemoryThatIsAvailableAndFreeSwap) {
    write("proc/meminfo",
          "MemTotal:       8388608 kB\nMemAvailable:   2097152 kB\nSwapFree:       1048576 kB\n"
          "HugePages_Total:       0\n");
    EXPECT_EQ(limit(), 3.0 * gibibyte);
}

TEST_F(MemoryLimits, TheLeastOfAllGroupsUpToTheRoot) {
    write("proc/self/cgroup", "0::/user.slice/job\n");
    write("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
    EXPECT_EQ(limit(), infinity);
    write("sys/fs/cgroup/user.slice/memory.max", "4294967296\n");
    EXPECT_EQ(limit(), 4.0 * gibibyte);
    write("sys/fs/cgroup/user.slice/job/memory.max", "2147483648\n");
    EXPECT_EQ(limit(), 2.0 * gibibyte);
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    EXPECT_EQ(limit(), gibibyte);
    // And of what the machine has.
    write("proc/meminfo", "MemAvailable: 524288 kB\n");
    EXPECT_EQ(limit(), 0.5 * gibibyte);
}

// In a container the path may be one of the host's.
TEST_F(MemoryLimits, AGroupThatIsNotThereHasTheRootsLimit) {
    write("proc/self/cgroup", "0::/docker/0123\n");
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    EXPECT_EQ(limit(), gibibyte);
    write("proc/self/cgroup", "0::/\n");
    EXPECT_EQ(limit(), gibibyte);
    write("proc/self/cgroup", "0::docker\nnonsense\n::\n");
    EXPECT_EQ(limit(), infinity);
}

TEST_F(MemoryLimits, TheFirstVersionOfControlGroups) {
    write("proc/self/cgroup", "4:cpu,cpuacct:/fast\n3:hugetlb,memory:/job\n2:memory_other:/fast\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3221225472\n");
    write("sys/fs/cgroup/memory/fast/memory.limit_in_bytes", "1\n");  // another hierarchy's group
    write("sys/fs/cgroup/job/memory.max", "1\n");                     // the other version's file
    EXPECT_EQ(limit(), 3.0 * gibibyte);
}

}  // namespace
}  // namespace dpcov::test
