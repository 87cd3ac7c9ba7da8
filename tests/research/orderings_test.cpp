// Who beats whom, as the paper claims it, on settings of the quick figures.
//
// "A beats B" is taken as shown where the difference of their mean errors is above three standard
// errors of it. Every claim below holds, by 50 runs, with at least eight standard errors at the
// number of runs that is made here: with another seed it would come out as not shown with a
// probability below 1e-6 (five standard errors, one side, normal approximation). A false claim
// (equal means) would come out as shown with a probability of 1.4e-3. Seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "research/figures.hpp"
#include "research/measurement.hpp"
#include "research/results.hpp"
#include "research/run_log.hpp"
#include "support/temporary_folder.hpp"

namespace dpcov::research {
namespace {

using Results = std::map<std::string, Result>;

Results measure_one(const std::string& figure_name, const Setting& setting,
                    const std::vector<Contender>& contenders, int runs) {
    const test::TemporaryFolder folder;
    Figure figure = find_figure(figure_name, true);
    figure.panels = {{"", Axis::columns, {setting}}};
    figure.contenders = contenders;
    RunLog log(folder / "runs.csv", describe(figure));
    measure(figure, {.runs = runs, .threads = 2, .data_folder = ""}, log);
    Results results;
    for (const Result& result : summarise(figure, runs, log.runs())) {
        results.emplace(name_of(contenders[result.contender]), result);
    }
    return results;
}

/// In standard errors of the difference.
double margin(const Result& better, const Result& worse) {
    const double variance = better.deviation * better.deviation / better.runs +
                            worse.deviation * worse.deviation / worse.runs;
    return (worse.mean_error - better.mean_error) / std::sqrt(variance);
}

constexpr double shown = 3.0;

void expect_beats(const Results& results, const std::string& better, const std::string& worse) {
    EXPECT_GT(margin(results.at(better), results.at(worse)), shown)
        << better << " " << results.at(better).mean_error << ", " << worse << " "
        << results.at(worse).mean_error;
}

const std::vector<Contender> zcdp = {{"gauss"},     {"separate"}, {"adaptive"},           {"em"},
                                     {"coinpress"}, {"zero"},     {"auto", Variant::best}};

TEST(Orderings, CentreOfTheSettings) {
    const Results results = measure_one("fig2a", {.data = {}, .budget = 0.1}, zcdp, 5);
    // The two that are nearest take more runs: eight standard errors, all others above fifty.
    const Results nearest =
        measure_one("fig2a", {.data = {}, .budget = 0.1}, {{"separate"}, {"adaptive"}}, 20);
    expect_beats(results, "separate:published", "gauss:published");
    expect_beats(results, "adaptive:published", "gauss:published");
    expect_beats(nearest, "separate:published", "adaptive:published");
    for (const std::string other :
         {"gauss:published", "separate:published", "adaptive:published", "zero:published"}) {
        expect_beats(results, other, "em:published");
        expect_beats(results, other, "coinpress:published");
        if (other != "zero:published") {
            expect_beats(results, other, "zero:published");
        }
    }
    expect_beats(results, "auto:best", "separate:published");
}

TEST(Orderings, SkewedNorms) {
    const Results results = measure_one("fig2a", {.data = {.bins = 16}, .budget = 0.1}, zcdp, 5);
    expect_beats(results, "adaptive:published", "gauss:published");
    expect_beats(results, "separate:published", "gauss:published");
    // Where next to nothing is left above the noise, none of the paper's mechanisms beats zero.
    for (const std::string name : {"gauss:published", "separate:published", "em:published"}) {
        expect_beats(results, "zero:published", name);
    }
}

TEST(Orderings, UnitNorms) {
    const std::vector<Contender> three = {{"gauss"}, {"separate"}, {"em"}};
    const Results many_rows =
        measure_one("fig1", {.data = {.d = 50, .n = 16000, .bins = 1}, .budget = 0.1}, three, 10);
    expect_beats(many_rows, "gauss:published", "separate:published");
    expect_beats(many_rows, "separate:published", "em:published");
    const Results few_rows =
        measure_one("fig1", {.data = {.d = 200, .n = 1000, .bins = 1}, .budget = 0.1}, three, 10);
    expect_beats(few_rows, "separate:published", "gauss:published");
}

TEST(Orderings, PureDp) {
    const std::vector<Contender> two = {{"laplace"}, {"separate"}, {"auto", Variant::best}};
    const Results wide =
        measure_one("fig6", {.data = {.d = 200, .n = 16000, .bins = 1}, .budget = 0.8}, two, 10);
    expect_beats(wide, "separate:published", "laplace:published");
    expect_beats(wide, "auto:best", "separate:published");
    const Results narrow =
        measure_one("fig6", {.data = {.d = 10, .n = 16000, .bins = 1}, .budget = 0.8}, two, 50);
    expect_beats(narrow, "laplace:published", "separate:published");
}

// Claims of the paper that fail here (docs/claims.md), with the margins of the top of this file.
TEST(Orderings, WhatThePaperHasOtherwise) {
    const std::vector<Contender> four = {{"gauss"}, {"separate"}, {"adaptive"}, {"zero"}};
    // Much budget: GaussCov is the best at d = 200, though norms are skewed.
    const Results rich = measure_one("fig2d", {.data = {}, .budget = 10.0}, four, 5);
    expect_beats(rich, "gauss:published", "separate:published");
    expect_beats(rich, "gauss:published", "adaptive:published");
    // Few rows: nothing of the paper beats zero.
    const Results few = measure_one("fig2c", {.data = {.n = 1000}, .budget = 0.1}, four, 5);
    expect_beats(few, "zero:published", "gauss:published");
    expect_beats(few, "zero:published", "separate:published");
    // AdaptiveCov takes the worse of the two, by more than its share of the budget costs.
    const Results worse =
        measure_one("fig1", {.data = {.d = 50, .n = 1000, .bins = 1}, .budget = 0.1}, four, 20);
    expect_beats(worse, "separate:published", "adaptive:published");
    EXPECT_GT(worse.at("adaptive:published").mean_error,
              1.25 * worse.at("separate:published").mean_error);
}

// Negative control: a SeparateCov that spends a hundredth of its budget loses to GaussCov, so the
// comparison above would have caught a mechanism whose noise is ten times too large.
TEST(Orderings, AHundredthOfTheBudgetIsNoticed) {
    const Results whole = measure_one("fig2a", {.data = {}, .budget = 0.1}, {{"gauss"}}, 5);
    const Results broken = measure_one("fig2a", {.data = {}, .budget = 0.001}, {{"separate"}}, 5);
    EXPECT_LT(margin(broken.at("separate:published"), whole.at("gauss:published")), -shown);
}

// Negative control: nothing beats itself. Two disjoint sets of runs, false alarm 2.7e-3.
TEST(Orderings, NothingBeatsItself) {
    const Setting setting = {.data = {.d = 10, .n = 1000, .bins = 1}, .budget = 0.1};
    const test::TemporaryFolder folder;
    Figure figure = find_figure("fig1", true);
    figure.panels = {{"", Axis::columns, {setting}}};
    figure.contenders = {{"gauss"}};
    RunLog log(folder / "runs.csv", describe(figure));
    measure(figure, {.runs = 40, .threads = 1, .data_folder = ""}, log);
    std::vector<research::Run> halves[2];
    for (research::Run run : log.runs()) {
        auto& half = halves[run.number / 20];
        run.number %= 20;
        half.push_back(run);
    }
    const Result first = summarise(figure, 20, halves[0]).front();
    const Result second = summarise(figure, 20, halves[1]).front();
    EXPECT_NE(first.mean_error, second.mean_error);
    EXPECT_LT(std::abs(margin(first, second)), shown);
}

// With fresh tables every run has a table of its own, which all contenders share; without, there is
// one. A log is taken up again where it was left.
TEST(FreshTables, AreOneARunForAllContenders) {
    for (const bool fresh : {true, false}) {
        const test::TemporaryFolder folder;
        Figure figure = find_figure("fig1", true);
        figure.panels = {
            {"", Axis::columns, {{.data = {.d = 5, .n = 200, .bins = 1}, .budget = 0.1}}}};
        figure.contenders = {{"gauss"}, {"zero"}};
        RunLog log(folder / "runs.csv", describe(figure));
        for (const int runs : {2, 4}) {
            measure(figure, {.runs = runs, .threads = 1, .data_folder = "", .fresh_tables = fresh},
                    log);
        }
        std::map<int, std::set<double>> norms;
        std::set<double> all;
        for (const research::Run& run : log.runs()) {
            norms[run.number].insert(run.norm);
            all.insert(run.norm);
        }
        EXPECT_EQ(log.runs().size(), 8U);
        EXPECT_EQ(all.size(), fresh ? 4U : 1U);
        for (const auto& [number, of_run] : norms) EXPECT_EQ(of_run.size(), 1U) << number;
    }
}

}  // namespace
}  // namespace dpcov::research
