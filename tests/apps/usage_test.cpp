// What the user asks for, checked before any data is read: exit status 2 and a message that says
// what to do instead.
#include <algorithm>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class UsageTest : public ProgramTest {
protected:
    UsageTest() { write("t.csv", "a,b\n0.5,0.5\n0.1,-0.2\n0.3,0.3\n"); }

    /// Expects exit status 2, silence on standard output, every one of `told` in the message, and
    /// nothing new in the folder.
    void expect_usage_error(const Words& arguments, const Words& told) const {
        const Words before = files();
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, told);
        EXPECT_EQ(files(), before);
    }

    void expect_estimate_error(const Words& options, const Words& told) const {
        Words arguments = {"estimate", "t.csv"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        if (std::find(options.begin(), options.end(), "--header") == options.end()) {
            arguments.insert(arguments.end(), {"--header", "yes"});
        }
        expect_usage_error(arguments, told);
    }
};

TEST_F(UsageTest, NoCommandOrAnUnknownOne) {
    expect_usage_error({}, {"--help", "estimate"});
    expect_usage_error({"estimat"}, {"estimat"});
    expect_usage_error({"estimate"}, {"INPUT"});
    expect_usage_error({"moment"}, {"dpcov moment", "add, merge, show"});
    expect_usage_error({"moment", "ad"}, {"ad"});
    expect_usage_error({"help", "estimat"}, {"estimat"});
}

TEST_F(UsageTest, MisspeltNames) {
    expect_usage_error({"estimat", "t.csv", "--rho", "1"}, {"'estimat'", "did you mean estimate?"});
    expect_usage_error({"moment", "ad"}, {"'ad'", "did you mean add?", "dpcov moment"});
    expect_usage_error({"help", "estimat"}, {"did you mean estimate?"});
    // Also where something that is required is missing because of it.
    expect_usage_error({"moment", "add", "t.csv", "--int", "s.moment"},
                       {"'--int'", "did you mean --into?", "dpcov moment add"});
    expect_estimate_error({"--norm-boun=4", "--rho", "1"},
                          {"'--norm-boun'", "did you mean --norm-bound?"});
    expect_estimate_error({"--norm-bound", "1", "-rho", "1"}, {"'-rho'", "did you mean --rho?"});
    const Words given = {"--norm-bound", "1", "--rho", "1"};
    const auto with = [&given](const Words& more) {
        Words words = given;
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    expect_estimate_error(with({"--method", "gaus"}), {"'gaus'", "did you mean gauss?"});
    expect_estimate_error(with({"--variant", "pubished"}),
                          {"'pubished'", "did you mean published?"});
    expect_usage_error({"audit", "--rho", "1", "--method", "gaus"}, {"did you mean gauss?"});
    expect_estimate_error(with({"--header", "yes", "--columns", "A"}), {"did you mean 'a'?"});
    expect_estimate_error(with({"--out", "c.csv"}), {"'--out'", "did you mean --output?"});
    expect_estimate_error(with({"--rho", "2"}), {"--rho is given more than once"});
    expect_estimate_error(with({"u.csv"}), {"'u.csv' is one word too many"});
    // Nothing is near: no guess.
    const Outcome outcome = run({"estimate", "t.csv", "--frobnicate"});
    EXPECT_EQ(outcome.err.find("did you mean"), std::string::npos) << outcome.err;
}

TEST_F(UsageTest, OptionsWithoutAValue) {
    expect_estimate_error({"--norm-bound", "1", "--rho"}, {"--rho has no value"});
    expect_estimate_error({"--norm-bound=", "--rho", "1"}, {"--norm-bound has no value"});
    expect_estimate_error({"--norm-bound", "--rho", "1"}, {"--norm-bound has no value"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--output=", "--quiet"},
                          {"--output has no value"});
}

// As of a shell's variable that is not set: without its ledger the release would be charged
// nowhere.
TEST_F(UsageTest, EmptyWords) {
    const std::vector<std::string> released = {"--norm-bound", "1", "--rho", "1"};
    for (const char* option : {"--ledger", "--dataset", "--bounds", "--column-scale", "--record"}) {
        std::vector<std::string> words = released;
        words.insert(words.end(), {option, ""});
        expect_estimate_error(words, {std::string(option) + " has no value"});
    }
    EXPECT_EQ(run({"ledger", "init", "", "--dataset", "a", "--rho", "1"}).status, 2);
    EXPECT_EQ(run({"estimate", "--norm-bound", "1", "--rho", "1", "--", ""}).status, 2);
}

TEST_F(UsageTest, BudgetsThatMakeNoSense) {
    expect_estimate_error({"--norm-bound", "1", "--epsilon", "1", "--delta", "0"},
                          {"leave out --delta"});
    for (const std::string method : {"gauss", "separate", "adaptive"}) {
        expect_estimate_error({"--norm-bound", "1", "--rho", "1e-300", "--method", method},
                              {"budget is too small"});
    }
    for (const std::string method : {"laplace", "wishart"}) {
        expect_estimate_error({"--norm-bound", "1", "--epsilon", "1e-300", "--method", method},
                              {"budget is too small"});
    }
    expect_estimate_error({"--norm-bound", "1", "--rho", "1e300", "--method", "gauss"},
                          {"budget is too large"});
}

TEST_F(UsageTest, UnknownOptionOrArgumentTooMany) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--frobnicate"}, {"--frobnicate"});
    expect_estimate_error({"u.csv", "--norm-bound", "1", "--rho", "1"}, {"u.csv"});
}

TEST_F(UsageTest, ExactlyOneDefinition) {
    const Words taught = {"--rho R", "--epsilon E --delta D"};
    expect_estimate_error({"--norm-bound", "1"}, taught);
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--epsilon", "1"}, taught);
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--delta", "1e-6"}, taught);
    expect_estimate_error({"--norm-bound", "1", "--delta", "1e-6"},
                          {"--delta goes with --epsilon"});
}

TEST_F(UsageTest, NumbersThatMakeNoSense) {
    for (const std::string value : {"0", "-1", "nan", "inf", "-inf", "abc", "1x", "1e999"}) {
        SCOPED_TRACE(value);
        expect_estimate_error({"--rho", "1", "--norm-bound", value}, {"--norm-bound"});
        expect_estimate_error({"--norm-bound", "1", "--rho", value}, {"--rho"});
        expect_estimate_error({"--norm-bound", "1", "--epsilon", value}, {"--epsilon"});
        expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--scale", value}, {"--scale"});
    }
    expect_estimate_error({"--norm-bound", "1", "--epsilon", "1", "--delta", "1"}, {"delta"});
    expect_estimate_error({"--norm-bound", "1", "--epsilon", "1", "--delta", "2"}, {"delta"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--threads", "0"}, {"--threads"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--threads", "-1"}, {"--threads"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--insecure-seed", "x"},
                          {"--insecure-seed"});
}

TEST_F(UsageTest, NormBoundWhoseSquareIsNoDouble) {
    for (const std::string value : {"1e200", "1e-200", "1.1e60", "9e-61"}) {
        expect_estimate_error({"--norm-bound", value, "--rho", "1"},
                              {value, "--scale", "1e-60 and 1e60"});
    }
    for (const std::string value : {"1e60", "1e-60"}) {
        EXPECT_EQ(run({"estimate", "t.csv", "--header", "yes", "--norm-bound", value, "--rho", "1",
                       "--quiet"})
                      .status,
                  0);
    }
}

TEST_F(UsageTest, NormBoundIsRequired) {
    expect_estimate_error({"--rho", "1"},
                          {"--norm-bound B, or --bounds FILE, is required", "public"});
}

TEST_F(UsageTest, WordsThatAreNotChoices) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--variant", "worst"},
                          {"worst", "best|paper|published"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--neighbours", "near"},
                          {"near", "replace|add-remove"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--bad-rows", "drop"},
                          {"drop", "error|zero"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--header", "maybe"},
                          {"maybe", "yes|no"});
}

// Nor anything that a conversion would take for one: 010 for 8, -1 for 2^64 - 1.
TEST_F(UsageTest, WordsThatAreNoWholeNumbers) {
    for (const char* number : {"-1", "010", "1e6", "1.5", "18446744073709551616", "0x10", "+1"}) {
        SCOPED_TRACE(number);
        expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--insecure-seed", number},
                              {"--insecure-seed", "whole number"});
        expect_usage_error({"audit", "--method", "gauss", "--rho", "1", "--runs", number},
                           {"--runs", "whole number"});
        expect_usage_error({"plan", "--rows", number, "--columns", "3", "--norm-bound", "1"},
                           {"--rows", "whole number"});
    }
}

TEST_F(UsageTest, UnknownMethod) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--method", "guess"},
                          {"guess", "gauss"});
}

// Every method under every definition that it cannot meet; the message names those that can.
TEST_F(UsageTest, MethodThatCannotMeetTheDefinition) {
    const nlohmann::json methods = list_methods();
    const auto names_where = [&](const char* property) {
        Words names;
        for (const nlohmann::json& method : methods) {
            if (method.at(property).get<bool>()) {
                names.push_back(method.at("name"));
            }
        }
        return names;
    };
    int refused = 0;
    for (const nlohmann::json& method : methods) {
        const std::string name = method.at("name");
        SCOPED_TRACE(name);
        if (!method.at("pure_dp").get<bool>()) {
            expect_estimate_error({"--norm-bound", "1", "--epsilon", "1", "--method", name},
                                  names_where("pure_dp"));
            ++refused;
        }
        if (!method.at("zcdp").get<bool>()) {
            expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--method", name},
                                  names_where("zcdp"));
            expect_estimate_error(
                {"--norm-bound", "1", "--epsilon", "1", "--delta", "1e-6", "--method", name},
                names_where("zcdp"));
            ++refused;
        }
    }
    EXPECT_GT(refused, 0);
}

TEST_F(UsageTest, ClipGoesWithClipMethodsOnly) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--method", "clip-gauss"},
                          {"needs clip"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--method", "gauss", "--clip", "1"},
                          {"clip is not", "clip-gauss", "clip-separate"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--method", "gauss", "--steps", "3"},
                          {"steps", "gauss", "coinpress"});
    expect_estimate_error(
        {"--norm-bound", "1", "--rho", "1", "--method", "coinpress", "--steps", "6"}, {"--steps"});
    expect_estimate_error(
        {"--norm-bound", "1", "--rho", "1", "--method", "clip-gauss", "--clip", "2"},
        {"--clip 2", "the norm bound 1"});
}

TEST_F(UsageTest, ScaledGoesWithBoundsOnly) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--scaled"}, {"--scaled", "bounds"});
}

TEST_F(UsageTest, Targets) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--output", "m.xlsx"},
                          {"m.xlsx", ".npy", ".csv", ".json", "--output-format"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--output", "/dev/stdout"},
                          {"/dev/stdout", "--output-format"});
    expect_estimate_error(
        {"--norm-bound", "1", "--rho", "1", "--output", "m.npy", "--output-format", "csv"},
        {"m.npy", "--output-format"});
    for (const char* standard_output : {"-", "/dev/stdout"}) {
        expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--record", standard_output},
                              {"standard output", "--output FILE"});
    }
    expect_estimate_error(
        {"--norm-bound", "1", "--rho", "1", "--output", "m.json", "--record", "./m.json"},
        {"same file"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--output", "t.csv"},
                          {"t.csv", "input"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--record", "./t.csv"},
                          {"t.csv", "input"});
}

// As of any program: what stands behind it is a file, whatever its name begins with.
TEST_F(UsageTest, TwoDashesEndTheOptions) {
    write("-t.csv", "a,b\n0.5,0.5\n0.1,-0.2\n");
    const Words options = {"estimate",     "--header", "yes",     "--rho", "1",
                           "--norm-bound", "1",        "--quiet", "--",    "-t.csv"};
    const Outcome outcome = run(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_usage_error({"estimate", "-t.csv"}, {"no option '-t.csv'"});
    expect_estimate_error({"--", "--rho", "1"}, {"'--rho' stands behind --"});
    expect_usage_error({"estimate", "--rho", "1", "--", "t.csv", "--quiet"},
                       {"'--quiet' stands behind --"});
    expect_usage_error({"moment", "--", "show", "x.moment"}, {"'show' stands behind --"});
    expect_usage_error({"--", "estimate"}, {"'--' is one word too many"});
    expect_usage_error({"--frob", "--", "estimate"}, {"no option '--frob'"});
    // A value that begins with a dash needs none.
    write("negative.csv", "-1,-x\n0.5,0.5\n0.1,-0.2\n");
    EXPECT_EQ(run({"estimate", "negative.csv", "--columns", "-1,-x", "--rho", "1", "--norm-bound",
                   "1", "--quiet"})
                  .status,
              0);
    EXPECT_EQ(run({"plan", "--rows", "100", "--columns", "2", "--norm-bound", "1", "--rho", "1",
                   "--mean", "0=-0.5"})
                  .status,
              0);
    expect_estimate_error({"--rho", "-1", "--norm-bound", "1"}, {"'-1'", "above 0"});
}

// The checks that need no data come first: the input does not exist, and the message is not about
// that.
TEST_F(UsageTest, UsageIsCheckedBeforeTheInputIsOpened) {
    expect_usage_error({"estimate", "absent.csv", "--norm-bound", "1"}, {"--rho R"});
    expect_usage_error(
        {"estimate", "absent.csv", "--norm-bound", "1", "--rho", "1", "--output", "m.bin"},
        {"m.bin"});
    expect_usage_error(
        {"estimate", "absent.csv", "--norm-bound", "1", "--rho", "1", "--method", "wishart"},
        {"wishart"});
}

TEST_F(UsageTest, Columns) {
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--columns", "a,zzz"}, {"zzz"});
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--columns", "a,,b"},
                          {"--columns", "empty"});
    write("scales.csv", "name,scale\nzzz,2\n");
    expect_estimate_error({"--norm-bound", "1", "--rho", "1", "--column-scale", "scales.csv"},
                          {"zzz"});
}

TEST_F(UsageTest, SaysWhatIsMissing) {
    expect_usage_error({"estimate"}, {"INPUT is required", "- is standard input"});
    expect_usage_error({"derive", "r.npz"}, {"WHAT is required", "correlation|mean"});
    expect_usage_error({"plan", "--rho", "1"}, {"--rows is required", "or a guess"});
    expect_usage_error({"plan", "more", "--rho", "1"}, {"'more' is one word too many"});
}

TEST_F(UsageTest, UnknownKindOfInput) {
    write("t.docx", "x");
    expect_usage_error({"estimate", "t.docx", "--norm-bound", "1", "--rho", "1"},
                       {"t.docx", "--format"});
    write("t.parquet", "x");
    const std::vector<std::string> foreign = {"estimate", "t.parquet", "--norm-bound",
                                              "1",        "--rho",     "1"};
    expect_usage_error(foreign, {"t.parquet", "export it as CSV", "the Python package"});
    EXPECT_EQ(run(foreign).err.find("--format"), std::string::npos);
    expect_usage_error({"estimate", "release.npz", "--norm-bound", "1", "--rho", "1"},
                       {"release.npz", "'dpcov derive'", "saved as .npy"});
}

TEST_F(UsageTest, WholeNumbersAreAllNamesOrAllPlaces) {
    write("row.csv", "39,7,0\n1,2,3\n");
    write("bounds.csv", "name,lower,upper\n0,0,9\n1,0,9\n");
    for (const std::vector<std::string>& columns :
         {std::vector<std::string>{"--bounds", "bounds.csv"},
          {"--columns", "0,1", "--norm-bound", "1"}}) {
        std::vector<std::string> run = {"estimate", "row.csv", "--header", "yes", "--rho", "1"};
        run.insert(run.end(), columns.begin(), columns.end());
        expect_usage_error(run, {"either names or places, not both", "'0' is the name of column 2",
                                 "'1' is a place"});
    }
}

TEST_F(UsageTest, AColumnBetweenOtherDelimiters) {
    write("german.csv", "Nr;Alter;Lohn, netto\n1;30;7,5\n");
    expect_usage_error({"estimate", "german.csv", "--header", "yes", "--columns", "Alter",
                        "--norm-bound", "1", "--rho", "1"},
                       {"no column 'Alter'", "perhaps the delimiter is ';'", "--delimiter ';'"});
}

}  // namespace
}  // namespace dpcov::test
