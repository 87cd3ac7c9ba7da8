// The audit's own negative controls: mechanisms broken on purpose, which it has to refute.
#include "audit/controls.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>
#include <utility>

#include "audit/audit.hpp"
#include "audit/seeded_audit.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

class ControlTest : public ::testing::TestWithParam<std::size_t> {};

// An honest mechanism would be refuted with probability 10^-5.
TEST_P(ControlTest, IsRefuted) {
    const Control& control = controls().at(GetParam());
    const audit::AuditReport report = seeded_audit(control);
    EXPECT_TRUE(report.refuted) << control.mistake << ": shown " << report.lower_bound << " of "
                                << report.claimed << " by " << report.distinguisher << " on "
                                << report.pair;
}

INSTANTIATE_TEST_SUITE_P(Audit, ControlTest, ::testing::Range<std::size_t>(0, controls().size()));

TEST(Controls, AreEnough) {
    EXPECT_EQ(controls().size(), 34U);  // docs/threat-model.md says so, twice
}

// The same code without the mistake stands, so that it is the mistake which is caught: by day at
// the runs in which most mistakes are caught, at night at those of the hardest to catch. False
// alarm: 1e-5 each.
TEST(Controls, WithAllOfTheNoiseStand) {
    const auto runs = test_size<std::uint64_t>(2000, 4000);
    const auto bingham_runs = test_size<std::uint64_t>(4000, 16000);
    EXPECT_FALSE(seeded_audit(matrix_with_noise_scaled(1.0), Rho(1.0), 2, runs).refuted);
    EXPECT_FALSE(seeded_audit(matrix_with_noise_scaled(1.0), Epsilon(1.0), 1, runs).refuted);
    const ApproximateDp on_the_curve{Epsilon(1.0), Delta(0.7)};
    EXPECT_FALSE(
        seeded_audit(matrix_with_rho_of_the_curve_scaled(1.0), on_the_curve, 2, 4 * runs).refuted);
    EXPECT_FALSE(seeded_audit(stratum_with_noise_scaled(1.0), Rho(1.0), 2, runs).refuted);
    EXPECT_FALSE(seeded_audit(norms_with_noise_scaled(1.0), Rho(1.0), 2, 4 * runs).refuted);
    EXPECT_FALSE(seeded_audit(joint_moment_with_noise_scaled(1.0), Rho(1.0), 2, runs).refuted);
    EXPECT_FALSE(seeded_audit(bingham_without_mistake(), Epsilon(2.0), 2, bingham_runs).refuted);
    ReleaseOptions one_more;
    one_more.neighbours = Neighbours::add_remove;
    EXPECT_FALSE(seeded_audit(sums_with_noise_scaled(1.0), Rho(1.0), 1, runs, one_more).refuted);
    EXPECT_FALSE(seeded_audit(count_with_noise_scaled(1.0), Rho(1.0), 2, runs, one_more).refuted);
    EXPECT_TRUE(seeded_audit(sums_with_noise_scaled(0.5), Rho(1.0), 1, runs, one_more).refuted);
}

// What breaks a claim for one kind of neighbours keeps it for the other, and a bound that is not 0
// gives noise.
TEST(Controls, WithoutTheirMistakeStand) {
    const auto runs = test_size<std::uint64_t>(2000, 4000);
    EXPECT_FALSE(seeded_audit(matrix_with_a_bound_of_one(), Rho(0.5), 2, runs).refuted);
    EXPECT_FALSE(seeded_audit(matrix_of_whole_pairs(), Rho(0.5), 2, runs).refuted);
    EXPECT_FALSE(seeded_audit(with_rows_in_part(), Rho(1.0), 2, runs).refuted);
    ReleaseOptions kept;
    kept.keep_statistics = true;
    EXPECT_FALSE(seeded_audit(statistics_kept(), Rho(1.0), 2, runs, kept).refuted);
    ReleaseOptions one_more;
    one_more.neighbours = Neighbours::add_remove;
    EXPECT_FALSE(seeded_audit(sums_without_zero_rows(), Rho(1.0), 2, runs, one_more).refuted);
}

// Where noise is in proportion to a bound, there is no bound of zero.
TEST(Controls, ABoundOfZeroIsRefused) {
    const Schema none;
    const Schema scaled(2, Column{.scale = 2.0});
    const Schema bounded(2, Column{.bounds = ColumnBounds{-1.0, 1.0}});
    const auto moment = [](double norm_bound, Schema schema) {
        SecondMoment rows({.columns = 2,
                           .norm_bound = norm_bound,
                           .keep_directions = true,
                           .schema = std::move(schema)});
        rows.add(Eigen::MatrixXd::Constant(4, 2, 0.5));
        return rows;
    };
    const auto clipped = [](const char* method, const SecondMoment& rows, double norm) {
        const Definition claim =
            find_method(method).zcdp ? Definition(Rho(1.0)) : Definition(Epsilon(1.0));
        return release(rows, claim, {.method = method, .clip = norm, .insecure_seed = 1});
    };
    for (const Schema& schema : {none, scaled, bounded}) {
        const SecondMoment rows = moment(1.0, schema);
        for (const char* method : {"clip-gauss", "clip-laplace", "clip-separate"}) {
            EXPECT_NO_THROW((void)clipped(method, rows, 0.5)) << method;
            EXPECT_THROW((void)clipped(method, rows, 0.0), UsageError) << method;
            EXPECT_THROW((void)clipped(method, rows, -0.0), UsageError) << method;
        }
    }
    for (const double zero : {0.0, -0.0}) {
        EXPECT_THROW((void)moment(zero, none), UsageError);
        EXPECT_THROW((void)moment(zero, scaled), UsageError);
        EXPECT_THROW((void)moment(1.0, Schema(2, Column{.scale = zero})), UsageError);
        const ColumnBounds nothing{zero, 0.0};
        EXPECT_THROW((void)moment(1.0, Schema(2, Column{.bounds = nothing})), UsageError);
    }
}

// Where all columns are bounded, 0 stands for the longest that a row can be.
TEST(Controls, ABoundThatIsLeftOutIsThatOfTheColumns) {
    const Schema bounded(4, Column{.bounds = ColumnBounds{0.0, 10.0}});
    const SecondMoment rows({.norm_bound = 0.0, .schema = bounded});
    EXPECT_EQ(rows.layout().norm_bound, 2.0);
    EXPECT_EQ(release(rows, Rho(1.0), {.neighbours = Neighbours::add_remove, .insecure_seed = 1})
                  .norm_bound,
              2.0);
}

}  // namespace
}  // namespace dpcov::test
