// dpcov audit: its report, its exit status, what it refuses. What it finds is for tests/audit.
#include "apps/program.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;

class AuditCommandTest : public ProgramTest {};

TEST_F(AuditCommandTest, ReportsEveryMethodThatClaimsTheDefinition) {
    const Outcome outcome = run({"audit", "--all", "--epsilon", "1", "--runs", "100", "--seed", "1",
                                 "--dimension", "1", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const nlohmann::json report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report.at("claim"), "1-DP");
    EXPECT_EQ(report.at("loss"), "epsilon");
    EXPECT_EQ(report.at("runs"), 100);
    EXPECT_EQ(report.at("dimension"), 1);
    EXPECT_EQ(report.at("confidence"), 0.99);
    std::size_t claiming = 0;
    for (const auto& method : list_methods()) {
        claiming += method.at("pure_dp").get<bool>() ? 1U : 0U;
    }
    EXPECT_EQ(report.at("methods").size(), claiming);
    for (const auto& line : report.at("methods")) {
        EXPECT_EQ(line.at("claimed"), 1.0);
        EXPECT_GE(line.at("lower_bound").get<double>(), 0.0);
        EXPECT_LE(line.at("lower_bound").get<double>(), 1.0);
        EXPECT_EQ(line.at("refuted"), false);
    }
}

// What is kept for 'estimate --release' is drawn, and looked at, only where that is asked for.
TEST_F(AuditCommandTest, LooksAtStatisticsOnlyIfAsked) {
    const Words words = {"audit", "--method", "stratified", "--rho",     "4", "--runs",
                         "100",   "--seed",   "7",          "--threads", "1", "--json"};
    Words more = words;
    more.emplace_back("--statistics");
    const Outcome without = run(words);
    const Outcome with = run(more);
    ASSERT_EQ(without.status, 0) << without.err;
    ASSERT_EQ(with.status, 0) << with.err;
    EXPECT_EQ(nlohmann::json::parse(without.out).at("statistics"), false);
    EXPECT_EQ(nlohmann::json::parse(with.out).at("statistics"), true);
    EXPECT_NE(nlohmann::json::parse(without.out).at("methods"),
              nlohmann::json::parse(with.out).at("methods"));
}

TEST_F(AuditCommandTest, CanBeRepeated) {
    const Words once = {"audit",  "--method", "gauss",  "--method", "zero",      "--rho", "4",
                        "--runs", "300",      "--seed", "7",        "--threads", "1"};
    Words again = once;
    again.back() = "3";
    const Outcome first = run(once);
    EXPECT_EQ(first.status, 0) << first.err;
    expect_told(first.out, {"4-zCDP", "300 runs", "gauss", "zero", "stands", " on: "});
    EXPECT_EQ(run(again).out, first.out);
    Words other = once;
    other[10] = "8";
    EXPECT_NE(run(other).out, first.out);
}

// At next to no confidence chance refutes a claim of next to no loss: with the report, and with the
// exit status that scripts look for.
TEST_F(AuditCommandTest, SaysSoWhereAClaimIsRefuted) {
    const Outcome outcome = run({"audit", "--method", "laplace", "--epsilon", "0.001", "--runs",
                                 "100", "--confidence", "1e-6", "--seed", "37"});
    EXPECT_EQ(outcome.status, 6);
    expect_told(outcome.out, {"laplace", "REFUTED"});
    expect_told(outcome.err, {"dpcov audit", "laplace", "refuted"});
}

TEST_F(AuditCommandTest, ShowsProgress) {
    const Outcome outcome =
        run({"audit", "--method", "zero", "--rho", "1", "--runs", "10", "--progress"});
    EXPECT_EQ(outcome.status, 0);
    expect_told(outcome.err, {"auditing zero: "});
}

TEST_F(AuditCommandTest, RefusesWhatMakesNoSense) {
    const auto expect_refused = [this](const Words& options, const Words& told) {
        Words arguments = {"audit"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, told);
    };
    expect_refused({"--rho", "1"}, {"--method", "--all"});
    expect_refused({"--all", "--method", "gauss", "--rho", "1"}, {"--method", "--all"});
    expect_refused({"--all"}, {"--rho"});
    expect_refused({"--method", "gaus", "--rho", "1"}, {"gaus"});
    expect_refused({"--method", "gauss", "--epsilon", "1"}, {"gauss", "dpcov methods"});
    expect_refused({"--method", "gauss", "--rho", "1", "--runs", "3"}, {"runs"});
    expect_refused({"--method", "gauss", "--rho", "1", "--dimension", "21"}, {"20"});
    expect_refused({"--method", "gauss", "--rho", "1", "--confidence", "1"}, {"confidence"});
}

TEST_F(AuditCommandTest, AttacksOneRowMoreOrLess) {
    const Outcome outcome = run({"audit", "--method", "gauss", "--rho", "1", "--runs", "200",
                                 "--neighbours", "add-remove", "--seed", "1", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(report.at("neighbours"), "add-remove");
    EXPECT_EQ(report.at("methods").at(0).at("refuted"), false);
}

}  // namespace
}  // namespace dpcov::test
