// The statistic as a whole: equal to integer arithmetic, and to itself however the rows come in.
#include "moment/secret_moment.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/sparse_row.hpp"
#include "support/octave_sums.hpp"

namespace dpcov::test {
namespace {

constexpr double norm_bound = 0.375;  // no power of two, yet products with 21 bits are exact
constexpr double full_length = 0x1p20;

/// A table whose placement is known without any rounding: x = q 2^-(k+20) B for integers q.
struct Table {
    std::size_t d = 0;
    std::vector<int> octaves;
    std::vector<std::int64_t> grid;
    std::vector<std::int64_t> sphere;
    std::vector<double> rows;

    [[nodiscard]] std::size_t size() const { return octaves.size(); }
    [[nodiscard]] std::span<const double> part(std::size_t first, std::size_t count) const {
        return std::span(rows).subspan(first * d, count * d);
    }
};

// The direction of integers q in integers, or nothing where the nearest ones are too long or a tie
// is near, so that what is nearest cannot be argued about.
std::optional<std::vector<std::int64_t>> direction(const std::vector<std::int64_t>& q) {
    long double squares = 0;
    for (const std::int64_t x : q) {
        squares += static_cast<long double>(x * x);
    }
    std::vector<std::int64_t> u;
    std::int64_t length = 0;
    for (const std::int64_t x : q) {
        const long double exact = static_cast<long double>(x) * full_length / std::sqrt(squares);
        if (std::fabs(exact - std::floor(exact) - 0.5L) < 1e-6L) {
            return std::nullopt;
        }
        u.push_back(std::llround(exact));
        length += u.back() * u.back();
    }
    return length <= std::int64_t{1} << 40U ? std::optional(u) : std::nullopt;
}

Table table(std::size_t n, std::size_t d, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> filled(0.5001, 0.99999);
    Table result;
    result.d = d;
    while (result.size() < n) {
        std::vector<std::int64_t> q(d, 0);
        std::vector<std::int64_t> u(d, 0);
        int k = detail::NormBins::octaves - 1;
        if (generator() % 50U != 0) {  // else a zero row
            std::vector<double> x(d);
            double squares = 0;
            for (double& entry : x) {
                entry = normal(generator);
                squares += entry * entry;
            }
            const double scale = filled(generator) * full_length / std::sqrt(squares);
            double rounded = 0;
            for (std::size_t i = 0; i < d; ++i) {
                q[i] = static_cast<std::int64_t>(x[i] * scale);
                rounded += static_cast<double>(q[i] * q[i]);
            }
            const std::optional<std::vector<std::int64_t>> on_sphere = direction(q);
            if (!on_sphere || std::sqrt(rounded) < (0.5 + 0x1p-16) * full_length) {
                continue;
            }
            u = *on_sphere;
            // Most rows in few octaves, so that one octave fills several blocks.
            k = static_cast<int>(generator() %
                                 (generator() % 4U == 0 ? detail::NormBins::octaves : 2));
        }
        result.octaves.push_back(k);
        result.grid.insert(result.grid.end(), q.begin(), q.end());
        result.sphere.insert(result.sphere.end(), u.begin(), u.end());
        for (const std::int64_t x : q) {
            result.rows.push_back(std::ldexp(static_cast<double>(x), -20 - k) * norm_bound);
        }
    }
    return result;
}

void expect_integers(const detail::SecretMoment& moment, const Table& table) {
    const std::size_t d = table.d;
    const std::size_t packed = d * (d + 1) / 2;
    std::uint64_t zeros = 0;
    for (int k = 0; k < detail::NormBins::octaves; ++k) {
        OctaveSums expected;
        for (std::size_t row = 0; row < table.size(); ++row) {
            if (table.octaves[row] != k) {
                continue;
            }
            ++expected.rows;
            expected.gram.resize(packed);
            expected.directions.resize(packed);
            expected.sum.resize(d);
            const std::int64_t* q = &table.grid[row * d];
            const std::int64_t* u = &table.sphere[row * d];
            zeros += std::all_of(q, q + d, [](std::int64_t x) { return x == 0; }) ? 1 : 0;
            std::size_t entry = 0;
            for (std::size_t j = 0; j < d; ++j) {
                expected.sum[j] += q[j];
                for (std::size_t i = 0; i <= j; ++i, ++entry) {
                    expected.gram[entry] += Int128{q[i]} * q[j];
                    expected.directions[entry] += Int128{u[i]} * u[j];
                }
            }
        }
        if (!moment.layout().keep_directions) {
            expected.directions.clear();
        }
        const OctaveSums found = octave_sums(moment, k);
        EXPECT_EQ(found.rows, expected.rows) << "octave " << k;
        EXPECT_EQ(found.gram, expected.gram) << "octave " << k;
        EXPECT_EQ(found.directions, expected.directions) << "octave " << k;
        EXPECT_EQ(found.sum, expected.sum) << "octave " << k;
    }
    EXPECT_EQ(moment.rows(), table.size());
    EXPECT_EQ(moment.zero_rows(), zeros);
}

detail::SecretMoment empty_moment(const Table& table, bool keep_directions = true) {
    return detail::SecretMoment(MomentLayout{table.d, norm_bound, keep_directions});
}

detail::SecretMoment moment_of(const Table& table, unsigned threads = 1) {
    detail::SecretMoment moment = empty_moment(table);
    moment.add(table.rows, threads);
    return moment;
}

TEST(SecondMoment, EqualsIntegerArithmetic) {
    for (const std::size_t d : {1U, 2U, 5U, 8U, 31U}) {
        const Table rows = table(2000, d, d);
        for (const bool keep_directions : {false, true}) {
            detail::SecretMoment moment = empty_moment(rows, keep_directions);
            moment.add(rows.rows);
            expect_integers(moment, rows);
        }
    }
}

// 20,001 rows, three times what is multiplied at once.
// Pixels that were divided by 255 are whole multiples of 4^k m^2 in the sums, m = 146 here.
TEST(SecondMoment, OfWholeNumbersAtTheBoundForTheirUnit) {
    constexpr std::size_t d = 40;
    constexpr std::size_t n = 700;
    constexpr double unit = 1.0 / 255;
    const double bound = norm_bound_for_unit(28.0, unit);
    EXPECT_GE(bound, 28.0);
    EXPECT_LE(bound, 28.28);
    std::mt19937_64 generator(3);
    std::uniform_int_distribution<int> pixel(0, 255);
    std::vector<int> pixels(n * d);
    std::generate(pixels.begin(), pixels.end(), [&] { return pixel(generator); });
    std::vector<double> rows;
    for (const int x : pixels) {
        rows.push_back(x / 255.0);
    }
    detail::SecretMoment moment({.columns = d, .norm_bound = bound});
    moment.add(rows);
    for (int k = 0; k < detail::NormBins::octaves; ++k) {
        const Int128 multiple = Int128{146} << static_cast<unsigned>(k);
        detail::PackedGram expected(d * (d + 1) / 2);
        std::uint64_t in_octave = 0;
        for (std::size_t row = 0; row < n; ++row) {
            const int* const x = &pixels[row * d];
            const double norm = std::sqrt(std::inner_product(x, x + d, x, 0.0)) * unit;
            if (norm > std::ldexp(bound, -k) || norm <= std::ldexp(bound, -k - 1)) {
                continue;
            }
            ++in_octave;
            for (std::size_t j = 0; j < d; ++j) {
                for (std::size_t i = 0; i <= j; ++i) {
                    expected[j * (j + 1) / 2 + i] += multiple * multiple * x[i] * x[j];
                }
            }
        }
        ASSERT_EQ(moment.rows_in_octave(k), in_octave);
        if (in_octave > 0) {
            EXPECT_EQ(octave_sums(moment, k).gram, expected) << "octave " << k;
        }
    }
}

TEST(SecondMoment, TheBoundForAUnitIsCloseOrThatWhichWasAskedFor) {
    EXPECT_EQ(norm_bound_for_unit(1024.0, 1.0), 1024.0);  // on the grid already
    EXPECT_EQ(norm_bound_for_unit(1e6, 1.0), 1e6);        // a hundredth is not enough
    EXPECT_EQ(norm_bound_for_unit(1.0, 2.0), 1.0);        // no row is that short
    for (double bound = 1.5; bound < 10485.0; bound *= 1.01) {
        const double found = norm_bound_for_unit(bound, 1.0);
        EXPECT_GE(found, bound);
        EXPECT_LE(found, bound * 1.01);
        const double multiple = full_length / found;
        EXPECT_NEAR(multiple, std::round(multiple), 1e-6) << bound;
    }
    EXPECT_EQ(norm_bound_for_unit(1.0, 1.3), 1.0);
    for (const double bad : {0.0, -1.0, static_cast<double>(NAN), HUGE_VAL}) {
        EXPECT_THROW((void)norm_bound_for_unit(bad, 1.0), UsageError);
        EXPECT_THROW((void)norm_bound_for_unit(1.0, bad), UsageError);
    }
    for (const double bad : {1e-200, 1.7e308}) {  // of no moment
        EXPECT_THROW((void)norm_bound_for_unit(bad, bad), UsageError);
        EXPECT_EQ(norm_bound_for_unit(1.0, bad), 1.0);
    }
}

TEST(SecondMoment, EqualsIntegerArithmeticAcrossBlocks) {
    const Table rows = table(20001, 3, 53);
    expect_integers(moment_of(rows), rows);
}

TEST(SecondMoment, DoesNotDependOnTheBlocksThatRowsComeIn) {
    const Table rows = table(20001, 3, 59);
    const detail::SecretMoment whole = moment_of(rows);
    for (const std::size_t piece : {1U, 7U, 1000U, 8191U, 8192U, 8193U, 16384U}) {
        detail::SecretMoment pieces = empty_moment(rows);
        for (std::size_t first = 0; first < rows.size(); first += piece) {
            pieces.add(rows.part(first, std::min(piece, rows.size() - first)));
        }
        EXPECT_TRUE(pieces == whole) << "in pieces of " << piece;
    }
}

TEST(SecondMoment, DoesNotDependOnTheOrderOfRows) {
    const Table rows = table(9000, 5, 61);
    const detail::SecretMoment expected = moment_of(rows);
    std::mt19937_64 generator(67);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0U);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
        std::shuffle(order.begin(), order.end(), generator);
        std::vector<double> shuffled;
        for (const std::size_t row : order) {
            const std::span<const double> one = rows.part(row, 1);
            shuffled.insert(shuffled.end(), one.begin(), one.end());
        }
        detail::SecretMoment moment = empty_moment(rows);
        moment.add(shuffled);
        EXPECT_TRUE(moment == expected);
    }
}

TEST(SecondMoment, DoesNotDependOnThreads) {
    const int before = openblas_get_num_threads();
    for (const std::size_t d : {4U, 520U}) {
        const Table rows = table(d == 4 ? 20000 : 200, d, 71);
        const detail::SecretMoment expected = moment_of(rows);
        for (const int blas_threads : {1, 2}) {
            openblas_set_num_threads(blas_threads);
            for (const unsigned threads : {1U, 2U, 5U}) {
                EXPECT_TRUE(moment_of(rows, threads) == expected)
                    << threads << " threads, " << blas_threads << " of the BLAS, d = " << d;
            }
        }
    }
    openblas_set_num_threads(before);
}

detail::SecretMoment random_tree(const Table& rows, std::size_t first, std::size_t count,
                                 std::mt19937_64& generator) {
    detail::SecretMoment moment = empty_moment(rows);
    if (count <= 40) {
        moment.add(rows.part(first, count));
        return moment;
    }
    const std::size_t left = generator() % (count + 1);  // either side may be empty
    std::vector<detail::SecretMoment> sides;
    sides.push_back(random_tree(rows, first, left, generator));
    sides.push_back(random_tree(rows, first + left, count - left, generator));
    const std::size_t second = generator() % 2U;
    if (generator() % 2U == 0) {
        sides[second].merge(sides[1 - second]);
        return sides[second];
    }
    moment.merge(sides[second]);
    moment.merge(sides[1 - second]);
    return moment;
}

TEST(SecondMoment, DoesNotDependOnSplitsAndMerges) {
    const Table rows = table(3000, 6, 73);
    const detail::SecretMoment expected = moment_of(rows);
    std::mt19937_64 generator(79);
    for (int tree = 0; tree < 10; ++tree) {
        EXPECT_TRUE(random_tree(rows, 0, rows.size(), generator) == expected);
    }
}

// Control: equality sees one unit in the last place of one row, and one row in another octave.
TEST(SecondMoment, ComparisonCatchesTheSmallestDifference) {
    const Table rows = table(1000, 5, 89);
    const detail::SecretMoment expected = moment_of(rows);
    Table changed = rows;
    std::size_t row = 0;
    while (changed.rows[row * 5] == 0.0) {
        ++row;
    }
    const double unit = std::ldexp(norm_bound, -20 - rows.octaves[row]);
    changed.rows[row * 5] -= std::copysign(unit, changed.rows[row * 5]);
    EXPECT_FALSE(moment_of(changed) == expected);
    for (std::size_t i = 0; i < 5; ++i) {
        changed.rows[row * 5 + i] = rows.rows[row * 5 + i] / 2;  // the same integers, one further
    }
    EXPECT_FALSE(moment_of(changed) == expected);

    // Sums in double precision, as a plain Gram would have them, are not the integers.
    const Table longer = table(20000, 1, 97);
    double plain = 0;
    Int128 exact = 0;
    for (int repeat = 0; repeat < 4; ++repeat) {
        for (const std::int64_t q : longer.grid) {
            plain += static_cast<double>(q * q);
            exact += Int128{q} * q;
        }
    }
    EXPECT_FALSE(static_cast<Int128>(plain) == exact);
}

TEST(SecondMoment, ClipsLongRowsToTheBound) {
    detail::SecretMoment moment(MomentLayout{2, 5.0, true});
    moment.add(std::vector<double>{3e200, -4e200, 30, -40, 3, -4});
    const Int128 three_fifths = 629146;  // 2^20 * 0.6 = 629145.6
    const Int128 four_fifths = -838861;  // 2^20 * 0.8 = 838860.8: together longer than 2^20
    const OctaveSums first = octave_sums(moment, 0);
    EXPECT_EQ(first.rows, 3U);
    EXPECT_TRUE(first.gram[0] % 3 == 0 && first.gram[1] % 3 == 0 && first.gram[2] % 3 == 0);
    EXPECT_EQ(first.gram, first.directions);
    EXPECT_TRUE(first.gram[0] + first.gram[2] <= Int128{3} << 40U);
    EXPECT_NEAR(static_cast<double>(first.sum[0]), static_cast<double>(3 * three_fifths), 9);
    EXPECT_NEAR(static_cast<double>(first.sum[1]), static_cast<double>(3 * four_fifths), 9);
}

std::string message_of_adding(detail::SecretMoment& moment, const std::vector<double>& rows,
                              unsigned threads) {
    try {
        moment.add(rows, threads);
    } catch (const DataError& error) {
        return error.what();
    }
    return "no DataError";
}

TEST(SecondMoment, NamesTheFirstBadRowAndAddsNothing) {
    const Table rows = table(9000, 3, 101);
    detail::SecretMoment moment = moment_of(rows);
    const detail::SecretMoment before = moment;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
        for (const std::size_t row : {0U, 2U, 4499U, 8999U}) {
            for (const std::size_t column : {0U, 1U, 2U}) {
                std::vector<double> block = rows.rows;
                block[row * 3 + column] = bad;
                block.back() = bad;  // one more at the end, which other threads meet first
                const std::size_t named = row == 8999 ? std::min<std::size_t>(column, 2) : column;
                const std::string place = "row " + std::to_string(row + 1) + ", column " +
                                          std::to_string(named) + " (counted from 0)";
                for (const unsigned threads : {1U, 2U, 4U}) {
                    const std::string message = message_of_adding(moment, block, threads);
                    EXPECT_EQ(message.substr(0, place.size()), place) << message;
                }
                EXPECT_TRUE(moment == before);
            }
        }
    }
    moment.add(rows.rows);  // and it still works
    detail::SecretMoment twice = before;
    twice.declare_part("the same rows again");
    twice.merge(before);
    EXPECT_TRUE(moment == twice);
}

// The rows before a bad one are taken away again, however many sums they have gone through.
TEST(SecondMoment, TakesBackAllRowsBeforeABadOne) {
    const Table rows = table(30001, 3, 109);  // more of two octaves than doubles hold
    std::vector<double> block = rows.rows;
    block.back() = std::numeric_limits<double>::infinity();
    for (const detail::SecretMoment& before : {empty_moment(rows), moment_of(table(7, 3, 113))}) {
        for (const unsigned threads : {1U, 2U}) {
            detail::SecretMoment moment = before;
            const std::string message = message_of_adding(moment, block, threads);
            EXPECT_EQ(message.substr(0, 19), "row 30001, column 2") << message;
            EXPECT_TRUE(moment == before);
        }
    }
}

TEST(SecondMoment, RefusesHalfARow) {
    const Table rows = table(10, 3, 103);
    detail::SecretMoment moment = moment_of(rows);
    const detail::SecretMoment before = moment;
    EXPECT_THROW(moment.add(std::span(rows.rows).first(4)), UsageError);
    EXPECT_THROW(moment.add(std::span(rows.rows).first(1)), UsageError);
    EXPECT_TRUE(moment == before);
    moment.add({});
    EXPECT_TRUE(moment == before);
}

TEST(SecondMoment, RefusesALayoutThatMakesNoSense) {
    EXPECT_THROW(detail::SecretMoment(MomentLayout{0, 1.0, false}), UsageError);
    // Refused before there is anything to spend: LAPACK would refuse when all was spent.
    EXPECT_THROW(detail::SecretMoment(MomentLayout{limits::columns + 1, 1.0, false}), UsageError);
    for (const double bound : {0.0, -0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(detail::SecretMoment(MomentLayout{1, bound, false}), UsageError) << bound;
    }
}

// A longer one only adds noise; a hundredth more may be for the sake of whole numbers.
TEST(SecondMoment, NeedsNoLongerNormBoundThanBoundsImply) {
    const Schema schema(4, Column{.bounds = {{0.0, 1.0}}});
    EXPECT_EQ(norm_bound_within(schema, 0.0), 2.0);
    EXPECT_EQ(norm_bound_within(schema, 1.5), 1.5);
    EXPECT_EQ(norm_bound_within(schema, 2.01), 2.01);
    EXPECT_EQ(norm_bound_within(schema, 2.05), 2.0);
    EXPECT_EQ(norm_bound_within(schema, 1e9), 2.0);
    EXPECT_EQ(norm_bound_within(schema, 5.0, std::vector{0.5, 0.0, 0.0, 0.0}), std::sqrt(5.25));
    EXPECT_EQ(norm_bound_within(Schema(4), 5.0), 5.0);
    EXPECT_EQ(norm_bound_within(Schema(4), 0.0), 0.0);
    for (const double none : {-1.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(static_cast<void>(norm_bound_within(schema, none)), UsageError) << none;
    }
    EXPECT_THROW(static_cast<void>(implied_norm_bound(schema, std::vector{0.5})), UsageError);
    EXPECT_THROW(static_cast<void>(implied_norm_bound(schema, {}, std::vector{0.5})), UsageError);
    // What was made with a longer one goes on.
    const SecondMoment older({.norm_bound = 5.0, .schema = schema});
    EXPECT_EQ(SecondMoment(older.layout()).layout(), older.layout());
}

TEST(MomentLayout, TellsInWhatItDiffers) {
    const MomentLayout one{.columns = 2, .norm_bound = 2.0, .schema = Schema(2)};
    EXPECT_EQ(difference(one, one), "");
    const auto told = [&one](const auto& change) {
        MomentLayout other = one;
        change(other);
        return difference(other, one);
    };
    EXPECT_EQ(told([](auto& other) { other.columns = 3; }), "has 3 columns, not 2");
    EXPECT_EQ(told([](auto& other) { other.schema.clear(); }),
              "has other names, bounds or scales of its columns");
    // It may be a cell of the first row.
    EXPECT_EQ(told([](auto& other) { other.schema[1].name = "secret"; }),
              "has another name of column 1 (counted from 0)");
    EXPECT_EQ(told([](auto& other) { other.schema[1].scale = 2.0; }),
              "has other bounds, another scale, another fill or other missing codes of column 1 "
              "(counted from 0)");
    EXPECT_NE(told([](auto& other) { other.schema[1].missing = {7.0}; }), "");
    EXPECT_EQ(told([](auto& other) { other.norm_bound = 2.5; }), "has the norm bound 2.5, not 2");
    EXPECT_EQ(told([](auto& other) { other.keep_directions = true; }), "keeps directions");
    EXPECT_EQ(told([](auto& other) { other.dataset = "a"; }),
              "is of the data set 'a', not of no named data set");
    EXPECT_EQ(told([](auto& other) { other.origin = {0.0, 0.5}; }), "is about another origin");
    EXPECT_EQ(told([](auto& other) {
                  other.stretch = {1.0, 2.0};
              }),
              "has columns stretched otherwise");
}

TEST(SecondMoment, RefusesToMergeAnotherLayout) {
    detail::SecretMoment moment(MomentLayout{2, 1.0, false});
    moment.add(std::vector<double>{0.5, 0.25});
    const detail::SecretMoment before = moment;
    for (const MomentLayout& other :
         {MomentLayout{3, 1.0, false}, MomentLayout{2, 1.5, false}, MomentLayout{2, 1.0, true}}) {
        EXPECT_THROW(moment.merge(detail::SecretMoment(other)), UsageError);
        EXPECT_TRUE(moment == before);
    }
}

long peak_kibibytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// Ten million rows: about a second. The memory is that of a block, whatever n.
TEST(SecondMoment, TakesTenMillionRowsInTheMemoryOfABlock) {
    const Table rows = table(100000, 2, 107);
    detail::SecretMoment moment = empty_moment(rows, false);
    moment.add(rows.rows);
    detail::SecretMoment expected = moment;
    const long before = peak_kibibytes();
    for (int block = 1; block < 100; ++block) {
        moment.add(rows.rows);
    }
#ifndef DPCOV_SANITIZED
    EXPECT_LT(peak_kibibytes() - before, 4096);
#else
    (void)before;  // sanitizers hold on to freed memory
#endif
    detail::SecretMoment one = expected;
    for (int block = 1; block < 100; ++block) {
        one.declare_part(std::to_string(block));
        expected.merge(one);
    }
    EXPECT_EQ(moment.rows(), 10'000'000U);
    EXPECT_TRUE(moment == expected);
}

#ifndef DPCOV_SANITIZED
double resident_mebibytes() {
    std::ifstream pages("/proc/self/statm");
    double all = 0.0;
    double resident = 0.0;
    pages >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 0x1p20;
}

// By how much resident memory grows as rows fall into sixteen bins that were empty.
double growth_by_bins(std::size_t columns) {
    std::vector<double> row(columns, 0.0);
    detail::SecretMoment moment(MomentLayout{columns, 1.0, false});
    row[0] = 1.0;
    moment.add(row);
    const double before = resident_mebibytes();
    for (int octave = 1; octave <= 16; ++octave) {
        row[0] = std::ldexp(1.0, -octave);
        moment.add(row);
    }
    return resident_mebibytes() - before;
}

// A bin is 0.3 MiB at 300 columns, 0.7 MiB at 417, and as much in doubles. Control: the columns
// from which on, as the threat model says, a bin becomes resident with its first row.
TEST(SecondMoment, IsResidentWhateverTheBinsOfItsRows) {
    EXPECT_LT(growth_by_bins(300), 0.5);
    EXPECT_GT(growth_by_bins(417), 6.0);
}

// Of a sparse row, too, all low words of its bin, 3.8 MiB at 1000 columns: which pairs of columns
// there are does not show.
TEST(SecondMoment, IsResidentWhateverThePairsOfSparseRows) {
    detail::SecretMoment moment(MomentLayout{1000, 1.0, false});
    const std::vector<std::uint32_t> columns = {0, 1};
    const auto add = [&](double value) {
        const std::vector<double> values = {value, value};
        const SparseRow row = {.columns = columns, .values = values};
        moment.add_sparse({&row, 1});
    };
    add(0.7);
    const double before = resident_mebibytes();
    add(0.35);
    EXPECT_GT(resident_mebibytes() - before, 3.5);
}
#endif

TEST(SecondMoment, TellsItsResolution) {
    const MomentLayout layout{.columns = 2, .norm_bound = 1.0};
    SecondMoment fine(layout);
    SecondMoment coarse(layout, NormResolution::octaves);
    EXPECT_EQ(fine.resolution(), NormResolution::bins);
    EXPECT_EQ(coarse.resolution(), NormResolution::octaves);
    const SecondMoment copy = fine;
    fine.merge(coarse);
    EXPECT_EQ(fine.resolution(), NormResolution::octaves) << "what both add up to";
    coarse.merge(copy);
    EXPECT_EQ(coarse.resolution(), NormResolution::octaves);
    EXPECT_EQ(copy.resolution(), NormResolution::bins);
    const SecondMoment taken = std::move(coarse);
    EXPECT_THROW(static_cast<void>(coarse.resolution()),
                 UsageError);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace dpcov::test
