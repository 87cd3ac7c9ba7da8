// Under a limit on its memory the program ends, and ends alike for all tables of the same shape.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t d = 500;
constexpr std::size_t n = 8;
constexpr std::size_t megabyte = 1000000;

class MemoryLimit : public ProgramTest {
protected:
    [[nodiscard]] Outcome estimate(const std::string& table, const std::string& neighbours,
                                   std::size_t megabytes) const {
        return run_with_memory_limit(
            {"estimate", table, "--norm-bound", "1", "--rho", "1", "--method", "gauss", "--threads",
             "1", "--neighbours", neighbours, "--output", "matrix.npy", "--quiet"},
            megabytes * megabyte);
    }
};

// Rows of norm 0.9, the last of them shorter by 2^-exponent: in another stratum.
std::string table(std::size_t rows, int exponent) {
    std::vector<double> values(rows * d, 0.9 / std::sqrt(static_cast<double>(d)));
    for (std::size_t j = 0; j < d; ++j) {
        values[(rows - 1) * d + j] = std::ldexp(values[0], -exponent);
    }
    return npy(rows, d, values);
}

TEST_F(MemoryLimit, DecidesByPublicFacts) {
    write("table.npy", table(n, 0));
    write("replaced.npy", table(n, 7));
    write("removed.npy", table(n - 1, 0));
    bool refused = false;
    bool done = false;
    for (std::size_t limit = 200; limit <= 1400; limit += 100) {
        const int status = estimate("table.npy", "replace", limit).status;
        EXPECT_TRUE(status == 0 || status == 5) << limit << " MB: " << status;
        EXPECT_EQ(estimate("replaced.npy", "replace", limit).status, status) << limit << " MB";
        EXPECT_EQ(estimate("removed.npy", "add-remove", limit).status,
                  estimate("table.npy", "add-remove", limit).status)
            << limit << " MB";
        refused = refused || status == 5;
        done = done || status == 0;
    }
    EXPECT_TRUE(refused);  // or the limits tell nothing
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace dpcov::test
