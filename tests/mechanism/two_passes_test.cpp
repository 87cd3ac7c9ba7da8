// Rows about another origin: added so, and released so where they are read twice.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "mechanism/rough_mean.hpp"
#include "moment/secret_door.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Eigen::Index columns = 3;

Schema bounded_schema() {
    return {{.name = "age", .bounds = {{0, 100}}, .fill = 40.0},
            {.name = "gain", .bounds = {{0, 1e5}}},
            {.name = "hours", .bounds = {{0, 80}}}};
}

// People whose values are far from the midpoints.
MatrixXd people(Eigen::Index n) {
    MatrixXd rows(n, columns);
    for (Eigen::Index i = 0; i < n; ++i) {
        const double phase = static_cast<double>(i);
        rows.row(i) << 80.0 + 5.0 * std::sin(phase), 900.0 * (1.0 + std::cos(3.0 * phase)),
            8.0 + 3.0 * std::sin(phase) + std::cos(2.0 * phase);
    }
    return rows;
}

MatrixXd truth_of(const MatrixXd& rows) {
    const MatrixXd centred = rows.rowwise() - rows.colwise().mean();
    return centred.transpose() * centred / static_cast<double>(rows.rows());
}

VectorXd half_ranges() {
    return Eigen::Vector3d(50.0, 5e4, 40.0);
}

double relative_error(const MatrixXd& covariance, const MatrixXd& rows) {
    const VectorXd units = half_ranges().cwiseInverse();
    return (units.asDiagonal() * (covariance - truth_of(rows)) * units.asDiagonal()).norm();
}

SecondMoment moment_of_people(const MatrixXd& rows) {
    SecondMoment moment({.schema = bounded_schema()});
    moment.add(rows);
    return moment;
}

ReleaseOptions in_two_passes(const MatrixXd& rows, std::uint64_t seed) {
    return {.center = true,
            .read_again = [&rows](SecondMoment& again) { again.add(rows); },
            .insecure_seed = seed};
}

double sum_of_stages(const Release& release) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        sum += std::holds_alternative<Rho>(stage.spent) ? std::get<Rho>(stage.spent).value()
                                                        : std::get<Epsilon>(stage.spent).value();
    }
    return sum;
}

std::vector<std::string> names_of_stages(const Release& release) {
    std::vector<std::string> names;
    for (const Stage<Budget>& stage : release.stages) {
        names.push_back(stage.name);
    }
    return names;
}

TEST(TwoPasses, TakeNoOtherMomentThanTheOneHandedOver) {
    const MatrixXd rows = people(400);
    const SecondMoment moment = moment_of_people(rows);
    ReleaseOptions options = in_two_passes(rows, 5);
    EXPECT_NO_THROW(static_cast<void>(release(moment, Rho(1.0), options)));
    options.read_again = [&](SecondMoment& again) {
        SecondMoment other(again.layout());  // of the same layout and as many rows
        other.add(people(400));
        again = std::move(other);
    };
    EXPECT_THROW(static_cast<void>(release(moment, Rho(1.0), options)), UsageError);
    options.read_again = [&](SecondMoment& again) {  // there and back is no other
        SecondMoment away = std::move(again);
        away.add(rows);
        again = std::move(away);
    };
    EXPECT_NO_THROW(static_cast<void>(release(moment, Rho(1.0), options)));
}

const std::vector<double> some_origin = {0.5, -1.0, 0.25};

TEST(Origin, IsSubtractedFromMappedRows) {
    const MatrixXd rows = people(50);
    SecondMoment moved({.schema = bounded_schema(), .origin = some_origin});
    EXPECT_DOUBLE_EQ(moved.layout().norm_bound, std::sqrt(1.5 * 1.5 + 2.0 * 2.0 + 1.25 * 1.25));
    moved.add(rows);

    // The same numbers in a table without bounds.
    const double bound = moved.layout().norm_bound;
    SecondMoment by_hand({.columns = columns, .norm_bound = bound});
    MatrixXd mapped = rows;
    for (Eigen::Index j = 0; j < columns; ++j) {
        const Column column = bounded_schema()[static_cast<std::size_t>(j)];
        mapped.col(j) = (rows.col(j).array() - column.midpoint()) / column.unit() -
                        some_origin[static_cast<std::size_t>(j)];
    }
    by_hand.add(mapped);
    const auto secret = detail::SecretDoor::open(moved);
    const auto expected = detail::SecretDoor::open(by_hand);
    for (std::size_t i = 0; i < secret->norm_bins().size(); ++i) {
        EXPECT_EQ(secret->bin(i), expected->bin(i)) << i;
    }
}

TEST(Origin, IsTheSameHoweverRowsCome) {
    const MatrixXd rows = people(50);
    const MomentLayout layout{.schema = bounded_schema(), .origin = some_origin};
    SecondMoment added(layout);
    added.add(rows);
    SecondMoment sparse(layout);
    const std::vector<std::uint32_t> places = {0, 1, 2};
    std::vector<std::vector<double>> values;
    for (const auto& row : rows.rowwise()) {
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
        open_table(folder / "people.csv", {.header = Header::yes, .bounds = bounded_schema()});
    read.add(*table);
    const auto expected = detail::SecretDoor::open(added);
    EXPECT_TRUE(*detail::SecretDoor::open(sparse) == *expected);
    EXPECT_TRUE(*detail::SecretDoor::open(read) == *expected);
    // Control: at the midpoints they are others.
    EXPECT_FALSE(*detail::SecretDoor::open(moment_of_people(rows)) == *expected);
}

TEST(Origin, OfZerosIsNone) {
    const SecondMoment moment({.schema = bounded_schema(), .origin = {0.0, 0.0, 0.0}});
    EXPECT_TRUE(moment.layout() == SecondMoment({.schema = bounded_schema()}).layout());
}

TEST(Origin, ThatMakesNoSenseIsRefused) {
    const auto moment = [](std::vector<double> origin, Schema schema) {
        return SecondMoment({.columns = columns,
                             .norm_bound = 1.0,
                             .schema = std::move(schema),
                             .origin = std::move(origin)});
    };
    EXPECT_THROW(moment({0.5}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, NAN}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, INFINITY}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, 1e300}, {}), UsageError);
    EXPECT_THROW(moment({0.0, 0.0, 1.5}, bounded_schema()), UsageError);
    EXPECT_NO_THROW(moment({0.0, 0.0, 1.5}, {}));
    // Without an origin nobody may add these sums up.
    SecondMoment one = moment({0.0, 0.0, 0.5}, {});
    EXPECT_THROW(one.merge(moment({}, {})), UsageError);
}

TEST(Origin, ComesBackFromAFile) {
    const TemporaryFolder folder;
    const std::string path = folder / "rows.moment";
    SecondMoment moment({.schema = bounded_schema(), .origin = some_origin});
    moment.add(people(20));
    moment.save(path);
    const SecondMoment back = SecondMoment::load(path);
    EXPECT_TRUE(back.layout() == moment.layout());
    EXPECT_TRUE(*detail::SecretDoor::open(back) == *detail::SecretDoor::open(moment));
}

TEST(Origin, IsAddedToTheMeanAndNoMatterToTheCovariance) {
    const MatrixXd rows = people(20000);
    SecondMoment moved({.schema = bounded_schema(), .origin = some_origin});
    moved.add(rows);
    for (const char* method : {"auto", "gauss", "separate"}) {
        const Release released = in_table_units(
            release(moved, Rho(1e6), {.method = method, .center = true, .insecure_seed = 1}));
        EXPECT_EQ(released.origin, Eigen::Vector3d(0.5, -1.0, 0.25));
        EXPECT_LT(relative_error(released.covariance, rows), 1e-4) << method;
        const VectorXd mean = rows.colwise().mean();
        EXPECT_LT(half_ranges().cwiseInverse().cwiseProduct(*released.mean - mean).norm(), 1e-4)
            << method;
    }
}

TEST(TwoPasses, ErrLessWhereRowsAreFarFromTheMidpoints) {
    const MatrixXd rows = people(20000);
    const SecondMoment moment = moment_of_people(rows);
    for (const Definition& definition : {Definition(Rho(0.1)), Definition(Epsilon(1.0)),
                                         Definition(ApproximateDp{Epsilon(1.0), Delta(1e-6)})}) {
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            ReleaseOptions options = in_two_passes(rows, 7);
            options.neighbours = neighbours;
            const Release twice = in_table_units(release(moment, definition, options));
            options.read_again = {};
            const Release once = in_table_units(release(moment, definition, options));
            ASSERT_EQ(twice.origin.size(), columns);
            EXPECT_EQ(once.origin.size(), 0);
            EXPECT_LT(relative_error(twice.covariance, rows),
                      0.3 * relative_error(once.covariance, rows));
            EXPECT_GT(twice.norm_bound, once.norm_bound);
        }
    }
}

TEST(TwoPasses, SpendWhatOnePassSpends) {
    const MatrixXd rows = people(20000);
    const SecondMoment moment = moment_of_people(rows);
    const Release zcdp = release(moment, Rho(0.1), in_two_passes(rows, 1));
    EXPECT_EQ(names_of_stages(zcdp),
              (std::vector<std::string>{"norms", "origin", "norms", "strata"}));
    EXPECT_LE(sum_of_stages(zcdp), 0.1);
    EXPECT_GT(sum_of_stages(zcdp), 0.1 * (1.0 - 1e-12));
    const Release pure = release(moment, Epsilon(1.0), in_two_passes(rows, 1));
    EXPECT_LE(sum_of_stages(pure), 1.0);
    EXPECT_GT(sum_of_stages(pure), 1.0 - 1e-12);
}

// Where a rough mean cannot be had, or is of no use, rows are read once and all is spent on them.
TEST(TwoPasses, AreNotTakenWhereTheyAreOfNoUse) {
    const MatrixXd rows = people(200);
    int calls = 0;
    const auto stages = [&](const SecondMoment& moment, ReleaseOptions options, double rho) {
        options.read_again = [&](SecondMoment& again) {
            ++calls;
            again.add(rows);
        };
        return names_of_stages(release(moment, Rho(rho), options));
    };
    const std::vector<std::string> one_pass = {"norms", "strata"};
    const ReleaseOptions centred = {.center = true, .insecure_seed = 1};
    // Too little budget for so few rows.
    EXPECT_EQ(stages(moment_of_people(rows), centred, 1e-3), one_pass);
    // Not about the mean.
    EXPECT_EQ(stages(moment_of_people(rows), {.insecure_seed = 1}, 1.0), one_pass);
    // A norm bound of its own, which clips.
    SecondMoment clipped({.norm_bound = 1.0, .schema = bounded_schema()});
    clipped.add(rows);
    EXPECT_EQ(stages(clipped, centred, 1.0), one_pass);
    // An origin that is given.
    SecondMoment moved({.schema = bounded_schema(), .origin = some_origin});
    moved.add(rows);
    EXPECT_EQ(stages(moved, centred, 1.0), one_pass);
    EXPECT_EQ(calls, 0);
    // Control.
    EXPECT_GT(stages(moment_of_people(rows), centred, 10.0).size(), 2U);
    EXPECT_EQ(calls, 1);
}

TEST(TwoPasses, RefuseOtherRows) {
    const MatrixXd rows = people(2000);
    const SecondMoment moment = moment_of_people(rows);
    const MatrixXd more = people(2001);
    ReleaseOptions options = in_two_passes(more, 1);
    EXPECT_THROW((void)release(moment, Rho(1.0), options), DataError);
    // Where n is private nobody compares.
    options.neighbours = Neighbours::add_remove;
    EXPECT_NO_THROW((void)release(moment, Rho(1.0), options));
    // Nor may the moment be another, of another bound.
    options = in_two_passes(rows, 1);
    options.read_again = [&](SecondMoment& again) { again = moment; };
    EXPECT_THROW((void)release(moment, Rho(1.0), options), UsageError);
}

// Whoever pays is charged once, for all, before the first noise.
class CountingAccountant final : public Accountant {
public:
    void charge(const Charge& charge) override { charges.push_back(charge); }
    std::vector<Charge> charges;
};

TEST(TwoPasses, AreChargedOnceAndBeforeRowsAreReadAgain) {
    const MatrixXd rows = people(2000);
    CountingAccountant accountant;
    ReleaseOptions options = in_two_passes(rows, 1);
    options.insecure_seed.reset();
    options.accountant = &accountant;
    std::size_t charged_when_read = 0;
    options.read_again = [&](SecondMoment& again) {
        charged_when_read = accountant.charges.size();
        again.add(rows);
    };
    (void)release(moment_of_people(rows), Rho(1.0), options);
    EXPECT_EQ(charged_when_read, 1U);
    ASSERT_EQ(accountant.charges.size(), 1U);
    EXPECT_EQ(std::get<Rho>(accountant.charges[0].spent).value(), 1.0);
    // What reading throws ends the release.
    options.read_again = [](SecondMoment&) { throw DeviceError("gone"); };
    EXPECT_THROW((void)release(moment_of_people(rows), Rho(1.0), options), DeviceError);
}

TEST(TwoPasses, ComeBackFromAFileWithTheirEstimates) {
    const MatrixXd rows = people(20000);
    const Release made =
        in_table_units(release(moment_of_people(rows), Rho(0.1), in_two_passes(rows, 3)));
    ASSERT_EQ(made.origin.size(), columns);
    const TemporaryFolder folder;
    save_release(made, folder / "people.npz");
    const Release back = load_release(folder / "people.npz");
    EXPECT_EQ(back.origin, made.origin);
    EXPECT_EQ(back.norm_bound, made.norm_bound);
    EXPECT_EQ(derive_mean(back).lower, derive_mean(made).lower);
    EXPECT_EQ(estimate_covariance(back), made.covariance);
    EXPECT_EQ(format_record(back), format_record(made));
    EXPECT_NE(format_record(made).find("\"origin\""), std::string::npos);
}

// Nominal 95 %: of the entries of covariance and mean over many releases, by the spread from
// release to release, since entries of one are not independent. False alarm below 1e-4 if the
// coverage is 0.94 to 0.96. Control: about the midpoints in place of the origin no mean is covered.
TEST(TwoPasses, IntervalsCover) {
    const MatrixXd rows = people(5000);
    const SecondMoment moment = moment_of_people(rows);
    const MatrixXd truth = truth_of(rows);
    const VectorXd mean = rows.colwise().mean();
    const int runs = test_size(150, 600);
    std::vector<double> shares;
    int about_midpoints = 0;
    int moved = 0;
    for (int seed = 0; seed < runs; ++seed) {
        Release made =
            release(moment, Rho(0.5), in_two_passes(rows, static_cast<std::uint64_t>(seed)));
        if (made.origin.size() == 0) {
            continue;
        }
        ++moved;
        const MatrixEstimate matrix = derive_covariance(made);
        const VectorEstimate center = derive_mean(made);
        int covered = 0;
        for (Eigen::Index j = 0; j < columns; ++j) {
            covered += center.lower[j] <= mean[j] && mean[j] <= center.upper[j] ? 1 : 0;
            for (Eigen::Index i = 0; i < j; ++i) {
                covered +=
                    matrix.lower(i, j) <= truth(i, j) && truth(i, j) <= matrix.upper(i, j) ? 1 : 0;
            }
        }
        shares.push_back(covered / 6.0);
        made.origin = {};
        const VectorEstimate wrong = derive_mean(made);
        about_midpoints += wrong.lower[0] <= mean[0] && mean[0] <= wrong.upper[0] ? 1 : 0;
    }
    EXPECT_GT(moved, runs / 2);
    const Eigen::Map<const Eigen::ArrayXd> each(shares.data(), moved);
    const double deviation = std::sqrt((each - each.mean()).square().mean() / moved);
    EXPECT_NEAR(each.mean(), 0.95, 4.0 * deviation + 0.01);
    EXPECT_EQ(about_midpoints, 0);
}

// The rough mean is the mean but for its noise, shrunk; without rows it is none.
TEST(RoughMean, IsNearTheMean) {
    const MatrixXd rows = people(20000);
    const SecondMoment moment = moment_of_people(rows);
    const auto secret = detail::SecretDoor::open(moment);
    SeededRandomSource random(5);
    const double deviation =
        detail::rough_mean_deviation(secret->layout(), Neighbours::replace, 20000.0, Rho(0.1));
    EXPECT_NEAR(deviation, 2.0 * std::sqrt(3.0) / std::sqrt(0.2) / 20000.0, 1e-3 * deviation);
    const std::vector<double> mean =
        detail::rough_mean(*secret, Neighbours::replace, 20000.0, Rho(0.1), random);
    ASSERT_EQ(mean.size(), 3U);
    EXPECT_NEAR(mean[0], 0.6, 6.0 * deviation + 1e-3);
    EXPECT_NEAR(mean[1], -0.982, 6.0 * deviation + 1e-3);
    EXPECT_NEAR(mean[2], -0.8, 6.0 * deviation + 1e-3);
    const SecondMoment none({.schema = bounded_schema()});
    int hidden = 0;
    for (int i = 0; i < 100; ++i) {
        hidden += detail::rough_mean(*detail::SecretDoor::open(none), Neighbours::add_remove, 100.0,
                                     Epsilon(1.0), random)
                      .empty();
    }
    EXPECT_GT(hidden, 30);  // of noise alone about half are not above what noise has on average
}

}  // namespace
}  // namespace dpcov::test
