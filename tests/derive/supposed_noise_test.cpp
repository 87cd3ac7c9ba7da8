#include "derive/supposed_noise.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>

#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov {
namespace {

// Two rows differ where one is replaced: sqrt(2) of a row's noise, not twice it.
TEST(SupposedNoise, IsThatOfGaussOrWishartAtTheSameBudget) {
    SecondMoment moment({.columns = 3, .norm_bound = 2.0});
    moment.add(Eigen::MatrixXd::Constant(100, 3, 0.3));
    const auto supposed = [&](const Definition& definition) {
        return detail::supposed_noise_deviation(
            release(moment, definition, {.method = "separate", .insecure_seed = 42}));
    };
    const double per_row = 2.0 * 2.0 / 100.0;
    EXPECT_NEAR(supposed(Rho(0.5)), std::sqrt(2.0) * per_row, 1e-9);
    // 2 c sqrt(d + 1) with c = 2 / (2 epsilon).
    EXPECT_NEAR(supposed(Epsilon(0.5)), 2.0 * 2.0 * std::sqrt(4.0) * per_row, 1e-9);
}

TEST(SupposedNoise, IsOfWhatOneRowOfAPersonSpends) {
    SecondMoment moment({.columns = 3, .norm_bound = 2.0});
    moment.add(Eigen::MatrixXd::Constant(100, 3, 0.3));
    const auto supposed = [&](const Definition& definition, std::uint32_t rows) {
        return detail::supposed_noise_deviation(
            release(moment, definition,
                    {.method = "separate", .rows_per_person = rows, .insecure_seed = 42}));
    };
    EXPECT_NEAR(supposed(Rho(0.5), 4), 4.0 * supposed(Rho(0.5), 1), 1e-9);
    EXPECT_NEAR(supposed(Epsilon(0.5), 4), 4.0 * supposed(Epsilon(0.5), 1), 1e-9);
}

}  // namespace
}  // namespace dpcov
