// Where results go, and that a failure leaves nothing half written.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>
#include <sstream>
#include <thread>

#include "apps/program.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "files/folder_lock.hpp"

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
    static Words from_input(const Words& more) {
        Words arguments = estimate(more);
        arguments[1] = std::string("-");
        arguments.insert(arguments.end(), {"--header", "no"});
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

// It is noise times zero, and noise has signs.
TEST_F(OutputTest, AZeroMatrixHasNoSigns) {
    write("two.csv", "1,2,3,4\n2,3,4,5\n");
    for (const char* seed : {"1", "2"}) {
        const Outcome outcome = run({"estimate", "two.csv", "--header", "no", "--norm-bound", "5",
                                     "--rho", "1000", "--center", "--insecure-seed", seed});
        EXPECT_EQ(outcome.out, "0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n") << outcome.err;
    }
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

TEST_F(OutputTest, SummaryFitsATerminal) {
    write("bounds.csv", "0,-2,2\n1,-2,2\n");
    std::size_t lines = 0;
    for (const Words& more : std::vector<Words>{{"--method", "auto"}, {"--method", "gauss"}}) {
        Words arguments = {"estimate", "t.npy", "--bounds", "bounds.csv", "--rho", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        std::istringstream summary(outcome.err);
        for (std::string line; std::getline(summary, line); ++lines) {
            EXPECT_LE(line.size(), 79U) << line;
        }
    }
    EXPECT_GT(lines, 8U);
}

// Rows near one point, far from the midpoint of their bounds: two passes would do, where the input
// can be read twice, and was not.
TEST_F(OutputTest, AdvisesTwoPassesWhereTheyAreToBeHad) {
    std::string rows;
    for (int i = 0; i < 2000; ++i) {
        rows += i % 2 == 0 ? "0.9,0.88\n" : "0.88,0.9\n";
    }
    write("near.csv", rows);
    write("bounds.csv", "0,-1,1\n1,-1,1\n");
    const auto told = [&](const Words& input, const std::string& text) {
        Words arguments = {"estimate"};
        arguments.insert(arguments.end(), input.begin(), input.end());
        arguments.insert(arguments.end(), {"--rho", "0.1", "--insecure-seed", "5"});
        const Outcome outcome = run(arguments, text);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.err;
    };
    const Words table = {"--bounds", "bounds.csv", "--header", "no"};
    const auto with = [&table](Words first) {
        first.insert(first.end(), table.begin(), table.end());
        return first;
    };
    expect_told(told(with({"near.csv"}), ""), {"midpoints", "--passes 2"});
    Words add = {"moment", "add", "near.csv", "--into", "near.moment"};
    ASSERT_EQ(run(with(add)).status, 0);
    for (const std::string& once : {told(with({"-"}), rows), told({"near.moment"}, "")}) {
        expect_told(once, {"midpoints"});
        EXPECT_EQ(once.find("--passes"), std::string::npos) << once;
    }
    Words twice = with({"near.csv"});
    twice.insert(twice.end(), {"--passes", "2"});
    EXPECT_EQ(told(twice, "").find("--passes"), std::string::npos);
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
    const Words options = {"--header", "no", "--norm-bound",    "1",
                           "--rho",    "1",  "--insecure-seed", "1"};
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

// Whatever the record's target is, no matrix stays without it, and the other way round.
TEST_F(OutputTest, MatrixAndRecordAppearTogetherOrNotAtAll) {
    write("m.csv", "older\n");
    for (const std::string record : {"/dev/full", "absent/r.json", "/proc/r.json"}) {
        SCOPED_TRACE(record);
        const Outcome outcome = run(estimate({"--output", "m.csv", "--record", record}));
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        expect_told(outcome.err, {record});
        EXPECT_EQ(read("m.csv"), "older\n");
        EXPECT_EQ(files(), (Words{"m.csv", "t.npy"}));
        // Not on standard output either.
        EXPECT_EQ(run(estimate({"--record", record})).out, "");
    }
    const Outcome outcome =
        run(estimate({"--output", "/dev/full", "--output-format", "csv", "--record", "r.json"}));
    EXPECT_EQ(outcome.status, 5) << outcome.err;
    EXPECT_EQ(files(), (Words{"m.csv", "t.npy"}));
    // The targets were the reason: with good ones both are there.
    EXPECT_EQ(run(estimate({"--output", "m.csv", "--record", "r.json"})).status, 0);
    EXPECT_NE(read("m.csv"), "older\n");
    EXPECT_FALSE(read_json("r.json").empty());
}

// In a folder such as /tmp nobody replaces the file of somebody else, though they may write to it:
// that is known before anything is charged.
TEST_F(OutputTest, RefusesToReplaceWhatItMayNotRenameOver) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can make files of somebody else";
    }
    if (!nobody_can_run_it()) {
        GTEST_SKIP() << "others may not read what is built";
    }
    namespace fs = std::filesystem;
    fs::create_directory(path("shared"));
    fs::permissions(path("shared"), fs::perms::all | fs::perms::sticky_bit);
    fs::permissions(path(""), fs::perms::owner_all | fs::perms::others_exec);
    write("shared/r.json", "theirs");
    fs::permissions(path("shared/r.json"), fs::perms::owner_all | fs::perms::others_write);
    const Words targets = {"--output", "shared/m.csv", "--record", "shared/r.json"};
    const Outcome refused = run_as_nobody(from_input(targets), csv(2, some_values(30, 2)));
    EXPECT_EQ(refused.status, 5) << refused.err;
    expect_told(refused.err, {"shared/r.json", "their own", "not permitted"});
    EXPECT_EQ(files(), (Words{"shared", "shared/r.json", "t.npy"}));
    EXPECT_EQ(read("shared/r.json"), "theirs");
    fs::remove(path("shared/r.json"));
    const Outcome done = run_as_nobody(from_input(targets), csv(2, some_values(30, 2)));
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(files(), (Words{"shared", "shared/m.csv", "shared/r.json", "t.npy"}));
}

// Where writing fails at last a charge stays, and that is told.
TEST_F(OutputTest, TellsThatAChargeStays) {
    ASSERT_EQ(run({"ledger", "init", "b.ledger", "--dataset", "a", "--rho", "9"}).status, 0);
    write("wide.csv", csv(200, some_values(30, 200)));
    const Words charged = {"estimate", "wide.csv",  "--header", "no",       "--norm-bound", "2",
                           "--rho",    "1",         "--ledger", "b.ledger", "--dataset",    "a",
                           "--output", "large.npy", "--method", "gauss"};
    const Outcome paid = run_with_file_size_limit(charged, 250'000);
    EXPECT_EQ(paid.status, 5) << paid.err;
    expect_told(paid.err, {"large.npy", "'a' was charged for this release, and stays charged"});
    EXPECT_EQ(files(), (Words{"b.ledger", "t.npy", "wide.csv"}));
}

TEST_F(OutputTest, DoesNotWriteIntoItsInput) {
    const Outcome refused = run(estimate({}), "", path("t.npy"));
    EXPECT_EQ(refused.status, 2);
    expect_told(refused.err, {"standard output is the input"});
}

TEST_F(OutputTest, StandardOutputByName) {
    const std::string expected = run(estimate({})).out;
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(run(estimate({"--output", "-"})).out, expected);
    EXPECT_EQ(run(estimate({"--output", "/dev/stdout", "--output-format", "csv"})).out, expected);
    ASSERT_EQ(run(estimate({"--output", "m.npy"})).status, 0);
    EXPECT_EQ(run(estimate({"--output", "-", "--output-format", "npy"})).out, read("m.npy"));
    ASSERT_EQ(run(estimate({"--output", "m.json"})).status, 0);
    EXPECT_EQ(run(estimate({"--output-format", "json"})).out, read("m.json"));
    EXPECT_EQ(files(), (Words{"m.json", "m.npy", "t.npy"}));  // none is called "-"
    const Outcome record = run(estimate({"--output", "m.npy", "--record", "-"}));
    EXPECT_EQ(nlohmann::json::parse(record.out).at("method"), "gauss");
}

TEST_F(OutputTest, FormatForAnyOtherName) {
    EXPECT_EQ(run(estimate({"--output", "m.txt", "--output-format", "csv"})).status, 0);
    EXPECT_EQ(read("m.txt"), run(estimate({})).out);
    EXPECT_EQ(run(estimate({"--output", "/dev/null", "--output-format", "npy"})).status, 0);
}

TEST_F(OutputTest, LabelledCsv) {
    write("named.csv", csv(2, some_values(30, 2), "age,\"in,come\""));
    const Words options = {"estimate", "named.csv", "--header", "yes",   "--norm-bound",    "2",
                           "--rho",    "1",         "--method", "gauss", "--insecure-seed", "3"};
    Words labelled = options;
    labelled.emplace_back("--names");
    const std::string text = run(labelled).out;
    std::istringstream lines(text);
    std::string header;
    std::string first;
    std::getline(lines, header);
    std::getline(lines, first);
    EXPECT_EQ(header, ",age,\"in,come\"");
    EXPECT_TRUE(first.starts_with("age,")) << first;
    const std::string plain = run(options).out;
    EXPECT_EQ(first.substr(4), plain.substr(0, plain.find('\n')));

    const Outcome nameless = run(estimate({"--names"}));
    EXPECT_EQ(nameless.status, 2);
    expect_told(nameless.err, {"--names", "no names"});
    EXPECT_EQ(nameless.out, "");
    labelled.insert(labelled.end(), {"--output", "m.npy"});
    EXPECT_EQ(run(labelled).status, 2);
}

// Under add-remove the number of rows is private: progress is the same words for any table.
TEST_F(OutputTest, ProgressTellsNoPrivateNumber) {
    write("long.npy", npy(40000, 8, some_values(40000, 8)));
    const auto progress = [this](const Words& more) {
        Words arguments = {"--progress", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Words all = estimate(arguments);
        std::string text = run(all).err;
        all[1] = "long.npy";
        return std::pair(text, run(all).err);
    };
    const auto [few, many] = progress({"--neighbours", "add-remove"});
    EXPECT_EQ(few, "reading\nreleasing\n");
    EXPECT_EQ(many, few);
    // Where n is public, the lines say more: they could have told.
    expect_told(progress({}).second, {"reading: ", "MB/s"});
    const Words add = {"moment", "add",    "long.npy", "--norm-bound",
                       "1",      "--into", "s.moment", "--progress"};
    EXPECT_EQ(run(add).err, "reading\n");
}

TEST_F(OutputTest, WarnsOfADeltaThatIsNotBelowOneOverN) {
    const auto warning = [this](const Words& more) {
        Words arguments = {"estimate",  "t.npy", "--norm-bound", "2",
                           "--epsilon", "1",     "--method",     "gauss"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.err.find("1/n") != std::string::npos;
    };
    EXPECT_TRUE(warning({"--delta", "0.02"}));  // 50 rows
    EXPECT_FALSE(warning({"--delta", "0.0199"}));
    EXPECT_FALSE(warning({"--delta", "0.02", "--neighbours", "add-remove"}));  // n is private
    EXPECT_FALSE(warning({"--delta", "0.02", "--quiet"}));
}

// Where the file's header has the number of rows it is told before any is read: the bad one here
// ends the command before there is a summary.
TEST_F(OutputTest, WarnsOfAGreatDeltaBeforeItIsPaidFor) {
    std::vector<double> rows = some_values(50, 3);
    rows[7] = std::nan("");
    write("bad.npy", npy(50, 3, rows));
    const auto told = [this](const Words& more) {
        Words arguments = {"estimate", "bad.npy", "--norm-bound", "2", "--epsilon", "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        return outcome.err;
    };
    expect_told(told({"--delta", "0.02"}), {"WARNING", "1/n for these 50 rows", "spent yet"});
    for (const Words& more : {Words{"--delta", "0.0199"},
                              {"--delta", "0.02", "--neighbours", "add-remove"},
                              {"--delta", "0.02", "--quiet"}}) {
        EXPECT_EQ(told(more).find("1/n"), std::string::npos) << more.back();
    }
}

TEST_F(OutputTest, FailureLeavesAnOlderFileAsItWas) {
    write("m.csv", "older\n");
    write("bad.csv", "a,b\n1,nan\n");
    EXPECT_EQ(run({"estimate", "bad.csv", "--header", "yes", "--norm-bound", "1", "--rho", "1",
                   "--output", "m.csv"})
                  .status,
              3);
    EXPECT_EQ(read("m.csv"), "older\n");
    EXPECT_EQ(files(), (Words{"bad.csv", "m.csv", "t.npy"}));
    EXPECT_EQ(run(estimate({"--output", "m.csv"})).status, 0);
    EXPECT_NE(read("m.csv"), "older\n");
}

TEST_F(OutputTest, WhatIsReadOrChargedIsNotReplaced) {
    write("t.csv", csv(2, some_values(50, 2), "a,b"));
    write("bounds.csv", "a,-1,1\nb,-1,1\n");
    write("scales.csv", "a,2\n");
    ASSERT_EQ(run({"ledger", "init", "spent.json", "--dataset", "x", "--rho", "1"}).status, 0);
    const std::string ledger = read("spent.json");
    const auto refused = [&](std::vector<std::string> more, const std::string& what) {
        more.insert(more.begin(), {"estimate", "t.csv", "--rho", "0.1"});
        const Outcome outcome = run(more);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        expect_told(outcome.err, {what, "overwritten"});
    };
    const std::vector<std::string> charged = {"--ledger", "spent.json", "--dataset", "x"};
    for (const std::vector<std::string>& outputs : std::vector<std::vector<std::string>>{
             {"--output", "spent.json"},
             {"--output", "c.csv", "--record", "spent.json"},
             {"--output", "c.csv", "--release", "./spent.json"},
             {"--output", "spent.json-journal", "--output-format", "csv"},
             {"--output", "c.csv", "--record", "spent.json-wal"}}) {
        std::vector<std::string> more = {"--bounds", "bounds.csv"};
        more.insert(more.end(), charged.begin(), charged.end());
        more.insert(more.end(), outputs.begin(), outputs.end());
        refused(more, "the ledger");
    }
    std::filesystem::create_symlink("spent.json", path("link"));
    refused({"--bounds", "bounds.csv", "--ledger", "link", "--dataset", "x", "--record",
             "spent.json-journal"},
            "the ledger's journal");
    refused({"--bounds", "bounds.csv", "--output", "bounds.csv"}, "--bounds");
    refused({"--column-scale", "scales.csv", "--norm-bound", "2", "--output", "scales.csv"},
            "--column-scale");
    refused({"--bounds", "bounds.csv", "--output", "t.csv"}, "the input");
    EXPECT_EQ(read("spent.json"), ledger);
    EXPECT_EQ(read("bounds.csv"), "a,-1,1\nb,-1,1\n");
}

TEST_F(OutputTest, ALinkToNothingStaysALink) {
    std::filesystem::create_symlink("behind.csv", path("link.csv"));
    EXPECT_EQ(run(estimate({"--output", "link.csv"})).status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.csv")));
    EXPECT_TRUE(std::filesystem::is_regular_file(path("behind.csv")));
    std::filesystem::create_symlink("circle.csv", path("circle.csv"));
    EXPECT_EQ(run(estimate({"--output", "circle.csv"})).status, 5);
}

// One of them would be lost, and what was charged with it.
TEST_F(OutputTest, TwoLinksToOnePlaceThatIsEmptyAreOneFile) {
    const auto link = [this](const char* to, const char* from) {
        std::filesystem::create_symlink(to, path(from));
    };
    link("real.csv", "l.csv");
    link("sub/../real.csv", "m.csv");
    std::filesystem::create_directory(path("sub"));
    link("people.npz", "n.npz");
    link("other.csv", "o.csv");
    for (const Words& targets : std::vector<Words>{
             {"--output", "l.csv", "--record", "real.csv"},
             {"--output", "l.csv", "--record", "m.csv"},
             {"--record", "people.npz", "--release", "n.npz", "--output", "c.csv"}}) {
        const Outcome outcome = run(estimate(targets));
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        expect_told(outcome.err, {"same file"});
    }
    EXPECT_FALSE(std::filesystem::exists(path("real.csv")));
    EXPECT_EQ(run(estimate({"--output", "l.csv", "--record", "o.csv"})).status, 0);
}

TEST_F(OutputTest, DecimalCommasAreTheSameTable) {
    write("bounds.csv", "a,-2,2\nb,-2,2\n");
    write("point.csv", "a,b\n0.5,-1.25\n1e0,0.125\n");
    write("comma.csv", "a;b\n0,5;-1,25\n1e0;0,125\n");
    const auto released = [this](const std::string& input, const Words& more) {
        Words arguments = {"estimate", input,     "--bounds",        "bounds.csv", "--rho",
                           "50",       "--quiet", "--insecure-seed", "3"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };
    const Outcome point = released("point.csv", {});
    ASSERT_EQ(point.status, 0) << point.err;
    EXPECT_EQ(released("comma.csv", {"--delimiter", ";", "--decimal", ","}).out, point.out);
    const Outcome forgotten = released("comma.csv", {"--delimiter", ";"});
    EXPECT_EQ(forgotten.status, 3);
    expect_told(forgotten.err, {"row 1", "column 0", "say --decimal ,"});
    for (const Words& wrong : std::vector<Words>{
             {"--decimal", ","}, {"--decimal", ";"}, {"--format", "npy", "--decimal", ","}}) {
        EXPECT_EQ(released("comma.csv", wrong).status, 2) << wrong.front();
    }
}

TEST_F(OutputTest, WordsOfTheCommandLineReachNoTerminal) {
    const Outcome outcome = run(estimate({"--rho", "1\x1b[31m"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
}

// Whoever may read a folder may hold its lock.
TEST_F(OutputTest, AFolderThatIsLockedIsNotWaitedForForLong) {
    const FolderLock held(path("any"));
    const Outcome outcome = run(estimate({"--output", "m.csv", "--record", "r.json"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(files(), (Words{"m.csv", "r.json", "t.npy"}));
}

// Of commands at the same time one is first with all of its files.
TEST_F(OutputTest, OfSeveralCommandsAtOnce) {
    constexpr int commands = 6;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> running;
        for (int i = 1; i <= commands; ++i) {
            running.emplace_back([this, i] {
                const Outcome outcome =
                    run({"estimate", "t.npy", "--norm-bound", "1", "--rho", std::to_string(i),
                         "--output", "m.json", "--record", "r.json", "--release", "r.npz"});
                EXPECT_EQ(outcome.status, 0) << outcome.err;
            });
        }
        for (std::thread& thread : running) {
            thread.join();
        }
        const nlohmann::json record = read_json("r.json");
        const Release release = load_release(path("r.npz"));
        EXPECT_EQ(read_json("m.json")["covariance"][0][0], release.covariance(0, 0));
        EXPECT_EQ(record["definition"]["rho"], std::get<Rho>(release.definition).value());
    }
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
    namespace fs = std::filesystem;
    if (!nobody_can_run_it()) {
        GTEST_SKIP() << "others may not read what is built";
    }
    fs::permissions(path(""), fs::perms::owner_all | fs::perms::others_exec);
    fs::create_directory(path("closed"));
    fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec |
                                        fs::perms::others_read | fs::perms::others_exec);
    const std::string table = csv(2, some_values(30, 2));
    for (const Words& targets :
         {Words{"--output", "closed/m.csv"}, {"--record", "closed/r.json"}}) {
        const Outcome outcome = run_as_nobody(from_input(targets), table);
        EXPECT_EQ(outcome.status, 5) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, {"closed/", "Permission denied", "may write to"});
    }
    const Outcome ledger =
        run_as_nobody({"ledger", "init", "closed/b.ledger", "--dataset", "a", "--rho", "1"}, "");
    EXPECT_EQ(ledger.status, 5) << ledger.err;
    expect_told(ledger.err, {"closed/b.ledger", "Permission denied", "folder"});
    EXPECT_EQ(files(), (Words{"closed", "t.npy"}));
    // As the folder is opened, the same is done.
    fs::permissions(path("closed"), fs::perms::all);
    EXPECT_EQ(run_as_nobody(from_input({"--output", "closed/m.csv"}), table).status, 0);
}

}  // namespace
}  // namespace dpcov::test
