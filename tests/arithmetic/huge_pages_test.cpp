// Large memory asks for huge pages, and stays what it was otherwise.
#include "arithmetic/huge_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dpcov::detail {
namespace {

constexpr std::size_t megabyte = std::size_t{1} << 20U;

// Whether the kernel was asked for huge pages ("hg") where this address is: proc(5), smaps.
bool is_asked_for_at(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream words(line);
        if (words >> std::hex >> first >> dash >> end && dash == '-') {
            here = first <= wanted && wanted < end;
        } else if (here && line.starts_with("VmFlags:")) {
            return line.find(" hg") != std::string::npos;
        }
    }
    return false;
}

TEST(HugePages, AreAskedForInLargeMemoryAlone) {
    if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
        GTEST_SKIP() << "the kernel has no transparent huge pages";
    }
    std::vector<double> large;
    reserve_in_huge_pages(large, 16 * megabyte / sizeof(double));
    EXPECT_TRUE(is_asked_for_at(large.data() + 8 * megabyte / sizeof(double)));
    const Eigen::MatrixXf matrix = unwritten_matrix<float>(2048, 2048);
    EXPECT_TRUE(is_asked_for_at(&matrix(1024, 1024)));
    // Not at its ends, which may share a page with other memory.
    const auto address = reinterpret_cast<std::uintptr_t>(matrix.data());
    EXPECT_TRUE(address % (2 * megabyte) == 0 || !is_asked_for_at(matrix.data()));
    std::vector<double> small;
    reserve_in_huge_pages(small, 3 * megabyte / sizeof(double));
    EXPECT_FALSE(is_asked_for_at(small.data() + megabyte / sizeof(double)));
}

TEST(HugePages, KeepWhatAVectorHolds) {
    std::vector<double> values = {1.0, 2.0, 3.0};
    reserve_in_huge_pages(values, megabyte);
    EXPECT_EQ(values, (std::vector<double>{1.0, 2.0, 3.0}));
    EXPECT_GE(values.capacity(), megabyte);
    const double* const place = values.data();
    reserve_in_huge_pages(values, 10);  // there is room
    EXPECT_EQ(values.data(), place);
    const Eigen::MatrixXd none = unwritten_matrix<double>(0, 5);
    EXPECT_EQ(none.cols(), 5);
}

}  // namespace
}  // namespace dpcov::detail
