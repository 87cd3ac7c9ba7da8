// From runs to means: in whatever order they were made, and only those that were asked for.
#include "research/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dpcov::research {
namespace {

Figure small_figure() {
    Figure figure = find_figure("fig2a", true);
    figure.panels[0].settings.resize(1);
    figure.contenders = {{"gauss"}};
    return figure;
}

std::vector<Run> some_runs() {
    std::vector<Run> runs;
    for (int i = 0; i < 4; ++i) {
        runs.push_back({.contender = "gauss:published",
                        .number = i,
                        .n = 50000,
                        .trace = 1.0,
                        .norm = 0.5,
                        .error = std::exp(0.1 * i),
                        .estimated_error = {},
                        .seconds = 1.0});
    }
    return runs;
}

TEST(Results, MeanAndDeviation) {
    const std::vector<Result> results = summarise(small_figure(), 2, some_runs());
    ASSERT_EQ(results.size(), 1U);
    const double first = 1.0;
    const double second = std::exp(0.1);
    EXPECT_EQ(results[0].runs, 2);
    EXPECT_DOUBLE_EQ(results[0].mean_error, (first + second) / 2.0);
    EXPECT_DOUBLE_EQ(results[0].deviation, (second - first) / std::sqrt(2.0));
    EXPECT_FALSE(results[0].mean_estimated_error);
}

TEST(Results, OrderOfRunsDoesNotMatter) {
    std::vector<research::Run> runs = some_runs();
    const std::string text = format_csv(small_figure(), summarise(small_figure(), 4, runs));
    std::reverse(runs.begin(), runs.end());
    EXPECT_EQ(format_csv(small_figure(), summarise(small_figure(), 4, runs)), text);
}

TEST(Results, AMissingRunIsNoticed) {
    std::vector<research::Run> runs = some_runs();
    runs.erase(runs.begin() + 1);
    EXPECT_THROW(static_cast<void>(summarise(small_figure(), 4, runs)), std::logic_error);
}

TEST(Results, Formats) {
    const std::vector<Result> results = summarise(small_figure(), 4, some_runs());
    EXPECT_EQ(format_csv(small_figure(), results),
              "figure,mechanism,privacy,d,n,N,s,rho_or_eps,runs,mean_fro_error,std_fro_error,"
              "mean_trace,fro_norm_of_sigma,mean_seconds_of_mechanism,mean_estimated_error,data,"
              "quick\n"
              "fig2a,gauss:published,zcdp,200,50000,1,3,0.1,4,1.16911,0.151,1,0.5,1,,synthetic,"
              "yes\n");
    EXPECT_EQ(format_markdown(small_figure(), results),
              "| d | n | N | ρ | gauss: theirs | gauss:published |\n"
              "|---|---|---|---|---|---|\n"
              "| 200 | 50000 | 1 | 0.1 | 0.0118 | 1.17 (98.76) |\n");
}

}  // namespace
}  // namespace dpcov::research
