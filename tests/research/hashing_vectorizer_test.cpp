#include "research/hashing_vectorizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dpcov/error.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using research::hash_document;
using research::HashingOptions;
using research::VectorNorm;
using Row = std::vector<double>;

const HashingOptions counts = {
    .n_features = 1009, .norm = VectorNorm::none, .alternate_sign = false};

Row hashed(std::string_view document, const HashingOptions& options = counts) {
    Row row(options.n_features, 7.0);  // what a row held must not matter
    hash_document(document, options, row);
    return row;
}

double sum(const Row& row) {
    double total = 0.0;
    for (const double x : row) {
        total += x;
    }
    return total;
}

// The hashes are scikit-learn's: murmurhash3_32("hello", 0) = 613153351, "ab" -1681926305, and
// "akqlrggi" was made to have -2^31, which has no positive counterpart.
TEST(HashingVectorizer, PutsAWordWhereItsHashSays) {
    HashingOptions options = counts;
    options.alternate_sign = true;
    Row expected(1009);
    expected[613153351 % 1009] += 1.0;
    expected[1681926305 % 1009] -= 2.0;
    expected[2147483648 % 1009] -= 1.0;
    EXPECT_EQ(hashed("Hello ab AB akqlrggi", options), expected);
    options.alternate_sign = false;
    EXPECT_EQ(hashed("hello", options)[613153351 % 1009], 1.0);
    EXPECT_EQ(hashed("akqlrggi", options)[2147483648 % 1009], 1.0);
}

TEST(HashingVectorizer, FindsWordsAsPythonDoes) {
    EXPECT_EQ(sum(hashed("don't e-mail a b_c 42 7")), 4.0);  // don mail b_c 42
    EXPECT_EQ(hashed("don't e-mail a b_c 42 7"), hashed("don;mail\nb_c\t42"));
    EXPECT_EQ(sum(hashed("")), 0.0);
    EXPECT_EQ(sum(hashed(" \n. a")), 0.0);
    // A combining mark is no letter; a precomposed letter, a fraction and a digit of any script are
    // of words; so is what takes two UTF-16 units.
    EXPECT_EQ(sum(hashed("e\u0301t\u0301")), 0.0);
    EXPECT_EQ(sum(hashed("\u00e9t")), 1.0);
    EXPECT_EQ(sum(hashed("\u00bd\u0661 \u2167x \u4e00\u4e8c")), 3.0);
    EXPECT_EQ(sum(hashed("\U0001d7d8\U00010400")), 1.0);
    EXPECT_EQ(sum(hashed("\U0001f600\U0001f600 \u20acuro")), 1.0);  // uro
    EXPECT_EQ(sum(hashed(std::string_view("ab\0cd", 5))), 2.0);
}

TEST(HashingVectorizer, LowersAsPythonDoes) {
    // Sigma has another form at the end of a word.
    EXPECT_EQ(hashed("\u039f\u0394\u039f\u03a3"), hashed("\u03bf\u03b4\u03bf\u03c2"));
    EXPECT_NE(hashed("\u039f\u0394\u039f\u03a3"), hashed("\u03bf\u03b4\u03bf\u03c3"));
    // The Turkish I becomes an i and a dot above, which is no letter.
    EXPECT_EQ(hashed("\u0130stanbul"), hashed("stanbul"));
    EXPECT_EQ(hashed("STRA\u00dfE \u1e9eA"), hashed("stra\u00dfe \u00dfa"));
    EXPECT_EQ(hashed("\U00010400\U00010401"), hashed("\U00010428\U00010429"));
}

TEST(HashingVectorizer, Normalises) {
    HashingOptions options = counts;
    options.norm = VectorNorm::l2;
    Row row = hashed("hello hello hello ab ab ab ab", options);
    EXPECT_EQ(row[613153351 % 1009], 3.0 / 5.0);
    EXPECT_EQ(row[1681926305 % 1009], 4.0 / 5.0);
    options.norm = VectorNorm::l1;
    options.alternate_sign = true;
    row = hashed("hello hello hello ab ab ab ab", options);
    EXPECT_EQ(row[613153351 % 1009], 3.0 / 7.0);
    EXPECT_EQ(row[1681926305 % 1009], -4.0 / 7.0);
    EXPECT_EQ(hashed("", options), Row(1009));
}

// With one feature, "hello" and "ab" have the same place and opposite signs.
TEST(HashingVectorizer, LeavesAVectorOfZerosAlone) {
    HashingOptions options = {.n_features = 1, .norm = VectorNorm::l2, .alternate_sign = true};
    EXPECT_EQ(hashed("hello ab", options), Row{0.0});
    options.alternate_sign = false;
    EXPECT_EQ(hashed("hello ab", options), Row{1.0});
}

TEST(HashingVectorizer, RefusesWhatItCannotHash) {
    for (const std::string_view document :
         {"\xff", "caf\xe9 au lait", "\xed\xa0\x80", "\xc0\x80", "abc\xe2\x82"}) {
        expect_error<DataError>([&] { hashed(document); }, {"UTF-8"});
    }
    Row row(10);
    expect_error<UsageError>([&] { hash_document("a", {.n_features = 0}, {}); }, {"features"});
    expect_error<UsageError>(
        [&] { hash_document("a", {.n_features = std::size_t{1} << 31U}, row); }, {"features"});
    expect_error<UsageError>([&] { hash_document("a", {.n_features = 11}, row); }, {"row"});
}

}  // namespace
}  // namespace dpcov::test
