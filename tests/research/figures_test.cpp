// The settings: every published point is in a figure, names read back, quick is a part of it.
#include "research/figures.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "dpcov/error.hpp"
#include "research/published_errors.hpp"

namespace dpcov::research {
namespace {

// A grid that misses a place, or a key that is built otherwise, leaves published points without a
// setting.
TEST(Figures, HaveEveryPublishedPoint) {
    std::ifstream file(DPCOV_PUBLISHED_ERRORS);
    ASSERT_TRUE(file);
    std::size_t points = 0;
    for (std::string line; std::getline(file, line);) {
        points += line.empty() || line[0] == '#' ? 0 : 1;
    }
    --points;  // the line of column names
    std::set<std::string> found;
    for (const Figure& figure : figures(false)) {
        for (const Setting& setting : settings_of(figure)) {
            for (const Contender& contender : figure.contenders) {
                if (published_error(figure, setting, contender)) {
                    found.insert(describe(figure, setting) + " " + name_of(contender));
                }
            }
        }
    }
    EXPECT_GT(points, 100U);
    EXPECT_EQ(found.size(), points);
}

TEST(Figures, PublishedErrorAtTheCentre) {
    const Figure figure = find_figure("fig2a", false);
    const auto error = published_error(figure, Setting{}, {"separate"});
    ASSERT_TRUE(error);
    EXPECT_EQ(error->mean, 0.00334401);
    EXPECT_EQ(error->runs, 10);
    EXPECT_FALSE(published_error(figure, Setting{}, {"separate", Variant::best}));
    EXPECT_FALSE(published_error(find_figure("fig7", false), Setting{}, {"separate"}));
}

// The names count otherwise than the paper does; every one of its figures with data is there.
TEST(Figures, SayTheirNumbersInThePaper) {
    std::set<std::string> numbers;
    for (const Figure& figure : figures(false)) {
        if (!figure.paper.empty()) numbers.insert(figure.paper);
    }
    EXPECT_EQ(numbers, (std::set<std::string>{"Figure 2", "Figure 3a", "Figure 3b", "Figure 3c",
                                              "Figure 3d", "Figure 4a-c", "Figure 4d-f", "Figure 5",
                                              "Figure 6", "Figure 7"}));
    EXPECT_EQ(find_figure("fig1", false).paper, "Figure 2");
    EXPECT_EQ(find_figure("fig4", false).paper, "Figure 5");
    EXPECT_EQ(find_figure("fig5", false).paper, "Figure 4d-f");
    EXPECT_EQ(find_figure("fig6", false).panels.size(), 6U);
}

TEST(Figures, QuickIsPartOfTheWhole) {
    const std::vector<Figure> whole = figures(false);
    const std::vector<Figure> quick = figures(true);
    ASSERT_EQ(whole.size(), quick.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_EQ(whole[i].name, quick[i].name);
        EXPECT_NE(describe(whole[i]), describe(quick[i]));
        std::set<std::string> settings;
        for (const Setting& setting : settings_of(whole[i])) {
            settings.insert(describe(whole[i], setting));
        }
        for (const Setting& setting : settings_of(quick[i])) {
            EXPECT_TRUE(settings.contains(describe(whole[i], setting)))
                << describe(whole[i], setting);
        }
        EXPECT_LT(settings_of(quick[i]).size(), settings.size());
    }
}

TEST(Figures, KeepColumnsLeavesTheNarrowTables) {
    Figure figure = find_figure("fig7", false);
    std::set<std::string> narrow;
    for (const Setting& setting : settings_of(figure)) {
        if (setting.data.d <= 30) {
            narrow.insert(describe(figure, setting));
        }
    }
    ASSERT_FALSE(narrow.empty());
    keep_columns(figure, 30);
    std::set<std::string> kept;
    for (const Panel& panel : figure.panels) {
        EXPECT_FALSE(panel.settings.empty());
    }
    for (const Setting& setting : settings_of(figure)) {
        kept.insert(describe(figure, setting));
    }
    EXPECT_EQ(kept, narrow);
    EXPECT_THROW(keep_columns(figure, 9), UsageError);
}

TEST(Figures, EqualDataAreAdjacentWithinAPanel) {
    for (const Figure& figure : figures(false)) {
        for (const Panel& panel : figure.panels) {
            for (std::size_t i = 1; i < panel.settings.size(); ++i) {
                EXPECT_EQ(panel.settings[i].data == panel.settings[i - 1].data,
                          panel.axis == Axis::budget)
                    << figure.name;
            }
        }
    }
}

TEST(Figures, ContendersReadBack) {
    for (const std::string name :
         {"gauss:published", "separate:paper", "auto:best", "coinpress:published:1"}) {
        EXPECT_EQ(name_of(parse_contender(name)), name);
    }
    EXPECT_EQ(name_of(parse_contender("separate")), "separate:best");
    for (const std::string name : {"", "gaus", "gauss:", "gauss:worst", "gauss:best:1",
                                   "coinpress:best:6", "coinpress:best:1:1", "clip-gauss:best"}) {
        EXPECT_THROW(static_cast<void>(parse_contender(name)), UsageError) << name;
    }
}

}  // namespace
}  // namespace dpcov::research
