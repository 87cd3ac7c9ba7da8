// dpcov-lab experiment, driven from outside: what it writes, what it refuses, and that a kill costs
// it nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// A results CSV without its column of seconds, the only thing that differs from run to run.
std::string without_seconds(const std::string& csv) {
    constexpr std::size_t seconds = 13;
    std::string text;
    for (const std::string& line : lines_of(csv)) {
        std::istringstream stream(line);
        std::size_t column = 0;
        for (std::string field; std::getline(stream, field, ','); ++column) {
            text += (column == seconds ? "" : field) + ",";
        }
        text += "\n";
    }
    return text;
}

class ExperimentCommandTest : public ProgramTest {
protected:
    // Two mechanisms on the six settings of few columns: tables of 200 take longer to make than all
    // that is asked here.
    static Words small_experiment(const std::string& out, int runs) {
        return {"experiment",
                "fig1",
                "--quick",
                "--max-columns",
                "50",
                "--mechanism",
                "gauss:published",
                "--mechanism",
                "separate:published",
                "--runs",
                std::to_string(runs),
                "--out",
                out};
    }

    /// Starts the program and kills it (SIGKILL) once its log has `lines` lines. True if it was
    /// killed before it was done.
    [[nodiscard]] bool run_and_kill(const Words& words, const std::string& log,
                                    std::size_t lines) const {
        const pid_t child = start(words);
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            if (std::filesystem::exists(path(log)) && lines_of(read(log)).size() >= lines) {
                ::kill(child, SIGKILL);
                ::waitpid(child, &status, 0);
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        EXPECT_TRUE(killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        return killed;
    }
};

TEST_F(ExperimentCommandTest, List) {
    const Outcome outcome = run({"experiment", "list"});
    EXPECT_EQ(outcome.status, 0);
    expect_told(outcome.out, {"fig1 ", "fig2a", "fig2b", "fig2c", "fig2d", "fig3", "fig4", "fig5",
                              "fig6", "fig7"});
    expect_told(outcome.out, {"pure_mnist", "pure_news", "Figure 4d-f"});
    EXPECT_EQ(lines_of(outcome.out).size(), 13U);  // with a line of headings
    EXPECT_EQ(outcome.err, "");
}

TEST_F(ExperimentCommandTest, Help) {
    const Outcome outcome = run({"experiment", "--help"});
    EXPECT_EQ(outcome.status, 0);
    expect_told(outcome.out, {"NAME", "--runs", "--out", "--data", "--quick", "--mechanism",
                              "--threads", "not private", "Example"});
    for (const std::string& line : lines_of(outcome.out)) {
        EXPECT_LE(line.size(), 100U) << line;
    }
}

TEST_F(ExperimentCommandTest, UsageErrors) {
    const std::vector<std::pair<Words, Words>> cases = {
        {{"fig9", "--out", "o"}, {"no experiment 'fig9'", "fig2a"}},
        {{"fig1"}, {"--out is missing"}},
        {{"fig1", "--out", "o", "--runs", "0"}, {"--runs"}},
        {{"fig1", "--out", "o", "--max-columns", "9"}, {"more than 9 columns", "fewest are 10"}},
        {{"fig1", "--out", "o", "--max-columns", "0"}, {"--max-columns"}},
        {{"fig3", "--out", "o"}, {"--data DIR", "mnist/train-images-idx3-ubyte.gz"}},
        {{"fig4", "--out", "o"}, {"--data DIR", "20newsgroups/20news-bydate.jsonl.xz"}},
        {{"fig1", "--out", "o", "--mechanism", "nope"}, {"no method 'nope'", "gauss"}},
        {{"fig1", "--out", "o", "--mechanism", "gauss:fine"}, {"no variant 'fine'", "published"}},
        {{"fig1", "--out", "o", "--mechanism", "laplace"}, {"laplace", "zCDP"}},
        {{"fig6", "--out", "o", "--mechanism", "gauss"}, {"gauss", "pure DP"}},
    };
    for (const auto& [arguments, told] : cases) {
        Words words = {"experiment"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        expect_told(outcome.err, told);
    }
    EXPECT_TRUE(files().empty());
}

TEST_F(ExperimentCommandTest, NoSuchData) {
    const Outcome outcome = run({"experiment", "fig3", "--data", "absent", "--out", "o"});
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    expect_told(outcome.err, {"absent/mnist/train-images-idx3-ubyte.gz"});
}

TEST_F(ExperimentCommandTest, UnwritableOut) {
    write("taken", "");
    const Outcome below_a_file = run(small_experiment("taken/o", 1));
    EXPECT_EQ(below_a_file.status, 5);
    expect_told(below_a_file.err, {"taken/o", "cannot make the folder"});
    // Progress, which is told on a slow machine, would fill what the message goes to.
    Words quietly = small_experiment("o", 1);
    quietly.emplace_back("--quiet");
    const Outcome full = run_with_file_size_limit(quietly, 300);
    EXPECT_EQ(full.status, 5);
    expect_told(full.err, {"o/fig1.runs.csv", "cannot write"});
    // With room again it goes on.
    EXPECT_EQ(run(small_experiment("o", 1)).status, 0);
}

TEST_F(ExperimentCommandTest, ThreadsDoNotChangeResults) {
    for (const std::string threads : {"1", "3"}) {
        Words words = small_experiment("o" + threads, 3);
        words.insert(words.end(), {"--threads", threads});
        ASSERT_EQ(run(words).status, 0);
    }
    const std::string one = without_seconds(read("o1/fig1.csv"));
    EXPECT_EQ(one, without_seconds(read("o3/fig1.csv")));
    EXPECT_EQ(lines_of(one).size(), 1U + 6U * 2U);
}

// Killed at five random moments, it neither loses a finished run nor makes one twice, and ends with
// the numbers of an experiment that nobody killed.
TEST_F(ExperimentCommandTest, ResumesAfterKills) {
    constexpr int runs = 20;
    constexpr std::size_t wanted = 2 + 6 * 2 * runs;  // lines, two of them the head
    ASSERT_EQ(run(small_experiment("whole", runs)).status, 0);
    std::mt19937_64 generator(7);
    std::size_t kills = 0;
    std::string before;
    for (std::size_t part = 1; part <= 5; ++part) {
        const std::size_t moment = wanted * part / 7 + generator() % (wanted / 10);
        kills += run_and_kill(small_experiment("o", runs), "o/fig1.runs.csv", moment) ? 1 : 0;
        const std::string after = read("o/fig1.runs.csv");
        const std::string kept = before.substr(0, before.rfind('\n') + 1);
        EXPECT_EQ(after.substr(0, kept.size()), kept) << "a finished run was lost";
        before = after;
    }
    EXPECT_GE(kills, 3U);
    EXPECT_EQ(run(small_experiment("o", runs)).status, 0);
    EXPECT_EQ(without_seconds(read("o/fig1.csv")), without_seconds(read("whole/fig1.csv")));
    const std::vector<std::string> lines = lines_of(read("o/fig1.runs.csv"));
    EXPECT_EQ(lines.size(), wanted);
    std::set<std::string> made;
    for (const std::string& line : lines) {
        made.insert(line.substr(0, line.find(',', line.find(',', line.find(',') + 1) + 1)));
    }
    EXPECT_EQ(made.size(), wanted) << "a run was made twice";
}

TEST_F(ExperimentCommandTest, FinishedRunsAreKept) {
    ASSERT_EQ(run(small_experiment("o", 2)).status, 0);
    const std::string two = read("o/fig1.runs.csv");
    const std::string result = read("o/fig1.csv");
    ASSERT_EQ(run(small_experiment("o", 3)).status, 0);
    EXPECT_EQ(read("o/fig1.runs.csv").substr(0, two.size()), two);
    ASSERT_EQ(run(small_experiment("o", 2)).status, 0);
    EXPECT_EQ(read("o/fig1.csv"), result) << "the first two runs, seconds and all";
}

TEST_F(ExperimentCommandTest, RefusesRunsOfOtherSettings) {
    ASSERT_EQ(run(small_experiment("o", 1)).status, 0);
    const std::string before = read("o/fig1.runs.csv");
    Words words = small_experiment("o", 1);
    words.erase(words.begin() + 2);  // --quick
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 2);
    expect_told(outcome.err, {"other settings", "choose another --out"});
    EXPECT_EQ(read("o/fig1.runs.csv"), before);
}

TEST_F(ExperimentCommandTest, WithoutGnuplotThereIsNoPlotAndAHint) {
    const std::string search = std::getenv("PATH");
    ::setenv("PATH", "/nonexistent", 1);
    const Outcome outcome = run(small_experiment("o", 1));
    ::setenv("PATH", search.c_str(), 1);
    EXPECT_EQ(outcome.status, 0);
    expect_told(outcome.err, {"gnuplot is not installed", "gnuplot-nox"});
    EXPECT_EQ(files(), (Words{"o", "o/fig1.csv", "o/fig1.md", "o/fig1.runs.csv"}));
}

TEST_F(ExperimentCommandTest, WritesPlots) {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    ASSERT_EQ(run(small_experiment("o", 2)).status, 0);
    expect_told(read("o/fig1.svg"), {"<svg", "GaussCov", "SeparateCov", "n = 16000", "</svg>"});
    EXPECT_EQ(read("o/fig1.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

// ||Sigma|| of the first 6,000 MNIST images is 0.0505, and documents of norm 1 have trace 1.
TEST_F(ExperimentCommandTest, RealData) {
    const char* data = std::getenv("DPCOV_DATA");
    if (data == nullptr) {
        GTEST_SKIP() << "DPCOV_DATA is not set";
    }
    for (const std::string name : {"fig3", "fig4"}) {
        const Outcome outcome = run({"experiment", name, "--quick", "--runs", "1", "--mechanism",
                                     "zero", "--data", data, "--out", "o"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    expect_told(read("o/fig3.csv"), {"fig3,zero:best,zcdp,784,6000,,,0.001,1,0.0504"});
    expect_told(read("o/fig4.csv"), {"fig4,zero:best,zcdp,32,1", ",,,0.001,1,", ",0,1,"});
}

}  // namespace
}  // namespace dpcov::test
