// SecondMoment from outside: what goes in, and that nothing can be had out of it but by release().
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <limits>
#include <utility>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "moment/rows_apart.hpp"
#include "moment/secret_door.hpp"

namespace dpcov::test {
namespace {

using ColumnMajor = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

ColumnMajor some_matrix() {
    ColumnMajor rows(5, 3);
    rows << 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7, -0.1, 0.0, 0.2, 0.3, 0.4, 0.0, 0.0, 0.9;
    return rows;
}

bool same(const SecondMoment& a, const SecondMoment& b) {
    return *detail::SecretDoor::open(a) == *detail::SecretDoor::open(b);
}

std::uint64_t rows_in(const SecondMoment& moment) {
    return detail::SecretDoor::open(moment)->rows();
}

SecondMoment with(const auto& rows) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.add(rows);
    return moment;
}

// A person is a row of the matrix, whatever the order in memory. Control: the same memory read as
// rows one behind another spreads each person over several, and is another moment.
TEST(SecondMomentWall, StorageOrderDoesNotMatter) {
    const ColumnMajor rows = some_matrix();
    const SecondMoment expected = with(RowMajor(rows));
    EXPECT_TRUE(same(with(rows), expected));
    EXPECT_TRUE(same(with(2.0 * (0.5 * rows)), expected)) << "an expression";
    ColumnMajor wider(7, 8);
    wider.setConstant(9.0);
    wider.block(1, 2, 5, 3) = rows;
    EXPECT_TRUE(same(with(wider.block(1, 2, 5, 3)), expected));
    RowMajor wide = wider;
    EXPECT_TRUE(same(with(wide.block(1, 2, 5, 3)), expected));
    EXPECT_TRUE(same(with(Eigen::Map<const ColumnMajor>(rows.data(), 5, 3)), expected));
    SecondMoment one_by_one({.columns = 3, .norm_bound = 1.0});
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        one_by_one.add(rows.row(i));
    }
    EXPECT_TRUE(same(one_by_one, expected));

    SecondMoment spread({.columns = 3, .norm_bound = 1.0});
    spread.add_row_major({rows.data(), 15});
    EXPECT_FALSE(same(spread, expected));
}

TEST(SecondMomentWall, RefusesAnotherWidth) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    EXPECT_THROW(moment.add(ColumnMajor(some_matrix().transpose())), UsageError);
    EXPECT_THROW(moment.add(Eigen::Vector3d(0.1, 0.2, 0.3)), UsageError) << "three rows of one";
    EXPECT_NO_THROW(moment.add(Eigen::RowVector3d(0.1, 0.2, 0.3)));
    EXPECT_EQ(rows_in(moment), 1U);
}

TEST(SecondMomentWall, MovedFromIsEmptyAndOfUse) {
    SecondMoment moment = with(some_matrix());
    const SecondMoment copy = moment;
    SecondMoment taken = std::move(moment);
    EXPECT_TRUE(same(taken, copy));
    // NOLINTBEGIN(bugprone-use-after-move): this is what the test is about
    EXPECT_EQ(moment.layout(), copy.layout());
    EXPECT_EQ(rows_in(moment), 0U);
    EXPECT_THROW(static_cast<void>(release(moment, Rho(1.0))), DataError) << "no rows";
    moment.merge(copy);
    EXPECT_TRUE(same(moment, copy));
    taken = std::move(moment);
    moment.add(some_matrix());
    EXPECT_TRUE(same(moment, copy));
    const SecondMoment again = moment;
    const SecondMoment& itself = moment;
    moment = itself;
    EXPECT_TRUE(same(moment, again));
    // NOLINTEND(bugprone-use-after-move)
}

Schema bounded() {
    return {{.name = "age", .bounds = ColumnBounds{0.0, 100.0}, .fill = 40.0},
            {.name = "temperature", .bounds = ColumnBounds{30.0, 45.0}}};
}

// Bounds map a row by itself: clamped, moved to the midpoint, divided by the half-range.
// However many calls there were, rows that were summed apart are of the moment's own part, so that
// a file does not grow, and copies know each other. Control: a merge adds a part.
TEST(SecondMomentWall, RowsSummedApartAreOfTheSamePart) {
    SecondMoment expected({.columns = 3, .norm_bound = 1.0}, NormResolution::octaves);
    SecondMoment moment = expected;
    SecondMoment apart = detail::empty_like(moment);
    for (int call = 0; call < 3; ++call) {
        apart.add(some_matrix());
        detail::move_rows(apart, moment);
        EXPECT_EQ(rows_in(apart), 0U);
        expected.add(some_matrix());
        EXPECT_TRUE(same(moment, expected));
        EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 1U);
    }
    const SecondMoment copy = moment;
    EXPECT_THROW(moment.merge(copy), UsageError);
    moment.merge(with(some_matrix()));
    EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 2U);
    SecondMoment other({.columns = 2, .norm_bound = 1.0});
    EXPECT_THROW(detail::move_rows(apart, other), UsageError);
}

TEST(SecondMomentWall, ADeclaredPartStaysTheOnlyOne) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.declare_part("monday");
    for (int call = 0; call < 2; ++call) {
        SecondMoment apart = detail::empty_like(moment);
        apart.add(some_matrix());
        detail::move_rows(apart, moment);
    }
    EXPECT_EQ(detail::SecretDoor::open(moment)->parts(), detail::Parts{"name:monday"});
    EXPECT_EQ(rows_in(moment), 10U);
    EXPECT_THROW(moment.declare_part("tuesday"), UsageError);
}

TEST(SecondMomentWall, BoundsMapRows) {
    SecondMoment moment({.schema = bounded()});
    EXPECT_EQ(moment.layout().columns, 2U);
    EXPECT_EQ(moment.layout().norm_bound, std::sqrt(2.0));
    ColumnMajor rows(5, 2);
    rows << 75.0, 37.5, nan, 45.0, 1000.0, 0.0, 0.0, inf, -inf, 30.0;
    moment.add(rows);
    ColumnMajor mapped(5, 2);
    mapped << 0.5, 0.0, -0.2, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0;
    SecondMoment expected({.columns = 2, .norm_bound = std::sqrt(2.0)});
    expected.add(mapped);
    EXPECT_EQ(detail::SecretDoor::open(moment)->stratum(0).gram,
              detail::SecretDoor::open(expected)->stratum(0).gram);

    ColumnMajor missing(1, 2);
    missing << 50.0, nan;  // no fill there
    EXPECT_THROW(moment.add(missing), DataError);
    EXPECT_EQ(rows_in(moment), 5U);
}

TEST(SecondMomentWall, RefusesSchemasThatMakeNoSense) {
    const auto refused = [](Schema schema) {
        EXPECT_THROW(static_cast<void>(SecondMoment({.norm_bound = 1.0, .schema = schema})),
                     UsageError);
    };
    refused({{.bounds = ColumnBounds{1.0, 1.0}}});
    refused({{.bounds = ColumnBounds{2.0, 1.0}}});
    refused({{.bounds = ColumnBounds{0.0, inf}}});
    refused({{.bounds = ColumnBounds{nan, 1.0}}});
    refused({{.bounds = ColumnBounds{0.0, 1.0}, .fill = 2.0}});
    refused({{.bounds = ColumnBounds{0.0, 1.0}, .scale = 2.0}});
    refused({{.fill = 2.0}});
    refused({{.scale = 0.0}});
    EXPECT_THROW(static_cast<void>(SecondMoment({.columns = 3, .schema = bounded()})), UsageError);
    EXPECT_THROW(static_cast<void>(SecondMoment({.columns = 3})), UsageError) << "no norm bound";
    EXPECT_THROW(static_cast<void>(SecondMoment({.norm_bound = 1.0})), UsageError) << "no columns";
    refused({{.bounds = ColumnBounds{-1e308, 1e308}}});
    refused({{.bounds = ColumnBounds{0.0, 1e-61}}});
    EXPECT_NO_THROW(
        static_cast<void>(SecondMoment({.schema = {{.bounds = ColumnBounds{-5e59, 5e59}}}})));
}

TEST(SecondMomentWall, MergesOnlyTheSamePublicFacts) {
    SecondMoment moment({.norm_bound = 1.0, .schema = bounded()});
    Schema other = bounded();
    other[1].bounds->upper = 46.0;
    EXPECT_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = other})), UsageError);
    other = bounded();
    other[0].name = "years";
    EXPECT_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = other})), UsageError);
    EXPECT_THROW(moment.merge(SecondMoment({.columns = 2, .norm_bound = 1.0})), UsageError);
    EXPECT_NO_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = bounded()})));
}

// At a budget at which noise does not matter, the release in the table's units is the table's own
// mean and covariance.
TEST(InTableUnits, AreThoseOfTheTable) {
    ColumnMajor rows(40, 2);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        rows.row(i) << 20.0 + static_cast<double>(i), 36.0 + 0.1 * static_cast<double>(i % 7);
    }
    SecondMoment moment({.schema = bounded()});
    moment.add(rows);
    const Release made = release(moment, Rho(1e12), {.method = "gauss", .center = true});
    const Release plain = in_table_units(made);
    const Eigen::RowVectorXd mean = rows.colwise().mean();
    const ColumnMajor centered = rows.rowwise() - mean;
    const ColumnMajor covariance = centered.transpose() * centered / 40.0;
    EXPECT_LT((plain.covariance - covariance).cwiseAbs().maxCoeff(), 1e-3 * covariance(0, 0));
    EXPECT_NEAR(plain.covariance(1, 1), covariance(1, 1), 1e-3);
    EXPECT_NEAR((*plain.mean)[0], mean[0], 1e-2);
    EXPECT_NEAR((*plain.mean)[1], mean[1], 1e-2);
    EXPECT_EQ(in_table_units(plain).covariance, plain.covariance);
    // Control: in the units of the mapped rows it is another matrix.
    EXPECT_GT((made.covariance - covariance).norm(), 1.0);
}

}  // namespace
}  // namespace dpcov::test
