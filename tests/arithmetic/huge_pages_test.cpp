// Large memory asks for huge pages, and stays what it was otherwise.
#include "arithmetic/huge_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "arithmetic/unwritten_matrix.hpp"

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
    const HugePageVector<double> large(5 * megabyte / sizeof(double));
    EXPECT_TRUE(is_asked_for_at(large.data()));
    EXPECT_TRUE(is_asked_for_at(large.data() + 4 * megabyte / sizeof(double) - 1));
    const Eigen::MatrixXf matrix = unwritten_matrix<float>(2048, 2048);
    EXPECT_TRUE(is_asked_for_at(&matrix(1024, 1024)));
    // Not at its ends, which may share a page with other memory.
    const auto address = reinterpret_cast<std::uintptr_t>(matrix.data());
    EXPECT_TRUE(address % huge_page_bytes == 0 || !is_asked_for_at(matrix.data()));
    const HugePageVector<double> small(megabyte / sizeof(double));
    EXPECT_FALSE(is_asked_for_at(small.data()));
}

TEST(HugePages, HoldWhatAVectorHoldsWhileItGrows) {
    HugePageVector<double> values = {1.0, 2.0, 3.0};
    values.reserve(megabyte);
    EXPECT_EQ(values, (HugePageVector<double>{1.0, 2.0, 3.0}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % huge_page_bytes, 0U);
    values.resize(3 * megabyte, 4.0);
    EXPECT_EQ(values[2], 3.0);
    EXPECT_EQ(values.back(), 4.0);
    HugePageVector<double> other = std::move(values);
    values = {5.0};
    std::swap(values, other);
    EXPECT_EQ(values.size(), 3 * megabyte);
    EXPECT_EQ(other, HugePageVector<double>{5.0});
    const Eigen::MatrixXd none = unwritten_matrix<double>(0, 5);
    EXPECT_EQ(none.cols(), 5);
}

}  // namespace
}  // namespace dpcov::detail
