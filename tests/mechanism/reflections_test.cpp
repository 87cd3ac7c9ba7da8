// Products of reflections against the same in long doubles.
#include "mechanism/reflections.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "arithmetic/reflect.hpp"
#include "mechanism/bingham_frame.hpp"
#include "mechanism/exact_reflections.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::as_matrix;
using test::LongMatrix;
using test::LongVector;

VectorXd normal_vector(Index n, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    return VectorXd::NullaryExpr(n, [&] { return normal(generator); });
}

Reflections random_reflections(Index n, Index k, std::mt19937_64& generator) {
    Reflections result(n);
    for (Index j = 0; j < k; ++j) {
        result.add(normal_vector(n - j, generator));
    }
    return result;
}

double distance(const VectorXd& computed, const LongVector& exact) {
    return static_cast<double>((computed.cast<long double>() - exact).norm());
}

// Control: with one vector's sign flipped in one coordinate it is another matrix.
TEST(Reflections, AreWithinTheirErrorOfTheExactProduct) {
    std::mt19937_64 generator(1);
    double worst = 0.0;
    for (const Index n : {1, 2, 7, 16, 61, 200}) {
        for (const Index k : {Index{0}, n / 3, n - 1}) {
            const Reflections reflections = random_reflections(n, k, generator);
            const LongMatrix p = as_matrix(reflections, n);
            const VectorXd y = normal_vector(n - k, generator);
            const VectorXd x = normal_vector(n, generator);
            const double forth = distance(reflections.times(y), p * y.cast<long double>());
            const double back =
                distance(reflections.transposed_times(x), p.transpose() * x.cast<long double>());
            EXPECT_LE(forth, reflections.error() * y.norm()) << n << ' ' << k;
            EXPECT_LE(back, reflections.error() * x.norm()) << n << ' ' << k;
            const MatrixXd rows = reflections.of_rows(x.transpose());
            EXPECT_LE(distance(rows.transpose(), p.transpose() * x.cast<long double>()),
                      reflections.error() * x.norm());
            worst = std::fmax(worst, forth);
            if (k > 0) {
                LongVector axis = LongVector::Zero(n);
                axis[k - 1] = 1.0L;
                const VectorXd left_out = reflections.last_left_out();
                EXPECT_LT((p.transpose() * left_out.cast<long double>()).norm(),
                          2.0 * reflections.error());
                EXPECT_NEAR(left_out.norm(), 1.0, 2.0 * reflections.error());

                Reflections other(n);
                for (VectorXd v : reflections.vectors()) {
                    if (other.count() == k - 1) {
                        v[0] = -v[0];
                    }
                    other.add(v);
                }
                EXPECT_GT(distance(other.times(y), p * y.cast<long double>()),
                          1e3 * reflections.error() * y.norm());
            }
        }
    }
    EXPECT_GT(worst, 0.0);
}

TEST(Reflections, EnclosuresHoldTheExactProduct) {
    std::mt19937_64 generator(2);
    constexpr Index n = 23;
    const Reflections reflections = random_reflections(n, 9, generator);
    const LongMatrix p = as_matrix(reflections, n);
    const VectorXd x = normal_vector(n, generator);
    const auto check = [](const std::deque<RealInterval>& found, const LongVector& expected) {
        ASSERT_EQ(static_cast<Index>(found.size()), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const long double low = mpfr_get_ld(found[i].low(), MPFR_RNDD);
            const long double high = mpfr_get_ld(found[i].high(), MPFR_RNDU);
            EXPECT_NE(mpfr_greaterequal_p(found[i].high(), found[i].low()), 0);
            EXPECT_LT(high - low, 1e-18L);
            EXPECT_NEAR(static_cast<double>(low - expected[static_cast<Index>(i)]), 0.0, 1e-17);
        }
    };
    std::deque<RealInterval> enclosed_x;
    std::deque<RealInterval> enclosed_y;
    for (Index i = 0; i < n; ++i) {
        enclosed_x.emplace_back(200, x[i]);
        if (i < reflections.columns()) {
            enclosed_y.emplace_back(200, x[i]);
        }
    }
    const LongVector long_x = x.cast<long double>();
    check(reflections.times(enclosed_y), p * long_x.head(reflections.columns()));
    check(reflections.transposed_times(std::move(enclosed_x)), p.transpose() * long_x);
}

// The vectors and the frame that is left, and the frame before and after it is rounded.
TEST(BinghamFrame, LeavesOutOneVectorAfterTheOther) {
    std::mt19937_64 generator(3);
    constexpr Index d = 40;
    BinghamFrame frame(d);
    MatrixXd vectors(d, 0);
    Index moves = 0;
    for (Index i = 0; i < d; ++i) {
        const VectorXd y = normal_vector(frame.size(), generator).normalized();
        vectors.conservativeResize(d, i + 1);
        vectors.col(i) = frame.times(y);
        moves += frame.leave_out(y) ? 1 : 0;
        MatrixXd all(d, d);
        all << vectors, frame.rounded();
        EXPECT_LT((all.transpose() * all - MatrixXd::Identity(d, d)).norm(), 1e-13) << i;
        if (frame.size() > 0) {
            const VectorXd x = normal_vector(frame.size(), generator);
            EXPECT_LE((frame.times(x) - frame.rounded() * x).norm(), 1e-13 * x.norm());
        }
    }
    EXPECT_GT(moves, 5);
    EXPECT_LT(moves, d / 2 + 5);
}

}  // namespace
}  // namespace dpcov::detail
