#include "estimate/pooled_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "estimate/risk.hpp"
#include "estimate/strata.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Mean squared error of strata of octaves whose rows point everywhere alike, of uniform norms.
double isotropic_squared_error(const Tuning& tuning) {
    constexpr Index d = 30;
    constexpr int rows = 4000;
    constexpr double s = 3e-4;
    constexpr int runs = 10;
    double squares = 0.0;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        std::vector<NoisyStratum> strata;
        for (const double radius : {0.125, 0.25, 0.5, 1.0}) {
            strata.push_back(
                {.matrix = test::noise_of(NoiseShape::gaussian, d, s * radius * radius, generator),
                 .noise_variance = std::pow(s * radius * radius, 2),
                 .radius = radius});
        }
        MatrixXd truth = MatrixXd::Zero(d, d);
        for (int row = 0; row < rows; ++row) {
            Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(d, [&] { return normal(generator); });
            const double norm = uniform(generator);
            x *= norm / x.norm();
            const MatrixXd square = x * x.transpose() / rows;
            truth += square;
            std::size_t stratum = 3;
            while (stratum > 0 && norm <= strata[stratum - 1].radius) {
                --stratum;
            }
            strata[stratum].matrix += square;
        }
        const Belief belief = estimate_strata(strata, {.rows = rows, .tuning = tuning});
        squares += (belief.estimate - truth).squaredNorm() / runs;
    }
    return squares;
}

TEST(PooledSum, StrataThatAreAlikeEverywhereAreEstimatedAsOne) {
    Tuning apart;
    apart.pooling_gain_z = std::numeric_limits<double>::infinity();
    // 0.86 where this was measured; the seeds are fixed.
    EXPECT_LT(isotropic_squared_error(Tuning{}), 0.95 * isotropic_squared_error(apart));
}

TEST(PooledSum, AnEstimateThatIsRightIsLeftAlone) {
    constexpr Index d = 20;
    int replaced = 0;
    for (unsigned run = 0; run < 200; ++run) {
        std::mt19937_64 generator(run);
        MatrixXd truth = MatrixXd::Zero(d, d);
        truth(0, 0) = 1.0;
        truth(1, 1) = 0.5;
        const PooledSum sum = {truth + test::noise_of(NoiseShape::gaussian, d, 0.05, generator),
                               0.05 * 0.05};
        replaced += pooled_estimate(sum, truth, 0.0, Tuning{}).has_value() ? 1 : 0;
    }
    // Each is replaced with a chance of 2.3 % at most; more than 15 of 200 with one below 5e-5.
    EXPECT_LE(replaced, 15);
}

TEST(PooledSum, AnEstimateThatIsFarOffIsReplaced) {
    constexpr Index d = 20;
    std::mt19937_64 generator(1);
    const MatrixXd truth = MatrixXd::Identity(d, d);
    const PooledSum sum = {truth + test::noise_of(NoiseShape::gaussian, d, 0.05, generator),
                           0.05 * 0.05};
    MatrixXd wrong = truth;
    wrong.topLeftCorner(5, 5) *= 2.0;
    const auto pooled = pooled_estimate(sum, wrong, 0.0, Tuning{});
    ASSERT_TRUE(pooled.has_value());
    EXPECT_LT((pooled->matrix - truth).norm(), 0.2 * (wrong - truth).norm());
}

}  // namespace
}  // namespace dpcov::detail
