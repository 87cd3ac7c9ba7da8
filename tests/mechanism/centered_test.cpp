// The centred covariance.
#include "mechanism/centered.hpp"
#include "estimate/about_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "mechanism/joint_moment.hpp"
#include "privacy/budget_meter.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

ReleaseOptions centring(Variant variant = Variant::best) {
    ReleaseOptions options;
    options.variant = variant;
    options.center = true;
    return options;
}

// Rows around a point far from zero.
Rows rows_around(double x, std::size_t n, std::size_t d, double spread, std::uint64_t seed) {
    Rows rows = sphere_rows(n, d, spread, seed, 0.8);
    for (double& value : rows) value += x / std::sqrt(static_cast<double>(d));
    return rows;
}

TEST(Centered, IsTheCentredCovarianceButForNoise) {
    for (const std::size_t d : {1U, 2U, 7U, 30U}) {
        for (const double bound : {1.0, 5.0}) {
            const Rows rows = rows_around(0.6 * bound, 100, d, 0.3 * bound, d);
            const detail::SecretMoment moment = moment_of(rows, d, bound);
            for (const char* method :
                 {"gauss", "stratified", "separate", "clip-gauss", "clip-separate"}) {
                ReleaseOptions options = centring();
                if (find_method(method).needs_clip) options.clip = bound;
                const Release release = run(method, moment, 1e20, options, 250);
                const Eigen::MatrixXd truth = centred_covariance_of(rows, d);
                // Rows stand on a grid of 2^-20 of the bound.
                EXPECT_LT((release.covariance - truth).norm(), 1e-5 * bound * bound) << method << d;
                // Control: the mean is not small.
                EXPECT_GT((release.covariance - covariance_of(rows, d)).norm(),
                          0.1 * bound * bound);
            }
        }
    }
}

// Means far from zero, and rows that hardly differ: the noise is that of m m^T. Mean errors of 20
// releases beside those of gauss, which shrinks nothing, at three budgets. Control: rows that do
// differ, where neither gains nor loses much.
TEST(Centered, OfRowsThatHardlyDifferDiffersLittleFromNothing) {
    constexpr std::size_t d = 12;
    constexpr std::size_t n = 2000;
    const auto error_of = [](const char* method, const Rows& rows, double rho) {
        const detail::SecretMoment moment = moment_of(rows, d);
        const Eigen::MatrixXd truth = centred_covariance_of(rows, d);
        double error = 0.0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            error += (run(method, moment, rho, centring(), seed).covariance - truth).norm() / 20.0;
        }
        return error / truth.norm();
    };
    const Rows alike = rows_around(0.8, n, d, 0.03, 251);
    const Rows unlike = rows_around(0.5, n, d, 0.45, 252);
    for (const double rho : {0.001, 0.01, 0.1}) {
        SCOPED_TRACE(rho);
        EXPECT_LT(error_of("stratified", alike, rho), 0.125 * error_of("gauss", alike, rho));
        const double gauss = error_of("gauss", unlike, rho);
        EXPECT_LT(error_of("stratified", unlike, rho), 1.1 * gauss);
        EXPECT_GT(error_of("stratified", unlike, rho), 0.125 * gauss);
    }
}

// The stages add up to rho, never more. What has its noise on the sums draws the mean with them,
// the others have it apart, with a share near sqrt(8/d) / (1 + sqrt(8/d)).
TEST(Centered, StagesAddUpToTheBudget) {
    for (const std::size_t d : {1U, 2U, 8U, 50U, 300U}) {
        const detail::SecretMoment moment = moment_of(sphere_rows(20, d, 1.0, 1), d);
        for (const double rho : {0.1, 0.3, 1.0 / 3.0, 7e-5}) {
            for (const char* method : {"gauss", "stratified", "separate", "adaptive"}) {
                const Release release = run(method, moment, rho, centring(), 251);
                const bool apart = find_method(method).name == "separate" ||
                                   find_method(method).name == "adaptive";
                EXPECT_EQ(release.stages.at(0).name == "mean", apart);
                if (apart) {
                    const double balance = std::sqrt(8.0 / static_cast<double>(d));
                    EXPECT_NEAR(std::get<Rho>(release.stages[0].spent).value() / rho,
                                balance / (1.0 + balance), 1.0 / 64.0);
                }
                detail::RhoMeter meter{Rho(rho)};  // refuses more than rho, by however little
                for (const Stage<Budget>& stage : release.stages) {
                    EXPECT_NO_THROW(
                        (void)meter.spend(stage.name, std::get<Rho>(stage.spent), stage.what));
                }
                EXPECT_GT(spent(release), rho * (1.0 - 1e-12));
                EXPECT_FALSE(release.estimated_frobenius_error);
                EXPECT_TRUE(release.mean);
            }
        }
    }
}

// The distance of the mean of many releases from the truth, in deviations of that mean, at its
// greatest over the entries; the p-value of that.
double bias_p_value(const Eigen::MatrixXd& truth, int runs,
                    const std::function<Eigen::MatrixXd(std::uint64_t)>& release) {
    Eigen::ArrayXXd sum = Eigen::ArrayXXd::Zero(truth.rows(), truth.cols());
    Eigen::ArrayXXd squares = sum;
    for (int i = 0; i < runs; ++i) {
        const Eigen::ArrayXXd error =
            release(static_cast<std::uint64_t>(i)).array() - truth.array();
        sum += error;
        squares += error.square();
    }
    const Eigen::ArrayXXd z = sum / squares.sqrt();
    return static_cast<double>(truth.size()) * two_sided_p_value(z.abs().maxCoeff());
}

// The covariance's eigenvalues are nine deviations above zero and the second moment's three below
// the bound, which biases the result by less than a tenth of the deviation of 40000 runs' mean (by
// day 10000, of a wider one); the noise of the mean is large enough for its variance to show. False
// alarm: 1e-6. Control: without the correction by that variance.
TEST(Centered, IsUnbiasedWhereNothingIsClamped) {
    constexpr int runs = 40000;
    constexpr double rho = 1.0;
    for (const std::size_t d : {1U, 2U}) {
        Rows rows;
        for (int i = 0; i < 40; ++i) {
            const double x = i % 2 == 0 ? 0.9 : -0.9;
            for (std::size_t j = 0; j < d; ++j) {
                rows.push_back((static_cast<std::size_t>(i / 2) % d == j ? x : 0.0) + 0.05);
            }
        }
        const detail::SecretMoment moment = moment_of(rows, d);
        const Eigen::MatrixXd truth = centred_covariance_of(rows, d);
        const auto release = [&](std::uint64_t seed) {
            return run("gauss", moment, rho, centring(), 1000 + seed);
        };
        const NoisyMoment drawn = release(0).statistics.strata.at(0);
        EXPECT_GT(spectrum(truth).minCoeff(), 9.0 * drawn.noise_scale);
        EXPECT_LT(spectrum(covariance_of(rows, d)).maxCoeff(), 1.0 - 3.0 * drawn.noise_scale);
        std::vector<Eigen::MatrixXd> released;
        for (int i = 0; i < runs; ++i) {
            released.push_back(release(static_cast<std::uint64_t>(i)).covariance);
        }
        EXPECT_GT(bias_p_value(truth, runs, [&](std::uint64_t i) { return released[i]; }),
                  false_alarm)
            << d;
        const double variance = drawn.mean_noise_scale * drawn.mean_noise_scale;
        const auto uncorrected = [&](std::uint64_t i) {
            Eigen::MatrixXd matrix = released[i];
            matrix.diagonal().array() -= variance;
            return matrix;
        };
        EXPECT_LT(bias_p_value(truth, runs, uncorrected), false_alarm) << d;
    }
}

// The noise of the mean has deviation 2 B / (sqrt(2 rho w) n), seen off the diagonal of - m m^T for
// rows of zero: (m_i m_j)^2 is v^2 on average, and the mean over the three pairs deviates by 2 v^2.
// False alarm: 1e-6. Control: 10 % more variance.
TEST(Centered, MeanNoiseHasItsDeviation) {
    constexpr std::size_t d = 3;
    constexpr std::size_t n = 50;
    constexpr int runs = 10000;
    const double bound = 2.0;
    const detail::SecretMoment moment = moment_of(Rows(d * n, 0.0), d, bound);
    double share = 0.0;
    double squares = 0.0;
    SeededRandomSource random(252);
    for (int i = 0; i < runs; ++i) {
        // In place of a mechanism, a matrix that puts everything between the clamps.
        const Release release =
            detail::centered(moment, Rho(0.5), centring(), random,
                             [&](const detail::SecretMoment&, const Budget& rest,
                                 const ReleaseOptions& inner, RandomSource&) {
                                 EXPECT_FALSE(inner.center);
                                 share = 0.5 - std::get<Rho>(rest).value();
                                 Release known;
                                 known.covariance = 2.0 * Eigen::MatrixXd::Identity(d, d);
                                 known.rows = n;
                                 return known;
                             });
        for (const double entry :
             {release.covariance(0, 1), release.covariance(0, 2), release.covariance(1, 2)}) {
            squares += entry * entry / (3.0 * runs);
        }
    }
    const double variance = std::pow(2.0 * bound / n, 2) / (2.0 * share);
    const auto p_value = [&](double v) {
        return two_sided_p_value((squares / (v * v) - 1.0) / (2.0 / std::sqrt(runs)));
    };
    EXPECT_GT(p_value(variance), false_alarm);
    EXPECT_LT(p_value(1.1 * variance), false_alarm);
}

// The squared error, on average over `runs`, of the second moment less the mean's square, for a
// mean as long as the norm bound, and its standard error; by the statistics alone, without what
// projecting makes better.
struct CentredError {
    double square = 0.0;
    double deviation = 0.0;
};

CentredError centred_error(std::size_t d, unsigned weight, double rho, int runs) {
    constexpr std::size_t n = 1000;
    Rows rows(n * d, 0.0);
    for (std::size_t i = 0; i < n; ++i) rows[i * d] = 1.0;
    const detail::SecretMoment moment = moment_of(rows, d);
    const detail::BinRange all{0, moment.norm_bins().size() - 1};
    SeededRandomSource random(254);
    double squares = 0.0;
    CentredError error;
    for (int i = 0; i < runs; ++i) {
        const NoisyMoment drawn =
            detail::noisy_sums(moment, Neighbours::replace, detail::whole_rows({all}),
                               {.mean_weight = weight}, Rho(rho), random)
                .take_moment_over(n, 1.0);
        const double square =
            detail::about_mean(drawn.second_moment, {drawn.mean, drawn.mean_noise_scale})
                .squaredNorm();
        error.square += square / runs;
        squares += square * square / runs;
    }
    error.deviation = std::sqrt((squares - error.square * error.square) / runs);
    return error;
}

// s^2 (1 + v)^2 (d + 1) (d / 2 + 1 / v) at its least over v. Within 1.05 of the root of it, with
// five standard errors to spare: false alarm 3e-7. Controls: a mean with a quarter of the weight,
// and one with twice as much.
TEST(Centered, ErrsAsTheBestWeightOfTheMeanSays) {
    for (const std::size_t d : {5U, 20U, 60U}) {
        const double rho = 0.1;
        const double s = noise_scale(1.0, rho, 1000);
        const auto order = static_cast<double>(d);
        double least = HUGE_VAL;
        for (double v = 0.01; v < 2.0; v *= 1.001) {
            least = std::fmin(least,
                              std::pow(s * (1.0 + v), 2) * (order + 1.0) * (order / 2.0 + 1.0 / v));
        }
        const unsigned weight = detail::mean_weight(Neighbours::replace, d, 1.0, Rho(rho));
        const auto is_near = [&](unsigned tried) {
            const CentredError error = centred_error(d, tried, rho, d == 60 ? 150 : 1500);
            return error.square + 5.0 * error.deviation < 1.05 * 1.05 * least;
        };
        EXPECT_TRUE(is_near(weight)) << d;
        EXPECT_FALSE(is_near(weight / 4)) << d;
        EXPECT_FALSE(is_near(std::min(64U, 2 * weight))) << d;
    }
}

// The squared norm of the covariance, without what noise adds to it: unbiased. The false-alarm rate
// of five deviations is 6e-7 a case. Control: what the noise of the mean adds is seen.
TEST(Centered, EstimatesTheSquaredNormOfTheCovariance) {
    for (const Eigen::Index d : {1, 3, 8}) {
        const Eigen::VectorXd mean = Eigen::VectorXd::Constant(d, 0.7);
        const Eigen::MatrixXd truth = 0.3 * Eigen::MatrixXd::Identity(d, d);
        std::mt19937_64 generator(17);
        std::normal_distribution<double> normal;
        constexpr double deviation = 0.2;
        constexpr int draws = 20000;
        double sum = 0.0;
        double squares = 0.0;
        double without_mean = 0.0;
        for (int draw = 0; draw < draws; ++draw) {
            detail::NoisyMean noisy{mean, deviation};
            for (double& value : noisy.mean) value += deviation * normal(generator);
            const Eigen::MatrixXd about =
                detail::about_mean(truth + mean * mean.transpose(), noisy);
            const double estimate = detail::squared_norm_without_noise(about, noisy, 0.0);
            sum += estimate;
            squares += estimate * estimate;
            without_mean += about.squaredNorm();
        }
        const double average = sum / draws;
        const double error = std::sqrt((squares / draws - average * average) / draws);
        EXPECT_NEAR(average, truth.squaredNorm(), 5.0 * error) << d;
        EXPECT_GT(without_mean / draws, truth.squaredNorm() + 10.0 * error) << d;
    }
}

// Where it says that zero is nearer, it is: at a budget that hides everything, nearly always, and
// never at one that hides nothing. Of 300 releases 0.92 to 0.94 say so: of 60, 55 with a deviation
// of 2.1, four of which are allowed.
TEST(Centered, SaysWhereZeroIsNearer) {
    const Rows rows = rows_around(0.6, 500, 6, 0.3, 4);
    const detail::SecretMoment moment = moment_of(rows, 6);
    const Eigen::MatrixXd truth = centred_covariance_of(rows, 6);
    for (const char* method : {"gauss", "separate", "adaptive"}) {
        int told = 0;
        for (std::uint64_t seed = 252; seed < 312; ++seed) {
            const Release hidden = run(method, moment, 1e-7, centring(), seed);
            if (hidden.worse_than_zero) {
                ++told;
                EXPECT_GT((hidden.covariance - truth).norm(), truth.norm()) << method;
            }
            EXPECT_FALSE(run(method, moment, 1e4, centring(), seed).worse_than_zero) << method;
        }
        EXPECT_GE(told, 47) << method;
    }
}

// One column near a bound, few rows whose number is private: the noise of that number goes with the
// second moment's. Within 5.4 deviations of a share of 4000, a false alarm of 1e-7. (With the two
// taken for independent 0.90 are covered.)
TEST(Centered, IntervalsCoverWhereTheRowsAreCountedWithTheirSums) {
    SecondMoment moment({.columns = 1, .norm_bound = 1.0});
    Eigen::MatrixXd rows(200, 1);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        rows(i, 0) = 0.85 + 0.1 * static_cast<double>(i) / 200.0;
    }
    moment.add(rows);
    const double mean = rows.mean();
    const double variance = (rows.array() - mean).square().mean();
    int inside = 0;
    constexpr int runs = 4000;
    for (int run = 0; run < runs; ++run) {
        const Release released = release(moment, Rho(1.0),
                                         {.method = "gauss",
                                          .neighbours = Neighbours::add_remove,
                                          .center = true,
                                          .insecure_seed = 1000 + static_cast<std::uint64_t>(run)});
        EXPECT_TRUE(released.statistics.counted_with_strata);
        const MatrixEstimate told = derive_covariance(released);
        inside += told.lower(0, 0) <= variance && variance <= told.upper(0, 0) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(inside) / runs, 0.95, 0.0186);
}

// Control: the noisy mean is far beyond the bounds.
TEST(Centered, AMeanIsWithinItsBounds) {
    const Schema schema = {{.name = "a", .bounds = ColumnBounds{.lower = 0.0, .upper = 1.0}},
                           {.name = "b", .bounds = ColumnBounds{.lower = -5.0, .upper = 5.0}}};
    SecondMoment moment({.schema = schema});
    moment.add(Eigen::MatrixXd::Constant(100, 2, 0.5));
    for (const char* method : {"auto", "gauss", "separate"}) {
        const Release released =
            release(moment, Rho(1e-6), {.method = method, .center = true, .insecure_seed = 3});
        EXPECT_LE(released.mean->cwiseAbs().maxCoeff(), 1.0) << method;
        const Eigen::VectorXd table = *in_table_units(released).mean;
        EXPECT_GE(table[0], 0.0) << method;
        EXPECT_LE(table[0], 1.0) << method;
        if (std::string_view(method) == "gauss") {
            EXPECT_GT(released.statistics.strata[0].mean.cwiseAbs().maxCoeff(), 2.0);
            const VectorEstimate mean = derive_mean(released);
            EXPECT_GE(mean.lower[1], -5.0);
            EXPECT_LE(mean.upper[1], 5.0);
            EXPECT_GT(mean.upper[1], mean.lower[1]);
        }
    }
}

// Where columns have no bounds: no value is beyond the norm bound. Control: the noisy mean is.
TEST(Centered, AMeanIsWithinTheNormBound) {
    SecondMoment moment({.columns = 2, .norm_bound = 3.0});
    moment.add(Eigen::MatrixXd::Constant(100, 2, 0.5));
    for (const char* method : {"auto", "gauss", "separate"}) {
        const Release released =
            release(moment, Rho(1e-6), {.method = method, .center = true, .insecure_seed = 3});
        EXPECT_LE(released.mean->cwiseAbs().maxCoeff(), 3.0) << method;
        if (std::string_view(method) == "gauss") {
            EXPECT_GT(released.statistics.strata[0].mean.cwiseAbs().maxCoeff(), 6.0);
        }
    }
}

// Clipped to the norm bound it is gauss, mean and all. The control is a method that pays for the
// mean apart.
TEST(Centered, ClipGaussReleasesTheMeanAsGaussDoes) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 4), 3);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            ReleaseOptions options = centring(variant);
            options.neighbours = neighbours;
            const Release whole = run("gauss", moment, 1.0, options, 254);
            EXPECT_NE(whole.stages.front().name,
                      run("separate", moment, 1.0, options, 254).stages.front().name);
            options.clip = 1.0;
            const Release clipped = run("clip-gauss", moment, 1.0, options, 254);
            ASSERT_EQ(clipped.stages.size(), whole.stages.size());
            EXPECT_EQ(clipped.stages.front().name, whole.stages.front().name);
            EXPECT_EQ(clipped.covariance, whole.covariance);
            EXPECT_EQ(clipped.mean, whole.mean);
        }
    }
}

TEST(Centered, RefusesAClippingNormBelowTheBound) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 4), 3);
    ReleaseOptions options = centring();
    options.clip = 0.5;
    EXPECT_THROW((void)run("clip-gauss", moment, 1.0, options, 253), UsageError);
}

}  // namespace
}  // namespace dpcov::test
