#include "estimate/weighed_sum.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <random>

#include "estimate/truncated_normal.hpp"
#include "matrices.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index weighed_columns = 10;

// Squared errors of both sums of two strata, the second with sixteen times the noise.
struct SumErrors {
    double weighed = 0.0;
    double plain = 0.0;
    double alike = 0.0;  // of the first, lengthened by the trace of the second: one shape assumed
};
SumErrors errors_of_sums(const MatrixXd& fine, const MatrixXd& coarse) {
    constexpr double s = 0.02;
    SumErrors errors;
    for (unsigned run = 0; run < 40; ++run) {
        std::mt19937_64 generator(run);
        const MatrixXd first =
            fine + test::noise_of(NoiseShape::gaussian, weighed_columns, s, generator);
        const MatrixXd second =
            coarse + test::noise_of(NoiseShape::gaussian, weighed_columns, 16.0 * s, generator);
        const NoisySummand sum = weighed_sum({{second, std::pow(16.0 * s, 2)}, {first, s * s}});
        errors.weighed += (sum.matrix - fine - coarse).squaredNorm();
        errors.plain += (first + second - fine - coarse).squaredNorm();
        errors.alike +=
            ((1.0 + second.trace() / first.trace()) * first - fine - coarse).squaredNorm();
    }
    return errors;
}

MatrixXd decaying_spectrum() {
    return Eigen::VectorXd::LinSpaced(weighed_columns, 0.2, 0.02).asDiagonal();
}

TEST(WeighedSum, OfFewRowsOfTheSameShapeHasLittleOfTheirNoise) {
    const SumErrors errors = errors_of_sums(decaying_spectrum(), 0.1 * decaying_spectrum());
    EXPECT_LT(errors.weighed, 0.1 * errors.plain);  // 0.02
    EXPECT_LT(errors.alike, 0.1 * errors.plain);
}

TEST(WeighedSum, OfOtherShapesIsNearlyThePlainSum) {
    const MatrixXd coarse = 20.0 * decaying_spectrum().reverse();
    const SumErrors errors = errors_of_sums(decaying_spectrum(), coarse);
    EXPECT_LT(errors.weighed, 1.02 * errors.plain);
    // Control: there a sum that takes them for alike is far off.
    EXPECT_GT(errors.alike, 10.0 * errors.plain);
}

// Long rows that there are none of, as under wide bounds: their noise is a hundred times as long,
// and only now and then may any of it get into the sum. Of four columns, where noise alone exceeds
// what is expected of it by as much in one of hundreds. Control: what does hold rows is kept.
TEST(WeighedSum, OfAnEmptyStratumLeavesItsNoiseOut) {
    constexpr Index d = 4;
    constexpr double s = 1e-3;
    const MatrixXd fine = 0.1 * MatrixXd::Identity(d, d);
    MatrixXd held = MatrixXd::Zero(d, d);
    held(0, 0) = 1.0;
    int noisy = 0;
    int kept = 0;
    constexpr int runs = 500;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        const MatrixXd first = fine + test::noise_of(NoiseShape::gaussian, d, s, generator);
        const MatrixXd noise = test::noise_of(NoiseShape::gaussian, d, 100.0 * s, generator);
        const auto sum_with = [&](const MatrixXd& next) {
            return weighed_sum({{next, 1e4 * s * s}, {first, s * s}});
        };
        noisy += sum_with(noise).noise_variance > 10.0 * s * s ? 1 : 0;
        const MatrixXd with_rows = sum_with(held + noise).matrix;
        kept += with_rows(0, 0) > 0.5 ? 1 : 0;
    }
    EXPECT_LE(noisy, runs / 50);
    EXPECT_GE(kept, runs - runs / 50);
}

// By how much the whole sum is too long or too short, from one draw to the next, is what it says;
// that it holds chance differences of shapes, too, makes it more, here twice as much. Control: the
// noise by itself would move the trace by a hundredth of that.
TEST(WeighedSum, KnowsHowUncertainItsLengthIs) {
    constexpr double s = 0.002;
    const MatrixXd fine = decaying_spectrum();
    const double truth = 1.5 * fine.trace();
    double squares = 0.0;
    double told = 0.0;
    double noise = 0.0;
    constexpr int runs = 2000;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        const MatrixXd first =
            fine + test::noise_of(NoiseShape::gaussian, weighed_columns, s, generator);
        const MatrixXd second =
            0.5 * fine + test::noise_of(NoiseShape::gaussian, weighed_columns, 16.0 * s, generator);
        const NoisySummand sum = weighed_sum({{second, std::pow(16.0 * s, 2)}, {first, s * s}});
        squares += std::pow(sum.matrix.trace() / truth - 1.0, 2) / runs;
        told += sum.factor_variance / runs;
        noise += sum.noise_variance * weighed_columns / (truth * truth) / runs;
    }
    EXPECT_GT(told, 0.8 * squares);
    EXPECT_LT(told, 2.5 * squares);
    EXPECT_LT(noise, 0.1 * squares);
}

// As of columns near one end of wide bounds: one direction has nearly all of it, and the stratum of
// the longest rows is empty. What the second has along that direction tells that it is empty, and
// how well: control, the trace tells it much worse, for it has the noise of all directions.
TEST(WeighedSum, OfALongDirectionKnowsItsLengthBetterThanByTheTrace) {
    constexpr double s = 0.002;
    MatrixXd fine = 0.001 * MatrixXd::Identity(weighed_columns, weighed_columns);
    fine(0, 0) = 1.0;
    double squares = 0.0;
    double told = 0.0;
    double by_trace = 0.0;
    constexpr int runs = 1000;
    for (unsigned run = 0; run < runs; ++run) {
        std::mt19937_64 generator(run);
        const MatrixXd first =
            fine + test::noise_of(NoiseShape::gaussian, weighed_columns, s, generator);
        const MatrixXd second =
            test::noise_of(NoiseShape::gaussian, weighed_columns, 16.0 * s, generator);
        const NoisySummand sum = weighed_sum({{second, std::pow(16.0 * s, 2)}, {first, s * s}});
        squares += std::pow(sum.matrix(0, 0) - 1.0, 2) / runs;
        told += sum.factor_variance / runs;
        const double trace = first.trace();
        by_trace += std::pow(positive_mean(second.trace() / trace,
                                           16.0 * s * std::sqrt(weighed_columns) / trace),
                             2) /
                    runs;
    }
    EXPECT_LT(squares, 0.25 * by_trace);
    EXPECT_GT(told, 0.8 * squares);
    EXPECT_LT(told, 2.5 * squares);
}

// The sum is so many times the first matrix and so many times the second, and has the noise of
// both. What is told beside that is what it may lack of a second one of another shape.
TEST(WeighedSum, TellsItsNoiseApartFromWhatItMayLack) {
    const double p = std::pow(0.002, 2);
    const double y = std::pow(0.032, 2);
    const MatrixXd first = decaying_spectrum();
    const MatrixXd second = 1.2 * first.reverse();
    const NoisySummand sum = weighed_sum({{first, p}, {second, y}});
    MatrixXd both(weighed_columns, 2);
    both << first.diagonal(), second.diagonal();
    const Eigen::Vector2d times = both.householderQr().solve(sum.matrix.diagonal());
    EXPECT_GT(sum.lacking_variance, 0.1 * sum.noise_variance);
    EXPECT_NEAR((sum.noise_variance - sum.lacking_variance) /
                    (times[0] * times[0] * p + times[1] * times[1] * y),
                1.0, 1e-9);
    EXPECT_EQ(weighed_sum({{first, p}, {0.6 * first, y}}).lacking_variance, 0.0);
    EXPECT_EQ(weighed_sum({{first, p}}).lacking_variance, 0.0);
}

TEST(WeighedSum, WithoutAShapeIsThePlainSum) {
    const MatrixXd nothing = MatrixXd::Zero(2, 2);
    const MatrixXd some = MatrixXd::Identity(2, 2);
    const NoisySummand sum = weighed_sum({{nothing, 0.25}, {some, 1.0}});
    EXPECT_EQ(sum.matrix, some);
    EXPECT_EQ(sum.noise_variance, 1.25);
}

TEST(WeighedSum, OfOneIsThatOne) {
    const NoisySummand sum = weighed_sum({{MatrixXd::Identity(3, 3), 0.5}});
    EXPECT_EQ(sum.matrix, MatrixXd::Identity(3, 3));
    EXPECT_EQ(sum.noise_variance, 0.5);
}

}  // namespace
}  // namespace dpcov::detail
