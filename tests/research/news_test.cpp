#include "research/news.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

#include "dpcov/error.hpp"
#include "research/xz.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using research::DocumentFormat;
using research::ExperimentTable;
using research::find_news;
using research::news_table;
using research::NewsScaling;

std::vector<double> norms(const ExperimentTable& table) {
    std::vector<double> result;
    for (std::size_t i = 0; i < table.n; ++i) {
        double squares = 0.0;
        for (const double x : std::span(table.rows).subspan(i * table.d, table.d)) {
            squares += x * x;
        }
        result.push_back(std::sqrt(squares));
    }
    return result;
}

std::string words(const std::string& word, int count) {
    std::string text = word;
    for (int i = 1; i < count; ++i) {
        text += " " + word;
    }
    return text;
}

class News : public testing::Test {
protected:
    News() {
        std::filesystem::create_directory(root_ / "news_commentary");
        std::filesystem::create_directory(root_ / "20newsgroups");
    }

    TemporaryFolder root_;
    std::string folder_ = root_ / "";
    std::string wmt_ = root_ / "news_commentary/news-commentary-v16.en";
    std::string newsgroups_ = root_ / "20newsgroups/20news-bydate.jsonl";
};

TEST_F(News, AreTheCorpusOfThePaperWhereItIsThere) {
    expect_error<DeviceError>([&] { (void)find_news(folder_); },
                              {folder_, "news-commentary-v16.en", "20news-bydate.jsonl", "http"});
    write_file(newsgroups_ + ".xz", "");
    EXPECT_EQ(find_news(folder_).name, "20 Newsgroups");
    EXPECT_TRUE(find_news(folder_).path.ends_with("20newsgroups/20news-bydate.jsonl.xz"));
    EXPECT_EQ(find_news(folder_).format, DocumentFormat::json_lines);
    write_file(wmt_ + ".gz", "");
    EXPECT_EQ(find_news(folder_).name, "WMT news commentary v16");
    EXPECT_TRUE(find_news(folder_).path.ends_with("news_commentary/news-commentary-v16.en.gz"));
    EXPECT_EQ(find_news(folder_).format, DocumentFormat::blank_lines);
}

TEST_F(News, AreScaledIntoTheUnitBall) {
    write_file(wmt_ + ".gz", gzip(words("one", 40) + "\n\n" + words("two", 19) + "\n\n" +
                                  words("three", 20) + "\n"));
    const ExperimentTable unit = news_table(folder_, 64, NewsScaling::unit_norm);
    EXPECT_EQ(unit.name, "WMT news commentary v16");
    EXPECT_EQ(unit.n, 2U);  // 19 words are too few
    EXPECT_EQ(unit.d, 64U);
    EXPECT_EQ(norms(unit), (std::vector<double>{1.0, 1.0}));
    const ExperimentTable greatest = news_table(folder_, 64, NewsScaling::greatest_norm);
    EXPECT_EQ(norms(greatest), (std::vector<double>{1.0, 0.5}));
}

// Each separator counts as in the paper's regular expression, next to another one as well.
TEST_F(News, AreLeftOutWhereTheyHaveFewPieces) {
    write_file(newsgroups_, R"({"text": "aa bb,cc;dd:ee!ff\ngg\"hh?ii-jj,, ,, ,, ,aa"}
{"text": "aa bb,cc;dd:ee!ff\ngg\"hh?ii-jj,, ,, ,, aa"}
{"text": "aa.bb.cc.dd.ee.ff.gg.hh.ii.jj.kk.ll.mm.nn.oo.pp.qq.rr.ss.tt.uu"}
)");
    EXPECT_EQ(news_table(folder_, 8, NewsScaling::unit_norm).n, 1U);
}

TEST_F(News, OfNoWordsStayZero) {
    write_file(wmt_, words("a", 30));
    for (const NewsScaling scaling : {NewsScaling::unit_norm, NewsScaling::greatest_norm}) {
        EXPECT_EQ(news_table(folder_, 8, scaling).rows, std::vector<double>(8));
    }
}

TEST_F(News, AreRefusedWithThePlaceOfTheFault) {
    write_file(wmt_, words("ab", 30) + "\n\n" + words("caf\xe9", 30));
    expect_error<DataError>([&] { (void)news_table(folder_, 8, NewsScaling::unit_norm); },
                            {wmt_, "document 2", "UTF-8"}, {"caf"});
    write_file(wmt_, "");
    expect_error<DataError>([&] { (void)news_table(folder_, 8, NewsScaling::unit_norm); },
                            {wmt_, "no document"});
    write_file(wmt_, words("ab", 30));
    expect_error<UsageError>([&] { (void)news_table(folder_, 0, NewsScaling::unit_norm); },
                             {"features"});
}

TEST(NewsItself, FillTheUnitBall) {
    const char* const data = std::getenv("DPCOV_DATA");
    if (data == nullptr) {
        GTEST_SKIP() << "DPCOV_DATA names no folder with news";
    }
    const ExperimentTable unit = news_table(data, 32, NewsScaling::unit_norm);
    if (unit.name == "20 Newsgroups") {
        EXPECT_EQ(unit.n, 18'846U);  // all of them, counted by Python
    } else {
        EXPECT_EQ(unit.n, 15'657U);  // the n of the paper
    }
    const std::vector<double> unit_norms = norms(unit);
    // A sum of 32 squares and a root: within 40 rounding errors.
    EXPECT_NEAR(*std::min_element(unit_norms.begin(), unit_norms.end()), 1.0, 1e-14);
    EXPECT_NEAR(*std::max_element(unit_norms.begin(), unit_norms.end()), 1.0, 1e-14);
    const std::vector<double> scaled = norms(news_table(data, 32, NewsScaling::greatest_norm));
    EXPECT_NEAR(*std::max_element(scaled.begin(), scaled.end()), 1.0, 1e-14);
    EXPECT_LT(*std::min_element(scaled.begin(), scaled.end()), 0.5);
}

}  // namespace
}  // namespace dpcov::test
