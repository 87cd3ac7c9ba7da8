// The published code's levels, against values of that code's formulas by an independent program.
#include "mechanism/published_levels.hpp"

#include <gtest/gtest.h>

#include "dpcov/bounds.hpp"

namespace dpcov::detail {
namespace {

TEST(PublishedLevels, KnownValues) {
    EXPECT_NEAR(published_upsilon(1, 0.1), 19.581768921101187, 1e-12);
    EXPECT_NEAR(published_upsilon(2, 0.1), 18.45773278338434, 1e-12);
    EXPECT_NEAR(published_upsilon(50, 0.1), 51.30561435164689, 1e-12);
    EXPECT_NEAR(published_upsilon(200, 0.1), 74.52207783166367, 1e-12);
    EXPECT_NEAR(published_upsilon_laplace(2, 0.1), 63.425087700491105, 1e-11);
    EXPECT_NEAR(published_upsilon_laplace(200, 0.1), 358.93942619840436, 1e-11);
    EXPECT_NEAR(published_separate_level(50, 1000, Rho(0.3), 0.5, 0.2, 0.1), 0.03298963089112926,
                1e-15);
    EXPECT_NEAR(published_separate_level(50, 1000, Epsilon(0.3), 0.5, 0.2, 0.1), 0.6874973820236742,
                1e-14);
}

// Without a trace there is nothing that the calibration could divide: the text's bounds, then.
TEST(PublishedLevels, AreTheTextsWithoutATrace) {
    EXPECT_NEAR(published_separate_level(7, 90, Rho(0.3), 0.5, 0.0, 0.1),
                separate_error_bound(7, 90, Rho(0.3), 0.5, 0.0, 0.1), 1e-15);
    EXPECT_NEAR(published_separate_level(7, 90, Epsilon(0.3), 0.5, 0.0, 0.1),
                separate_lap_error_bound(7, 90, Epsilon(0.3), 0.5, 0.0, 0.1), 1e-14);
    EXPECT_LT(published_separate_level(7, 90, Rho(0.3), 0.5, 0.1, 0.1),
              0.7 * separate_error_bound(7, 90, Rho(0.3), 0.5, 0.1, 0.1));
}

}  // namespace
}  // namespace dpcov::detail
