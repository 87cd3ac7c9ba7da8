// Under a limit on its memory the program ends, and ends alike for all tables of the same shape.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "apps/program.hpp"
#include "moment/memory_limits.hpp"

namespace dpcov::test {
namespace {

constexpr std::size_t d = 200;  // what the control knows
constexpr std::size_t n = 8;
constexpr std::size_t mebibyte = std::size_t{1} << 20U;

class MemoryLimit : public ProgramTest {
protected:
    MemoryLimit() {
        write("table.npy", table(n, 0));
        write("replaced.npy", table(n, 7));
        write("removed.npy", table(n - 1, 0));
    }

    // Exit status under that limit on the address space, in bytes.
    [[nodiscard]] int status(const std::string& table, const std::string& neighbours,
                             const std::string& method, std::size_t limit,
                             const std::string& program) const {
        const Outcome outcome = run_with_memory_limit(
            {"estimate", table, "--norm-bound", "1", "--rho", "1", "--method", method, "--threads",
             "1", "--neighbours", neighbours, "--output", "matrix.npy", "--quiet"},
            limit, program);
        // With less than this the loader, which is not ours, may find no room for the libraries.
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 5 || limit < 128 * mebibyte)
            << limit << " bytes: " << outcome.status << ' ' << outcome.err;
        return outcome.status;
    }

    // The limits, around the least that is enough for `left`, under which `right` ends otherwise.
    // A row in a stratum more takes 314 KiB in the control; a limit is tried every 64.
    [[nodiscard]] std::vector<std::size_t> differences(
        const std::string& left, const std::string& right, const std::string& neighbours,
        const std::string& method, const std::string& program = DPCOV_PROGRAM) const {
        constexpr std::size_t step = mebibyte / 16;
        std::size_t low = 4 * mebibyte;
        std::size_t high = 2048 * mebibyte;
        EXPECT_EQ(status(left, neighbours, method, high, program), 0);
        while (high - low > step) {
            const std::size_t limit = low + (high - low) / 2;
            (status(left, neighbours, method, limit, program) == 0 ? high : low) = limit;
        }
        std::vector<std::size_t> found;
        for (const int steps : {-256, -64, -16, -4, -1, 0, 1, 4, 16, 64, 256, 1024}) {
            const std::size_t limit = high + static_cast<std::size_t>(steps) * step;
            const int expected = status(left, neighbours, method, limit, program);
            if (status(right, neighbours, method, limit, program) != expected) {
                found.push_back(limit);
            }
        }
        return found;
    }

private:
    // Rows of norm 0.9, the last of them shorter by 2^-exponent: in another stratum.
    static std::string table(std::size_t rows, int exponent) {
        std::vector<double> values(rows * d, 0.9 / std::sqrt(static_cast<double>(d)));
        for (std::size_t j = 0; j < d; ++j) {
            values[(rows - 1) * d + j] = std::ldexp(values[0], -exponent);
        }
        return npy(rows, d, values);
    }
};

TEST_F(MemoryLimit, EndsNeighboursAlike) {
    const std::vector<std::size_t> none;
    EXPECT_EQ(differences("table.npy", "replaced.npy", "replace", "gauss"), none);
    EXPECT_EQ(differences("table.npy", "removed.npy", "add-remove", "auto"), none);
}

// The control takes memory for a stratum with its first row.
TEST_F(MemoryLimit, WouldTellStrataApart) {
    EXPECT_FALSE(
        differences("table.npy", "replaced.npy", "replace", "gauss", DPCOV_MEMORY_BY_STRATA)
            .empty());
}

// Before the first row, and of what this machine has. The limit ends the program soon after.
TEST_F(MemoryLimit, IsForetoldWhereTheMachineHasTooLittle) {
    constexpr std::size_t wide = 32000;
    if (detail::resident_memory_limit() > 130e9) {
        GTEST_SKIP() << "this machine has memory for " << wide << " columns";
    }
    write("wide.npy", npy(1, wide, std::vector<double>(wide, 0.001)));
    const auto told = [&](const std::string& method, const std::vector<std::string>& more,
                          const std::string& budget = "--rho") {
        std::vector<std::string> words = {"estimate",     "wide.npy", budget,      "1",
                                          "--norm-bound", "1",        "--method",  method,
                                          "--output",     "w.npy",    "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run_with_memory_limit(words, 1024 * mebibyte);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        return outcome.err;
    };
    expect_told(told("auto", {}), {"WARNING", "140 GB", "--method gauss"});
    EXPECT_EQ(told("auto", {"--quiet"}).find("WARNING"), std::string::npos);
    EXPECT_EQ(told("gauss", {}).find("--method gauss needs"), std::string::npos);
    EXPECT_EQ(told("auto", {}, "--epsilon").find("--method gauss"), std::string::npos)
        << "which has no pure DP";
}

// OpenBLAS looks for its buffer for ever where the release has filled the room for it.
TEST_F(MemoryLimit, EndsADerivation) {
    constexpr std::size_t wide = 700;
    write("wide.npy", npy(1, wide, std::vector<double>(wide, 0.001)));
    const Outcome made =
        run({"estimate", "wide.npy", "--norm-bound", "1", "--rho", "1", "--method", "gauss",
             "--insecure-seed", "1", "--output", "matrix.npy", "--release", "wide.npz", "--quiet"});
    ASSERT_EQ(made.status, 0) << made.err;
    for (const std::size_t limit : {272U, 280U, 296U, 320U}) {
        const Outcome outcome =
            run_with_memory_limit({"derive", "wide.npz", "pca"}, limit * mebibyte);
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 5)
            << limit << " MiB: " << outcome.status << ' ' << outcome.err;
        if (limit < 288) {
            expect_told(outcome.err, {" MB of address space", "raise the limit"});
        }
    }
}

}  // namespace
}  // namespace dpcov::test
