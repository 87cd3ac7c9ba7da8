// Bins of norms: their edges against exact arithmetic, which row is in which, and what adds up.
#include "moment/norm_bins.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "moment/placement.hpp"
#include "moment/secret_moment.hpp"
#include "support/octave_sums.hpp"

namespace dpcov::test {
namespace {

using detail::BinRange;
using detail::NormBins;

const std::vector<NormBins>& all_bins() {
    static const std::vector<NormBins> all = {
        NormBins::whole_octaves(), NormBins(2, 8), NormBins(4, 8), NormBins(8, 3),
        NormBins(16, 8),           NormBins(16, 1)};
    return all;
}

// The greatest integer u with u <= 2^(40 - i/8) (1 + 2^-13), by its eighth power.
bool is_edge(double edge, int i) {
    mpz_class at_most;
    mpz_ui_pow_ui(at_most.get_mpz_t(), 2, static_cast<unsigned long>(320 - i));
    mpz_class tolerance;
    mpz_ui_pow_ui(tolerance.get_mpz_t(), 8193, 8);
    at_most *= tolerance;
    const auto below = [&](const mpz_class& u) {
        mpz_class power;
        mpz_pow_ui(power.get_mpz_t(), u.get_mpz_t(), 8);
        power <<= 13 * 8;
        return power <= at_most;
    };
    const mpz_class u(edge);
    return below(u) && !below(u + 1);
}

TEST(NormBins, EdgesAreTheRootsOfPowersOfTwo) {
    const NormBins bins(16, 1);
    const std::size_t last = bins.size() - 1;
    EXPECT_EQ(bins.squared_edge(last), 0x1p40);
    for (int i = 1; i < 16; ++i) {
        const double edge = bins.squared_edge(last - static_cast<std::size_t>(i));
        EXPECT_TRUE(is_edge(edge, i)) << i;
        EXPECT_FALSE(is_edge(edge + 1, i)) << i;  // control
        EXPECT_FALSE(is_edge(edge - 1, i)) << i;
    }
}

// As docs/cli.md tells them, and docs/privacy.md#bins.
TEST(NormBins, AreAsManyAsThePagesTell) {
    for (const auto& [columns, bins] : {std::pair{1U, 160U},
                                        {200U, 160U},
                                        {201U, 96U},
                                        {1024U, 96U},
                                        {1025U, 64U},
                                        {2048U, 64U},
                                        {2049U, 48U},
                                        {30000U, 48U}}) {
        EXPECT_EQ(NormBins::for_columns(columns).size(), bins) << columns;
    }
}

TEST(NormBins, AreNumberedFromTheFinestToTheCoarsest) {
    for (const NormBins& bins : all_bins()) {
        EXPECT_EQ(bins.size(), 40U + static_cast<std::size_t>(bins.fine_octaves()) *
                                         static_cast<std::size_t>(bins.per_octave() - 1));
        std::size_t next = 0;
        for (int k = 39; k >= 0; --k) {
            const BinRange range = bins.of_octave(k);
            EXPECT_EQ(range.first, next);
            for (; next <= range.last; ++next) {
                EXPECT_EQ(bins.octave(next), k);
                if (next > 0) {
                    EXPECT_GT(bins.radius(next), bins.radius(next - 1));
                }
            }
            EXPECT_EQ(bins.radius(range.last), std::ldexp(1.0, -k));
        }
        EXPECT_EQ(next, bins.size());
    }
}

TEST(NormBins, ARowIsAtMostItsBinsEdgeAndAboveTheFinerOne) {
    for (const NormBins& bins : all_bins()) {
        for (const int k : {0, 1, 7, 8, 39}) {
            const BinRange range = bins.of_octave(k);
            for (std::size_t i = range.first; i <= range.last; ++i) {
                EXPECT_EQ(bins.of_row(k, bins.squared_edge(i)), i);
                if (i < range.last) {
                    EXPECT_EQ(bins.of_row(k, bins.squared_edge(i) + 1), i + 1);
                }
            }
            EXPECT_EQ(bins.of_row(k, 0.0), range.first);
        }
    }
}

TEST(NormBins, OfARowIsTheFirstWhoseEdgeItDoesNotExceed) {
    std::mt19937_64 generator(2);
    std::uniform_real_distribution<double> exponent(37.5, 40.0);
    for (const NormBins& bins : all_bins()) {
        const BinRange range = bins.of_octave(0);
        for (int trial = 0; trial < 20000; ++trial) {
            const double squared_norm = std::trunc(std::exp2(exponent(generator)));
            std::size_t bin = range.first;
            while (bins.squared_edge(bin) < squared_norm) ++bin;
            ASSERT_EQ(bins.of_row(0, squared_norm), bin) << squared_norm;
        }
    }
}

TEST(NormBins, RefusesNumbersThatAreNone) {
    EXPECT_THROW(NormBins(3, 8), UsageError);
    EXPECT_THROW(NormBins(32, 8), UsageError);
    EXPECT_THROW(NormBins(0, 8), UsageError);
    EXPECT_THROW(NormBins(1, 8), UsageError);
    EXPECT_THROW(NormBins(4, 0), UsageError);
    EXPECT_THROW(NormBins(4, 9), UsageError);
    EXPECT_THROW(NormBins(-2, 8), UsageError);
}

std::vector<double> spread_rows(std::size_t n, std::size_t d, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> exponent(-12.0, 0.2);
    std::normal_distribution<double> normal;
    std::vector<double> rows;
    for (std::size_t i = 0; i < n; ++i) {
        const double scale = std::exp2(exponent(generator)) / std::sqrt(static_cast<double>(d));
        for (std::size_t j = 0; j < d; ++j) rows.push_back(scale * normal(generator));
    }
    return rows;
}

detail::SecretMoment moment_on(const std::vector<double>& rows, std::size_t d,
                               const NormBins& bins) {
    detail::SecretMoment moment({.columns = d, .norm_bound = 1.0, .keep_directions = true}, bins);
    moment.add(rows);
    return moment;
}

// Every row's integers, made by the placement alone, in the bin that integers say, against the
// moment's sums. Control: the row next to it is seen to be missing.
TEST(NormBins, SumsAreThoseOfIntegerArithmetic) {
    constexpr std::size_t d = 3;
    const std::vector<double> rows = spread_rows(400, d, 1);
    for (const NormBins& bins : all_bins()) {
        const detail::SecretMoment moment = moment_on(rows, d, bins);
        std::vector<detail::SecretMoment::Bin> expected(bins.size());
        for (std::size_t row = 0; row < rows.size(); row += d) {
            const detail::Grid grid(1.0);
            detail::Place place;
            ASSERT_TRUE(detail::find_place(&rows[row], d, grid, place));
            std::vector<double> q(d);
            detail::place_on_grid(&rows[row], d, place.power_of_two, place.to_grid, q.data());
            std::int64_t squares = 0;
            for (const double x : q) {
                squares += static_cast<std::int64_t>(x) * static_cast<std::int64_t>(x);
            }
            std::size_t at = bins.of_octave(place.octave).first;
            while (static_cast<double>(squares) > bins.squared_edge(at)) ++at;
            detail::SecretMoment::Bin& bin = expected[at];
            ++bin.rows;
            bin.gram.resize(d * (d + 1) / 2);
            bin.sum.resize(d);
            for (std::size_t j = 0, entry = 0; j < d; ++j) {
                bin.sum[j] += static_cast<std::int64_t>(q[j]);
                for (std::size_t i = 0; i <= j; ++i, ++entry) {
                    bin.gram.add(entry,
                                 static_cast<std::int64_t>(q[i]) * static_cast<std::int64_t>(q[j]));
                }
            }
        }
        std::size_t occupied = 0;
        for (std::size_t i = 0; i < bins.size(); ++i) {
            EXPECT_TRUE(moment.bin(i) == expected[i]) << i;
            occupied += expected[i].rows > 0 ? 1 : 0;
        }
        EXPECT_GE(occupied, 12U);
        const detail::SecretMoment without =
            moment_on(std::vector<double>(rows.begin() + d, rows.end()), d, bins);
        std::size_t different = 0;
        for (std::size_t i = 0; i < bins.size(); ++i) {
            different += without.bin(i) == expected[i] ? 0 : 1;
        }
        EXPECT_EQ(different, 1U);
    }
}

// Octaves, and everything that other methods see, are the same at every resolution; and moments of
// two add up to that of the bins that both have, whichever is merged into which.
TEST(NormBins, AddUpToTheSameAtEveryResolution) {
    constexpr std::size_t d = 4;
    const std::vector<double> rows = spread_rows(300, d, 2);
    const std::vector<double> others = spread_rows(200, d, 3);
    std::vector<double> both = rows;
    both.insert(both.end(), others.begin(), others.end());
    const detail::SecretMoment octaves = moment_on(rows, d, NormBins::whole_octaves());
    for (const NormBins& a : all_bins()) {
        const detail::SecretMoment moment = moment_on(rows, d, a);
        for (int k = 0; k < NormBins::octaves; ++k) {
            const OctaveSums found = octave_sums(moment, k);
            const OctaveSums expected = octave_sums(octaves, k);
            EXPECT_EQ(found.rows, expected.rows) << k;
            EXPECT_EQ(found.gram, expected.gram) << k;
            EXPECT_EQ(found.directions, expected.directions) << k;
            EXPECT_EQ(found.sum, expected.sum) << k;
        }
        for (const NormBins& b : all_bins()) {
            detail::SecretMoment merged = moment;
            merged.merge(moment_on(others, d, b));
            EXPECT_TRUE(merged.norm_bins() == common_bins(a, b));
            EXPECT_TRUE(merged == moment_on(both, d, common_bins(a, b)));
        }
    }
    EXPECT_TRUE(common_bins(NormBins(16, 4), NormBins(2, 8)) == NormBins(2, 4));
    EXPECT_FALSE(moment_on(rows, d, NormBins(16, 8)) == moment_on(rows, d, NormBins(4, 8)));
}

// A row whose norm is an inner edge's by name is below it, however its entries are rounded; a
// thousandth above it is not.
TEST(NormBins, RowsOfANamedNormAreBelowTheirEdge) {
    const NormBins bins(16, 8);
    for (const std::size_t d : {1U, 2U, 3U, 10U, 100U, 999U}) {
        detail::SecretMoment moment = moment_on({}, d, bins);
        for (int i = 0; i < 16; ++i) {
            const double norm = std::exp2(-i / 16.0);
            const std::size_t edge = bins.size() - 1 - static_cast<std::size_t>(i);
            for (const auto& [factor, expected] :
                 {std::pair{1.0, edge}, std::pair{0.999, edge}, std::pair{1.001, edge + 1}}) {
                if (expected == bins.size()) continue;
                const std::vector<double> row(d, factor * norm / std::sqrt(static_cast<double>(d)));
                const std::uint64_t before = moment.bin(expected).rows;
                moment.add(row);
                EXPECT_EQ(moment.bin(expected).rows, before + 1) << d << " " << i;
            }
        }
    }
}

// A row counts in the bin of its integers, as they are, on whichever side of an edge it was before
// it was rounded.
TEST(NormBins, OfARowAreThoseOfItsIntegers) {
    const detail::SecretMoment empty({.columns = 1, .norm_bound = 1.0});
    const detail::NormBins& bins = empty.norm_bins();
    int crossings = 0;
    const detail::BinRange octave = bins.of_octave(0);
    for (std::size_t edge = octave.first; edge < octave.last; ++edge) {
        const double whole = std::floor(std::sqrt(bins.squared_edge(edge)));
        for (const double rest : {-0.49, 0.0, 0.49, 0.501, 0.51, 0.99}) {
            const double length = whole + rest;
            const double rounded = std::nearbyint(length);
            const std::size_t bin = bins.of_row(0, rounded * rounded);
            crossings += bin != bins.of_row(0, length * length) ? 1 : 0;
            detail::SecretMoment moment = empty;
            moment.add(std::vector<double>{std::ldexp(length, -20)});
            ASSERT_EQ(moment.bin(bin).rows, 1U) << edge << ' ' << rest;
            EXPECT_TRUE(moment.bin(bin).gram[0] == static_cast<Int128>(rounded * rounded));
        }
    }
    EXPECT_GT(crossings, 5);
}

}  // namespace
}  // namespace dpcov::test
