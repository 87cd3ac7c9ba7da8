// The loops by registers of each width that this processor has, against the same lanes one by one:
// the same bits, whatever stands beside a row.
#include "moment/row_loops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace dpcov::test {
namespace {

using detail::Place;
using detail::RowLoops;
using Values = std::vector<double>;

// Eight sums, and the sums of lanes i and i + 4, of the first two and the last two, and of these.
double sum_of_squares(const Values& row) {
    std::array<double, 8> sums{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        sums.at(i % 8) += row[i] * row[i];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

Values times(Values row, double factor) {
    for (double& x : row) {
        x *= factor;
    }
    return row;
}

Values rounded(Values row) {
    for (double& x : row) {
        x = std::nearbyint(x) + 0.0;  // no zero has a sign
    }
    return row;
}

// Normal values, some of them halves, zeros and far from the others.
Values random_values(std::mt19937_64& generator, std::size_t size) {
    std::normal_distribution<double> normal;
    Values values(size);
    for (double& x : values) {
        x = normal(generator);
        const std::uint64_t kind = generator() % 8;
        x = kind == 0 ? std::round(8 * x) / 16 : kind == 1 ? 0.0 : kind == 2 ? 0x1p-30 * x : x;
    }
    return values;
}

Values row_of(const Values& rows, std::size_t d, std::size_t row) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * d);
    return {begin, begin + static_cast<std::ptrdiff_t>(d)};
}

// So that zeros of either sign are not equal.
std::vector<std::uint64_t> bits_of(const Values& values) {
    std::vector<std::uint64_t> bits;
    for (const double x : values) {
        bits.push_back(std::bit_cast<std::uint64_t>(x));
    }
    return bits;
}

TEST(RowLoops, AreUsableEverywhere) {
    EXPECT_FALSE(detail::usable_row_loops().empty());
}

TEST(RowLoops, SumTheSameLanesInRegistersOfAnyWidth) {
    std::mt19937_64 generator(5);
    constexpr std::size_t count = 5;
    for (std::size_t d = 1; d <= 41; ++d) {
        Values rows = random_values(generator, count * d);
        rows[d] = std::numeric_limits<double>::infinity();  // in row 1: its neighbours see nothing
        rows[2 * d - 1] = std::numeric_limits<double>::quiet_NaN();
        for (const double power_of_two : {1.0, 0x1p-20, 0x1p300}) {
            for (const RowLoops& loops : detail::usable_row_loops()) {
                Values sums(count);
                loops.sums_of_squares({.data = rows.data(), .count = count, .d = d}, power_of_two,
                                      sums.data());
                EXPECT_TRUE(std::isnan(sums[1]));
                for (const std::size_t row : {0U, 2U, 3U, 4U}) {
                    EXPECT_EQ(sums[row], sum_of_squares(times(row_of(rows, d, row), power_of_two)))
                        << "d = " << d << ", row " << row;
                }
            }
        }
    }
}

TEST(RowLoops, RoundToTheSameIntegersInRegistersOfAnyWidth) {
    std::mt19937_64 generator(6);
    constexpr std::size_t count = 5;
    const std::vector<std::size_t> chosen = {4, 1, 1, 0};
    for (std::size_t d = 1; d <= 41; ++d) {
        Values rows = random_values(generator, count * d);
        rows[2 * d] = std::numeric_limits<double>::quiet_NaN();  // behind row 1
        std::vector<Place> places;
        for (std::size_t row = 0; row < count; ++row) {
            places.push_back({.power_of_two = std::exp2(static_cast<double>(row)),
                              .to_grid = 0x1p10 / 3,
                              .to_sphere = 1.0});
        }
        for (double Place::*const factor : {&Place::to_grid, &Place::to_sphere}) {
            for (const RowLoops& loops : detail::usable_row_loops()) {
                Values q(chosen.size() * d + 1, -7.0);  // the last is nobody's
                Values squared_norms(chosen.size());
                loops.round_rows({.rows = {.data = rows.data(), .count = count, .d = d},
                                  .places = places.data(),
                                  .chosen = chosen,
                                  .factor = factor,
                                  .q = q.data(),
                                  .squared_norms = squared_norms.data()});
                EXPECT_EQ(q.back(), -7.0);
                for (std::size_t i = 0; i < chosen.size(); ++i) {
                    const Place& place = places[chosen[i]];
                    const Values expected = rounded(times(
                        times(row_of(rows, d, chosen[i]), place.power_of_two), place.*factor));
                    EXPECT_EQ(squared_norms[i], sum_of_squares(expected));
                    EXPECT_EQ(bits_of(row_of(q, d, i)), bits_of(expected))
                        << "d = " << d << ", row " << chosen[i];
                }
            }
        }
    }
}

}  // namespace
}  // namespace dpcov::test
