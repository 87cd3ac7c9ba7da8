// dpcov budget: one guarantee in the other definitions.
#include <algorithm>
#include <cmath>

#include "apps/program.hpp"
#include "dpcov/budget.hpp"

namespace dpcov::test {
namespace {

using nlohmann::json;

class BudgetCommandTest : public ProgramTest {
protected:
    [[nodiscard]] json told(std::vector<std::string> options) const {
        options.insert(options.begin(), "budget");
        options.emplace_back("--json");
        const Outcome outcome = run(options);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return json::parse(outcome.out);
    }
};

TEST_F(BudgetCommandTest, SaysWhatRhoMeetsEpsilonAndDelta) {
    const json report = told({"--epsilon", "1", "--delta", "1e-6"});
    EXPECT_EQ(report.at("asked"), (json{{"epsilon", 1.0}, {"delta", 1e-6}}));
    const json& gaussian = report.at("gaussian");
    // tests/privacy/gaussian_curve_reference.py; tests/privacy/conversion_test.cpp.
    EXPECT_EQ(gaussian.at("rho"), 0.028014481912630337);
    EXPECT_EQ(report.at("zcdp").at("rho"), 0.024355970359538372);
    EXPECT_NEAR(gaussian.at("mu").get<double>(), std::sqrt(2.0 * 0.028014481912630337), 1e-15);
    EXPECT_EQ(gaussian.at("approximate"), (json{{{"epsilon", 1.0}, {"delta", 1e-6}}}));
    EXPECT_EQ(report.at("pure").at("epsilon"), 1.0);
    EXPECT_EQ(report.at("pure").at("rho"), 0.5);
}

TEST_F(BudgetCommandTest, SaysWhatEpsilonRhoGives) {
    const json report = told({"--rho", "0.1", "--delta", "1e-6"});
    const auto epsilon = [&report](const char* kind) {
        return report.at(kind).at("approximate").at(0).at("epsilon").get<double>();
    };
    EXPECT_EQ(epsilon("gaussian"), 1.9945269006963386);
    EXPECT_EQ(epsilon("zcdp"), epsilon_of(Rho(0.1), Delta(1e-6)).value());
    EXPECT_EQ(report.at("pure").at("epsilon"), epsilon_within(Rho(0.1)).value());
    EXPECT_EQ(told({"--rho", "0.1"}).at("gaussian").at("approximate").size(), 3U);
}

// Phi(mu / 2) for Gaussian noise; e^epsilon / (1 + e^epsilon) under pure DP.
TEST_F(BudgetCommandTest, SaysHowOftenAGuessIsRight) {
    const json report = told({"--rho", "0.5"});
    EXPECT_NEAR(report.at("gaussian").at("guess").get<double>(), 0.69146246127401310, 1e-11);
    EXPECT_NEAR(report.at("zcdp").at("guess").get<double>(), 0.75, 1e-11);
    EXPECT_NEAR(told({"--epsilon", "1"}).at("pure").at("guess").get<double>(), 0.73105857863000490,
                1e-11);
    for (const char* rho : {"1e-9", "0.01", "3", "1000"}) {
        const json at = told({"--rho", rho});
        // Each is some 1e-12 on the safe side.
        const double zcdp = at.at("zcdp").at("guess").get<double>() + 1e-11;
        EXPECT_GE(zcdp, at.at("gaussian").at("guess").get<double>()) << rho;
        EXPECT_GE(zcdp, at.at("pure").at("guess").get<double>()) << rho;
        EXPECT_LE(zcdp, 1.0 + 1e-11) << rho;
    }
}

TEST_F(BudgetCommandTest, DividesAPersonsBudgetAmongTheirRows) {
    const json person = told({"--epsilon", "1", "--delta", "1e-6"});
    json report = told({"--epsilon", "1", "--delta", "1e-6", "--rows-per-person", "3"});
    EXPECT_EQ(report.at("rows_per_person"), 3);
    EXPECT_DOUBLE_EQ(report.at("gaussian").at("release").at("rho"), 0.028014481912630337 / 9.0);
    EXPECT_DOUBLE_EQ(report.at("zcdp").at("release").at("rho"), 0.024355970359538372 / 9.0);
    EXPECT_DOUBLE_EQ(report.at("pure").at("release").at("epsilon"), 1.0 / 3.0);
    // What is told of the person stays what it is for one row.
    report.erase("rows_per_person");
    for (const char* kind : {"gaussian", "zcdp", "pure"}) {
        report.at(kind).erase("release");
    }
    EXPECT_EQ(report, person);
    EXPECT_EQ(told({"--epsilon", "1", "--delta", "1e-6", "--rows-per-person", "1"}), person);
}

// As many releases of one row's budget as there are rows may not spend more than the person's.
TEST_F(BudgetCommandTest, NeverDividesUpward) {
    const json report = told({"--epsilon", "1", "--rows-per-person", "11"});
    const double part = report.at("pure").at("release").at("epsilon");
    EXPECT_LT(part, 1.0 / 11.0);  // the nearest double is above
    EXPECT_DOUBLE_EQ(part, 1.0 / 11.0);
    const Outcome text = run({"budget", "--epsilon", "1", "--rows-per-person", "11"});
    EXPECT_NE(text.out.find("release  with --epsilon 0.0909090909090909"), std::string::npos);
    EXPECT_NE(text.out.find("which of two sets of rows yours are"), std::string::npos);
    for (const char* wrong : {"0", "-1", "1.5", "1000001"}) {
        EXPECT_EQ(run({"budget", "--epsilon", "1", "--rows-per-person", wrong}).status, 2) << wrong;
    }
    const Outcome small = run({"budget", "--rho", "5e-324", "--rows-per-person", "3"});
    EXPECT_EQ(small.status, 2);
    EXPECT_NE(small.err.find("must be a finite number greater than 0"), std::string::npos);
}

TEST_F(BudgetCommandTest, PureDpFollowsFromNoRho) {
    const json report = told({"--epsilon", "0.5"});
    EXPECT_FALSE(report.contains("gaussian"));
    EXPECT_FALSE(report.contains("zcdp"));
}

// What it tells of a method is what a release then spends.
TEST_F(BudgetCommandTest, AgreesWithWhatIsSpent) {
    write("t.npy", npy(1000, 2, some_values(1000, 2)));
    const json report = told({"--epsilon", "0.7", "--delta", "1e-5"});
    std::size_t listed = 0;
    for (const json& method : list_methods()) {
        const std::string name = method.at("name");
        for (const char* kind : {"gaussian", "zcdp"}) {
            const json& names = report.at(kind).at("methods");
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                continue;
            }
            ++listed;
            std::vector<std::string> arguments = {
                "estimate",  "t.npy",     "--norm-bound", "2",
                "--epsilon", "0.7",       "--delta",      "1e-5",
                "--method",  name,        "--record",     "r.json",
                "--output",  "/dev/null", "--quiet",      "--output-format",
                "csv"};
            if (method.at("needs_clip").get<bool>()) {
                arguments.insert(arguments.end(), {"--clip", "1"});
            }
            const Outcome outcome = run(arguments);
            ASSERT_EQ(outcome.status, 0) << outcome.err;
            const json definition = read_json("r.json").at("definition");
            EXPECT_EQ(definition.at("curve"), kind) << name;
            EXPECT_EQ(definition.at("rho"), report.at(kind).at("rho")) << name;
        }
    }
    EXPECT_EQ(listed, 10U);
}

TEST_F(BudgetCommandTest, TellsInWords) {
    const Outcome outcome = run({"budget", "--epsilon", "1", "--delta", "1e-6"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    expect_told(outcome.out,
                {"(1, 1e-06)-DP", "all noise Gaussian", "gauss", "0.0280145", "other noise", "em",
                 "0.024356", "pure DP", "laplace", "guess", "which of two rows yours is"});
    expect_told(run({"budget", "--rho", "0.1", "--neighbours", "add-remove"}).out,
                {"whether yours is in the table"});
}

TEST_F(BudgetCommandTest, WantsOneGuarantee) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"budget"},
          {"budget", "--delta", "1e-6"},
          {"budget", "--rho", "1", "--epsilon", "1"},
          {"budget", "--rho", "0"},
          {"budget", "--epsilon", "1", "--delta", "0"},
          {"budget", "--epsilon", "1", "--delta", "2"},
          {"budget", "--epsilon", "1e-200", "--delta", "1e-300"}}) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err, "");
    }
}

}  // namespace
}  // namespace dpcov::test
