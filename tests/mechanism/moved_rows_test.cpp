// Rows about another origin, and stretched: added so, released so, and what is derived then.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "mechanism/people_far_from_midpoints.hpp"
#include "moment/secret_door.hpp"
#include "support/temporary_folder.hpp"

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const std::vector<double> some_origin = {0.5, -1.0, 0.25};
const std::vector<double> some_stretch = {1.5, 4.0, 0.5};

TEST(Origin, IsSubtractedFromMappedRowsThatAreStretchedThen) {
    const People people(50);
    SecondMoment moved(
        {.schema = People::schema(), .origin = some_origin, .stretch = some_stretch});
    EXPECT_DOUBLE_EQ(moved.layout().norm_bound, std::hypot(1.5 * 1.5, 2.0 * 4.0, 1.25 * 0.5));
    moved.add(people.rows());

    // The same numbers in a table without bounds.
    const double bound = moved.layout().norm_bound;
    SecondMoment by_hand({.columns = People::columns, .norm_bound = bound});
    MatrixXd mapped = people.rows();
    for (Eigen::Index j = 0; j < People::columns; ++j) {
        const Column column = People::schema()[static_cast<std::size_t>(j)];
        mapped.col(j) = ((people.rows().col(j).array() - column.midpoint()) / column.unit() -
                         some_origin[static_cast<std::size_t>(j)]) *
                        some_stretch[static_cast<std::size_t>(j)];
    }
    by_hand.add(mapped);
    const auto secret = detail::SecretDoor::open(moved);
    const auto expected = detail::SecretDoor::open(by_hand);
    for (std::size_t i = 0; i < secret->norm_bins().size(); ++i) {
        EXPECT_EQ(secret->bin(i), expected->bin(i)) << i;
    }
}

TEST(Origin, IsTheSameHoweverRowsCome) {
    const People people(50);
    const MomentLayout layout{
        .schema = People::schema(), .origin = some_origin, .stretch = some_stretch};
    SecondMoment added(layout);
    added.add(people.rows());
    SecondMoment sparse(layout);
    const std::vector<std::uint32_t> places = {0, 1, 2};
    std::vector<std::vector<double>> values;
    for (const auto& row : people.rows().rowwise()) {
        values.emplace_back(row.begin(), row.end());
    }
    for (const std::vector<double>& row : values) {
        const SparseRow one{.columns = places, .values = row};
        sparse.add_sparse({&one, 1});
    }
    const TemporaryFolder folder;
    std::ofstream file(folder / "people.csv");
    file.precision(17);
    file << "age,gain,hours\n";
    for (const std::vector<double>& row : values) {
        file << row[0] << ',' << row[1] << ',' << row[2] << '\n';
    }
    file.close();
    SecondMoment read(layout);
    const auto table =
        open_table(folder / "people.csv", {.header = Header::yes, .bounds = People::schema()});
    read.add(*table);
    const auto expected = detail::SecretDoor::open(added);
    EXPECT_TRUE(*detail::SecretDoor::open(sparse) == *expected);
    EXPECT_TRUE(*detail::SecretDoor::open(read) == *expected);
    // Control: at the midpoints they are others.
    EXPECT_FALSE(*detail::SecretDoor::open(people.moment()) == *expected);
}

// Sums of squares rest on that, whoever reads the table.
class ReaderBeyondTheBounds final : public TableReader {
public:
    [[nodiscard]] std::size_t columns() const noexcept override { return 3; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }
    std::size_t read(std::span<double> block) override {
        if (std::exchange(done_, true)) {
            return 0;
        }
        const std::vector<double> row = {1.5, -0.5, -7.0};
        std::copy(row.begin(), row.end(), block.begin());
        return 1;
    }

private:
    Schema schema_ = People::schema();
    bool done_ = false;
};

TEST(Bounds, HoldForWhatAnyReaderGives) {
    SecondMoment read({.schema = People::schema()});
    ReaderBeyondTheBounds reader;
    read.add(reader);
    SecondMoment within({.schema = People::schema()});
    const Column gain = People::schema()[1];
    within.add(Eigen::RowVector3d(100.0, gain.midpoint() - 0.5 * gain.unit(), 0.0));
    EXPECT_TRUE(*detail::SecretDoor::open(read) == *detail::SecretDoor::open(within));
}

TEST(Origin, OfZerosIsNone) {
    const SecondMoment moment(
        {.schema = People::schema(), .origin = {0.0, 0.0, 0.0}, .stretch = {1.0, 1.0, 1.0}});
    EXPECT_TRUE(moment.layout() == SecondMoment({.schema = People::schema()}).layout());
}

// A row beyond all numbers is clipped as any long one is: what it holds decides no error.
TEST(Stretch, OfAnyFiniteValueIsFinite) {
    const MomentLayout layout{.columns = 2, .norm_bound = 10.0, .stretch = {0x1p20, 1.0}};
    SecondMoment moment(layout);
    SecondMoment expected(layout);
    for (const double sign : {1.0, -1.0}) {
        moment.add(Eigen::RowVector2d(sign * 1e305, 1.0));
        expected.add(Eigen::RowVector2d(sign * 1e100, 0.0));
    }
    EXPECT_TRUE(*detail::SecretDoor::open(moment) == *detail::SecretDoor::open(expected));
    EXPECT_THROW(moment.add(Eigen::RowVector2d(INFINITY, 1.0)), DataError);
    EXPECT_THROW(moment.add(Eigen::RowVector2d(NAN, 1.0)), DataError);
}

TEST(Origin, ThatMakesNoSenseIsRefused) {
    const auto moment = [](std::vector<double> origin, Schema schema) {
        return SecondMoment({.columns = People::columns,
                             .norm_bound = 1.0,
                             .schema = std::move(schema),
                             .origin = std::move(origin)});
    };
    EXPECT_THROW(moment({0.5}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, NAN}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, INFINITY}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, 1e300}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, 1.5}, People::schema()), UsageError);
    EXPECT_NO_THROW(moment({0.0, 0.0, 1.5}, {}));
    const auto stretched = [](std::vector<double> stretch) {
        return SecondMoment(
            {.columns = People::columns, .norm_bound = 1.0, .stretch = std::move(stretch)});
    };
    EXPECT_THROW(stretched({2.0}), UsageError);
    EXPECT_THROW(stretched({1.0, 1.0, 0.0}), UsageError);
    EXPECT_THROW(stretched({1.0, 1.0, -1.0}), UsageError);
    EXPECT_THROW(stretched({1.0, 1.0, NAN}), UsageError);
    EXPECT_THROW(stretched({1.0, 1.0, 0x1p21}), UsageError);
    EXPECT_NO_THROW(stretched({1.0, 1.0, 0x1p20}));
    // Without an origin nobody may add these sums up.
    SecondMoment one = moment({0.0, 0.0, 0.5}, {});
    EXPECT_THROW(one.merge(moment({}, {})), UsageError);
}

TEST(Origin, ComesBackFromAFile) {
    const TemporaryFolder folder;
    const std::string path = folder / "rows.moment";
    for (const std::vector<double>& origin : {some_origin, std::vector<double>()}) {
        for (const std::vector<double>& stretch : {some_stretch, std::vector<double>()}) {
            SecondMoment moment({.schema = People::schema(), .origin = origin, .stretch = stretch});
            moment.add(People(20).rows());
            moment.save(path);
            const SecondMoment back = SecondMoment::load(path);
            EXPECT_TRUE(back.layout() == moment.layout());
            EXPECT_TRUE(*detail::SecretDoor::open(back) == *detail::SecretDoor::open(moment));
        }
    }
}

TEST(Origin, AndStretchAreUndoneInMeanAndCovariance) {
    const People people(20000);
    SecondMoment moved(
        {.schema = People::schema(), .origin = some_origin, .stretch = some_stretch});
    moved.add(people.rows());
    for (const char* method : {"auto", "gauss", "separate"}) {
        const Release released = in_table_units(
            release(moved, Rho(1e6), {.method = method, .center = true, .insecure_seed = 1}));
        EXPECT_EQ(released.origin, Eigen::Vector3d(0.5, -1.0, 0.25));
        EXPECT_EQ(released.stretch, Eigen::Vector3d(1.5, 4.0, 0.5));
        EXPECT_LT(people.error_of(released.covariance), 1e-4) << method;
        const VectorXd mean = people.mean();
        EXPECT_LT(People::half_ranges().cwiseInverse().cwiseProduct(*released.mean - mean).norm(),
                  1e-4)
            << method;
    }
}

// In the table's units errors are not alike in all directions, so none is told of stretched
// columns: neither that which is estimated nor that of hidden rows. Control: without a stretch both
// are.
TEST(Stretch, HasNoEstimatedErrors) {
    for (const double factor : {1.0, 2.0}) {
        SecondMoment moment({.schema = Schema(4, {.bounds = ColumnBounds{-1.0, 1.0}}),
                             .stretch = std::vector<double>(4, factor)});
        Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(3000, 4, 0.001);
        rows.topRows(15).setConstant(1.0);
        moment.add(rows);
        int estimated = 0;
        int told = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const Release released = release(
                moment, Rho(0.1), {.method = "stratified", .center = false, .insecure_seed = seed});
            estimated += released.estimated_frobenius_error ? 1 : 0;
            told += released.hidden_rows_error ? 1 : 0;
        }
        EXPECT_EQ(estimated > 0, factor == 1.0) << estimated;
        EXPECT_EQ(told > 0, factor == 1.0) << told;
    }
}

// Of People::columns that are all stretched by 2 the sums are the same integers, and so is the
// noise, in half the units: whatever is derived is the same in the table's, but for rounding.
TEST(Stretch, IsNoMatterWhereItIsTheSameForAllColumns) {
    const People people(2000);
    const auto released = [&](double factor, const Definition& definition) {
        SecondMoment moment({.schema = People::schema(),
                             .origin = {0.6, -1.0, -0.8},
                             .stretch = std::vector<double>(People::columns, factor)});
        moment.add(people.rows());
        return release(moment, definition, {.center = true, .insecure_seed = 2});
    };
    const auto near = [](const auto& one, const auto& other) {
        return (one - other).norm() <= 1e-9 * (one + other).norm();
    };
    for (const Definition& definition : {Definition(Rho(0.05)), Definition(Epsilon(4.0))}) {
        const Release one = released(1.0, definition);
        const Release two = released(2.0, definition);
        EXPECT_EQ(one.stretch.size(), 0);
        EXPECT_EQ(two.stretch, Eigen::Vector3d::Constant(2.0));
        EXPECT_EQ(two.norm_bound, 2.0 * one.norm_bound);
        EXPECT_EQ(two.statistics.strata.front().noise_scale,
                  4.0 * one.statistics.strata.front().noise_scale);
        ASSERT_GT(one.covariance.norm(), 0.0);
        EXPECT_TRUE(near(one.covariance, two.covariance));
        EXPECT_TRUE(near(*one.mean, *two.mean));
        EXPECT_TRUE(near(estimate_covariance(two), two.covariance));
        EXPECT_NEAR(*noise_level(one), *noise_level(two), 1e-12);
        const MatrixEstimate a = derive_covariance(one);
        const MatrixEstimate b = derive_covariance(two);
        EXPECT_TRUE(near(a.matrix, b.matrix) && near(a.lower, b.lower) && near(a.upper, b.upper));
        const VectorEstimate means_a = derive_mean(one);
        const VectorEstimate means_b = derive_mean(two);
        EXPECT_TRUE(near(means_a.estimate, means_b.estimate));
        EXPECT_TRUE(near(means_a.standard_error, means_b.standard_error));
        EXPECT_TRUE(near(means_a.lower, means_b.lower) && near(means_a.upper, means_b.upper));
        const MatrixEstimate correlations_a = derive_correlation(one);
        const MatrixEstimate correlations_b = derive_correlation(two);
        EXPECT_TRUE(near(correlations_a.matrix, correlations_b.matrix));
        EXPECT_TRUE(near(correlations_a.upper, correlations_b.upper));
        const PrincipalComponents pca_a = derive_pca(one, 2);
        const PrincipalComponents pca_b = derive_pca(two, 2);
        EXPECT_TRUE(near(pca_a.components, pca_b.components));
        EXPECT_TRUE(near(pca_a.explained_variance.lower, pca_b.explained_variance.lower));
        EXPECT_TRUE(near(pca_a.explained_variance.upper, pca_b.explained_variance.upper));
        EXPECT_TRUE(
            near(pca_a.explained_variance_ratio.upper, pca_b.explained_variance_ratio.upper));
        const Regression line_a = derive_regression(one, 1);
        const Regression line_b = derive_regression(two, 1);
        ASSERT_GT(line_a.coefficients.estimate.norm(), 0.0);
        EXPECT_TRUE(near(line_a.coefficients.estimate, line_b.coefficients.estimate));
        EXPECT_NEAR(*line_a.intercept, *line_b.intercept, 1e-7 * std::abs(*line_a.intercept));
        EXPECT_EQ(line_a.coefficients.upper.hasNaN(), line_b.coefficients.upper.hasNaN());
    }
}

// Each column by its own: what is derived at a budget that hides nothing is what the table says.
// The seed is fixed, and the noise a hundredth of what is allowed or less: nothing here is chance.
TEST(Stretch, IsUndoneInWhateverIsDerived) {
    const People people(20000);
    const MatrixXd truth = people.covariance();
    const VectorXd mean = people.mean();
    SecondMoment moment(
        {.schema = People::schema(), .origin = some_origin, .stretch = some_stretch});
    moment.add(people.rows());
    const Release made = release(moment, Rho(1e7), {.center = true, .insecure_seed = 3});
    const MatrixEstimate covariance = derive_covariance(made);
    const MatrixEstimate correlation = derive_correlation(made);
    const VectorEstimate center = derive_mean(made);
    for (Eigen::Index j = 0; j < People::columns; ++j) {
        EXPECT_NEAR(center.estimate[j], mean[j], 1e-3 * std::abs(mean[j]));
        EXPECT_NEAR(center.lower[j], mean[j], 1e-2 * std::abs(mean[j]));
        for (Eigen::Index i = 0; i < People::columns; ++i) {
            const double unit = std::sqrt(truth(i, i) * truth(j, j));
            EXPECT_NEAR(covariance.matrix(i, j), truth(i, j), 1e-2 * unit);
            EXPECT_NEAR(covariance.lower(i, j), truth(i, j), 1e-2 * unit);
            EXPECT_NEAR(covariance.upper(i, j), truth(i, j), 1e-2 * unit);
            EXPECT_NEAR(correlation.matrix(i, j), truth(i, j) / unit, 1e-2);
            EXPECT_NEAR(correlation.upper(i, j), truth(i, j) / unit, 1e-2);
        }
    }
    const PrincipalComponents pca = derive_pca(made, 1);
    EXPECT_NEAR(pca.explained_variance.estimate[0], truth(1, 1), 1e-2 * truth(1, 1));
    EXPECT_NEAR(pca.explained_variance.lower[0], truth(1, 1), 1e-2 * truth(1, 1));
    EXPECT_NEAR(pca.explained_variance.upper[0], truth(1, 1), 1e-2 * truth(1, 1));
    const double slope = truth(2, 0) / truth(0, 0);
    const Regression line = derive_regression(made, 2, {0});
    EXPECT_NEAR(line.coefficients.estimate[0], slope, 1e-2 * slope);
    EXPECT_NEAR(line.coefficients.lower[0], slope, 1e-2 * slope);
    EXPECT_NEAR(*line.intercept, mean[2] - slope * mean[0], 0.1);
    // About zero, too.
    const Release about_zero = release(moment, Rho(1e7), {.insecure_seed = 3});
    const VectorXd from_origin =
        mean - People::half_ranges().cwiseProduct(Eigen::Vector3d(1.5, 0.0, 1.25));
    const MatrixXd expected = truth + from_origin * from_origin.transpose();
    EXPECT_LT((derive_covariance(about_zero).lower - expected).norm(), 1e-2 * expected.norm());
    EXPECT_LT((derive_covariance(about_zero).upper - expected).norm(), 1e-2 * expected.norm());
    // Standard errors are those of the noise, exactly, of the table's units over the stretch.
    const VectorXd units = People::half_ranges().cwiseQuotient(Eigen::Vector3d(1.5, 4.0, 0.5));
    double variance = 0.0;
    double mean_variance = 0.0;
    for (const NoisyMoment& stratum : about_zero.statistics.strata) {
        variance += std::pow(stratum.noise_scale, 2);
    }
    for (const NoisyMoment& stratum : made.statistics.strata) {
        mean_variance += std::pow(stratum.mean_noise_scale, 2);
    }
    MatrixXd errors = std::sqrt(0.5 * variance) * units * units.transpose();
    errors.diagonal() *= std::sqrt(2.0);
    EXPECT_TRUE(derive_covariance(about_zero).standard_error.isApprox(errors, 1e-12));
    EXPECT_TRUE(center.standard_error.isApprox(std::sqrt(mean_variance) * units, 1e-12));
    // Control: without it they are others.
    Release wrong = made;
    wrong.stretch = {};
    EXPECT_GT(derive_covariance(wrong).lower(0, 0), 2.0 * truth(0, 0));
}

}  // namespace
}  // namespace dpcov::test
