// Where results go, and that a failure leaves nothing half written.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class OutputTest : public ProgramTest {
protected:
    OutputTest() { write("t.npy", npy(50, 8, some_values(50, 8))); }

    static Words estimate(const Words& more) {
        Words arguments = {"estimate", "t.npy", "--norm-bound",    "2", "--rho", "1",
                           "--method", "gauss", "--insecure-seed", "3"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
};

TEST_F(OutputTest, StandardOutputHoldsTheMatrixAndNothingElse) {
    const Outcome outcome = run(estimate({"--progress"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto matrix = parse_csv(outcome.out);
    ASSERT_EQ(matrix.size(), 8U);
    for (const auto& row : matrix) {
        EXPECT_EQ(row.size(), 8U);
    }
    expect_told(outcome.err, {"reading", "gauss"});
    EXPECT_EQ(run(estimate({"--output", "m.csv"})).out, "");
    EXPECT_EQ(read("m.csv"), outcome.out);
}

TEST_F(OutputTest, QuietSaysNothing) {
    const Outcome outcome = run(estimate({"--quiet"}));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
}

TEST_F(OutputTest, SummaryTellsTheCostAndWarnsOfASeed) {
    const Outcome seeded = run(estimate({}));
    expect_told(seeded.err, {"1-zCDP", "50 rows, 8 columns", "rho", "NOT PRIVATE"});
    const Outcome secure =
        run({"estimate", "t.npy", "--norm-bound", "2", "--rho", "1", "--method", "gauss"});
    EXPECT_EQ(secure.err.find("NOT PRIVATE"), std::string::npos) << secure.err;
}

TEST_F(OutputTest, TheFormatsHoldTheSameMatrix) {
    ASSERT_EQ(run(estimate({"--output", "m.csv"})).status, 0);
    ASSERT_EQ(run(estimate({"--output", "m.json"})).status, 0);
    ASSERT_EQ(run(estimate({"--output", "m.npy"})).status, 0);
    const auto matrix = parse_csv(read("m.csv"));
    std::vector<double> values;
    for (const auto& row : matrix) {
        values.insert(values.end(), row.begin(), row.end());
    }
    const std::string array = read("m.npy");
    ASSERT_GE(array.size(), values.size() * sizeof(double));
    EXPECT_EQ(
        array.substr(array.size() - values.size() * sizeof(double)),
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
    EXPECT_FALSE(read_json("m.json").empty());
    EXPECT_EQ(files(), (Words{"m.csv", "m.json", "m.npy", "t.npy"}));
}

TEST_F(OutputTest, StandardInputIsCsv) {
    const std::string table = csv(2, some_values(30, 2));
    write("t.csv", table);
    const Words options = {"--norm-bound", "1", "--rho", "1", "--insecure-seed", "1"};
    Words from_file = {"estimate", "t.csv"};
    Words from_input = {"estimate", "-"};
    from_file.insert(from_file.end(), options.begin(), options.end());
    from_input.insert(from_input.end(), options.begin(), options.end());
    const Outcome expected = run(from_file);
    ASSERT_EQ(expected.status, 0) << expected.err;
    EXPECT_EQ(run(from_input, table).out, expected.out);
}

TEST_F(OutputTest, FullDeviceOnStandardOutput) {
    const Outcome outcome = run(estimate({"--record", "r.json"}), "", "/dev/full");
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    EXPECT_EQ(files(), Words{"t.npy"});  // no record of a release that did not get out
    EXPECT_EQ(run({"--version"}, "", "/dev/full").status, 5);
    EXPECT_EQ(run({"methods"}, "", "/dev/full").status, 5);
}

// As on a full disk: the write fails half-way.
TEST_F(OutputTest, WriteThatFailsHalfWayLeavesNothing) {
    write("wide.npy", npy(2, 60, some_values(2, 60)));
    const Words before = files();
    for (const std::string target : {"m.csv", "m.npy", "m.json"}) {
        SCOPED_TRACE(target);
        const Outcome outcome = run_with_file_size_limit(
            {"estimate", "wide.npy", "--norm-bound", "2", "--rho", "1", "--method", "gauss",
             "--quiet", "--output", target, "--record", "r.json"},
            4096);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        EXPECT_EQ(files(), before);
    }
    // The limit does not stop a small file: the failure above is the write's.
    EXPECT_EQ(run_with_file_size_limit(estimate({"--quiet", "--output", "m.npy"}), 4096).status, 0);
}

// A link to a device that is always full.
TEST_F(OutputTest, FullDeviceAsATarget) {
    std::filesystem::create_symlink("/dev/full", path("m.csv"));
    const Outcome outcome = run(estimate({"--output", "m.csv", "--record", "r.json"}));
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    EXPECT_EQ(files(), (Words{"m.csv", "t.npy"}));
    EXPECT_TRUE(std::filesystem::is_symlink(path("m.csv")));
}

/// What arrives in a named pipe until its first writer closes it, or until nothing more comes.
std::string receive(const std::string& pipe) {
    std::string received;
    // Does not wait for a writer, which may never come.
    const int descriptor = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
    constexpr int patience_ms = 10000;
    while (::poll(&wait, 1, patience_ms) > 0) {
        std::array<char, 4096> bytes{};
        const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
        if (count <= 0) {
            break;
        }
        received.append(bytes.data(), static_cast<std::size_t>(count));
    }
    ::close(descriptor);
    return received;
}

// A pipe is written to, not replaced, and opened once only: its reader gets the whole matrix.
TEST_F(OutputTest, NamedPipeAsATarget) {
    ASSERT_EQ(::mkfifo(path("m.csv").c_str(), 0600), 0);
    std::future<std::string> received = std::async(std::launch::async, receive, path("m.csv"));
    const Outcome outcome = run(estimate({"--output", "m.csv"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(received.get(), run(estimate({})).out);
}

TEST_F(OutputTest, FailureLeavesAnOlderFileAsItWas) {
    write("m.csv", "older\n");
    write("bad.csv", "a,b\n1,nan\n");
    EXPECT_EQ(
        run({"estimate", "bad.csv", "--norm-bound", "1", "--rho", "1", "--output", "m.csv"}).status,
        3);
    EXPECT_EQ(read("m.csv"), "older\n");
    EXPECT_EQ(files(), (Words{"bad.csv", "m.csv", "t.npy"}));
    EXPECT_EQ(run(estimate({"--output", "m.csv"})).status, 0);
    EXPECT_NE(read("m.csv"), "older\n");
}

TEST_F(OutputTest, FolderThatIsMissingOrCannotBeWritten) {
    for (const std::string target : {"absent/m.csv", "/proc/m.csv", "t.npy/m.csv"}) {
        SCOPED_TRACE(target);
        // The input does not exist either: the target is looked at first.
        const Outcome outcome =
            run({"estimate", "absent.npy", "--norm-bound", "1", "--rho", "1", "--output", target});
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        expect_told(outcome.err, {target});
        EXPECT_EQ(run(estimate({"--record", target})).status, 5);
        EXPECT_EQ(run({"moment", "add", "t.npy", "--norm-bound", "1", "--into",
                       target.substr(0, target.size() - 3) + "moment"})
                      .status,
                  5);
    }
    EXPECT_EQ(files(), Words{"t.npy"});
}

TEST_F(OutputTest, FolderWithoutPermission) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may write everywhere";
    }
    namespace fs = std::filesystem;
    fs::create_directory(path("closed"));
    fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(run(estimate({"--output", "closed/m.csv"})).status, 5);
    EXPECT_EQ(files(), (Words{"closed", "t.npy"}));
}

}  // namespace
}  // namespace dpcov::test
