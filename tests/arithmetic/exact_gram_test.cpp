// The BLAS Gram against 128-bit integers, up to the last row and the last bit that are allowed.
#include "arithmetic/exact_gram.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "support/integers_of.hpp"

namespace dpcov::detail {
namespace {

constexpr double radius = 0x1p20;
using Rows = std::vector<double>;

PackedGram integer_gram(const Rows& rows, std::size_t d) {
    PackedGram gram(d * (d + 1) / 2);
    for (std::size_t row = 0; row < rows.size() / d; ++row) {
        const double* q = &rows[row * d];
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                gram[j * (j + 1) / 2 + i] += static_cast<Int128>(q[i]) * static_cast<Int128>(q[j]);
            }
        }
    }
    return gram;
}

// Products of up to so many rows at a time.
class Product {
public:
    explicit Product(std::size_t d, unsigned threads = 1)
        : product_(memory_, exact_gram_rows, d, threads) {}
    operator GramProduct&() { return product_; }

private:
    DigitGram::Memory memory_;
    GramProduct product_;
};

PackedGram exact_gram(const Rows& rows, std::size_t d, unsigned threads = 1) {
    WideSums gram;
    WideSums other;
    HugePageVector<double> memory;
    Product product(d, threads);
    GramSum sum(memory, Half::upper);
    GramSum beside(memory, Half::lower);
    sum.reserve(gram, d);
    beside.reserve(other, d);
    // In two parts, which must make no difference.
    const std::size_t half = rows.size() / d / 2 * d;
    for (const auto& part : {std::span(rows).first(half), std::span(rows).subspan(half)}) {
        sum.add(part, d, gram, product, threads);
        beside.add(part, d, other, product, threads);
    }
    sum.move_to(gram, d, threads);
    beside.move_to(other, d, threads);
    EXPECT_EQ(test::integers_of(gram), test::integers_of(other));
    return test::integers_of(gram);
}

// Rows of random direction that fill the radius: |q| in (2^20 - sqrt(d), 2^20].
Rows rows_at_the_radius(std::size_t count, std::size_t d) {
    std::mt19937_64 generator(count + d);
    std::normal_distribution<double> normal;
    Rows rows(count * d);
    for (std::size_t row = 0; row < count; ++row) {
        double* q = &rows[row * d];
        double squares = 0;
        for (std::size_t i = 0; i < d; ++i) {
            q[i] = normal(generator);
            squares += q[i] * q[i];
        }
        for (std::size_t i = 0; i < d; ++i) {
            q[i] = std::trunc(q[i] / std::sqrt(squares) * radius);
        }
    }
    return rows;
}

TEST(ExactGram, EqualsIntegersWithAsManyRowsAsAllowed) {
    ASSERT_EQ(exact_gram_rows, 8192U);
    for (const std::size_t d : {1U, 2U, 3U, 8U, 17U, 64U, 97U}) {
        const Rows rows = rows_at_the_radius(exact_gram_rows, d);
        EXPECT_EQ(exact_gram(rows, d), integer_gram(rows, d)) << "d = " << d;
    }
}

TEST(ExactGram, ReachesTwoToThe53) {
    const PackedGram one = exact_gram(Rows(exact_gram_rows, -radius), 1);
    EXPECT_TRUE(one[0] == Int128{1} << 53U);
    // (1, 1, 1, 1) / 2 of the radius: every product has the same sign.
    const PackedGram four = exact_gram(Rows(4 * exact_gram_rows, radius / 2), 4);
    EXPECT_EQ(four, PackedGram(10, Int128{1} << 51U));
}

TEST(ExactGram, EqualsIntegersForAnyNumberOfRows) {
    for (std::size_t count = 1; count <= 70; ++count) {
        const Rows rows = rows_at_the_radius(count, 11);
        EXPECT_EQ(exact_gram(rows, 11), integer_gram(rows, 11)) << count << " rows";
    }
}

TEST(ExactGram, AddsToWhatIsThere) {
    const Rows rows = rows_at_the_radius(50, 6);
    const PackedGram once = integer_gram(rows, 6);
    const Int128 large = Int128{1} << 100U;
    WideSums gram;
    gram.resize(once.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
        gram.set(i, -large);
    }
    HugePageVector<double> memory(1000, NAN);  // what an earlier, larger product left behind
    GramSum sum(memory);
    Product product(6);
    sum.reserve(gram, 6);
    for (int repeat = 0; repeat < 2; ++repeat) {
        sum.add(rows, 6, gram, product, 1);
        sum.move_to(gram, 6, 1);
        sum.move_to(gram, 6, 1);  // nothing is left
    }
    for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_TRUE(gram[i] == 2 * once[i] - large);
    }
}

// Three times what doubles hold, in pieces that do not divide it.
TEST(ExactGram, MovesOnBeforeDoublesAreFull) {
    const std::size_t d = 2;  // few columns, so that the diagonal passes 2^53
    const Rows rows = rows_at_the_radius(3 * exact_gram_rows, d);
    WideSums gram;
    HugePageVector<double> memory;
    GramSum sum(memory);
    Product product(d);
    sum.reserve(gram, d);
    std::size_t piece = 1;
    for (std::span<const double> left = rows; !left.empty(); piece = piece * 3 % 8191) {
        const auto now = left.first(std::min(piece * d, left.size()));
        left = left.subspan(now.size());
        sum.add(now, d, gram, product, 1);
    }
    sum.move_to(gram, d, 1);
    EXPECT_EQ(test::integers_of(gram), integer_gram(rows, d));
}

// Odd squares as great as can be: half as many rows again as are allowed, and doubles would round
// their sum.
TEST(ExactGram, MovesOnBeforeOddSumsAreRounded) {
    for (const std::size_t piece : {4097U, 5001U, 6143U}) {
        constexpr double odd = radius - 1.0;
        const Rows rows(piece, odd);
        WideSums gram;
        HugePageVector<double> memory;
        GramSum sum(memory);
        Product product(1);
        sum.reserve(gram, 1);
        for (int repeat = 0; repeat < 3; ++repeat) sum.add(rows, 1, gram, product, 1);
        sum.move_to(gram, 1, 1);
        const auto square = static_cast<Int128>(odd * odd);
        EXPECT_TRUE(gram[0] == static_cast<Int128>(3 * piece) * square) << piece;
    }
}

// Some rows of many taken away again, in other pieces, leave the Gram of the rest.
TEST(ExactGram, TakesRowsAway) {
    const std::size_t d = 2;
    const Rows rows = rows_at_the_radius(3 * exact_gram_rows, d);
    WideSums gram;
    HugePageVector<double> memory;
    GramSum sum(memory);
    Product product(d);
    sum.reserve(gram, d);
    const auto pieces = [&](std::size_t count, std::size_t piece, int sign) {
        for (auto left = std::span(rows).first(count * d); !left.empty();) {
            const auto now = left.first(std::min(piece * d, left.size()));
            left = left.subspan(now.size());
            sum.add(now, d, gram, product, 1, sign);
        }
    };
    pieces(3 * exact_gram_rows, 8191, 1);
    pieces(2 * exact_gram_rows + 77, 1000, -1);
    sum.move_to(gram, d, 1);
    EXPECT_EQ(test::integers_of(gram),
              integer_gram(Rows(rows.begin() + (2 * exact_gram_rows + 77) * d, rows.end()), d));
}

TEST(ExactGram, OfNoRowsIsNothing) {
    WideSums gram;
    HugePageVector<double> memory;
    GramSum sum(memory);
    Product product(7);
    sum.reserve(gram, 7);
    sum.add({}, 7, gram, product, 1);
    sum.move_to(gram, 7, 1);
    EXPECT_TRUE(gram.empty());
}

TEST(ExactGram, IsTheSameOnAnyNumberOfThreads) {
    const std::size_t d = 530;  // past the size from which the adding up is threaded
    const Rows rows = rows_at_the_radius(300, d);
    const PackedGram expected = integer_gram(rows, d);
    const int before = openblas_get_num_threads();
    for (const int blas_threads : {1, 2}) {
        openblas_set_num_threads(blas_threads);
        for (const unsigned threads : {1U, 2U, 3U}) {
            EXPECT_EQ(exact_gram(rows, d, threads), expected);
        }
    }
    openblas_set_num_threads(before);
}

// Control: the same comparison sees a Gram in single precision, and one of four times the rows that
// are exact.
TEST(ExactGram, ComparisonCatchesRounding) {
    const std::size_t d = 2;  // few columns, so that the diagonal passes 2^53
    const Rows rows = rows_at_the_radius(4 * exact_gram_rows, d);
    const PackedGram expected = integer_gram(rows, d);
    WideSums at_once;
    HugePageVector<double> memory;
    GramSum sum(memory);
    Product product(d);
    sum.reserve(at_once, d);
    sum.add(rows, d, at_once, product, 1);
    sum.move_to(at_once, d, 1);
    EXPECT_NE(test::integers_of(at_once), expected);

    const std::vector<float> floats(rows.begin(), rows.end());
    std::vector<float> in_single(d * d);
    cblas_ssyrk(CblasColMajor, CblasUpper, CblasNoTrans, d, 64, 1.0F, floats.data(), d, 0.0F,
                in_single.data(), d);
    PackedGram in_floats;
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i) {
            in_floats.push_back(static_cast<Int128>(in_single[j * d + i]));
        }
    }
    EXPECT_NE(in_floats, integer_gram(Rows(rows.begin(), rows.begin() + 64 * d), d));
}

}  // namespace
}  // namespace dpcov::detail
