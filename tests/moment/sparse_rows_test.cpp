// Rows whose zeros are left out add up to what they add up to with the zeros.
#include "dpcov/sparse_row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "arithmetic/sparse_gram.hpp"
#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "moment/secret_moment.hpp"
#include "support/temporary_folder.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

constexpr double sparse_bound = 0.375;

/// The same rows twice.
struct BothWays {
    std::size_t d = 0;
    std::vector<double> whole;
    std::vector<std::vector<std::uint32_t>> columns;
    std::vector<std::vector<double>> values;

    [[nodiscard]] std::size_t size() const { return columns.size(); }

    void push_back(std::vector<std::uint32_t> places, std::vector<double> entries) {
        whole.resize(whole.size() + d, 0.0);
        for (std::size_t i = 0; i < places.size(); ++i) {
            whole[whole.size() - d + places[i]] = entries[i];
        }
        columns.push_back(std::move(places));
        values.push_back(std::move(entries));
    }

    [[nodiscard]] std::span<const double> whole_rows(std::size_t first, std::size_t count) const {
        return std::span(whole).subspan(first * d, count * d);
    }
    [[nodiscard]] std::vector<SparseRow> sparse_rows(std::size_t first, std::size_t count) const {
        std::vector<SparseRow> rows;
        for (std::size_t i = first; i < first + count; ++i) {
            rows.push_back({.columns = columns[i], .values = values[i]});
        }
        return rows;
    }
};

/// Rows of every kind: without an entry, with zeros of either sign written down, as long as the
/// bound and a hair beside it, far longer, of equal entries (where rounding goes over the radius),
/// and with entries whose squares overflow or vanish. A share of `filled` of the entries is there.
BothWays rows_of_every_kind(std::size_t n, std::size_t d, double filled, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    BothWays rows;
    rows.d = d;
    while (rows.size() < n) {
        std::vector<std::uint32_t> columns;
        for (std::size_t j = 0; j < d; ++j) {
            if (uniform(generator) < filled) {
                columns.push_back(static_cast<std::uint32_t>(j));
            }
        }
        const std::uint64_t kind = generator() % 12U;
        std::vector<double> values;
        double squares = 0.0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double value = kind == 0 ? 1.0 : normal(generator);
            const std::uint64_t zero = generator() % 16U;
            values.push_back(zero == 0 ? 0.0 : zero == 1 ? -0.0 : value);
            squares += values.back() * values.back();
        }
        const double norm = squares > 0.0 ? std::sqrt(squares) : 1.0;
        const double length =
            kind < 3    ? 1.0
            : kind == 3 ? 1.0 + 0x1p-20
            : kind == 4 ? 1e180
            : kind == 5 ? 1e-190
            : kind == 6 ? 100.0
            : kind == 7 ? std::exp2(-0.0625 * static_cast<double>(generator() % 64U))  // an edge
                        : std::exp2(-12.0 * uniform(generator));
        for (double& value : values) {
            value *= length / norm * sparse_bound;
        }
        if (kind == 11) {
            columns.clear();
            values.clear();
        }
        rows.push_back(std::move(columns), std::move(values));
    }
    return rows;
}

detail::SecretMoment moment_for(const BothWays& rows, bool directions = true) {
    detail::SecretMoment moment(
        {.columns = rows.d, .norm_bound = sparse_bound, .keep_directions = directions});
    moment.declare_part("rows");
    return moment;
}

std::string bytes_of(const detail::SecretMoment& moment) {
    const TemporaryFolder folder;
    moment.save(folder / "a.moment");
    return read_file(folder / "a.moment");
}

TEST(SparseRows, AddUpToTheBytesOfWholeRows) {
    bool faster = false;
    bool slower = false;
    for (const std::size_t d : {1U, 7U, 8U, 60U, 130U}) {
        for (const double filled : {0.02, 0.3, 1.0}) {
            const BothWays rows = rows_of_every_kind(500, d, filled, 11 * d);
            detail::SecretMoment whole = moment_for(rows);
            whole.add(rows.whole);
            const std::vector<SparseRow> sparse = rows.sparse_rows(0, rows.size());
            (detail::pairs_are_faster(sparse, d) ? faster : slower) = true;
            for (const unsigned threads : {1U, 2U, 3U}) {
                detail::SecretMoment moment = moment_for(rows);
                moment.add_sparse(sparse, threads);
                EXPECT_TRUE(moment == whole) << "d = " << d << ", filled " << filled;
                if (threads == 3 && filled == 0.3) {
                    EXPECT_EQ(bytes_of(moment), bytes_of(whole)) << "d = " << d;
                }
            }
        }
    }
    EXPECT_TRUE(faster && slower) << "both ways of adding are to be seen";
}

TEST(SparseRows, AddUpInAnyMixtureWithWholeRows) {
    const BothWays rows = rows_of_every_kind(3000, 40, 0.1, 5);
    detail::SecretMoment whole = moment_for(rows);
    whole.add(rows.whole);
    std::mt19937_64 generator(6);
    for (int trial = 0; trial < 5; ++trial) {
        detail::SecretMoment moment = moment_for(rows);
        for (std::size_t first = 0; first < rows.size();) {
            const std::size_t count =
                std::min<std::size_t>(generator() % 500U, rows.size() - first);
            if (generator() % 2U == 0) {
                moment.add(rows.whole_rows(first, count));
            } else {
                moment.add_sparse(rows.sparse_rows(first, count), 2);
            }
            first += count;
        }
        EXPECT_TRUE(moment == whole);
    }
}

TEST(SparseRows, ComparisonCatchesAnEntryInAnotherColumn) {
    BothWays rows = rows_of_every_kind(200, 30, 0.1, 7);
    detail::SecretMoment whole = moment_for(rows);
    whole.add(rows.whole);
    rows.columns[100] = {3};
    rows.values[100] = {0.1};
    detail::SecretMoment moment = moment_for(rows);
    moment.add_sparse(rows.sparse_rows(0, rows.size()));
    EXPECT_FALSE(moment == whole);
}

TEST(SparseRows, ABadOneIsNamedAndNothingIsAdded) {
    BothWays rows = rows_of_every_kind(900, 20, 0.1, 8);
    const std::size_t bad = 777;
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        rows.columns[bad] = {4, 17};
        rows.values[bad] = {0.5, value};
        detail::SecretMoment moment = moment_for(rows);
        moment.add(rows.whole_rows(0, 100));
        const detail::SecretMoment before = moment;
        expect_error<DataError>([&] { moment.add_sparse(rows.sparse_rows(0, rows.size())); },
                                {"row 778", "column 17 (counted from 0)"});
        EXPECT_TRUE(moment == before);
    }
}

// So many rows before it that some wait to be added while others are: they are taken out again, and
// not added the other way round.
TEST(SparseRows, ABadOneAfterManyTakesAllOfThemOut) {
    BothWays rows = rows_of_every_kind(12000, 400, 0.005, 9);
    rows.columns.back() = {4};
    rows.values.back() = {std::numeric_limits<double>::infinity()};
    detail::SecretMoment moment = moment_for(rows, false);
    moment.add(rows.whole_rows(0, 100));
    const detail::SecretMoment before = moment;
    EXPECT_THROW(moment.add_sparse(rows.sparse_rows(0, rows.size())), DataError);
    EXPECT_TRUE(moment == before);
    // Control: without the bad one there are others in it.
    moment.add_sparse(rows.sparse_rows(0, rows.size() - 1));
    EXPECT_FALSE(moment == before);
}

// The greatest products, at sums as great as 2^64 rows make them, and back again.
TEST(SparseRows, SumsHoldAtTheLimit) {
    constexpr std::size_t d = 5;
    constexpr double most = 0x1p20;
    constexpr Int128 limit = Int128(1) << 104U;
    const std::vector<std::uint32_t> places = {1, 4};
    // |q|^2 is at most 2^40, so an entry off the diagonal is at most half of that: more is added
    // here than any row can.
    for (const double sign : {1.0, -1.0}) {
        const std::vector<double> q = {most, sign * most};
        const std::vector<SparseRow> rows(3, {.columns = places, .values = q});
        const auto unit = Int128(std::int64_t{1} << 40U);
        const Int128 off_diagonal = sign > 0.0 ? limit - 3 * unit : 3 * unit - limit;
        detail::WideSums total;
        total.resize(detail::packed_size(d));
        total.set(detail::packed_index(1, 1), limit - 3 * unit);
        total.set(detail::packed_index(4, 4), limit - 3 * unit);
        total.set(detail::packed_index(1, 4), off_diagonal);
        const detail::WideSums before = total;
        for (const unsigned threads : {1U, 2U}) {
            detail::SparseGramSums::Memory memory;
            detail::SparseGramSums sums(memory, d, threads);
            sums.add(rows, total, 1);
            sums.finish();
            EXPECT_TRUE(total[detail::packed_index(1, 1)] == limit);
            EXPECT_TRUE(total[detail::packed_index(4, 4)] == limit);
            EXPECT_TRUE(total[detail::packed_index(1, 4)] == (sign > 0.0 ? limit : -limit));
            sums.add(rows, total, -1);
            sums.finish();
            EXPECT_TRUE(total == before);
        }
    }
}

TEST(SparseRows, AreCheckedAtTheWall) {
    SecondMoment moment({.columns = 6, .norm_bound = 1.0});
    const std::vector<double> values = {0.5, 0.25};
    const auto add = [&](const std::vector<std::uint32_t>& columns) {
        const SparseRow row{.columns = columns, .values = values};
        moment.add_sparse({&row, 1});
    };
    EXPECT_NO_THROW(add({0, 5}));
    for (const std::vector<std::uint32_t>& columns :
         std::vector<std::vector<std::uint32_t>>{{0, 6}, {3, 3}, {4, 2}, {1}, {0, 1, 2}}) {
        expect_error<UsageError>([&] { add(columns); }, {"sparse row 1"});
    }
}

// Zero is not the midpoint of its bounds there, nor 1 its own multiple of the scale here.
TEST(SparseRows, AreMappedByTheSchema) {
    const std::vector<std::uint32_t> places = {1};
    const std::vector<double> values = {3.0};
    const SparseRow row{.columns = places, .values = values};
    Schema bounded(3);
    bounded[0].bounds = {0.0, 4.0};
    Schema scaled(3);
    scaled[1].scale = 8.0;
    Schema beyond(3);  // all doubles
    beyond[1].scale = 1e-308;
    for (const Schema& schema : {bounded, scaled, beyond}) {
        const TemporaryFolder folder;
        for (const bool sparse : {false, true}) {
            SecondMoment moment({.columns = 3, .norm_bound = 9.0, .schema = schema});
            moment.declare_part("row");
            if (sparse) {
                moment.add_sparse({&row, 1});
            } else {
                moment.add_row_major(std::vector<double>{0.0, 3.0, 0.0});
            }
            moment.save(folder / (sparse ? "sparse.moment" : "whole.moment"));
        }
        EXPECT_EQ(read_file(folder / "sparse.moment"), read_file(folder / "whole.moment"));
    }
}

}  // namespace
}  // namespace dpcov::test
