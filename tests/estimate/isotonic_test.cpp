// Isotonic regression against its characterisation, and against every partition into blocks.
#include "estimate/isotonic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd fitted(const VectorXd& values, Index together = 1) {
    VectorXd fit(values.size());
    Index next = 0;
    for (const Block& block : isotonic_blocks(values, together)) {
        EXPECT_EQ(block.first, next);
        fit.segment(block.first, block.size).setConstant(block.value);
        next += block.size;
    }
    EXPECT_EQ(next, values.size());
    return fit;
}

// The least squares fit among all non-decreasing vectors that are constant on the blocks of some
// partition, each block at its mean: the optimum of the quadratic programme is one of them.
VectorXd best_of_all_partitions(const VectorXd& values, Index together) {
    const Index d = values.size();
    VectorXd best;
    double least = HUGE_VAL;
    for (unsigned cuts = 0; cuts < (1U << (d - 1)); ++cuts) {
        if ((cuts & ((1U << (together - 1)) - 1U)) != 0) continue;
        VectorXd fit(d);
        bool rises = true;
        for (Index first = 0; first < d;) {
            Index end = first + 1;
            while (end < d && (cuts >> (end - 1) & 1U) == 0) ++end;
            const double mean = values.segment(first, end - first).mean();
            rises = rises && (first == 0 || mean >= fit[first - 1]);
            fit.segment(first, end - first).setConstant(mean);
            first = end;
        }
        if (rises && (fit - values).squaredNorm() < least) {
            least = (fit - values).squaredNorm();
            best = fit;
        }
    }
    return best;
}

TEST(Isotonic, IsTheNearestNonDecreasingVector) {
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    for (int round = 0; round < 200; ++round) {
        const Index d = 1 + round % 9;
        const VectorXd values = VectorXd::NullaryExpr(d, [&] { return normal(generator); });
        for (Index together = 1; together <= d; together += 3) {
            const VectorXd best = best_of_all_partitions(values, together);
            EXPECT_LT((fitted(values, together) - best).norm(), 1e-12);
        }
        // Control: sorting is non-decreasing too, and farther away.
        VectorXd sorted = values;
        std::sort(sorted.begin(), sorted.end());
        EXPECT_GE((sorted - values).norm(), (fitted(values) - values).norm());
    }
}

TEST(Isotonic, LeavesRisingValuesAndPoolsFallingOnes) {
    EXPECT_EQ(fitted(VectorXd::LinSpaced(5, -1.0, 3.0)), VectorXd(VectorXd::LinSpaced(5, -1, 3)));
    EXPECT_EQ(fitted(VectorXd::LinSpaced(5, 4.0, 0.0)), VectorXd(VectorXd::Constant(5, 2.0)));
    EXPECT_EQ(isotonic_blocks(VectorXd::Constant(4, 7.0)).size(), 1U);
    EXPECT_EQ(isotonic_blocks(VectorXd::Constant(1, 7.0)).size(), 1U);
}

}  // namespace
}  // namespace dpcov::detail
