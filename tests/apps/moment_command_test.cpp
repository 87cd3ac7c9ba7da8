// dpcov moment: the mergeable state gives what the table gives, bit for bit.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "apps/program.hpp"
#include "apps/stopped_runs.hpp"
#include "dpcov/second_moment.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class MomentCommandTest : public ProgramTest {
protected:
    static constexpr std::size_t n = 90;
    static constexpr std::size_t d = 5;

    MomentCommandTest() : values_(some_values(n, d)) {
        write("all.csv", csv(d, values_));
        write("a.csv", part(0, 20));
        write("b.npy", npy(30, d, rows(20, 50)));
        write("c.csv", part(50, n));
    }

    [[nodiscard]] std::vector<double> rows(std::size_t first, std::size_t last) const {
        return {values_.begin() + static_cast<std::ptrdiff_t>(first * d),
                values_.begin() + static_cast<std::ptrdiff_t>(last * d)};
    }
    [[nodiscard]] std::string part(std::size_t first, std::size_t last) const {
        return csv(d, rows(first, last));
    }

    /// These tests' tables have no header.
    [[nodiscard]] static Words declared(Words arguments) {
        const bool text = std::any_of(arguments.begin(), arguments.end(), [](const auto& word) {
            return word == "all.csv" || word == "a.csv" || word == "c.csv" || word == "bad.csv";
        });
        const bool reads = arguments[0] == "estimate" || arguments[1] == "add";
        const bool said =
            std::find(arguments.begin(), arguments.end(), "--header") != arguments.end();
        if (text && reads && !said && !arguments[1].ends_with(".moment")) {
            arguments.insert(arguments.end(), {"--header", "no"});
        }
        return arguments;
    }

    void expect_done(const Words& arguments) const {
        const Outcome outcome = run(declared(arguments));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }

    void expect_refused(int status, const Words& arguments, const std::string& told) const {
        const Words before = files();
        const Outcome outcome = run(declared(arguments));
        EXPECT_EQ(outcome.status, status) << outcome.err;
        expect_told(outcome.err, {told});
        EXPECT_EQ(files(), before);
    }

    [[nodiscard]] std::string released(const std::string& input, const Words& more) const {
        Words arguments = {"estimate", input, "--rho", "1", "--insecure-seed", "9"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(declared(arguments));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    }

private:
    std::vector<double> values_;
};

TEST_F(MomentCommandTest, AddAddMergeEstimateIsADirectEstimate) {
    expect_done(
        {"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2", "--keep-directions"});
    expect_done({"moment", "add", "b.npy", "--into", "s.moment"});
    expect_done(
        {"moment", "add", "c.csv", "--into", "t.moment", "--norm-bound", "2", "--keep-directions"});
    const std::string before_merge = released("s.moment", {});
    expect_done({"moment", "merge", "s.moment", "t.moment", "--into", "u.moment"});
    expect_done({"moment", "merge", "t.moment", "s.moment", "--into", "v.moment"});

    for (const std::string method : {"gauss", "separate", "adaptive", "auto"}) {
        SCOPED_TRACE(method);
        const std::string direct = released("all.csv", {"--norm-bound", "2", "--method", method});
        EXPECT_EQ(released("u.moment", {"--method", method}), direct);
        EXPECT_EQ(released("v.moment", {"--norm-bound", "2", "--method", method}), direct);
    }
    EXPECT_NE(before_merge, released("u.moment", {}));
    expect_done({"moment", "merge", "s.moment", "t.moment", "--into", "s.moment"});
    EXPECT_EQ(read("s.moment"), read("u.moment"));
}

// As by --part "$DAY" of a variable that is not set: it would be known by random bits, and
// everybody could be added twice.
TEST_F(MomentCommandTest, APartHasAName) {
    const Outcome outcome = run(declared(
        {"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2", "--part", ""}));
    EXPECT_EQ(outcome.status, 2);
    expect_told(outcome.err, {"--part has no value"});
    for (const std::string& file : files()) {
        EXPECT_EQ(file.find("s.moment"), std::string::npos);
    }
}

TEST_F(MomentCommandTest, WithoutDirections) {
    expect_done({"moment", "add", "all.csv", "--into", "s.moment", "--norm-bound", "2"});
    for (const std::string method : {"gauss", "separate"}) {
        EXPECT_EQ(released("s.moment", {"--method", method}),
                  released("all.csv", {"--method", method, "--norm-bound", "2"}));
    }
    expect_refused(2, {"estimate", "s.moment", "--rho", "1", "--method", "adaptive"},
                   "--keep-directions");
}

TEST_F(MomentCommandTest, EstimateRefusesWhatTheFileCannotGive) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2"});
    for (const Words& option : {Words{"--scale", "1"},
                                {"--columns", "0"},
                                {"--header", "no"},
                                {"--bad-rows", "zero"},
                                {"--column-scale", "a.csv"}}) {
        SCOPED_TRACE(option.front());
        expect_refused(2, {"estimate", "s.moment", "--rho", "1", option[0], option[1]},
                       option.front());
    }
    expect_refused(2, {"estimate", "s.moment", "--rho", "1", "--norm-bound", "3"},
                   "--norm-bound 3");
    expect_refused(2, {"estimate", "s.moment", "--rho", "1", "--scaled"}, "no bounds");
}

// It would be taken for a table.
TEST_F(MomentCommandTest, ACompressedFileIsRefusedAsSuch) {
    write("s.moment.gz", "");
    expect_refused(2, {"estimate", "s.moment.gz", "--rho", "1"}, "not read compressed");
    expect_refused(2, {"moment", "add", "s.moment.gz", "--into", "t.moment", "--norm-bound", "2"},
                   "not read compressed");
}

TEST_F(MomentCommandTest, AddRefusesAnotherLayoutAndLeavesTheFile) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2"});
    const std::string before = read("s.moment");
    expect_refused(2, {"moment", "add", "b.npy", "--into", "s.moment", "--norm-bound", "3"},
                   "--norm-bound 3");
    expect_refused(2, {"moment", "add", "b.npy", "--into", "s.moment", "--keep-directions"},
                   "--keep-directions");
    expect_refused(2, {"moment", "add", "b.npy", "--into", "s.moment", "--columns", "0,1"},
                   "--columns");
    expect_refused(2, {"moment", "add", "s.moment", "--into", "t.moment", "--norm-bound", "2"},
                   "merge");
    expect_refused(2, {"moment", "add", "b.npy", "--into", "t.moment"}, "--norm-bound");
    expect_refused(2, {"moment", "add", "b.npy", "--into", "t.csv", "--norm-bound", "2"},
                   ".moment");
    expect_refused(5,
                   {"moment", "add", "b.npy", "--into", std::string(300, 'a') + ".moment",
                    "--norm-bound", "2"},
                   "cannot write: File name too long");
    write("bad.csv", "1,2,3,4,nan\n");
    expect_refused(3, {"moment", "add", "bad.csv", "--into", "s.moment", "--header", "no"},
                   "row 1");
    EXPECT_EQ(read("s.moment"), before);
}

// As the help and docs/cli.md say: the file knows them.
TEST_F(MomentCommandTest, BoundsAreThoseThatTheFileWasBegunWith) {
    write("bounds.csv", "name,lower,upper,fill\nage,0,100,40\nheight,-1,1\n");
    write("other.csv", "name,lower,upper,fill\nage,0,101,40\nheight,-1,1\n");
    write("monday.csv", "height,age,note\n0.5,30,x\n-0.5,60,y\n");
    write("tuesday.csv", "note,age,height\nx,20,0.1\ny,,0.2\n");  // in another order
    const Words begin = {"moment",     "add",    "monday.csv", "--bounds",
                         "bounds.csv", "--part", "monday",     "--into"};
    for (const std::string file : {"s.moment", "t.moment"}) {
        Words beginning = begin;
        beginning.push_back(file);
        ASSERT_EQ(run(beginning).status, 0);
    }
    const Outcome added =
        run({"moment", "add", "tuesday.csv", "--part", "tuesday", "--into", "s.moment"});
    EXPECT_EQ(added.status, 0) << added.err;
    ASSERT_EQ(run({"moment", "add", "tuesday.csv", "--part", "tuesday", "--into", "t.moment",
                   "--bounds", "bounds.csv"})
                  .status,
              0);
    EXPECT_EQ(read("s.moment"), read("t.moment"));
    expect_refused(2,
                   {"moment", "add", "tuesday.csv", "--into", "s.moment", "--bounds", "other.csv"},
                   "other bounds");
    expect_refused(2, {"moment", "add", "tuesday.csv", "--into", "s.moment", "--columns", "age"},
                   "give the same");
    write("wednesday.csv", "age,weight\n30,70\n");
    expect_refused(2, {"moment", "add", "wednesday.csv", "--into", "s.moment"}, "height");
    // Columns that are known by their place alone.
    write("places.csv", "name,lower,upper\n0,0,100\n1,-1,1\n");
    write("a2.csv", "30,0.5\n");
    ASSERT_EQ(
        run({"moment", "add", "a2.csv", "--bounds", "places.csv", "--into", "p.moment"}).status, 0);
    const Outcome again = run({"moment", "add", "a2.csv", "--header", "no", "--into", "p.moment"});
    EXPECT_EQ(again.status, 0) << again.err;
}

TEST_F(MomentCommandTest, CodesAreThoseThatTheFileWasBegunWith) {
    write("bounds.csv", "name,lower,upper,fill,missing\nage,0,100,40,-99 7\n");
    write("other.csv", "name,lower,upper,fill\nage,0,100,40\n");
    write("monday.csv", "age\n30\n-99\n");
    write("tuesday.csv", "age\n7\n20\n");
    write("filled.csv", "age\n40\n20\n");
    for (const std::string file : {"s.moment", "t.moment"}) {
        expect_done({"moment", "add", "monday.csv", "--bounds", "bounds.csv", "--part", "monday",
                     "--into", file});
        expect_done({"moment", "add", file == "s.moment" ? "tuesday.csv" : "filled.csv", "--part",
                     "tuesday", "--into", file});
    }
    EXPECT_EQ(read("s.moment"), read("t.moment"));
    EXPECT_NE(run({"moment", "show", "s.moment"}).out.find("fill 40  missing -99 7"),
              std::string::npos);
    expect_refused(2,
                   {"moment", "add", "tuesday.csv", "--into", "s.moment", "--bounds", "other.csv"},
                   "missing codes");
}

TEST_F(MomentCommandTest, MergeRefusesAnotherLayout) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2"});
    expect_done({"moment", "add", "a.csv", "--into", "t.moment", "--norm-bound", "3"});
    expect_refused(2, {"moment", "merge", "s.moment", "t.moment", "--into", "u.moment"},
                   "norm bound");
}

TEST_F(MomentCommandTest, NewFilesAreForTheirOwnerAlone) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2"});
    expect_done({"moment", "merge", "s.moment", "--into", "t.moment"});
    for (const std::string file : {"s.moment", "t.moment"}) {
        struct stat status {};
        ASSERT_EQ(::stat(path(file).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
    }
}

TEST_F(MomentCommandTest, DamagedFile) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2"});
    std::string bytes = read("s.moment");
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write("d.moment", bytes);
    write("e.moment", "");
    for (const std::string file : {"d.moment", "e.moment"}) {
        expect_refused(3, {"estimate", file, "--rho", "1"}, file);
        expect_refused(3, {"moment", "merge", "s.moment", file, "--into", "u.moment"}, file);
        expect_refused(3, {"moment", "show", file}, file);
    }
    expect_refused(5, {"estimate", "absent.moment", "--rho", "1"}, "absent.moment");
}

// Whoever is told that a signal ended it runs it again: then the rows must not be in.
TEST_F(MomentCommandTest, ASignalEndsItBeforeTheRowsAreIn) {
    const Words adding = {"moment", "add",      "a.csv",        "--header", "no",
                          "--into", "s.moment", "--norm-bound", "2"};
    const auto rows_inside = [&] {
        const Outcome told = run({"estimate", "s.moment", "--rho", "1", "--method", "zero",
                                  "--no-center", "--output", "zero.csv"});
        const std::size_t at = told.err.find("table");
        return at == std::string::npos ? -1 : std::stoi(told.err.substr(at + 5));
    };
    int inside = 0;
    stop_at_any_moment([&] { return start(adding); }, SIGINT, test_size(25, 80),
                       [&](int status) {
                           ASSERT_TRUE(status == 0 || status == 128 + SIGINT) << status;
                           inside += status == 0 ? 20 : 0;
                           ASSERT_EQ(rows_inside(), inside) << status;
                       });
}

TEST_F(MomentCommandTest, ShowTellsTheLayoutAndNothingOfTheRows) {
    expect_done({"moment", "add", "a.csv", "--into", "s.moment", "--norm-bound", "2.5"});
    expect_done({"moment", "add", "c.csv", "--into", "t.moment", "--norm-bound", "2.5"});
    const Outcome shown = run({"moment", "show", "s.moment"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    expect_told(shown.out, {"columns     5\n", "2.5\n", "resolution  bins\n", "not kept"});
    EXPECT_EQ(shown.out, run({"moment", "show", "t.moment"}).out);  // another n, the same layout
    // Where rows are moved and stretched, that too.
    SecondMoment({.columns = 2, .norm_bound = 2.5, .origin = {0.5, 0.0}, .stretch = {1.0, 3.0}})
        .save(path("moved.moment"));
    expect_told(run({"moment", "show", "moved.moment"}).out,
                {"column 0: about 0.5, times 1\n", "column 1: about 0, times 3\n"});
    expect_told(run({"moment", "show", "moved.moment", "--json"}).out,
                {"\"origin\"", "\"stretch\""});
    // How finely rows are grouped.
    SecondMoment({.columns = 5, .norm_bound = 2.5}, NormResolution::octaves).save(path("o.moment"));
    expect_told(run({"moment", "show", "o.moment", "--json"}).out, {R"("resolution": "octaves")"});
    // A column of which nothing was said has its place in the list.
    const std::string nameless = run({"moment", "show", "s.moment", "--json"}).out;
    const auto schema = nlohmann::json::parse(nameless)["schema"];
    ASSERT_EQ(schema.size(), 5U) << nameless;
    EXPECT_EQ(schema[4], nlohmann::json({{"name", nullptr}, {"scale", 1.0}}));
    // No name forges a line, or tells the terminal anything.
    write("named.csv", "\"a\tb\",\"c\x1b[1m\"\n1,2\n");
    expect_done({"moment", "add", "named.csv", "--header", "yes", "--into", "n.moment",
                 "--norm-bound", "2.5"});
    const Outcome named = run({"moment", "show", "n.moment"});
    expect_told(named.out, {"a?b", "c?[1m"});
    EXPECT_EQ(named.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace dpcov::test
