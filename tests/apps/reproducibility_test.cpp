// The statistic is exact, so with a seed the release depends on the multiset of rows alone: not on
// threads, order, blocks or files. Without a seed no two releases are alike.
#include <algorithm>
#include <filesystem>

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

TEST_F(ReproducibilityTest, ZerosThatAreLeftOutDoNotMatter) {
    std::vector<double> values(n * d, 0.0);
    std::string text;
    for (std::size_t row = 0; row < n; ++row) {
        text += "1";
        // Every 50th row has all its values, and every 70th none.
        const std::size_t step = row % 50 == 0 ? 1 : row % 70 == 0 ? d : 7 + row % 9;
        for (std::size_t j = step == d ? d : row % step; j < d; j += step) {
            const double value = static_cast<double>((row * 31 + j * 17) % 128) / 64.0 - 1.0;
            values[row * d + j] = value;
            text += " " + std::to_string(j + 1) + ":" + std::to_string(value);
        }
        text += "\n";
    }
    write("whole.npy", npy(n, d, values));
    write("sparse.svm", text);
    const auto moment_of = [&](const std::string& input, const Words& more) {
        Words arguments = {"moment", "add",    input,    "--norm-bound", "3",
                           "--part", "people", "--into", "a.moment",     "--keep-directions"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        std::string bytes = read("a.moment");
        std::filesystem::remove(path("a.moment"));
        return bytes;
    };
    const std::string expected = moment_of("whole.npy", {});
    for (const std::string threads : {"1", "3"}) {
        EXPECT_TRUE(expected ==
                    moment_of("sparse.svm", {"--dimension", "32", "--threads", threads}));
    }
    text.replace(text.rfind('-'), 1, "");  // one value of one row
    write("other.svm", text);
    EXPECT_FALSE(expected == moment_of("other.svm", {"--dimension", "32"}));
}

TEST_F(ReproducibilityTest, WithoutASeedNoTwoReleasesAreAlike) {
    const Words secure = {"--method", "gauss"};
    EXPECT_FALSE(released("t.npy", secure) == released("t.npy", secure));
}

}  // namespace
}  // namespace dpcov::test
