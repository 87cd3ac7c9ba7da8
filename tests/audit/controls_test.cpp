// The audit's own negative controls: mechanisms broken on purpose, which it has to refute.
#include "audit/controls.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "audit/audit.hpp"
#include "audit/seeded_audit.hpp"

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
    EXPECT_GE(controls().size(), 10U);
}

// The same code without the mistake stands, so that it is the mistake which is caught.
TEST(Controls, WithAllOfTheNoiseStand) {
    EXPECT_FALSE(seeded_audit(matrix_with_noise_scaled(1.0), Rho(1.0), 2, 4000).refuted);
    EXPECT_FALSE(seeded_audit(matrix_with_noise_scaled(1.0), Epsilon(1.0), 1, 4000).refuted);
    EXPECT_FALSE(seeded_audit(bingham_without_mistake(), Epsilon(2.0), 2, 16000).refuted);
    ReleaseOptions one_more;
    one_more.neighbours = Neighbours::add_remove;
    EXPECT_FALSE(seeded_audit(sums_with_noise_scaled(1.0), Rho(1.0), 1, 4000, one_more).refuted);
    EXPECT_TRUE(seeded_audit(sums_with_noise_scaled(0.5), Rho(1.0), 1, 4000, one_more).refuted);
}

}  // namespace
}  // namespace dpcov::test
