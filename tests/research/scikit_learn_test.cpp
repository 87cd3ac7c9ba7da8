// hash_document() against scikit-learn's HashingVectorizer on the same documents, to the last bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "research/hashing_vectorizer.hpp"
#include "research/news.hpp"
#include "research/text_documents.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using research::DocumentFormat;
using research::HashingOptions;
using research::TextDocuments;
using research::VectorNorm;

// Writes expected.jsonl: for each of the settings, scikit-learn's rows as {column: value}.
const std::string vectorise = R"(
import json, sys
from sklearn.feature_extraction.text import HashingVectorizer

def expect(documents, settings):
    with open(sys.argv[1] + 'expected.jsonl', 'w') as file:
        for d, norm, alternate_sign in settings:
            matrix = HashingVectorizer(n_features=d, norm=norm,
                                       alternate_sign=alternate_sign).transform(documents)
            rows = [dict(zip(row.indices.tolist(), row.data.tolist())) for row in matrix]
            json.dump({'d': d, 'norm': norm or 'none', 'alternate_sign': alternate_sign,
                       'rows': rows}, file)
            file.write('\n')

def write(documents):
    with open(sys.argv[1] + 'documents.jsonl', 'w') as file:
        for document in documents:
            file.write(json.dumps({'text': document}) + '\n')

def settings(*features):
    return [(d, norm, alternate_sign) for d in features for norm in (None, 'l1', 'l2')
            for alternate_sign in (False, True)]
)";

struct Setting {
    HashingOptions options;
    nlohmann::json rows;
};

std::vector<Setting> read_expected(const TemporaryFolder& folder) {
    std::vector<Setting> settings;
    std::ifstream file(folder / "expected.jsonl");
    for (std::string line; std::getline(file, line);) {
        const auto json = nlohmann::json::parse(line);
        const std::string norm = json.at("norm");
        settings.push_back({{.n_features = json.at("d"),
                             .norm = norm == "l1"   ? VectorNorm::l1
                                     : norm == "l2" ? VectorNorm::l2
                                                    : VectorNorm::none,
                             .alternate_sign = json.at("alternate_sign")},
                            json.at("rows")});
    }
    return settings;
}

/// How many documents have another vector than scikit-learn's under `rows`.
std::size_t differing(const std::vector<std::string>& documents, const HashingOptions& options,
                      const nlohmann::json& rows) {
    EXPECT_EQ(rows.size(), documents.size());
    std::size_t count = 0;
    std::vector<double> row(options.n_features);
    std::vector<double> expected(options.n_features);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        std::fill(expected.begin(), expected.end(), 0.0);
        for (const auto& [column, value] : rows.at(i).items()) {
            expected.at(std::stoul(column)) = value;
        }
        research::hash_document(documents[i], options, row);
        count += row == expected ? 0 : 1;
    }
    return count;
}

std::vector<std::string> read_documents(const std::string& path) {
    std::vector<std::string> documents;
    TextDocuments reader(path, DocumentFormat::json_lines);
    while (const auto document = reader.next()) {
        documents.push_back(*document);
    }
    return documents;
}

class ScikitLearn : public testing::Test {
protected:
    void SetUp() override {
        if (std::system("/usr/bin/python3 -c 'import sklearn.feature_extraction.text' "
                        ">/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "/usr/bin/python3 has no sklearn";
        }
    }

    TemporaryFolder folder_;
};

TEST_F(ScikitLearn, AgreesOnOddDocuments) {
    run_python(folder_, vectorise + R"(
documents = [
    '', ' ', 'a', 'The cat, the CAT & the hat!', "don't e-mail x_y __ _1 _", 'akqlrggi akqlrggi ab',
    '\u0130stanbul I\u0307I \u0131\u0131 K\u212aelvin \u00c5\u212bngstr\u00f6m',
    'Stra\u00dfe STRASSE \u1e9e\u1e9e \ufb01sh',
    '\u039f\u0394\u039f\u03a3 \u03a3 \u03a3\u03a3 A\u03a3. A\u03a3\u0301 A\u03a3\u00adb \u03a3\'\u03a3',
    'e\u0301te\u0301 na\u00efve nai\u0308ve \u0928\u092e\u0938\u094d\u0924\u0947 \u0e01\u0e33\u0e48\u0e01',
    '\u0661\u0662\u0663 \u096a\u096b \u00b2\u00b3 \u00bd\u00bc \u2167\u2168 \u2460\u2461 \u4e00\u4e8c \u3007\u3007',
    '\U0001f600\U0001f600 a\U0001f600b \U0001d7d8\U0001d7d9 \U00010400\U00010401 \U0001f468\u200d\U0001f469',
    'ab\0cd\u200bef\u00a0gh\u2028ij\ufeffkl\x1fmn\x85op', '\u01c4\u01c5\u01c6 \u1f88\u1fbc \u10a0\u1c90\u13a0',
    'word ' * 5000, 'x' * 100001, '\u00aa\u00ba \u02b0\u02b1 \u2071\u207f \u24b6\u24d0',
]
write(documents)
expect(documents, settings(1, 32, 128, 1009))
)");
    const std::vector<std::string> documents = read_documents(folder_ / "documents.jsonl");
    const std::vector<Setting> settings = read_expected(folder_);
    ASSERT_EQ(settings.size(), 24U);
    for (const Setting& setting : settings) {
        EXPECT_EQ(differing(documents, setting.options, setting.rows), 0U)
            << setting.options.n_features << " features, norm "
            << static_cast<int>(setting.options.norm) << ", alternate_sign "
            << setting.options.alternate_sign;
    }
    // Negative control: each option taken wrongly shows.
    const Setting& last = settings.back();
    HashingOptions wrong = last.options;
    wrong.alternate_sign = !wrong.alternate_sign;
    EXPECT_GT(differing(documents, wrong, last.rows), 0U);
    wrong = last.options;
    wrong.norm = VectorNorm::l1;
    EXPECT_GT(differing(documents, wrong, last.rows), 0U);
    std::vector<std::string> without_sigma = documents;
    without_sigma.at(8).clear();
    EXPECT_EQ(differing(without_sigma, last.options, last.rows), 1U);
}

// Every character that Python knows, inside a word (is it one of a word's? what is its lower
// case?) and behind a capital sigma, at the end and not (is the sigma final?). 64 to a document.
TEST_F(ScikitLearn, AgreesOnEveryCharacter) {
    run_python(folder_, vectorise + R"(
import unicodedata
known = [c for c in map(chr, range(sys.maxunicode + 1))
         if unicodedata.category(c) not in ('Cn', 'Cs', 'Co')]
assert len(known) > 140000
documents = [' '.join(f'q{c}b {c}{c} a\u03a3{c} a\u03a3{c}b' for c in known[i:i + 64])
             for i in range(0, len(known), 64)]
write(documents)
expect(documents, [(4093, None, False)])
)");
    const std::vector<std::string> documents = read_documents(folder_ / "documents.jsonl");
    const std::vector<Setting> settings = read_expected(folder_);
    ASSERT_EQ(settings.size(), 1U);
    EXPECT_GT(documents.size(), 140'000U / 64);
    EXPECT_EQ(differing(documents, settings[0].options, settings[0].rows), 0U);
}

TEST_F(ScikitLearn, AgreesOnNews) {
    const char* const data = std::getenv("DPCOV_DATA");
    if (data == nullptr) {
        GTEST_SKIP() << "DPCOV_DATA names no folder with 20 Newsgroups";
    }
    const std::string path = std::string(data) + "/20newsgroups/20news-bydate.jsonl.xz";
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    // Of the first 3000 documents one in ten, and all that are not ASCII.
    run_python(folder_, vectorise + "path = '" + path + "'" + R"(
import itertools, lzma
with lzma.open(path, 'rt', encoding='utf-8') as file:
    texts = [json.loads(line)['text'] for line in itertools.islice(file, 3000)]
documents = texts[::10] + [text for text in texts if not text.isascii()]
write(documents)
expect(documents, settings(128))
)");
    const std::vector<std::string> documents = read_documents(folder_ / "documents.jsonl");
    TextDocuments texts(path, DocumentFormat::json_lines);
    for (std::size_t i = 0; i < 3000; ++i) {
        const auto text = texts.next();
        ASSERT_TRUE(text);
        if (i % 10 == 0) {
            EXPECT_EQ(*text, documents.at(i / 10));
        }
    }
    EXPECT_GT(documents.size(), 300U);
    const std::vector<Setting> settings = read_expected(folder_);
    ASSERT_EQ(settings.size(), 6U);
    for (const Setting& setting : settings) {
        EXPECT_EQ(differing(documents, setting.options, setting.rows), 0U);
    }
}

}  // namespace
}  // namespace dpcov::test
