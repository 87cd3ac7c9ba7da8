// What a release is warned of, and what it is not.
#include "dpcov/concerns.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>

#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov::test {
namespace {

bool warns_of_clipped_rows(const Eigen::MatrixXd& rows, double rho, std::uint64_t seed) {
    SecondMoment moment({.columns = static_cast<std::size_t>(rows.cols()), .norm_bound = 1.0});
    moment.add(rows);
    const std::vector<Concern> all =
        concerns_of(release(moment, Rho(rho), {.method = "gauss", .insecure_seed = seed}));
    return std::find(all.begin(), all.end(), Concern::rows_at_norm_bound) != all.end();
}

Eigen::MatrixXd rows_of_norm(double norm, Eigen::Index n) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, 4);
    for (Eigen::Index i = 0; i < n; ++i) {
        rows(i, i % 4) = norm;
    }
    return rows;
}

TEST(Concerns, OfRowsAtTheNormBoundAreNotRaisedByNoise) {
    int of_short_rows = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        // The noise on the trace is several times the squared norm bound.
        of_short_rows += warns_of_clipped_rows(rows_of_norm(0.2, 50), 1e-3, seed) ? 1 : 0;
        EXPECT_TRUE(warns_of_clipped_rows(rows_of_norm(1.0, 2000), 0.1, seed));
        EXPECT_TRUE(warns_of_clipped_rows(rows_of_norm(3.0, 2000), 0.1, seed));
        EXPECT_FALSE(warns_of_clipped_rows(rows_of_norm(0.9, 2000), 0.1, seed));
    }
    EXPECT_EQ(of_short_rows, 0);
}

}  // namespace
}  // namespace dpcov::test
