#include "moment/row_chunk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace dpcov::detail {
namespace {

// A row that somebody writes to after its place was found: whatever it is now, it weighs at most
// what a row of its bin may, and at least what one of its octave does, but for rounding. Control:
// with the values that it had it weighs what it should.
TEST(RowChunk, ARowThatChangesKeepsToItsBin) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t count = 70;
    const std::vector<double> changes = {not_a_number, infinity, -infinity, 1e300, 1e9,
                                         64.0,         -1.5,     0.0,       1e-12, 0.2};
    for (const std::size_t d : {1U, 3U, 8U, 21U}) {
        for (std::size_t change = 0; change < 2 * changes.size(); ++change) {
            const bool sparse = change % 2 != 0;
            const double now = changes[change / 2];
            std::vector<double> rows(count * d, 0.5 / std::sqrt(static_cast<double>(d)));
            const NormBins bins = NormBins::for_columns(d);
            HugePageVector<double> memory;
            RowChunk chunk(d, 1.0, bins, 1, memory);
            std::vector<std::uint32_t> columns(d);
            std::iota(columns.begin(), columns.end(), 0U);
            std::vector<SparseRow> with_columns;
            for (std::size_t i = 0; i < count; ++i) {
                with_columns.push_back(
                    {.columns = columns, .values = std::span(rows).subspan(i * d, d)});
            }
            ASSERT_EQ(chunk.take(sparse ? RowBlock(with_columns, d) : RowBlock(rows, d)), count);
            const auto squared_norms = [&](double Place::*factor) {
                chunk.round(factor);
                std::vector<double> squares;
                for (std::size_t bin = 0; bin < bins.size(); ++bin) {
                    const std::span<const double> q = chunk.in_bins({bin, bin});
                    for (std::size_t at = 0; at < q.size(); at += d) {
                        const auto row = q.subspan(at, d);
                        squares.push_back(
                            std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
                        const double most =
                            factor == &Place::to_grid ? bins.squared_edge(bin) : 0x1p40;
                        EXPECT_LE(squares.back(), most) << d << ", " << now;
                        if (factor == &Place::to_grid) {
                            const double rounding = std::sqrt(static_cast<double>(d)) * 0x1p20;
                            EXPECT_GE(squares.back(), 0x1p38 - rounding) << d << ", " << now;
                        }
                    }
                }
                EXPECT_EQ(squares.size(), count);
                return squares;
            };
            for (const double square : squared_norms(&Place::to_grid)) {
                EXPECT_NEAR(square, 0x1p40, 0x1p26);
            }
            rows[d - 1] = now;
            rows[d] = now;
            std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(2 * d), d, now);
            squared_norms(&Place::to_grid);
            squared_norms(&Place::to_sphere);
        }
    }
}

// A row that became longer within its octave: no bin below the octave's last one holds it then.
TEST(RowChunk, ARowThatChangesStaysBelowTheEdgeOfAFineBin) {
    constexpr std::size_t d = 3;
    const NormBins bins = NormBins::for_columns(d);
    ASSERT_GT(bins.per_octave(), 1);
    std::vector<double> rows = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3};  // of norm 0.52, in [1/2, 1]
    HugePageVector<double> memory;
    RowChunk chunk(d, 1.0, bins, 1, memory);
    ASSERT_EQ(chunk.take(RowBlock(rows, d)), 2U);
    rows[0] = 0.8;
    chunk.round(&Place::to_grid);
    std::size_t found = 0;
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
        const std::span<const double> q = chunk.in_bins({bin, bin});
        for (std::size_t at = 0; at < q.size(); at += d, ++found) {
            const auto row = q.subspan(at, d);
            EXPECT_LE(std::inner_product(row.begin(), row.end(), row.begin(), 0.0),
                      bins.squared_edge(bin));
            EXPECT_LT(bins.squared_edge(bin), 0x1p40);  // a fine one, or this tests nothing
        }
    }
    EXPECT_EQ(found, 2U);
}

}  // namespace
}  // namespace dpcov::detail
