// The statistic is exact, so with a seed the release depends on the multiset of rows alone: not on
// threads, order, blocks or files. Without a seed no two releases are alike.
#include <algorithm>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class ReproducibilityTest : public ProgramTest {
protected:
    static constexpr std::size_t n = 20000;  // more than two blocks
    static constexpr std::size_t d = 32;

    ReproducibilityTest() { write("t.npy", npy(n, d, some_values(n, d))); }

    [[nodiscard]] std::string released(const std::string& input, const Words& more) const {
        Words arguments = {"estimate", input, "--norm-bound", "3", "--rho", "0.1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(parse_csv(outcome.out).size(), d);
        return outcome.out;
    }
};

TEST_F(ReproducibilityTest, ThreadsDoNotMatter) {
    for (const std::string method : {"gauss", "separate", "adaptive", "auto"}) {
        SCOPED_TRACE(method);
        const std::string one =
            released("t.npy", {"--method", method, "--insecure-seed", "5", "--threads", "1"});
        const Words two = {"--method", method, "--insecure-seed", "5", "--threads", "2"};
        EXPECT_TRUE(one == released("t.npy", two));
        const Words other = {"--method", method, "--insecure-seed", "6", "--threads", "1"};
        EXPECT_FALSE(one == released("t.npy", other));
    }
}

TEST_F(ReproducibilityTest, OrderOfRowsDoesNotMatter) {
    const std::vector<double> values = some_values(n, d);
    std::vector<double> reversed;
    reversed.reserve(values.size());
    for (std::size_t row = n; row-- > 0;) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * d);
        reversed.insert(reversed.end(), first, first + static_cast<std::ptrdiff_t>(d));
    }
    write("reversed.npy", npy(n, d, reversed));
    const Words seeded = {"--insecure-seed", "5"};
    EXPECT_TRUE(released("t.npy", seeded) == released("reversed.npy", seeded));
    reversed[0] += 0.5;  // one value of one row
    write("other.npy", npy(n, d, reversed));
    EXPECT_FALSE(released("t.npy", seeded) == released("other.npy", seeded));
}

TEST_F(ReproducibilityTest, WithoutASeedNoTwoReleasesAreAlike) {
    const Words secure = {"--method", "gauss"};
    EXPECT_FALSE(released("t.npy", secure) == released("t.npy", secure));
}

}  // namespace
}  // namespace dpcov::test
