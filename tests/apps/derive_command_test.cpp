// dpcov estimate --release and dpcov derive, from outside.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "apps/program.hpp"
#include "text/wrapped.hpp"

namespace dpcov::test {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

class DeriveTest : public ProgramTest {
protected:
    DeriveTest() {
        std::vector<double> rows = some_values(500, 3);
        for (std::size_t i = 0; i < rows.size(); i += 3) {
            rows[i] = 50 + 40 * rows[i];
            rows[i + 2] = 0.01 * rows[i] + 0.2 * rows[i + 2];  // follows the first
        }
        write("people.csv", csv(3, rows, "age,height,income"));
        write("bounds.csv", "age,0,100\nheight,-1,1\nincome,-1,2\n");
    }

    [[nodiscard]] Outcome estimate(const Words& more) const {
        Words arguments = {"estimate",        "people.csv",      "--bounds",
                           "bounds.csv",      "--quiet",         "--output",
                           "covariance.json", "--insecure-seed", "5"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    [[nodiscard]] json derived(const Words& more) const {
        Words arguments = {"derive", "people.npz"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.emplace_back("--json");
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return json::parse(outcome.out);
    }
    void expect_intervals(const json& values) const {
        for (const json& value : values) {
            for (const char* key : {"estimate", "standard_error", "lower", "upper"}) {
                EXPECT_TRUE(value.at(key).is_number()) << value;
            }
            EXPECT_LE(value["lower"], value["upper"]);
        }
    }
};

TEST_F(DeriveTest, TheSummarySaysThatIntervalsAreLostWithoutARelease) {
    const auto told = [&](const Words& more) {
        Words arguments = {"estimate", "people.csv", "--bounds", "bounds.csv",
                           "--rho",    "1",          "--output", "c.json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.err.find("intervals none") != std::string::npos;
    };
    EXPECT_TRUE(told({}));
    EXPECT_TRUE(told({"--no-center"}));
    EXPECT_FALSE(told({"--release", "kept.npz"}));
    EXPECT_FALSE(told({"--method", "separate"}));  // has none anyway
    EXPECT_FALSE(told({"--variant", "paper"}));
    EXPECT_FALSE(told({"--quiet"}));
}

TEST_F(DeriveTest, EverythingFollowsFromOneRelease) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const json columns = {"age", "height", "income"};
    for (const char* what : {"covariance", "correlation"}) {
        const json matrix = derived({what});
        EXPECT_EQ(matrix["columns"], columns);
        for (const char* key : {"matrix", "standard_error", "lower", "upper"}) {
            ASSERT_EQ(matrix.at(key).size(), 3U);
            EXPECT_EQ(matrix[key][2].size(), 3U);
            EXPECT_EQ(matrix[key][0][2], matrix[key][2][0]);
        }
        EXPECT_LT(matrix["lower"][0][2], matrix["upper"][0][2]);
    }
    EXPECT_EQ(derived({"covariance"})["matrix"], read_json("covariance.json")["covariance"]);
    EXPECT_GT(derived({"correlation"})["matrix"][0][2], 0.8);
    const json mean = derived({"mean"});
    EXPECT_EQ(mean["columns"], columns);
    EXPECT_EQ(mean["mean"], read_json("covariance.json")["mean"]);
    EXPECT_NEAR(mean["mean"][0], 50, 10);
    EXPECT_EQ(mean["standard_error"].size(), 3U);
    EXPECT_EQ(mean["lower"].size(), 3U);
    const json pca = derived({"pca", "--components", "2"});
    EXPECT_EQ(pca["columns"], columns);
    EXPECT_EQ(pca["mean"], mean["mean"]);
    ASSERT_EQ(pca["components"].size(), 2U);
    EXPECT_EQ(pca["components"][1].size(), 3U);
    expect_intervals(pca["explained_variance"]);
    expect_intervals(pca["explained_variance_ratio"]);
    EXPECT_EQ(derived({"pca"})["components"].size(), 3U);
    const json regression =
        derived({"regression", "--target", "income", "--features", "height,age"});
    EXPECT_EQ(regression["target"], "income");
    EXPECT_TRUE(regression["intercept"].is_number());
    EXPECT_FALSE(regression.contains("intercept_through_midpoints"));
    ASSERT_EQ(regression["coefficients"].size(), 2U);
    EXPECT_EQ(regression["coefficients"][0]["name"], "height");
    EXPECT_NEAR(regression["coefficients"][1]["estimate"], 0.01, 0.003);
    expect_intervals(regression["coefficients"]);
    EXPECT_TRUE(regression.contains("ridge"));
    EXPECT_GT(regression["r_squared"], 0.5);
    EXPECT_LE(regression["r_squared"], 1.0);
    EXPECT_EQ(derived({"regression", "--target", " income ", "--features", "height, age"}),
              regression);
    // By index, and on all others.
    EXPECT_EQ(derived({"regression", "--target", "2"})["coefficients"].size(), 2U);
}

// Estimates stay, intervals become wider, and what they rest on is told.
TEST_F(DeriveTest, IntervalsForAPopulationAreWider) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    for (const char* what : {"covariance", "correlation"}) {
        const json of_table = derived({what});
        const json normal = derived({what, "--population"});
        const json any = derived({what, "--any-population"});
        EXPECT_FALSE(of_table.contains("intervals_for"));
        EXPECT_EQ(normal["intervals_for"], "population");
        EXPECT_EQ(any["intervals_for"], "any population");
        EXPECT_NE(normal["assumed"], any["assumed"]);
        EXPECT_EQ(normal["matrix"], of_table["matrix"]);
        EXPECT_GT(normal["upper"][0][2], of_table["upper"][0][2]);
        EXPECT_GT(any["upper"][0][2], normal["upper"][0][2]);
        EXPECT_LT(any["lower"][0][2], normal["lower"][0][2]);
    }
    const json mean = derived({"mean", "--population"});
    EXPECT_GT(mean["standard_error"][0], derived({"mean"})["standard_error"][0]);
    EXPECT_EQ(mean["upper"], derived({"mean", "--any-population"})["upper"]);
    const Words line = {"regression", "--target", "income"};
    EXPECT_EQ(derived({"pca", "--population"})["explained_variance"][0]["lower"], json());
    const json of_table = derived(line);
    const json of_population = derived({"regression", "--target", "income", "--population"});
    for (const char* end : {"standard_error", "upper"}) {
        EXPECT_GT(of_population["coefficients"][0][end], of_table["coefficients"][0][end]);
        EXPECT_GT(of_population["intercept_interval"][end], of_table["intercept_interval"][end]);
    }
    const Outcome text = run({"derive", "people.npz", "mean", "--population"});
    EXPECT_NE(text.out.find("for a population"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("do not cover"), std::string::npos) << text.out;
    EXPECT_EQ(run({"derive", "people.npz", "mean", "--population", "--any-population"}).status, 2);
}

TEST_F(DeriveTest, ANameOfSeveralColumnsIsRefused) {
    write("same.csv", csv(3, some_values(500, 3), "a,b,a"));
    ASSERT_EQ(run({"estimate", "same.csv", "--header", "yes", "--norm-bound", "2", "--rho", "10",
                   "--quiet", "--output", "covariance.json", "--release", "people.npz"})
                  .status,
              0);
    for (const Words& more : {Words{"--target", "a"}, Words{"--target", "b", "--features", "a"}}) {
        Words arguments = {"derive", "people.npz", "regression"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, {more[more.size() - 2], "several columns are named 'a'", "index"});
    }
    const json regression = derived({"regression", "--target", "2", "--features", "0"});
    EXPECT_EQ(regression["target"], "a");
}

// Whoever means the last column by 2 is not to get the one in the middle, which has that name.
TEST_F(DeriveTest, WholeNumbersAreEitherAllNamesOrAllPlaces) {
    write("years.csv", csv(3, some_values(500, 3), "a,2,c"));
    ASSERT_EQ(run({"estimate", "years.csv", "--header", "yes", "--norm-bound", "2", "--rho", "10",
                   "--quiet", "--output", "covariance.json", "--release", "people.npz"})
                  .status,
              0);
    EXPECT_EQ(derived({"regression", "--target", "2", "--features", "a,c"})["target"], "2");
    EXPECT_EQ(derived({"regression", "--target", "1", "--features", "0"})["target"], "2");
    for (const Words& more : {Words{"--target", "2", "--features", "0"},
                              Words{"--target", "a", "--features", "2", "--features", "1"}}) {
        Words arguments = {"derive", "people.npz", "regression"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2);
        expect_told(outcome.err, {"'2' is the name of column 1", "is a place", "by their names"});
    }
    write("bounds.csv", "a,0,1\n2,0,1\nc,0,1\n");
    expect_told(run({"plan", "--rows", "100", "--bounds", "bounds.csv", "--rho", "1", "--mean",
                     "2=0.1", "--mean", "0=0.1"})
                    .err,
                {"--mean", "'2' is the name of column 1"});
}

TEST_F(DeriveTest, ALevelMakesIntervalsWider) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const auto width = [this](const char* level) {
        const json mean = derived({"mean", "--level", level});
        return mean["upper"][0].get<double>() - mean["lower"][0].get<double>();
    };
    // Two-sided quantiles of a normal law, but for how they come about: 2.576 over 1.645.
    EXPECT_NEAR(width("0.99") / width("0.9"), 2.576 / 1.645, 0.1);
}

TEST_F(DeriveTest, ComponentsOfCorrelationsSayByWhatColumnsWereDivided) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const json pca = derived({"pca", "--standardize"});
    EXPECT_EQ(pca["deviations"].size(), 3U);
    double sum = 0.0;
    for (const json& told : pca["explained_variance"]) {
        sum += told["estimate"].get<double>();
        EXPECT_TRUE(told["lower"].is_null());
    }
    EXPECT_NEAR(sum, 3.0, 1e-9);
    EXPECT_FALSE(derived({"pca"}).contains("deviations"));
    EXPECT_EQ(run({"derive", "people.npz", "mean", "--standardize"}).status, 2);
}

TEST_F(DeriveTest, WithoutCentringTheLineGoesThroughTheMidpoints) {
    ASSERT_EQ(estimate({"--rho", "10", "--no-center", "--release", "people.npz"}).status, 0);
    EXPECT_TRUE(derived({"pca"})["mean"].is_null());
    for (const char* what : {"covariance", "correlation", "pca"}) {
        expect_told(run({"derive", "people.npz", what}).out, {"about the midpoints of the bounds"});
    }
    const json line = derived({"regression", "--target", "income"});
    EXPECT_TRUE(line["intercept"].is_null()) << line;  // of a mean there is none
    EXPECT_TRUE(line["intercept_through_midpoints"].is_number()) << line;
    expect_told(run({"derive", "people.npz", "regression", "--target", "income"}).out,
                {"Intercept: ", "(the line goes through the midpoints)"});
    const Outcome mean = run({"derive", "people.npz", "mean"});
    EXPECT_EQ(mean.status, 2);
    expect_told(mean.err, {"no mean"});
}

TEST_F(DeriveTest, WhatHasNoIntervalSaysWhy) {
    ASSERT_EQ(
        estimate({"--epsilon", "9", "--method", "em", "--no-center", "--release", "people.npz"})
            .status,
        0);
    const json covariance = derived({"covariance"});
    EXPECT_EQ(covariance["matrix"], read_json("covariance.json")["covariance"]);
    EXPECT_TRUE(covariance["standard_error"][1][1].is_null());
    EXPECT_TRUE(covariance["lower"][0][1].is_null());
    expect_told(covariance["why"], {"no intervals are known for releases of method em", "wishart"});
    const Outcome text = run({"derive", "people.npz", "covariance"});
    EXPECT_EQ(text.status, 0);
    expect_told(text.out, {wrapped("Note: " + covariance["why"].get<std::string>(), page_width)});
}

TEST_F(DeriveTest, ATableIsForReading) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    expect_told(run({"derive", "people.npz", "correlation"}).out,
                {"correlation", "age", "height", "income", "std. error", "95 %"});
    expect_told(run({"derive", "people.npz", "mean", "--level", "0.9"}).out,
                {"mean", "income", "estimate", "std. error", "90 % from", "to"});
    // No interval is sure.
    expect_told(run({"derive", "people.npz", "mean", "--level", "0.99999999"}).out,
                {"99.999999 % from"});
    expect_told(run({"derive", "people.npz", "correlation", "--level", "0.9999999999999999"}).out,
                {"Intervals of 99.99999999999999 % are"});
    expect_told(run({"derive", "people.npz", "pca"}).out,
                {"variance", "share of all", "component"});
    expect_told(run({"derive", "people.npz", "regression", "--target", "age"}).out,
                {"age on", "height", "Intercept: "});
}

TEST_F(DeriveTest, ATableCountsLettersAndNotBytes) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const std::string plain = run({"derive", "people.npz", "mean"}).out;
    write("people.csv", "\xc3\xa4ge" + read("people.csv").substr(3));
    write("bounds.csv", "\xc3\xa4ge" + read("bounds.csv").substr(3));
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    std::string told = run({"derive", "people.npz", "mean"}).out;
    for (std::size_t at = told.find("\xc3\xa4"); at != std::string::npos;
         at = told.find("\xc3\xa4")) {
        told.replace(at, 2, "a");
    }
    EXPECT_EQ(told, plain);
}

// What a reader has to know before the numbers, and of what the intervals are.
TEST_F(DeriveTest, SaysWhatIsNoResultAndWhatIntervalsAre) {
    ASSERT_EQ(estimate({"--rho", "1", "--release", "people.npz"}).status, 0);
    for (const Words& what : {Words{"covariance"}, Words{"correlation"}, Words{"mean"},
                              Words{"pca"}, Words{"regression", "--target", "income"}}) {
        Words words = {"derive", "people.npz"};
        words.insert(words.end(), what.begin(), what.end());
        const Outcome text = run(words);
        EXPECT_EQ(text.out.rfind("WARNING: made with --insecure-seed: NOT PRIVATE", 0), 0U);
        expect_told(text.out, {"do not cover", "may be outside"});
        EXPECT_EQ(text.out.find("is zero"), std::string::npos);
        EXPECT_EQ(derived(what).at("private"), false);
    }
    ASSERT_EQ(run({"estimate", "people.csv", "--bounds", "bounds.csv", "--quiet", "--output",
                   "c.json", "--rho", "1e-6", "--release", "people.npz"})
                  .status,
              0);
    const Outcome zero = run({"derive", "people.npz", "correlation"});
    EXPECT_EQ(zero.out.rfind("WARNING: the released matrix is zero", 0), 0U) << zero.out;
    expect_told(zero.out, {"not seen to vary", "'age', 'height', 'income'"});
    EXPECT_FALSE(derived({"correlation"}).contains("private"));
    expect_told(run({"derive", "people.npz", "correlation", "--output", "r.csv"}).err,
                {"note: not seen to vary", "'age', 'height', 'income'"});
}

TEST_F(DeriveTest, AMatrixMayBeNamed) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const Words asked = {"derive", "people.npz", "correlation", "--output", "c.csv"};
    ASSERT_EQ(run(asked).status, 0);
    const std::string plain = read("c.csv");
    Words named = asked;
    named.emplace_back("--names");
    ASSERT_EQ(run(named).status, 0);
    EXPECT_TRUE(read("c.csv").starts_with(",age,height,income\nage,1,")) << read("c.csv");
    EXPECT_TRUE(plain.starts_with("1,"));
    for (const char* const other : {"c.npy", "c.json", "-"}) {
        named[4] = other;
        const Outcome outcome = run(named);
        EXPECT_EQ(outcome.status, 2);
        expect_told(outcome.err, {"--names is for a matrix in CSV"});
    }
}

// A budget at which nothing shows: numbers, and a note in place of a table without any.
TEST_F(DeriveTest, NoTableOfWhatIsNotKnown) {
    ASSERT_EQ(estimate({"--rho", "0.01", "--release", "people.npz"}).status, 0);
    const Outcome outcome = run({"derive", "people.npz", "correlation"});
    EXPECT_EQ(outcome.status, 0);
    expect_told(outcome.out, {"correlation", "Note: "});
    EXPECT_EQ(outcome.out.find("std. error"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("Intervals of"), std::string::npos) << outcome.out;
}

TEST_F(DeriveTest, OutputFollowsTheNameOfTheFile) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const json correlation = derived({"correlation"});
    ASSERT_EQ(run({"derive", "people.npz", "correlation", "--output", "c.json"}).out, "");
    EXPECT_EQ(read_json("c.json"), correlation);
    ASSERT_EQ(run({"derive", "people.npz", "correlation", "--output", "c.csv"}).status, 0);
    EXPECT_EQ(json(parse_csv(read("c.csv"))), correlation["matrix"]);
    ASSERT_EQ(run({"derive", "people.npz", "mean", "--output", "m.txt"}).status, 0);
    EXPECT_EQ(read("m.txt"), run({"derive", "people.npz", "mean"}).out);
}

// Every number of the JSON to the last bit, and nothing where that has null.
TEST_F(DeriveTest, EstimatesAsCsvAreThoseOfTheJson) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const auto lines = [this](Words words) {
        words.insert(words.begin(), {"derive", "people.npz"});
        words.insert(words.end(), {"--output", "e.csv"});
        EXPECT_EQ(run(words).status, 0);
        std::vector<std::vector<std::string>> fields;
        std::istringstream text(read("e.csv"));
        for (std::string line; std::getline(text, line);) {
            fields.emplace_back();
            std::istringstream left(line + ',');
            for (std::string field; std::getline(left, field, ',');) {
                fields.back().push_back(field);
            }
        }
        return fields;
    };
    const auto expect_number = [](const std::string& field, const json& number) {
        EXPECT_EQ(number.is_null() ? std::string() : field, field);
        if (!number.is_null()) {
            EXPECT_EQ(std::stod(field), number.get<double>());
        }
    };
    const std::vector<std::string> header = {"name", "estimate", "standard_error", "lower",
                                             "upper"};
    const auto means = lines({"mean"});
    const json mean = derived({"mean"});
    ASSERT_EQ(means.size(), 4U);
    EXPECT_EQ(means[0], header);
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(means[j + 1][0], mean["columns"][j].get<std::string>());
        expect_number(means[j + 1][1], mean["mean"][j]);
        expect_number(means[j + 1][4], mean["upper"][j]);
    }
    for (const bool correlations : {false, true}) {
        const std::string what = correlations ? "correlation" : "covariance";
        const auto pairs = lines({what, "--pairs"});
        const json matrix = derived({what});
        const std::vector<std::string> names_first = {
            "row", "column", "estimate", "standard_error", "lower", "upper"};
        EXPECT_EQ(pairs[0], names_first);
        std::size_t at = 1;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = correlations ? i + 1 : i; j < 3; ++j, ++at) {
                ASSERT_LT(at, pairs.size());
                EXPECT_EQ(pairs[at][0], matrix["columns"][i].get<std::string>());
                EXPECT_EQ(pairs[at][1], matrix["columns"][j].get<std::string>());
                expect_number(pairs[at][2], matrix["matrix"][i][j]);
                expect_number(pairs[at][3], matrix["standard_error"][i][j]);
                expect_number(pairs[at][4], matrix["lower"][i][j]);
                expect_number(pairs[at][5], matrix["upper"][i][j]);
            }
        }
        EXPECT_EQ(at, pairs.size());
        EXPECT_EQ(run({"derive", "people.npz", what, "--pairs"}).out, read("e.csv"));
    }
    const auto line = lines({"regression", "--target", "income"});
    const json regression = derived({"regression", "--target", "income"});
    ASSERT_EQ(line.size(), 4U);
    EXPECT_EQ(line[0], header);
    EXPECT_EQ(line[1][0], "(intercept)");
    expect_number(line[1][1], regression["intercept"]);
    expect_number(line[1][3], regression["intercept_interval"]["lower"]);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(line[i + 2][0], regression["coefficients"][i]["name"].get<std::string>());
        expect_number(line[i + 2][2], regression["coefficients"][i]["standard_error"]);
    }
    const auto components = lines({"pca", "--components", "2"});
    const json pca = derived({"pca", "--components", "2"});
    ASSERT_EQ(components.size(), 3U);
    EXPECT_EQ(components[0],
              (std::vector<std::string>{"component", "explained_variance",
                                        "explained_variance_ratio", "age", "height", "income"}));
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(components[k + 1][0], std::to_string(k + 1));
        expect_number(components[k + 1][1], pca["explained_variance"][k]["estimate"]);
        expect_number(components[k + 1][5], pca["components"][k][2]);
    }
    // Without intervals their fields are empty.
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz", "--method", "separate"}).status,
              0);
    EXPECT_EQ(lines({"mean"})[1].size(), 5U);
    EXPECT_EQ(lines({"mean"})[1][4], "");
}

TEST_F(DeriveTest, EndingsCountInLettersOfAnyCase) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    for (const std::string name : {"m.json", "m.csv", "m.txt"}) {
        std::string shouted = name;
        std::transform(shouted.begin(), shouted.end(), shouted.begin(), ::toupper);
        for (const std::string& output : {name, shouted}) {
            ASSERT_EQ(run({"derive", "people.npz", "mean", "--output", output}).status, 0);
        }
        EXPECT_EQ(read(name), read(shouted));
    }
    // As of tables and moments that are read.
    const Words add = {"moment", "add", "people.csv", "--header", "yes", "--norm-bound", "2"};
    Words shouted = add;
    shouted.insert(shouted.end(), {"--into", "A.MOMENT"});
    ASSERT_EQ(run(shouted).status, 0);
    EXPECT_EQ(run({"estimate", "A.MOMENT", "--rho", "1", "--quiet", "--output", "A.CSV"}).status,
              0);
}

TEST_F(DeriveTest, WhatMakesNoSenseIsAUsageError) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    const std::vector<std::string> before = files();
    const std::vector<std::pair<Words, std::string>> cases = {
        {{"people.npz"}, "WHAT"},
        {{"people.npz", "variance"}, "covariance|correlation"},
        {{"people.npz", "regression"}, "--target"},
        {{"people.npz", "regression", "--target", "incom"}, "income"},
        {{"people.npz", "regression", "--target", "3"}, "no column '3'"},
        {{"people.npz", "regression", "--target", "age", "--features", "age"}, ""},
        {{"people.npz", "regression", "--target", "age", "--features", "height,1"}, ""},
        {{"people.npz", "regression", "--target", "age", "--features", "height,"}, "empty name"},
        {{"people.npz", "mean", "--target", "age"}, "regression only"},
        {{"people.npz", "mean", "--components", "1"}, "pca only"},
        {{"people.npz", "pca", "--components", "0"}, "components"},
        {{"people.npz", "pca", "--components", "4"}, ""},
        {{"people.npz", "mean", "--level", "1"}, "below 1"},
        {{"people.npz", "mean", "--level", "95"}, "below 1"},
        {{"people.npz", "mean", "--output", "m.npy"}, ".json"},
        {{"people.npz", "mean", "--output", "m.csv", "--names"}, "for a matrix in CSV"},
        {{"people.npz", "mean", "--output", "m.csv", "--json"}, "another format"},
        {{"people.npz", "mean", "--output", "m.xlsx"}, ".txt for text"},
        {{"people.npz", "mean", "--pairs"}, "--pairs is a CSV of a covariance"},
        {{"people.npz", "covariance", "--pairs", "--json"}, "--pairs is a CSV of a covariance"},
        {{"people.npz", "covariance", "--pairs", "--output", "m.txt"}, "--pairs is a CSV"},
        {{"people.npz", "covariance", "--pairs", "--output", "m.npy"}, "--pairs is a CSV"},
        {{"people.npz", "covariance", "--json", "--output", "m.npy"}, "--json"},
        {{"people.npz", "covariance", "--output", "people.npz"}, "overwritten"},
    };
    for (const auto& [words, says] : cases) {
        Words arguments = {"derive"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 2) << words.back() << outcome.err;
        EXPECT_EQ(outcome.out, "");
        expect_told(outcome.err, {says});
    }
    EXPECT_EQ(files(), before);
}

TEST_F(DeriveTest, AnythingButAReleaseIsBadData) {
    ASSERT_EQ(estimate({"--rho", "10", "--release", "people.npz"}).status, 0);
    write("half.npz", read("people.npz").substr(0, 3000));
    for (const char* name : {"half.npz", "people.csv"}) {
        const Outcome outcome = run({"derive", name, "covariance", "--output", "o.json"});
        EXPECT_EQ(outcome.status, 3);
        expect_told(outcome.err, {name, "release again"});
    }
    EXPECT_EQ(run({"derive", "none.npz", "covariance"}).status, 5);
}

TEST_F(DeriveTest, TheReleaseAppearsWithTheOtherOutputsOrNoneDoes) {
    const std::vector<std::string> before = files();
    for (const Words& more :
         std::vector<Words>{{"--rho", "1", "--release", "no/folder.npz"},
                            {"--rho", "1", "--release", "-"},
                            {"--rho", "1", "--release", "people.csv"},
                            {"--rho", "1", "--release", "covariance.json"},
                            {"--rho", "1", "--release", "r.npz", "--record", "r.npz"},
                            {"--rho", "1", "--release", "r.npz", "--record", "no/folder.json"}}) {
        EXPECT_NE(estimate(more).status, 0);
        EXPECT_EQ(files(), before);
    }
    ASSERT_EQ(estimate({"--rho", "1", "--release", "r.npz", "--record", "r.json"}).status, 0);
    EXPECT_EQ(files(), (std::vector<std::string>{"bounds.csv", "covariance.json", "people.csv",
                                                 "r.json", "r.npz"}));
}

// To keep the statistics changes nothing else, and the same seed makes the same file.
TEST_F(DeriveTest, TheEstimateIsTheSameWithAndWithoutARelease) {
    ASSERT_EQ(estimate({"--rho", "0.1", "--release", "a.npz"}).status, 0);
    const std::string with = read("covariance.json");
    ASSERT_EQ(estimate({"--rho", "0.1", "--release", "b.npz"}).status, 0);
    EXPECT_EQ(read("a.npz"), read("b.npz"));
    ASSERT_EQ(estimate({"--rho", "0.1"}).status, 0);
    EXPECT_EQ(read("covariance.json"), with);
}

}  // namespace
}  // namespace dpcov::test
