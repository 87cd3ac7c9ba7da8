// Rows that are read twice: the second time about a rough mean, and stretched.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "dpcov/second_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/people_far_from_midpoints.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ReleaseOptions in_two_passes(const People& people, std::uint64_t seed) {
    return {.center = true,
            .read_again = [&people](SecondMoment& again) { again.add(people.rows()); },
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
    const People people(400);
    const SecondMoment moment = people.moment();
    ReleaseOptions options = in_two_passes(people, 5);
    EXPECT_NO_THROW(static_cast<void>(release(moment, Rho(1.0), options)));
    options.read_again = [&](SecondMoment& again) {
        SecondMoment other(again.layout());  // of the same layout and as many rows
        other.add(People(400).rows());
        again = std::move(other);
    };
    EXPECT_THROW(static_cast<void>(release(moment, Rho(1.0), options)), UsageError);
    options.read_again = [&](SecondMoment& again) {  // there and back is no other
        SecondMoment away = std::move(again);
        away.add(people.rows());
        again = std::move(away);
    };
    EXPECT_NO_THROW(static_cast<void>(release(moment, Rho(1.0), options)));
}

TEST(TwoPasses, GiveTheSameOfAMomentThatIsGivenUp) {
    const People people(400);
    SecondMoment moment = people.moment();
    ReleaseOptions options = in_two_passes(people, 5);
    const Release kept = release(moment, Rho(1.0), options);
    const auto add_again = options.read_again;
    options.read_again = [&](SecondMoment& again) {
        // Not while a release is drawn from it.
        EXPECT_THROW(static_cast<void>(release(std::move(moment), Rho(1.0), {})), UsageError);
        add_again(again);
    };
    EXPECT_EQ(release(moment, Rho(1.0), options).covariance, kept.covariance);
    EXPECT_EQ(release(std::move(moment), Rho(1.0), in_two_passes(people, 5)).covariance,
              kept.covariance);
    // NOLINTNEXTLINE(bugprone-use-after-move): what was given up says so
    EXPECT_THROW(static_cast<void>(release(moment, Rho(1.0), {})), UsageError);
}

// Seeds are fixed, and nothing is left to chance. In each of four settings the error was 0.012 to
// 0.022 of that of one pass on average of 60 other seeds; the greatest of all was 0.37.
TEST(TwoPasses, ErrLessWhereRowsAreFarFromTheMidpoints) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    for (const Definition& definition : {Definition(Rho(0.1)), Definition(Epsilon(1.0)),
                                         Definition(ApproximateDp{Epsilon(1.0), Delta(1e-6)})}) {
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            ReleaseOptions options = in_two_passes(people, 7);
            options.neighbours = neighbours;
            const Release twice = in_table_units(release(moment, definition, options));
            options.read_again = {};
            const Release once = in_table_units(release(moment, definition, options));
            ASSERT_EQ(twice.origin.size(), People::columns);
            EXPECT_EQ(once.origin.size(), 0);
            EXPECT_LT(people.error_of(twice.covariance), 0.06 * people.error_of(once.covariance));
            EXPECT_GT(twice.norm_bound, once.norm_bound);
        }
    }
}

// With this seed noise makes up rows far from the rough mean, in the second histogram. They would
// have more trace than the squares of the columns leave.
TEST(TwoPasses, AreKeptWhereNoiseMakesRowsUp) {
    const Eigen::Index n = 6000;
    MatrixXd rows(n, 5);
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j < rows.cols(); ++j) {
            rows(i, j) = std::sin(static_cast<double>((j + 1) * i + j));
        }
    }
    SecondMoment moment({.schema = Schema(5, {.bounds = {{-2.0, 40.0}}})});
    moment.add(rows);
    const Release twice = release(moment, Rho(1.0),
                                  {.center = true,
                                   .read_again = [&rows](SecondMoment& again) { again.add(rows); },
                                   .insecure_seed = 5});
    EXPECT_EQ(twice.origin.size(), 5);
}

// Noise hides a mean that is zero, but not how much columns vary.
TEST(TwoPasses, StretchRowsAroundTheMidpoints) {
    const Eigen::Index n = 4000;
    MatrixXd rows(n, 3);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto phase = static_cast<double>(i);
        rows.row(i) << std::sin(phase), std::sin(phase) + std::cos(2.0 * phase), std::cos(phase);
    }
    const Schema wide = {{.bounds = {{-4, 4}}}, {.bounds = {{-40, 40}}}, {.bounds = {{-20, 20}}}};
    SecondMoment moment({.schema = wide});
    moment.add(rows);
    ReleaseOptions options = {.center = true};
    const double truth = std::sqrt(0.5);  // of columns 0 and 1
    double once = 0.0;
    double twice = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        options.insecure_seed = seed;
        options.read_again = {};
        once +=
            std::abs(derive_correlation(release(moment, Rho(1.0), options)).matrix(0, 1) - truth);
        options.read_again = [&rows](SecondMoment& again) { again.add(rows); };
        const Release again = release(moment, Rho(1.0), options);
        twice += std::abs(derive_correlation(again).matrix(0, 1) - truth);
        EXPECT_EQ(names_of_stages(again),
                  (std::vector<std::string>{"norms", "origin", "stretch", "norms, second pass",
                                            "strata"}));
    }
    EXPECT_LT(twice, 0.5 * once);
}

TEST(TwoPasses, SpendWhatOnePassSpends) {
    const People people(20000);
    const SecondMoment moment = people.moment();
    const Release zcdp = release(moment, Rho(0.1), in_two_passes(people, 1));
    EXPECT_EQ(names_of_stages(zcdp), (std::vector<std::string>{"norms", "origin", "stretch",
                                                               "norms, second pass", "strata"}));
    EXPECT_LE(sum_of_stages(zcdp), 0.1);
    EXPECT_GT(sum_of_stages(zcdp), 0.1 * (1.0 - 1e-12));
    // Where n is private the histogram does not tell it well enough to divide by.
    ReleaseOptions add_remove = in_two_passes(people, 1);
    add_remove.neighbours = Neighbours::add_remove;
    const Release counted = release(moment, Rho(0.1), add_remove);
    EXPECT_EQ(names_of_stages(counted),
              (std::vector<std::string>{"norms", "rows", "origin", "stretch", "norms, second pass",
                                        "strata"}));
    EXPECT_LE(sum_of_stages(counted), 0.1);
    EXPECT_GT(sum_of_stages(counted), 0.1 * (1.0 - 1e-12));
    const Release pure = release(moment, Epsilon(1.0), in_two_passes(people, 1));
    EXPECT_LE(sum_of_stages(pure), 1.0);
    EXPECT_GT(sum_of_stages(pure), 1.0 - 1e-12);
}

// The weight c of the sum, from the noise that it gave: s / (sqrt(2) c r) on the mean.
double mean_weight_of(const Release& release) {
    const NoisyMoment& stratum = release.statistics.strata.at(0);
    return stratum.noise_scale / (std::sqrt(2.0) * stratum.radius * stratum.mean_noise_scale);
}

// About a rough mean no second moment tells where the mean is, however many columns there are.
// Control: the weight that is least for the covariance, of a mean of 0.2 squared radii, is less in
// so many columns, and more in few.
TEST(TwoPasses, WeighTheMeanInWideTables) {
    constexpr double least = 14.0 / 64.0;
    constexpr Eigen::Index d = 150;
    const MatrixXd rows = MatrixXd::NullaryExpr(3000, d, [](Eigen::Index i, Eigen::Index j) {
        return -0.8 + 0.1 * std::sin(static_cast<double>(i * (j + 1)));
    });
    SecondMoment moment({.schema = Schema(d, Column{.bounds = {{-1, 1}}})});
    moment.add(rows);
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        EXPECT_LT(detail::mean_weight(neighbours, d, 0.2, Rho(1.0)), 14U);
        EXPECT_GT(detail::mean_weight(neighbours, People::columns, 0.2, Rho(1.0)), 14U);
        ReleaseOptions options = {.neighbours = neighbours, .center = true, .insecure_seed = 1};
        options.read_again = [&rows](SecondMoment& again) { again.add(rows); };
        const Release wide = release(moment, Rho(1.0), options);
        ASSERT_EQ(wide.origin.size(), d);
        EXPECT_NEAR(mean_weight_of(wide), least, 1e-6);
        const People people(20000);
        options.read_again = [&people](SecondMoment& again) { again.add(people.rows()); };
        const Release narrow = release(people.moment(), Rho(1.0), options);
        ASSERT_EQ(narrow.origin.size(), People::columns);
        EXPECT_GT(mean_weight_of(narrow), 1.5 * least);
    }
}

// Where a rough mean cannot be had, or is of no use, rows are read once and all is spent on them.
TEST(TwoPasses, AreNotTakenWhereTheyAreOfNoUse) {
    const People people(200);
    int calls = 0;
    const auto stages = [&](const SecondMoment& moment, ReleaseOptions options, double rho) {
        options.read_again = [&](SecondMoment& again) {
            ++calls;
            again.add(people.rows());
        };
        return names_of_stages(release(moment, Rho(rho), options));
    };
    const std::vector<std::string> one_pass = {"norms", "strata"};
    const ReleaseOptions centred = {.center = true, .insecure_seed = 1};
    // Too little budget for so few rows.
    EXPECT_EQ(stages(people.moment(), centred, 1e-3), one_pass);
    // Not about the mean.
    EXPECT_EQ(stages(people.moment(), {.insecure_seed = 1}, 1.0), one_pass);
    // A norm bound of its own, which clips.
    SecondMoment clipped({.norm_bound = 1.0, .schema = People::schema()});
    clipped.add(people.rows());
    EXPECT_EQ(stages(clipped, centred, 1.0), one_pass);
    // An origin that is given.
    EXPECT_EQ(stages(people.moment({0.5, -1.0, 0.25}), centred, 1.0), one_pass);
    EXPECT_EQ(stages(people.moment({}, {1.5, 4.0, 0.5}), centred, 1.0), one_pass);
    EXPECT_EQ(calls, 0);
    // Control.
    EXPECT_GT(stages(people.moment(), centred, 10.0).size(), 2U);
    EXPECT_EQ(calls, 1);
}

TEST(TwoPasses, RefuseOtherRows) {
    const People people(2000);
    const SecondMoment moment = people.moment();
    const People more(2001);
    ReleaseOptions options = in_two_passes(more, 1);
    EXPECT_THROW((void)release(moment, Rho(1.0), options), DataError);
    // Where n is private nobody compares.
    options.neighbours = Neighbours::add_remove;
    EXPECT_NO_THROW((void)release(moment, Rho(1.0), options));
    // Nor may the moment be another, of another bound.
    options = in_two_passes(people, 1);
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
    const People people(2000);
    CountingAccountant accountant;
    ReleaseOptions options = in_two_passes(people, 1);
    options.insecure_seed.reset();
    options.accountant = &accountant;
    std::size_t charged_when_read = 0;
    options.read_again = [&](SecondMoment& again) {
        charged_when_read = accountant.charges.size();
        again.add(people.rows());
    };
    (void)release(people.moment(), Rho(1.0), options);
    EXPECT_EQ(charged_when_read, 1U);
    ASSERT_EQ(accountant.charges.size(), 1U);
    EXPECT_EQ(std::get<Rho>(accountant.charges[0].spent).value(), 1.0);
    // What reading throws ends the release.
    options.read_again = [](SecondMoment&) { throw DeviceError("gone"); };
    EXPECT_THROW((void)release(people.moment(), Rho(1.0), options), DeviceError);
}

TEST(TwoPasses, ComeBackFromAFileWithTheirEstimates) {
    const People people(20000);
    const Release made =
        in_table_units(release(people.moment(), Rho(0.1), in_two_passes(people, 3)));
    ASSERT_EQ(made.origin.size(), People::columns);
    const TemporaryFolder folder;
    save_release(made, folder / "people.npz");
    const Release back = load_release(folder / "people.npz");
    EXPECT_EQ(back.origin, made.origin);
    ASSERT_EQ(made.stretch.size(), People::columns);
    EXPECT_EQ(back.stretch, made.stretch);
    EXPECT_EQ(back.norm_bound, made.norm_bound);
    EXPECT_EQ(derive_mean(back).lower, derive_mean(made).lower);
    EXPECT_EQ(estimate_covariance(back), made.covariance);
    EXPECT_EQ(format_record(back), format_record(made));
    EXPECT_NE(format_record(made).find("\"origin\""), std::string::npos);
    EXPECT_NE(format_record(made).find("\"stretch\""), std::string::npos);
}

// Nominal 95 %: of the entries of covariance and mean over many releases, by the spread from
// release to release, since entries of one are not independent. False alarm below 1e-4 if the
// coverage is 0.94 to 0.96. Control: about the midpoints in place of the origin no mean is covered.
TEST(TwoPasses, IntervalsCover) {
    const People people(5000);
    const SecondMoment moment = people.moment();
    const MatrixXd truth = people.covariance();
    const VectorXd mean = people.mean();
    const int runs = test_size(150, 600);
    std::vector<double> shares;
    int about_midpoints = 0;
    int moved = 0;
    for (int seed = 0; seed < runs; ++seed) {
        Release made =
            release(moment, Rho(0.5), in_two_passes(people, static_cast<std::uint64_t>(seed)));
        if (made.origin.size() == 0) {
            continue;
        }
        ++moved;
        const MatrixEstimate matrix = derive_covariance(made);
        const VectorEstimate center = derive_mean(made);
        int covered = 0;
        for (Eigen::Index j = 0; j < People::columns; ++j) {
            covered += center.lower[j] <= mean[j] && mean[j] <= center.upper[j] ? 1 : 0;
            for (Eigen::Index i = 0; i <= j; ++i) {
                covered +=
                    matrix.lower(i, j) <= truth(i, j) && truth(i, j) <= matrix.upper(i, j) ? 1 : 0;
            }
        }
        shares.push_back(covered / 9.0);
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

}  // namespace
}  // namespace dpcov::test
