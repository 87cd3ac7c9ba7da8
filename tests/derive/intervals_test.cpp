// Intervals of each kind cover as often as they say.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <ostream>
#include <string>

#include "coverage.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"
#include "known_tables.hpp"
#include "support/decompositions.hpp"
#include "support/test_size.hpp"

namespace dpcov {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Coverage;
using test::expect_covers;
using test::least_squares;
using test::Normals;
using test::released;
using test::releases;
using test::Truth;
using test::truth_of;

struct Coverages {
    Coverage entries;
    Coverage means;
    Coverage correlations;
    Coverage eigenvalue;
    Coverage ratio;
    Coverage coefficients;
    Coverage intercept;
};

MatrixXd correlations_of(const MatrixXd& covariance) {
    const VectorXd scales = covariance.diagonal().cwiseSqrt().cwiseInverse();
    return scales.asDiagonal() * covariance * scales.asDiagonal();
}

// One entry, mean, correlation, coefficient a release: independent from one release to the next.
Coverages coverages_of(const Truth& truth, NoiseShape shape, double s, int count, Normals& normals,
                       bool forget_mean_noise = false) {
    const Index last = truth.mean.size() - 1;
    const MatrixXd covariance = truth.in_table();
    const MatrixXd correlations = correlations_of(covariance);
    const double greatest = test::spectrum(covariance)[last];
    const VectorXd line = least_squares(covariance);
    const double coefficient = line[0];
    // About the midpoints, which are zero, it is known.
    const VectorXd middle =
        truth.centered ? VectorXd(truth.units.cwiseProduct(truth.mean)) : VectorXd::Zero(last + 1);
    const double intercept = middle[last] - middle.head(last).dot(line);
    Coverages coverages;
    for (int i = 0; i < count; ++i) {
        Release release = released(truth, shape, s, normals);
        if (forget_mean_noise) {
            release.statistics.strata[0].mean_noise_scale = 0.0;
        }
        const MatrixEstimate entries = derive_covariance(release);
        coverages.entries.add(entries.lower(0, last), entries.upper(0, last), covariance(0, last));
        const MatrixEstimate told = derive_correlation(release);
        coverages.correlations.add(told.lower(0, last), told.upper(0, last), correlations(0, last));
        if (truth.centered) {
            const VectorEstimate mean = derive_mean(release);
            coverages.means.add(mean.lower[0], mean.upper[0], truth.units[0] * truth.mean[0]);
        }
        const PrincipalComponents components = derive_pca(release, 1);
        coverages.eigenvalue.add(components.explained_variance.lower[0],
                                 components.explained_variance.upper[0], greatest);
        coverages.ratio.add(components.explained_variance_ratio.lower[0],
                            components.explained_variance_ratio.upper[0],
                            greatest / covariance.trace());
        const Regression regression = derive_regression(release, last);
        coverages.coefficients.add(regression.coefficients.lower[0],
                                   regression.coefficients.upper[0], coefficient);
        coverages.intercept.add(regression.intercept_interval->lower,
                                regression.intercept_interval->upper, intercept);
    }
    return coverages;
}

// Nominal 0.95 to within 0.02: for an exact interval 4.1 deviations of a share of 2000, so that 36
// shares raise a false alarm with a chance below 0.002; of fewer releases, as many deviations. (The
// seeds are fixed: it was once.)
double allowed(int count) {
    return 0.02 * std::sqrt(static_cast<double>(releases) / count);
}

struct Case {
    NoiseShape shape;
    Index d;
    double s;
    bool centered;
};

// Names the test; else GoogleTest would by bytes, those between the members too.
void PrintTo(const Case& c, std::ostream* out) {
    *out << std::string(c.shape == NoiseShape::gaussian ? "gaussian" : "wishart") + "_" +
                std::to_string(c.d) + (c.centered ? "_centered" : "_about_zero");
}

class Intervals : public testing::TestWithParam<Case> {};

TEST_P(Intervals, CoverAsOftenAsTheySay) {
    const auto [shape, d, s, centered] = GetParam();
    // By day fewer of twelve columns, which take most of the time.
    const int count = d == 12 ? test::test_size(500, releases) : releases;
    Normals normals(20);
    const Truth truth = truth_of(d, centered, normals);
    const Coverages coverages = coverages_of(truth, shape, s, count, normals);
    expect_covers(coverages.entries, allowed(count), "entry");
    expect_covers(coverages.correlations, allowed(count), "correlation");
    expect_covers(coverages.eigenvalue, allowed(count), "eigenvalue");
    expect_covers(coverages.ratio, allowed(count), "ratio");
    expect_covers(coverages.coefficients, allowed(count), "coefficient");
    if (centered) {
        expect_covers(coverages.intercept, allowed(count), "intercept");
        expect_covers(coverages.means, allowed(count), "mean");
    }
}

INSTANTIATE_TEST_SUITE_P(, Intervals,
                         testing::Values(Case{NoiseShape::gaussian, 3, 0.004, false},
                                         Case{NoiseShape::gaussian, 3, 0.004, true},
                                         Case{NoiseShape::wishart, 3, 0.004, true},
                                         Case{NoiseShape::gaussian, 12, 0.0005, true},
                                         Case{NoiseShape::wishart, 12, 0.0005, false}));

TEST(IntervalsControl, NoiseOfTheMeanForgottenIsSeen) {
    Normals normals(21);
    const Truth truth = truth_of(3, true, normals);
    const Coverages coverages =
        coverages_of(truth, NoiseShape::gaussian, 0.004, releases, normals, true);
    EXPECT_EQ(coverages.means.inside, 0);
    EXPECT_LT(coverages.entries.share(), 0.95 - allowed(releases));
}

}  // namespace
}  // namespace dpcov
