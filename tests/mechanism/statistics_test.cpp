// What a release keeps: noisy statistics that the estimate is a function of.
#include "dpcov/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/strata_draws.hpp"
#include "random/statistics.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// Rows of norms all over four octaves, and none above three quarters of the bound 3.
Rows rows_of_many_norms(std::size_t n, std::size_t d) {
    Rows rows = sphere_rows(n, d, 1.0, 900, 0.7);
    for (std::size_t i = 0; i < n; ++i) {
        const double norm = 2.2 * std::exp2(-4.0 * static_cast<double>(i) / static_cast<double>(n));
        for (std::size_t j = 0; j < d; ++j) rows[i * d + j] *= norm;
    }
    return rows;
}

Eigen::VectorXd mean_of(const Rows& rows, std::size_t d) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(d));
    const auto n = static_cast<double>(rows.size() / d);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        mean[static_cast<Eigen::Index>(i % d)] += rows[i] / n;
    }
    return mean;
}

struct Made {
    std::string method;
    Variant variant = Variant::best;
    bool pure = false;
    double budget = 0.0;
};

Release made(const Made& how, const detail::SecretMoment& moment, ReleaseOptions options,
             std::uint64_t seed) {
    options.variant = how.variant;
    return how.pure ? run(how.method, moment, Epsilon(how.budget), options, seed)
                    : run(how.method, moment, how.budget, options, seed);
}

const std::vector<Made>& with_statistics() {
    static const std::vector<Made> all = {
        {"gauss", Variant::best, false, 0.1},      {"auto", Variant::best, false, 0.1},
        {"auto", Variant::best, false, 1e-3},      {"stratified", Variant::paper, true, 0.5},
        {"wishart", Variant::best, true, 0.5},     {"wishart", Variant::paper, true, 0.5},
        {"wishart", Variant::published, true, 0.5}};
    return all;
}

TEST(Statistics, GiveTheEstimateAgainBitByBit) {
    constexpr std::size_t d = 6;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(3000, d), d, 3.0);
    for (const Made& how : with_statistics()) {
        for (const bool center : {false, true}) {
            for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
                ReleaseOptions options;
                options.center = center;
                options.neighbours = neighbours;
                Release release = made(how, moment, options, 901);
                SCOPED_TRACE(how.method + (center ? " centred" : ""));
                ASSERT_FALSE(release.statistics.strata.empty());
                EXPECT_EQ(estimate_covariance(release), release.covariance);
                // Control: they are what it is made from.
                for (NoisyMoment& stratum : release.statistics.strata) {
                    stratum.second_moment *= 1.0 + 1e-9;
                }
                EXPECT_NE(estimate_covariance(release), release.covariance);
            }
        }
    }
}

// Squares of what independent noises were, each over the variance that it is said to have: as many
// as were added are expected, and this is by how much they deviate.
class SquaredNoise {
public:
    void add(double squares, double expected, double variance) {
        squares_ += squares;
        expected_ += expected;
        variance_ += variance;
    }
    /// From what is expected, in standard deviations, were the noise's scale told times a factor.
    [[nodiscard]] double deviations(double factor = 1.0) const {
        return (squares_ / (factor * factor) - expected_) / std::sqrt(variance_);
    }

private:
    double squares_ = 0.0;
    double expected_ = 0.0;
    double variance_ = 0.0;
};

// Five deviations. Of a chi-squared variable with the 1200 degrees of freedom of a hundred means a
// chance below 2 * 10^-6 is beyond that, of the 7800 of as many matrices one below 10^-6. Squares
// of Wishart noise have more skewness (0.6 a matrix and 1.25 a mean, of 10^5 draws), of which in a
// hundred 0.13 is left: below 3 * 10^-6 (Cornish and Fisher). All 23 sums of this file raise a
// false alarm with a chance below 10^-4. The controls: a scale that is told as 1.2 times what it
// is, and as that over 1.2.
void expect_as_told(const SquaredNoise& noise, const std::string& what) {
    EXPECT_LT(std::fabs(noise.deviations()), 5.0) << what;
    EXPECT_LT(noise.deviations(1.2), -5.0) << what;
    EXPECT_GT(noise.deviations(1.0 / 1.2), 5.0) << what;
}

struct SquaredNoises {
    SquaredNoise matrix;
    SquaredNoise mean;
};

// What the sums over the strata of a hundred releases are off by. In the Frobenius norm a Gaussian
// matrix of scale s has s^2 times a chi-squared variable of d (d + 1) / 2 degrees of freedom. That
// of P - Q, each Wishart_m, has the same mean, and of its variance over s^4, d (d + 1), it has d (2
// d^2 + 5 d + 5) / (2 m) more; its part beside the matrix, the mean's noise, is a Gaussian vector
// times the root of an independent chi-squared variable of 2 m degrees over 2 m: d (d + 2) / m more
// than 2 d. Of sums of independent noises the excess goes with the sum of the s^4.
SquaredNoises noise_of(const Made& how, const Rows& rows, std::size_t columns,
                       const ReleaseOptions& options) {
    const detail::SecretMoment moment = moment_of(rows, columns, 3.0);
    const Eigen::MatrixXd truth = covariance_of(rows, columns);
    const Eigen::VectorXd true_mean = mean_of(rows, columns);
    const auto d = static_cast<double>(columns);
    const double m = options.center ? d + 2.0 : d + 1.0;
    const double matrix_excess = how.pure ? d * (2.0 * d * d + 5.0 * d + 5.0) / (2.0 * m) : 0.0;
    const double mean_excess = how.pure ? d * (d + 2.0) / m : 0.0;
    SquaredNoises noises;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Statistics kept = made(how, moment, options, 10000 + seed).statistics;
        Eigen::MatrixXd error = -truth;
        Eigen::VectorXd mean_error = -true_mean;
        double variance = 0.0;
        double squared = 0.0;  // sum of the squared variances
        double mean_variance = 0.0;
        double mean_squared = 0.0;
        for (const NoisyMoment& stratum : kept.strata) {
            error += stratum.second_moment;
            variance += std::pow(stratum.noise_scale, 2);
            squared += std::pow(stratum.noise_scale, 4);
            if (options.center) {
                mean_error += stratum.mean;
                mean_variance += std::pow(stratum.mean_noise_scale, 2);
                mean_squared += std::pow(stratum.mean_noise_scale, 4);
            }
        }
        noises.matrix.add(error.squaredNorm() / variance, d * (d + 1.0) / 2.0,
                          d * (d + 1.0) + matrix_excess * squared / (variance * variance));
        if (options.center) {
            noises.mean.add(mean_error.squaredNorm() / mean_variance, d,
                            2.0 * d + mean_excess * mean_squared / (mean_variance * mean_variance));
        }
    }
    return noises;
}

TEST(Statistics, AreSumsOverTheRowsWithNoiseOfTheirScale) {
    constexpr std::size_t d = 12;
    const Rows rows = rows_of_many_norms(3000, d);
    for (const Made& how : with_statistics()) {
        expect_as_told(noise_of(how, rows, d, {}).matrix, how.method);
    }
}

TEST(Statistics, SayWhatTheirNoiseIsAndRiseInRadius) {
    constexpr std::size_t d = 6;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(3000, d), d, 3.0);
    for (const Made& how : with_statistics()) {
        const Statistics kept = made(how, moment, {}, 902).statistics;
        SCOPED_TRACE(how.method);
        EXPECT_TRUE(kept.complete);
        EXPECT_EQ(kept.rows, 3000.0);
        EXPECT_EQ(kept.rows_deviation, 0.0);
        EXPECT_EQ(kept.noise, how.pure ? NoiseShape::wishart : NoiseShape::gaussian);
        double radius = 0.0;
        for (const NoisyMoment& stratum : kept.strata) {
            EXPECT_TRUE(stratum.left_out || stratum.radius > radius);
            radius = stratum.radius;
        }
    }
}

// Counts of two releases differ by two noises, and at most by rounding besides: of 50 pairs and b
// bins a chi-squared sum of 50 b degrees of freedom. Under pure DP discrete Laplace noise has an
// excess kurtosis of 3, and a difference of two 1.5. Five deviations, as in expect_as_told().
TEST(Statistics, HaveTheHistogramByWhichStrataWereChosen) {
    constexpr std::size_t d = 6;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(3000, d), d, 3.0);
    for (const Made& how : with_statistics()) {
        SCOPED_TRACE(how.method);
        const bool by_norms = how.method == "auto" || how.method == "stratified";
        SquaredNoise noise;
        double all = 0.0;
        double variance_of_all = 0.0;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto one = made(how, moment, {}, 20000 + 2 * seed).statistics.norms;
            const auto other = made(how, moment, {}, 20001 + 2 * seed).statistics.norms;
            ASSERT_EQ(one.has_value(), by_norms);
            ASSERT_EQ(other.has_value(), by_norms);
            if (!by_norms) {
                break;
            }
            ASSERT_EQ(one->radii, other->radii);
            const double variance = 2.0 * one->deviation * one->deviation;
            for (std::size_t bin = 0; bin < one->counts.size(); ++bin) {
                const double difference = one->counts[bin] - other->counts[bin];
                noise.add(difference * difference / variance, 1.0, how.pure ? 3.5 : 2.0);
                all += one->counts[bin];
                variance_of_all += 0.5 * variance;
            }
        }
        if (by_norms) {
            expect_as_told(noise, how.method);
            EXPECT_LT(std::fabs(all - 50 * 3000.0), 5.0 * std::sqrt(variance_of_all));
        }
    }
}

TEST(Statistics, AreNotKeptWhereNotAskedForAndTheEstimateIsTheSame) {
    constexpr std::size_t d = 6;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(3000, d), d, 3.0);
    for (const Made& how : with_statistics()) {
        ReleaseOptions options;
        const Release with = made(how, moment, options, 903);
        options.keep_statistics = false;
        const Release without = made(how, moment, options, 903);
        EXPECT_EQ(with.covariance, without.covariance) << how.method;
        EXPECT_TRUE(without.statistics.strata.empty());
        EXPECT_FALSE(without.statistics.norms);
        EXPECT_FALSE(without.statistics.complete);
        EXPECT_EQ(without.statistics.rows, 3000.0);
        EXPECT_THROW(static_cast<void>(estimate_covariance(without)), UsageError);
    }
}

// A mean is of all rows, those in no stratum of the estimate too, whether statistics are kept or
// not.
TEST(Statistics, AMeanIsOfAllRowsWhereTheyAreNotKept) {
    constexpr std::size_t d = 3;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(3000, d), d, 3.0);
    const std::size_t top = moment.norm_bins().size() - 1;
    const detail::Partition strata = {{{2, top - 60}, {top - 39, top - 20}}};
    const auto draw = [&](bool keep) {
        SeededRandomSource random(908);
        const detail::CountedMoment counted = detail::counted_openly(moment);
        return detail::draw_strata(moment, counted.neighbours,
                                   {strata, {.mean_weight = 40}, counted.rows, keep}, Rho(10.0),
                                   random)
            .estimate;
    };
    const detail::CovarianceEstimate with = draw(true);
    ASSERT_EQ(with.statistics.strata.size(), 3U);
    EXPECT_GT(with.statistics.strata[2].mean.norm(), 0.0);
    EXPECT_EQ(draw(false).mean, with.mean);
    EXPECT_EQ(draw(false).covariance, with.covariance);
}

// The bins that are in no stratum of the estimate make one more, which is drawn last and moves
// nothing else.
TEST(Statistics, LeftOutBinsMakeOneMoreStratum) {
    constexpr std::size_t d = 3;
    const Rows rows = rows_of_many_norms(3000, d);
    const detail::SecretMoment moment = moment_of(rows, d, 3.0);
    const std::size_t top = moment.norm_bins().size() - 1;
    const detail::Partition strata = {{{2, top - 60}, {top - 39, top - 20}}};
    for (const Budget& budget : {Budget(Rho(1e16)), Budget(Epsilon(1e9))}) {
        const auto draw = [&](bool keep) {
            SeededRandomSource random(907);
            const detail::CountedMoment counted = detail::counted_openly(moment);
            return std::visit(
                [&](auto share) {
                    return detail::draw_strata(moment, counted.neighbours,
                                               {strata, {}, counted.rows, keep}, share, random)
                        .estimate;
                },
                budget);
        };
        const detail::CovarianceEstimate with = draw(true);
        const std::vector<NoisyMoment>& kept = with.statistics.strata;
        ASSERT_EQ(kept.size(), 3U);
        EXPECT_TRUE(with.statistics.complete);
        EXPECT_FALSE(kept[0].left_out || kept[1].left_out);
        EXPECT_TRUE(kept[2].left_out);
        EXPECT_DOUBLE_EQ(kept[2].radius, 3.0);
        EXPECT_GT(kept[2].noise_scale, 2.0 * kept[1].noise_scale);
        // With hardly any noise the three are all rows; rows stand on a grid of 2^-20.
        const Eigen::MatrixXd truth = covariance_of(rows, d);
        EXPECT_LT(
            (kept[0].second_moment + kept[1].second_moment + kept[2].second_moment - truth).norm(),
            1e-4);
        // Control: the rest is not nothing.
        EXPECT_GT(kept[2].second_moment.norm(), 0.1);
        EXPECT_EQ(draw(false).covariance, with.covariance);
        EXPECT_TRUE(draw(false).statistics.strata.empty());
    }
}

TEST(Statistics, OtherMethodsHaveNone) {
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(500, 4), 4, 3.0);
    for (const Made& how : std::vector<Made>{{"separate", Variant::best, false, 0.1},
                                             {"adaptive", Variant::best, false, 0.1},
                                             {"gauss", Variant::paper, false, 0.1},
                                             {"laplace", Variant::best, true, 0.1},
                                             {"em", Variant::best, true, 0.1}}) {
        const Release release = made(how, moment, {}, 905);
        EXPECT_TRUE(release.statistics.strata.empty()) << how.method;
        EXPECT_FALSE(release.statistics.complete);
        EXPECT_EQ(release.statistics.rows, 500.0);
        EXPECT_THROW(static_cast<void>(estimate_covariance(release)), UsageError);
    }
}

// Its deviation is that of the noise on a sum that a replaced row moves by 2 B = 6, of the budget's
// share c / (1 + c) in sixty-fourths, over n: c = sqrt(8 / d) under zCDP, (16 / (d + 1)^2)^(1/3)
// under pure DP, where the sum moves by 6 sqrt(d) in l1. What the grid of the rows adds to the
// sensitivity is below 10^-4 of it. Of its squares, too, five deviations are allowed: each has
// variance 2, or 5 where it is of a Laplace variable, and a skewness of 6.6, of which 0.1 is left.
TEST(Statistics, HaveTheMeanThatWasReleasedApart) {
    constexpr std::size_t d = 4;
    const Rows rows = rows_of_many_norms(3000, d);
    const detail::SecretMoment moment = moment_of(rows, d, 3.0);
    const Eigen::VectorXd truth = mean_of(rows, d);
    ReleaseOptions options;
    options.center = true;
    const double by_gauss = 6.0 / std::sqrt(2.0 * 0.1 * 37.0 / 64.0) / 3000.0;
    const double by_laplace = std::sqrt(2.0) * 6.0 * 2.0 / (0.5 * 30.0 / 64.0) / 3000.0;
    for (const bool pure : {false, true}) {
        const Made how = {"separate", Variant::best, pure, pure ? 0.5 : 0.1};
        const double expected = pure ? by_laplace : by_gauss;
        SquaredNoise noise;
        for (std::uint64_t seed = 0; seed < (pure ? 800 : 300); ++seed) {
            const Release release = made(how, moment, options, seed);
            ASSERT_TRUE(release.statistics.mean);
            EXPECT_EQ(*release.statistics.mean, *release.mean);
            EXPECT_NEAR(release.statistics.mean_noise_scale, expected, 1e-4 * expected);
            noise.add((*release.mean - truth).squaredNorm() /
                          std::pow(release.statistics.mean_noise_scale, 2),
                      4.0, pure ? 4.0 * 5.0 : 4.0 * 2.0);
        }
        expect_as_told(noise, pure ? "Laplace" : "Gauss");
    }
}

TEST(Statistics, HaveTheMeansOfTheStrata) {
    constexpr std::size_t d = 12;
    Rows rows = rows_of_many_norms(3000, d);
    for (double& value : rows) value = std::fabs(value);
    ReleaseOptions options;
    options.center = true;
    for (const Made& how : with_statistics()) {
        const SquaredNoises noises = noise_of(how, rows, d, options);
        expect_as_told(noises.matrix, how.method);
        expect_as_told(noises.mean, how.method + ", means");
        EXPECT_FALSE(made(how, moment_of(rows, d, 3.0), options, 908).statistics.mean);
    }
}

// The Gram of bins in several ranges is the sum of the ranges' own, in the coarsest one's units;
// where nothing is rounded, exactly.
TEST(BinsLeftOut, AddUpLikeTheirRanges) {
    constexpr std::size_t d = 3;
    const detail::SecretMoment moment = moment_of(rows_of_many_norms(500, d), d, 3.0);
    const detail::NormBins& norms = moment.norm_bins();
    const std::size_t top = norms.size() - 1;
    const std::vector<detail::BinRange> ranges = {
        {top - 60, top - 41}, {top - 39, top - 20}, {top - 9, top}};
    const detail::PackedGram all = detail::gram_of(moment, detail::whole_rows(ranges));
    detail::PackedGram sum(all.size(), 0);
    for (const detail::BinRange& range : ranges) {
        const detail::PackedGram part = detail::gram_of_bins(moment, range);
        const int shift = 2 * (norms.octave(range.last) - norms.octave(top));
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += part[i] >> shift;
        }
    }
    EXPECT_EQ(all, sum);
    // Control: what lies between the ranges is not nothing.
    EXPECT_NE(all, detail::gram_of_bins(moment, {top - 60, top}));
}

TEST(BinsLeftOut, AreThoseInNoStratum) {
    using Strata = std::vector<detail::StratumBins>;
    EXPECT_EQ(detail::bins_left_out({}, 3), (Strata{{0, 2}}));
    EXPECT_EQ(detail::bins_left_out({{0, 2}}, 3), Strata{});
    EXPECT_EQ(detail::bins_left_out({{0, 4}, {7, 7}, {8, 9}}, 12), (Strata{{5, 6}, {10, 11}}));
    EXPECT_EQ(detail::bins_left_out({{2, 4}}, 5), (Strata{{0, 1}}));
}

}  // namespace
}  // namespace dpcov::test
