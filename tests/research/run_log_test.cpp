// The file of finished runs: what is in it comes back, whatever it was cut off at.
#include "research/run_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "dpcov/error.hpp"
#include "support/expected_error.hpp"
#include "support/temporary_folder.hpp"

namespace dpcov::research {
namespace {

Run run_of(int number) {
    return {.setting = 3,
            .contender = "gauss:published",
            .number = number,
            .n = 1000,
            .trace = 1.0 / 3.0,
            .norm = 0.1,
            .error = 1e-9 / 7.0 * number,
            .estimated_error = number == 1 ? std::optional<double>() : 2.0 / 3.0,
            .seconds = 0.25};
}

void expect_same(const Run& a, const Run& b) {
    EXPECT_EQ(a.setting, b.setting);
    EXPECT_EQ(a.contender, b.contender);
    EXPECT_EQ(a.number, b.number);
    EXPECT_EQ(a.n, b.n);
    EXPECT_EQ(a.trace, b.trace);
    EXPECT_EQ(a.norm, b.norm);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.estimated_error, b.estimated_error);
    EXPECT_EQ(a.seconds, b.seconds);
}

class RunLogTest : public ::testing::Test {
protected:
    [[nodiscard]] std::string content() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
    void write_runs(int count) const {
        RunLog log(path_, "settings A");
        for (int i = 0; i < count; ++i) {
            log.append(run_of(i));
        }
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_ / "f.runs.csv";
};

TEST_F(RunLogTest, GivesBackWhatWasAppended) {
    write_runs(3);
    const RunLog log(path_, "settings A");
    ASSERT_EQ(log.runs().size(), 3U);
    for (int i = 0; i < 3; ++i) {
        expect_same(log.runs()[static_cast<std::size_t>(i)], run_of(i));
    }
}

// Wherever the file ends, the whole lines count, and what is appended afterwards is whole as well.
TEST_F(RunLogTest, CutOffAnywhere) {
    write_runs(3);
    const std::string whole = content();
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        write(whole.substr(0, length));
        std::size_t kept = 0;
        {
            RunLog log(path_, "settings A");
            kept = log.runs().size();
            for (int i = static_cast<int>(kept); i < 3; ++i) {
                log.append(run_of(i));
            }
        }
        ASSERT_EQ(content(), whole) << "cut off at " << length;
        const std::size_t lines = static_cast<std::size_t>(
            std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
        EXPECT_EQ(kept, lines < 2 ? 0 : lines - 2);
    }
}

TEST_F(RunLogTest, RefusesOtherSettings) {
    write_runs(1);
    const std::string before = content();
    test::expect_error<UsageError>([&] { const RunLog log(path_, "settings B"); },
                                   {"choose another --out"});
    EXPECT_EQ(content(), before);
}

TEST_F(RunLogTest, RefusesSomeOtherFile) {
    write("name,age\nA,3\n");
    EXPECT_THROW(RunLog(path_, "settings A"), UsageError);
    EXPECT_EQ(content(), "name,age\nA,3\n");
}

TEST_F(RunLogTest, NamesALineThatIsNoRun) {
    write_runs(2);
    std::string text = content();
    text.replace(text.find("3,gauss:published,1"), 1, "x");
    write(text);
    test::expect_error<DataError>([&] { const RunLog log(path_, "settings A"); },
                                  {"x,gauss:published,1"});
    EXPECT_EQ(content(), text);
}

TEST_F(RunLogTest, OneWriterAtATime) {
    const RunLog first(path_, "settings A");
    EXPECT_THROW(RunLog(path_, "settings A"), UsageError);
}

TEST_F(RunLogTest, NoSuchFolder) {
    EXPECT_THROW(RunLog(folder_ / "absent/f.runs.csv", "settings A"), DeviceError);
}

}  // namespace
}  // namespace dpcov::research
