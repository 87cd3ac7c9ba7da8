// dpcov plan: what a release would be good for, from public facts.
#include <algorithm>

#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using nlohmann::json;

class PlanCommandTest : public ProgramTest {
protected:
    [[nodiscard]] json planned(std::vector<std::string> options) const {
        options.insert(options.begin(), "plan");
        options.emplace_back("--json");
        const Outcome outcome = run(options);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return json::parse(outcome.out);
    }
};

TEST_F(PlanCommandTest, FindsTheBudgetThatItThenPlansFor) {
    const json found = planned(
        {"--rows", "20000", "--columns", "5", "--norm-bound", "2", "--correlation-error", "0.02"});
    const double rho = found.at("definition").at("rho").get<double>();
    EXPECT_LE(found.at("standard_error").at("correlation").get<double>(), 0.02);
    const json again = planned(
        {"--rows", "20000", "--columns", "5", "--norm-bound", "2", "--rho", std::to_string(rho)});
    EXPECT_NEAR(again.at("standard_error").at("correlation").get<double>(), 0.02, 0.002);
    EXPECT_FALSE(again.at("nothing_seen").get<bool>());
    EXPECT_TRUE(again.at("frobenius_error").contains("auto"));
}

// As `dpcov budget` tells it, by the curve of the method's noise, rounded up to a hundredth.
TEST_F(PlanCommandTest, TellsHowOftenAGuessIsRight) {
    const auto told = [this](const std::vector<std::string>& definition) {
        std::vector<std::string> words = {"plan", "--rows",       "1000", "--columns",
                                          "2",    "--norm-bound", "1"};
        words.insert(words.end(), definition.begin(), definition.end());
        return run(words).out;
    };
    expect_told(told({"--rho", "0.1"}), {"guesses a row right in up to 58.85 % of cases"});
    expect_told(told({"--epsilon", "1"}), {"guesses a row right in up to 73.11 % of cases"});
    expect_told(told({"--epsilon", "1", "--delta", "1e-6"}), {"in up to 54.72 % of cases"});
    expect_told(told({"--rho", "0.1", "--rows-per-person", "4"}),
                {"for a person with at most 4 rows",
                 "guesses a person's rows right in up to 58.85 % of cases"});
}

TEST_F(PlanCommandTest, WarnsWhereNothingWouldBeSeen) {
    const Outcome outcome =
        run({"plan", "--rows", "100", "--columns", "200", "--norm-bound", "1", "--rho", "1e-6"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("WARNING"), std::string::npos) << outcome.out;
}

TEST_F(PlanCommandTest, RefusesFactsThatAreMissing) {
    for (const std::vector<std::string>& facts : std::vector<std::vector<std::string>>{
             {"plan", "--columns", "3", "--norm-bound", "1", "--rho", "1"},
             {"plan", "--rows", "10", "--columns", "3", "--rho", "1"},
             {"plan", "--rows", "10", "--columns", "3", "--norm-bound", "1"},
             {"plan", "--rows", "10", "--columns", "3", "--norm-bound", "1", "--rho", "1",
              "--correlation-error", "0.1"},
             {"plan", "--rows", "10", "--columns", "3", "--norm-bound", "1", "--correlation-error",
              "2"}}) {
        const Outcome outcome = run(facts);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        EXPECT_EQ(outcome.out, "");
        EXPECT_NE(outcome.err, "");
    }
    expect_told(run({"plan", "--rows", "10", "--rho", "1"}).err, {"--columns D", "--bounds FILE"});
    expect_told(run({"plan", "--rows", "10", "--columns", "3", "--rho", "1"}).err,
                {"--norm-bound B"});
}

TEST_F(PlanCommandTest, TellsEveryColumnAndPairWhereDeviationsAreKnown) {
    const std::string bounds = path("bounds.csv");
    write("bounds.csv", "age,0,100\n\"a=b\",0,10\nweight,0,200\n");
    const std::vector<std::string> facts = {"--rows", "20000", "--bounds", bounds, "--rho", "0.5"};
    std::vector<std::string> told = facts;
    told.insert(told.end(), {"--deviation", "age=15", "--mean", "a=b=9.5", "--passes", "2"});
    const json report = planned(told);
    EXPECT_EQ(report.at("passes"), 2);
    const json& errors = report.at("correlation_standard_errors");
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[1][0], errors[0][1]);
    EXPECT_EQ(errors[1][1], 0.0);
    EXPECT_NE(errors[1][0], errors[2][0]);
    EXPECT_EQ(report.at("table_units")[1].at("name"), "a=b");
    EXPECT_FALSE(planned(facts).contains("correlation_standard_errors"));

    told.insert(told.begin(), "plan");
    const Outcome text = run(told);
    EXPECT_EQ(text.status, 0) << text.err;
    expect_told(text.out, {"two passes", "correlations", "in the table's units",
                           "an estimated correlation errs"});
}

// Neither one way nor the other: what nobody draws has no error, whichever method it would be by.
TEST_F(PlanCommandTest, TellsNoStandardErrorsOfWhatIsNotDrawn) {
    const std::vector<std::string> few = {"--rows",       "10", "--columns", "30",
                                          "--norm-bound", "1",  "--rho",     "0.001"};
    const json report = planned(few);
    EXPECT_TRUE(report.at("standard_error").at("correlation").is_null());
    EXPECT_FALSE(report.at("standard_error_of_correlation").contains("auto"));
    EXPECT_TRUE(report.at("standard_error_of_correlation").contains("gauss"));
    std::vector<std::string> words = few;
    words.insert(words.begin(), "plan");
    expect_told(run(words).out, {"  correlation   -\n", "nothing would be drawn"});
}

// As intervals have them: where a release has none, there is no standard error of them.
TEST_F(PlanCommandTest, TellsNoStandardErrorsOfMethodsWithoutIntervals) {
    const auto facts = [](const char* option, const char* value, const char* method) {
        return std::vector<std::string>{"--rows", "1000",   "--columns", "2",        "--norm-bound",
                                        "1",      "--mean", "1=0.2",     "--center", "--method",
                                        method,   option,   value};
    };
    for (const auto& [option, method] :
         {std::pair("--rho", "separate"), std::pair("--rho", "coinpress"),
          std::pair("--epsilon", "laplace")}) {
        SCOPED_TRACE(method);
        const json report = planned(facts(option, "1", method));
        for (const char* what : {"correlation", "covariance", "variance", "mean"}) {
            EXPECT_TRUE(report.at("standard_error").at(what).is_null()) << what;
        }
        EXPECT_TRUE(report.at("table_units")[0].at("variance").is_null());
        EXPECT_TRUE(report.at("correlation_standard_errors").empty());
        const std::string why = report.at("no_standard_error_because");
        expect_told(why, {method, "auto", "wishart"});
        EXPECT_TRUE(report.at("frobenius_error").contains(method));
        std::vector<std::string> words = facts(option, "1", method);
        words.insert(words.begin(), "plan");
        const std::string text = run(words).out;
        expect_told(text, {"  covariance    -\n", why, "an estimated correlation errs by about"});
        EXPECT_EQ(text.find("less than the noise"), std::string::npos);
    }
    EXPECT_FALSE(planned(facts("--rho", "1", "gauss")).contains("no_standard_error_because"));
    std::vector<std::string> wanted = facts("--correlation-error", "0.1", "separate");
    wanted.insert(wanted.begin(), "plan");
    const Outcome refused = run(wanted);
    EXPECT_EQ(refused.status, 2);
    expect_told(refused.err, {"separate", "without intervals"});
}

TEST_F(PlanCommandTest, SaysThatEstimatesErrLessThanNoiseWhereTheyDo) {
    for (const char* columns : {"2", "3"}) {
        const std::vector<std::string> facts = {"--rows",       "1000",  "--columns", columns,
                                                "--norm-bound", "1",     "--rho",     "1",
                                                "--deviation",  "0=0.1", "--method",  "auto"};
        const json report = planned(facts);
        EXPECT_LT(report.at("estimate_error").at("correlation").get<double>(),
                  report.at("standard_error").at("correlation").get<double>());
        std::vector<std::string> words = facts;
        words.insert(words.begin(), "plan");
        expect_told(run(words).out, {", less than the noise"});
    }
}

TEST_F(PlanCommandTest, WarnsOfADeltaThatIsNotBelowOneOverN) {
    const std::vector<std::string> facts = {"--rows",       "50", "--columns", "2",
                                            "--norm-bound", "1",  "--epsilon", "1"};
    const auto with_delta = [&](const std::string& delta) {
        std::vector<std::string> words = facts;
        words.insert(words.end(), {"--delta", delta});
        return words;
    };
    EXPECT_EQ(planned(with_delta("0.02")).at("delta_not_small"), true);
    EXPECT_EQ(planned(with_delta("0.0199")).at("delta_not_small"), false);
    EXPECT_EQ(planned(facts).at("delta_not_small"), false);  // pure
    const auto text = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "plan");
        return run(words).out;
    };
    expect_told(text(with_delta("0.02")), {"WARNING", "1/n for these 50 rows"});
    EXPECT_EQ(text(with_delta("0.0199")).find("1/n"), std::string::npos);
}

TEST_F(PlanCommandTest, RefusesDeviationsOfNoColumn) {
    const std::string bounds = path("bounds.csv");
    write("bounds.csv", "age,0,100\nweight,0,200\n");
    const auto refused = [&](const std::vector<std::string>& deviations) {
        std::vector<std::string> words = {"plan", "--rows", "100", "--bounds",
                                          bounds, "--rho",  "1"};
        for (const std::string& deviation : deviations) {
            words.insert(words.end(), {"--deviation", deviation});
        }
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        return outcome.err;
    };
    expect_told(refused({"agee=3"}), {"did you mean 'age'?"});
    expect_told(refused({"age"}), {"as age=15"});
    expect_told(refused({"age=old"}), {"as age=15"});
    expect_told(refused({"age=3", "age=4"}), {"given twice"});
    expect_told(refused({"age=51"}), {"'age'", "50"});
    expect_told(
        run({"plan", "--rows", "100", "--bounds", bounds, "--rho", "1", "--mean", "age=-1"}).err,
        {"the mean of column 'age'", "within its bounds"});
    expect_told(run({"plan", "--rows", "100", "--columns", "3", "--norm-bound", "1", "--rho", "1",
                     "--passes", "2"})
                    .err,
                {"two passes need bounds"});
}

}  // namespace
}  // namespace dpcov::test
