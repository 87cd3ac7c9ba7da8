// Stein's estimate is unbiased: its mean over fresh noise equals the mean squared error, which the
// test knows because it knows the truth.
#include "estimate/risk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/clamp.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// |z| beyond this has probability 10^-6 for a normal mean: the false-alarm rate of each comparison
// below, were its seed fresh.
constexpr double z_limit = 4.892;
constexpr double s = 0.7;

struct Shrunk {
    VectorXd values;
    VectorXd slopes;
};
using Shrink = std::function<Shrunk(const VectorXd& noisy)>;
using Risk = std::function<double(const VectorXd& noisy, const Shrunk& shrunk)>;

Shrink clamp_to(double upper) {
    return [upper](const VectorXd& noisy) {
        const VectorXd slopes =
            noisy.unaryExpr([&](double l) { return l > 0 && l < upper ? 1.0 : 0.0; });
        return Shrunk{clamp_eigenvalues(noisy, upper), slopes};
    };
}

// Eigenvalues that do not come from Y, as SeparateCov's.
Shrink constants(const VectorXd& values) {
    return [values](const VectorXd&) { return Shrunk{values, VectorXd::Zero(values.size())}; };
}

double stein(const VectorXd& noisy, const Shrunk& shrunk) {
    return stein_risk(noisy, shrunk.values, shrunk.slopes, s);
}

// The z-score of mean(risk - squared error) over `draws` draws of isotropic noise.
double z_score(const MatrixXd& truth, const Shrink& shrink, const Risk& risk, int draws) {
    std::mt19937_64 generator(17);
    std::normal_distribution<double> normal;
    const Index d = truth.rows();
    double sum = 0;
    double squares = 0;
    for (int draw = 0; draw < draws; ++draw) {
        MatrixXd noisy = truth;
        for (Index j = 0; j < d; ++j) {
            for (Index i = 0; i <= j; ++i) {
                noisy(i, j) += (i == j ? s : s / std::sqrt(2.0)) * normal(generator);
                noisy(j, i) = noisy(i, j);
            }
        }
        const EigenDecomposition found = eigen_decomposition(noisy);
        const Shrunk shrunk = shrink(found.values);
        const double error = (assemble(found.vectors, shrunk.values) - truth).squaredNorm();
        const double difference = risk(found.values, shrunk) - error;
        sum += difference;
        squares += difference * difference;
    }
    const double mean = sum / draws;
    return mean / std::sqrt((squares / draws - mean * mean) / draws);
}

// Eigenvalues from zero up, some beyond the clamp's reach, in a basis of no special place.
MatrixXd truth(Index d) {
    std::mt19937_64 generator(19);
    std::normal_distribution<double> normal;
    const MatrixXd rows = MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
    const EigenDecomposition basis = eigen_decomposition(rows + rows.transpose());
    return assemble(basis.vectors, VectorXd::LinSpaced(d, 0.0, 3.0 * static_cast<double>(d - 1)));
}

constexpr int draws(Index d) {
    return d == 3 ? 40000 : 15000;
}

TEST(SteinRisk, IsUnbiasedForTheClamp) {
    for (const Index d : {3, 10}) {
        const double upper = 2.0 * static_cast<double>(d);
        EXPECT_LT(std::fabs(z_score(truth(d), clamp_to(upper), stein, draws(d))), z_limit);
        // At rank zero, where the clamp cuts half of everything.
        EXPECT_LT(std::fabs(z_score(MatrixXd::Zero(d, d), clamp_to(upper), stein, draws(d))),
                  z_limit);
    }
}

TEST(SteinRisk, IsUnbiasedForEigenvaluesFromElsewhere) {
    for (const Index d : {3, 10}) {
        const VectorXd values = VectorXd::LinSpaced(d, 1.0, 2.0 * static_cast<double>(d));
        EXPECT_LT(std::fabs(z_score(truth(d), constants(values), stein, draws(d))), z_limit);
    }
}

TEST(SteinRisk, IsUnbiasedForNoShrinkageAndForZero) {
    const Shrink keep = [](const VectorXd& noisy) {
        return Shrunk{noisy, VectorXd::Ones(noisy.size())};
    };
    EXPECT_LT(std::fabs(z_score(truth(3), keep, stein, draws(3))), z_limit);
    EXPECT_LT(std::fabs(z_score(truth(3), constants(VectorXd::Zero(3)), stein, draws(3))), z_limit);
}

// Controls: each way to get the formula wrong that comes to mind is seen.
TEST(SteinRisk, ComparisonCatchesWrongFormulas) {
    const Risk loud = [](const VectorXd& noisy, const Shrunk& f) {
        return stein_risk(noisy, f.values, f.slopes, s * std::sqrt(2.0));
    };
    const Risk quiet = [](const VectorXd& noisy, const Shrunk& f) {
        return stein_risk(noisy, f.values, f.slopes, s / std::sqrt(2.0));
    };
    const Risk without_slopes = [](const VectorXd& noisy, const Shrunk& f) {
        return stein_risk(noisy, f.values, VectorXd::Zero(noisy.size()), s);
    };
    const Risk without_pairs = [](const VectorXd& noisy, const Shrunk& f) {
        const auto d = static_cast<double>(noisy.size());
        return -s * s * d * (d + 1) / 2 + (f.values - noisy).squaredNorm() +
               2 * s * s * f.slopes.sum();
    };
    for (const Index d : {3, 10}) {
        const Shrink clamp = clamp_to(2.0 * static_cast<double>(d));
        for (const Risk& wrong : {loud, quiet, without_slopes, without_pairs}) {
            EXPECT_GT(std::fabs(z_score(truth(d), clamp, wrong, 8000)), z_limit);
        }
        const VectorXd values = VectorXd::LinSpaced(d, 1.0, 2.0 * static_cast<double>(d));
        for (const Risk& wrong : {loud, quiet, without_pairs}) {
            EXPECT_GT(std::fabs(z_score(truth(d), constants(values), wrong, 8000)), z_limit);
        }
    }
}

// Without shrinkage the error is the noise, s^2 d (d + 1) / 2, whatever the eigenvalues: tied, or
// so close that they differ in the last bit.
TEST(SteinRisk, TakesTheLimitAtTies) {
    for (const VectorXd& noisy :
         {VectorXd(VectorXd::Constant(4, 2.0)),
          VectorXd((VectorXd(4) << 1.0, 1.0, std::nextafter(1.0, 2.0), 3.0).finished())}) {
        EXPECT_NEAR(stein_risk(noisy, noisy, VectorXd::Ones(4), s), s * s * 10, 1e-12);
    }
    // Halving everything: divergence 1/2 of that.
    const VectorXd tied = VectorXd::Constant(3, 2.0);
    EXPECT_NEAR(stein_risk(tied, 0.5 * tied, VectorXd::Constant(3, 0.5), s),
                -s * s * 6 + 3.0 + 2 * s * s * 0.5 * 6, 1e-12);
}

// However close two eigenvalues are, what f does to them counts: f need not be continuous there.
TEST(SteinRisk, TakesTheDividedDifferenceAtAnyGap) {
    const VectorXd noisy = (VectorXd(2) << 1.0, 1.0 + 0x1p-30).finished();
    const VectorXd shrunk = (VectorXd(2) << 1.0, 2.0).finished();
    EXPECT_DOUBLE_EQ(stein_risk(noisy, shrunk, VectorXd::Zero(2), 1.0),
                     -3.0 + (1.0 - 0x1p-30) * (1.0 - 0x1p-30) + 2 * 0x1p30);
}

TEST(SteinRisk, OfOneNumberIsTheTextbookFormula) {
    const VectorXd noisy = VectorXd::Constant(1, 5.0);
    EXPECT_NEAR(stein_risk(noisy, VectorXd::Constant(1, 4.0), VectorXd::Constant(1, 0.3), 2.0),
                -4.0 + 1.0 + 2 * 4 * 0.3, 1e-14);
}

}  // namespace
}  // namespace dpcov::detail
