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

}  // namespace
}  // namespace dpcov::test
