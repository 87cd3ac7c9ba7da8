// The integers that get the noise: exact to a unit, and never moved by one row further than the
// sensitivities say (docs/privacy.md#clipped-gram). Placement has its own tests; here its integers
// are taken as they are.
#include "mechanism/clipped_gram.hpp"
#include "mechanism/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "moment/placement.hpp"
#include "random/big_integer.hpp"
#include "support/octave_sums.hpp"
#include "support/test_size.hpp"

namespace dpcov::detail {
namespace {

constexpr double norm_bound = 3.0;
constexpr int last = NormBins::octaves - 1;
using Row = std::vector<double>;
using Rows = std::vector<Row>;
using Integers = ExactSums;

// Exact values are integers in units of 2^-exact_bits: finer than any weight below.
constexpr int exact_bits = 150;
using Exact = std::vector<mpz_class>;

// The most that rounding from the finest octave up moves an entry: 1/2 + 1/8 + 1/32 + ...
constexpr double gram_rounding = 2.0 / 3.0;

mpz_class shifted(const mpz_class& value, int shift) {
    EXPECT_GE(exact_bits + shift, 0);
    return value * power_of_two(exact_bits + shift);
}

struct PlacedRow {
    int octave = 0;
    std::vector<std::int64_t> q;
    std::vector<std::int64_t> u;
    mpz_class norm_squared;
};

PlacedRow place(const Row& row) {
    const std::size_t d = row.size();
    Place place;
    EXPECT_TRUE(find_place(row.data(), d, Grid(norm_bound), place));
    Row q(d);
    Row u(d);
    place_on_grid(row.data(), d, place.power_of_two, place.to_grid, q.data());
    place_on_grid(row.data(), d, place.power_of_two, place.to_sphere, u.data());
    PlacedRow placed{place.octave, {q.begin(), q.end()}, {u.begin(), u.end()}, 0};
    for (const std::int64_t x : placed.q) {
        placed.norm_squared += x * x;
    }
    return placed;
}

SecretMoment moment_of(const Rows& rows, std::size_t d) {
    SecretMoment moment(MomentLayout{d, norm_bound, true});
    for (const Row& row : rows) {
        moment.add(row);
    }
    return moment;
}

// sum of W(x), upper triangle by columns.
Exact exact_gram(const std::vector<PlacedRow>& rows, std::size_t d, int t) {
    Exact gram(d * (d + 1) / 2);
    for (const PlacedRow& row : rows) {
        const auto& x = row.octave >= t ? row.q : row.u;
        const int shift = fraction_bits - 2 * std::max(0, row.octave - t);
        std::size_t entry = 0;
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                gram[entry++] += shifted(x[i] * x[j], shift);
            }
        }
    }
    return gram;
}

mpz_class exact_trace(const std::vector<PlacedRow>& rows, int t) {
    mpz_class trace;
    for (const PlacedRow& row : rows) {
        trace += row.octave >= t ? shifted(row.norm_squared, fraction_bits - 2 * (row.octave - t))
                                 : shifted(1, 40 + fraction_bits);
    }
    return trace;
}

mpz_class exact_bias(const std::vector<PlacedRow>& rows, int r, int t, bool at_edges) {
    mpz_class bias;
    for (const PlacedRow& row : rows) {
        const int k = row.octave;
        if (k >= t) {
            continue;
        }
        if (k < r) {
            bias += shifted(1, bias_bits);
        } else if (at_edges) {
            bias += shifted(1, bias_bits - 2 * (k - r));
        } else {
            bias += shifted(row.norm_squared, bias_bits - 40 - 2 * (k - r));
        }
        bias -= shifted(1, bias_bits - 2 * (t - r));
    }
    return bias;
}

Exact exact_sum(const std::vector<PlacedRow>& rows, std::size_t d) {
    Exact sum(d);
    for (const PlacedRow& row : rows) {
        for (std::size_t j = 0; j < d; ++j) {
            sum[j] += shifted(row.q[j], fraction_bits - row.octave);
        }
    }
    return sum;
}

// How far, in units.
double error(Int128 value, const mpz_class& exact) {
    const mpz_class difference = to_big(value) * power_of_two(exact_bits) - exact;
    return std::fabs(std::ldexp(mpf_class(difference).get_d(), -exact_bits));
}

double greatest_error(const Integers& values, const Exact& exact) {
    EXPECT_EQ(values.size(), exact.size());
    double greatest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        greatest = std::max(greatest, error(values[i], exact[i]));
    }
    return greatest;
}

Row random_row(std::mt19937_64& generator, std::size_t d, double norm) {
    std::normal_distribution<double> normal;
    Row row(d);
    double squares = 0;
    for (double& x : row) {
        x = normal(generator);
        squares += x * x;
    }
    for (double& x : row) {
        x *= norm / std::sqrt(squares);
    }
    return row;
}

// Rows of all octaves, a few above the bound and a few zero.
Rows random_table(std::mt19937_64& generator, std::size_t n, std::size_t d) {
    std::uniform_real_distribution<double> exponent(-42, 1);
    Rows rows;
    for (std::size_t i = 0; i < n; ++i) {
        rows.push_back(random_row(generator, d, norm_bound * std::exp2(exponent(generator))));
    }
    rows.emplace_back(d, 0.0);
    return rows;
}

std::vector<PlacedRow> place_all(const Rows& rows) {
    std::vector<PlacedRow> placed;
    std::transform(rows.begin(), rows.end(), std::back_inserter(placed), place);
    return placed;
}

TEST(ClippedGram, IsExactToLessThanAUnit) {
    std::mt19937_64 generator(101);
    for (const std::size_t d : {1U, 3U, 6U}) {
        const Rows rows = random_table(generator, 200, d);
        const std::vector<PlacedRow> placed = place_all(rows);
        const SecretMoment moment = moment_of(rows, d);
        for (int t = 0; t <= last; ++t) {
            EXPECT_LT(greatest_error(clipped_gram(moment, t), exact_gram(placed, d, t)),
                      gram_rounding)
                << "t = " << t;
            EXPECT_LT(error(clipped_trace(moment, t), exact_trace(placed, t)), gram_rounding)
                << "t = " << t;
        }
        EXPECT_LT(greatest_error(row_sum(moment), exact_sum(placed, d)), 1.0);
    }
}

// One octave at a time, so that there are none below to be rounded with it and none above.
TEST(ClippedGram, IsExactToLessThanAUnitForASingleStratum) {
    std::mt19937_64 generator(103);
    const std::size_t d = 2;
    for (int k = 0; k <= last; ++k) {
        const Rows rows = {random_row(generator, d, norm_bound * std::exp2(-k - 0.3))};
        const std::vector<PlacedRow> placed = place_all(rows);
        ASSERT_EQ(placed[0].octave, k);
        const SecretMoment moment = moment_of(rows, d);
        for (int t = 0; t <= last; ++t) {
            EXPECT_LT(greatest_error(clipped_gram(moment, t), exact_gram(placed, d, t)),
                      gram_rounding);
            EXPECT_LT(error(clipped_trace(moment, t), exact_trace(placed, t)), gram_rounding);
        }
        EXPECT_LT(greatest_error(row_sum(moment), exact_sum(placed, d)), 1.0);
    }
}

TEST(ClippedGram, OfNothingIsZero) {
    const SecretMoment nothing(MomentLayout{3, norm_bound, true});
    for (int t = 0; t <= last; ++t) {
        EXPECT_EQ(clipped_gram(nothing, t), PackedGram(6));
        EXPECT_TRUE(clipped_trace(nothing, t) == 0);
    }
    EXPECT_EQ(row_sum(nothing), Integers(3));
}

TEST(ClippingBias, IsExactToLessThanAUnit) {
    std::mt19937_64 generator(107);
    const Rows rows = random_table(generator, 200, 4);
    const std::vector<PlacedRow> placed = place_all(rows);
    const SecretMoment moment = moment_of(rows, 4);
    for (int t = 0; t <= last; ++t) {
        for (int r = 0; r <= t; ++r) {
            EXPECT_LT(error(clipping_bias(moment, r, t), exact_bias(placed, r, t, false)), 1.0);
            EXPECT_LT(error(clipping_bias_at_edges(moment, r, t), exact_bias(placed, r, t, true)),
                      1.0);
        }
        EXPECT_TRUE(clipping_bias(moment, t, t) == clipping_bias_at_edges(moment, t, t));
    }
}

// Nothing overflows.
TEST(ClippedGram, IsExactToLessThanAUnitForTrillionsOfRows) {
    std::mt19937_64 generator(109);
    const std::size_t d = 3;
    const Rows rows = random_table(generator, 200, d);
    const std::vector<PlacedRow> placed = place_all(rows);
    SecretMoment moment = moment_of(rows, d);
    for (int doublings = 1; doublings <= 40; ++doublings) {
        SecretMoment as_many = moment;
        as_many.declare_part(std::to_string(doublings));  // with itself no moment is merged
        moment.merge(as_many);
        // clipping_bias leaves out tau where it is below 2^-32 of the radius: from about 2^35 rows
        // on that is more than a unit.
        const bool with_bias = doublings == 24;
        if (!with_bias && doublings != 40) {
            continue;
        }
        const mpz_class times = power_of_two(doublings);
        for (int t = 0; t <= last; ++t) {
            Exact gram = exact_gram(placed, d, t);
            for (mpz_class& entry : gram) {
                entry *= times;
            }
            EXPECT_LT(greatest_error(clipped_gram(moment, t), gram), gram_rounding);
            EXPECT_LT(error(clipped_trace(moment, t), exact_trace(placed, t) * times),
                      gram_rounding);
            for (int r = with_bias ? 0 : t + 1; r <= t; ++r) {
                EXPECT_LT(
                    error(clipping_bias(moment, r, t), exact_bias(placed, r, t, false) * times),
                    1.0);
            }
        }
    }
}

// Control: the comparison sees a Gram that cuts off each octave's digits below the lattice where
// it stands, instead of rounding from the finest up.
TEST(ClippedGram, ComparisonCatchesDigitsCutOff) {
    std::mt19937_64 generator(101);
    const std::size_t d = 3;
    const Rows rows = random_table(generator, 200, d);
    const SecretMoment moment = moment_of(rows, d);
    Integers cut_off(d * (d + 1) / 2);
    for (int k = 0; k <= last; ++k) {
        const PackedGram gram = test::octave_sums(moment, k).gram;
        const int shift = fraction_bits - 2 * k;
        for (std::size_t i = 0; i < gram.size(); ++i) {
            cut_off[i] += shift >= 0 ? gram[i] << shift : gram[i] >> -shift;
        }
    }
    EXPECT_GE(greatest_error(cut_off, exact_gram(place_all(rows), d, 0)), 1.0);
}

// --- Neighbours -------------------------------------------------------------------------------

// Replacement rows made to move things far: the axes, the diagonals, both sides of every edge.
Rows pool(std::mt19937_64& generator, std::size_t d) {
    Rows rows = {Row(d, 0.0), Row(d, norm_bound), Row(d, -1e-300), Row(d, 1e300)};
    for (std::size_t i = 0; i < std::min<std::size_t>(d, 2); ++i) {
        for (const double sign : {1.0, -1.0}) {
            rows.emplace_back(d, 0.0);
            rows.back()[i] = sign * norm_bound;
        }
    }
    for (int k = 1; k <= NormBins::octaves; ++k) {
        for (const double above : {0.0, 0x1p-17 * (1 + 0x1p-10)}) {
            const double norm = std::ldexp(norm_bound, -k) * (1 + above);
            rows.emplace_back(d, norm / std::sqrt(static_cast<double>(d)));
            rows.push_back(random_row(generator, d, norm));
        }
    }
    for (int i = 0; i < 10; ++i) {
        rows.push_back(random_row(generator, d, norm_bound));
    }
    if (d == 2) {  // every point of a small grid
        for (int x = -3; x <= 3; ++x) {
            for (int y = -3; y <= 3; ++y) {
                rows.push_back({x * norm_bound / 4, y * norm_bound / 4});
            }
        }
    }
    return rows;
}

// The tables that share all rows but one: any two are neighbours.
std::vector<SecretMoment> neighbours(const Rows& replacements, const Rows& others, std::size_t d) {
    const SecretMoment shared = moment_of(others, d);
    std::vector<SecretMoment> moments;
    for (const Row& row : replacements) {
        moments.push_back(shared);
        moments.back().add(row);
    }
    return moments;
}

long double squared_distance(const Integers& a, const Integers& b, bool symmetric) {
    long double sum = 0;
    std::size_t i = 0;
    for (std::size_t j = 0; i < a.size(); ++j) {
        for (std::size_t row = 0; row <= (symmetric ? j : 0); ++row, ++i) {
            const auto difference = static_cast<long double>(a[i] - b[i]);
            sum += (symmetric && row < j ? 2 : 1) * difference * difference;
        }
    }
    return sum;
}

// The same without rounding, for distances that come near the bound.
mpz_class exact_squared_distance(const PackedGram& a, const PackedGram& b) {
    mpz_class sum;
    std::size_t i = 0;
    for (std::size_t j = 0; i < a.size(); ++j) {
        for (std::size_t row = 0; row <= j; ++row, ++i) {
            const mpz_class difference = to_big(a[i] - b[i]);
            sum += (row < j ? 2 : 1) * difference * difference;
        }
    }
    return sum;
}

TEST(GramSensitivity, IsNotExceededByAnyNeighboursFound) {
    std::mt19937_64 generator(113);
    for (std::size_t d = 1; d <= 6; ++d) {
        const std::vector<SecretMoment> moments =
            neighbours(pool(generator, d), random_table(generator, 60, d), d);
        const double bound = gram_sensitivity(Neighbours::replace, d);
        const mpz_class bound_squared = mpz_class(bound) * mpz_class(bound);
        for (int t = 0; t <= last; ++t) {
            std::vector<PackedGram> grams;
            std::transform(moments.begin(), moments.end(), std::back_inserter(grams),
                           [t](const SecretMoment& moment) { return clipped_gram(moment, t); });
            long double farthest = 0;
            for (std::size_t b = 1; b < grams.size(); ++b) {
                for (std::size_t a = 0; a < b; ++a) {
                    const long double squared = squared_distance(grams[a], grams[b], true);
                    farthest = std::max(farthest, squared);
                    if (squared > 0.999999L * bound * bound) {
                        ASSERT_TRUE(exact_squared_distance(grams[a], grams[b]) <= bound_squared)
                            << "d = " << d << ", t = " << t;
                    }
                }
            }
            // Control: a sensitivity nine tenths as large is exceeded.
            EXPECT_GT(std::sqrt(farthest), 0.9L * bound) << "d = " << d << ", t = " << t;
        }
    }
}

TEST(GramSensitivity, IsNotBelowItsProofForAnyDimension) {
    // Two Grams, each rounded by gram_rounding in every entry: sqrt(2) 2^64 + 4 d / 3.
    for (std::size_t d = 2; d <= 100000; d += d < 5000 ? 1 : 97) {
        const mpz_class least =
            3 * mpz_class(gram_sensitivity(Neighbours::replace, d)) - 4 * static_cast<long>(d);
        ASSERT_TRUE(least * least >= 9 * power_of_two(129)) << "d = " << d;
    }
    // Squares of numbers are never orthogonal.
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        const mpz_class of_numbers(gram_sensitivity(neighbours, 1));
        EXPECT_TRUE(of_numbers >= power_of_two(64) + 2);
        EXPECT_TRUE(of_numbers <= power_of_two(64) + power_of_two(15));
    }
}

TEST(RowSum, MovesNoFurtherThanItsSensitivity) {
    std::mt19937_64 generator(127);
    for (std::size_t d = 1; d <= 6; ++d) {
        const std::vector<SecretMoment> moments =
            neighbours(pool(generator, d), random_table(generator, 60, d), d);
        const long double bound = 0x1p45L + 2 * std::sqrt(static_cast<long double>(d));
        std::vector<Integers> sums;
        std::transform(moments.begin(), moments.end(), std::back_inserter(sums), row_sum);
        long double farthest = 0;
        for (std::size_t b = 1; b < sums.size(); ++b) {
            for (std::size_t a = 0; a < b; ++a) {
                farthest = std::max(farthest, squared_distance(sums[a], sums[b], false));
            }
        }
        EXPECT_LE(std::sqrt(farthest), bound);
        EXPECT_GT(std::sqrt(farthest), 0.9L * bound) << "control";
    }
}

Int128 range(const Integers& values) {
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    return *greatest - *least;
}

Integers over(const std::vector<SecretMoment>& moments,
              const std::function<Int128(const SecretMoment&)>& query) {
    Integers values;
    std::transform(moments.begin(), moments.end(), std::back_inserter(values), query);
    return values;
}

TEST(ClippedTrace, MovesByNoMoreThanAFullRow) {
    std::mt19937_64 generator(131);
    const Int128 full = Int128{1} << 64U;
    for (std::size_t d = 1; d <= 6; ++d) {
        const std::vector<SecretMoment> moments =
            neighbours(pool(generator, d), random_table(generator, 60, d), d);
        for (int t = 0; t <= last; ++t) {
            const Int128 moved = range(over(
                moments, [t](const SecretMoment& moment) { return clipped_trace(moment, t); }));
            EXPECT_TRUE(moved <= full + 2);
            EXPECT_TRUE(moved > full / 10 * 9) << "control";
        }
    }
}

// Rows a hair longer than half their octave's radius, all of whose entries are rounded toward
// zero: their integers are shorter than that half, and the bias becomes negative.
Rows rows_that_shrink(std::size_t least_d, std::size_t& d) {
    const double lower_edge = 0x1p19 * (1 + 0x1p-17);
    double entry = 0;
    for (d = least_d; entry - std::floor(entry) < 0.4 || entry - std::floor(entry) > 0.49; ++d) {
        entry = lower_edge / std::sqrt(static_cast<double>(d + 1));
    }
    Rows rows;
    for (int k = 0; k <= last; ++k) {
        rows.emplace_back(d, std::ldexp(norm_bound * (entry + 0.001), -20 - k));
    }
    return rows;
}

TEST(BiasSensitivity, IsNotExceededByAnyNeighboursFound) {
    std::mt19937_64 generator(137);
    std::vector<std::size_t> dimensions = {1, 2, 3, 6, 90};
    if (test::test_size(false, true)) dimensions.push_back(300);  // copies take most of the time
    for (const std::size_t least_d : dimensions) {
        std::size_t d = least_d;
        Rows replacements;
        if (least_d >= 90) {
            replacements = rows_that_shrink(least_d, d);
        }
        const Rows others = random_table(generator, 10, d);
        if (least_d < 90) {
            replacements = pool(generator, d);
        } else {
            replacements.emplace_back(d, 0.0);
            replacements.emplace_back(d, norm_bound);
        }
        // One neighbour at a time: together they would take the memory of all their Grams.
        const SecretMoment shared = moment_of(others, d);
        std::map<std::pair<int, int>, Integers> exact;  // by radius and clipping exponent
        std::map<std::pair<int, int>, Integers> at_edges;
        for (const Row& row : replacements) {
            SecretMoment moment = shared;
            moment.add(row);
            for (int t = 0; t <= last; ++t) {
                for (int r = 0; r <= t; ++r) {
                    exact[{r, t}].push_back(clipping_bias(moment, r, t));
                    at_edges[{r, t}].push_back(clipping_bias_at_edges(moment, r, t));
                }
            }
        }
        const Int128 bound = bias_sensitivity(d);
        const auto farthest_of = [&](const std::map<std::pair<int, int>, Integers>& biases) {
            Int128 greatest = 0;
            for (const auto& [exponents, values] : biases) {
                EXPECT_TRUE(range(values) <= bound)
                    << "d = " << d << ", r = " << exponents.first << ", t = " << exponents.second;
                greatest = std::max(greatest, range(values));
            }
            return greatest;
        };
        const Int128 farthest = farthest_of(exact);
        const Int128 farthest_at_edges = farthest_of(at_edges);
        // Controls: nine tenths of it are exceeded.
        EXPECT_TRUE(farthest > bound / 10 * 9);
        EXPECT_TRUE(farthest_at_edges > bound / 10 * 9);
    }
}

// Why the sensitivity has a term in sqrt(d): a row can take bias away, at d = 900 more than a
// thousand units. 2^30 + 2 would be too small.
TEST(BiasSensitivity, NeedsItsTermForRounding) {
    std::size_t d = 0;
    const Rows shrinking = rows_that_shrink(900, d);
    const SecretMoment short_row = moment_of({shrinking[0]}, d);
    ASSERT_EQ(short_row.rows_in_octave(0), 1U);
    const Int128 least = clipping_bias(short_row, 0, 1);
    EXPECT_TRUE(least < -1000) << static_cast<double>(least);
    EXPECT_TRUE(-least <= bias_sensitivity(d) - (Int128{1} << bias_bits));
}

TEST(Counts, MoveByOne) {
    std::mt19937_64 generator(139);
    const std::vector<SecretMoment> moments =
        neighbours(pool(generator, 3), random_table(generator, 60, 3), 3);
    for (int k = 0; k <= last; ++k) {
        EXPECT_TRUE(range(over(moments, [k](const SecretMoment& moment) {
                        return Int128{moment.rows_in_octave(k)};
                    })) <= 1);
        EXPECT_TRUE(range(over(moments, [k](const SecretMoment& moment) {
                        Int128 in_ball = 0;
                        for (int j = k; j <= last; ++j) {
                            in_ball += moment.rows_in_octave(j);
                        }
                        return in_ball;
                    })) <= 1);
    }
    EXPECT_TRUE(range(over(moments, [](const SecretMoment& moment) {
                    return Int128{moment.zero_rows()};
                })) == 1);
    EXPECT_TRUE(range(over(moments,
                           [](const SecretMoment& moment) { return Int128{moment.rows()}; })) == 0);
}

// --- The rest ---------------------------------------------------------------------------------

TEST(ClippedGram, NeedsDirectionsBelowTheBound) {
    SecretMoment moment(MomentLayout{1, norm_bound, false});
    moment.add(std::vector<double>{1.0});
    EXPECT_NO_THROW((void)clipped_gram(moment, 0));
    EXPECT_THROW((void)clipped_gram(moment, 1), UsageError);
}

TEST(ClippedGram, HasTheUnitOfTheClippingNorm) {
    // Rows of norm B and B / 4, each along an axis: nothing rounds.
    const SecretMoment moment = moment_of({{norm_bound, 0}, {0, norm_bound / 4}}, 2);
    for (const int t : {0, 1, 2, 3}) {
        const double tau = std::ldexp(norm_bound, -t);
        const Eigen::MatrixXd gram =
            symmetric_matrix(clipped_gram(moment, t), 2, lattice_unit(moment, t));
        const double small = std::min(tau, norm_bound / 4);
        EXPECT_EQ(gram(0, 0), tau * tau);
        EXPECT_EQ(gram(1, 1), small * small);
        EXPECT_EQ(gram(0, 1), 0.0);
        EXPECT_EQ(static_cast<double>(clipped_trace(moment, t)) * lattice_unit(moment, t),
                  gram.trace());
    }
}

TEST(SymmetricMatrix, PutsEachEntryInBothPlaces) {
    const Eigen::MatrixXd matrix = symmetric_matrix({1, -2, 3, 4, 5, -6}, 3, 0.5);
    const Eigen::MatrixXd expected =
        (Eigen::MatrixXd(3, 3) << 1, -2, 4, -2, 3, 5, 4, 5, -6).finished() / 2;
    EXPECT_EQ(matrix, expected);
}

}  // namespace
}  // namespace dpcov::detail
