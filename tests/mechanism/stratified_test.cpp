// Stratified: the noise of the strata, measured as privacy loss; and what comes of it.
#include "mechanism/stratified.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dpcov/error.hpp"
#include "gaussian_losses.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"
#include "support/failing_source.hpp"
#include "support/noisy_stratum.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

// The strata that the tables below have rows in, and one that they have none in.
constexpr int shown_strata = 4;

// Two tables that differ in their last row, and the greatest Renyi divergence of order alpha that
// the release of all strata has, over alpha rho: the sum over strata of |Delta_k|^2 / (2 s_k^2),
// worked out by hand.
struct StrataPair {
    const char* name;
    std::size_t d;
    Rows x;
    Rows y;
    double share;
};

const std::vector<StrataPair>& strata_pairs() {
    static const std::vector<StrataPair> all = {
        {"axis against axis, one stratum", 2, {0.3, 0.4, 1, 0}, {0.3, 0.4, 0, 1}, 1.0},
        {"one stratum against the next", 2, {0.3, 0.4, 1, 0}, {0.3, 0.4, 0.5, 0}, 1.0},
        {"the coarsest against a far one", 2, {0.3, 0.4, 0, 1}, {0.3, 0.4, 0.125, 0}, 1.0},
        {"a full row against nothing", 2, {0.3, 0.4, 0, 1}, {0.3, 0.4, 0, 0}, 0.5},
        {"one column, one stratum against another", 1, {0.3, -1}, {0.3, 0.25}, 1.0},
        {"one column, the same stratum", 1, {0.3, 1}, {0.3, 0.6}, 0.5 * 0.64 * 0.64},
        {"one column, a row and its opposite", 1, {0.3, 1}, {0.3, -1}, 0.0},
    };
    return all;
}

// Entries of the strata's Grams over n in coordinates in which their noise has deviation
// 4^-k / (sqrt(rho) n), divided by 4^-k: from the definition of the strata alone.
std::vector<double> means(const Rows& rows, std::size_t d) {
    std::vector<double> all;
    const std::size_t n = rows.size() / d;
    for (int k = 0; k < shown_strata; ++k) {
        Rows inside(rows.size(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            double squares = 0.0;
            for (std::size_t j = 0; j < d; ++j) squares += rows[i * d + j] * rows[i * d + j];
            const double norm = std::sqrt(squares) * std::ldexp(1.0, k) * (1.0 - 1e-12);
            if (norm > 0.5 && norm <= 1.0) {
                std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i * d), d,
                            inside.begin() + static_cast<std::ptrdiff_t>(i * d));
            }
        }
        const Eigen::MatrixXd gram = std::ldexp(1.0, 2 * k) * covariance_of(inside, d);
        for (Eigen::Index j = 0; j < gram.cols(); ++j) {
            for (Eigen::Index i = 0; i <= j; ++i) {
                all.push_back(gram(i, j) * (i == j ? 1.0 : std::sqrt(2.0)));
            }
        }
    }
    return all;
}

template <class Share>
detail::NoisyMatrix noisy_octave(const detail::SecretMoment& moment, int k, Share share,
                                 RandomSource& random) {
    return noisy_stratum(detail::counted_openly(moment), moment.norm_bins().of_octave(k), share,
                         random);
}

std::vector<double> released(const detail::SecretMoment& moment, double rho, RandomSource& random) {
    std::vector<double> all;
    for (int k = 0; k < shown_strata; ++k) {
        const Eigen::MatrixXd matrix =
            std::ldexp(1.0, 2 * k) * noisy_octave(moment, k, Rho(rho), random).matrix;
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            for (Eigen::Index i = 0; i <= j; ++i) {
                all.push_back(matrix(i, j) * (i == j ? 1.0 : std::sqrt(2.0)));
            }
        }
    }
    return all;
}

// Two-sided p-value of mean and variance of losses that should be N(divergence, 2 divergence).
// The loss is the log of the ratio of the densities that theory gives for budget rho. A noise whose
// variance is 11 % off is five deviations by day, 5 % at full size.
double pair_p_value(const StrataPair& pair, double rho, double rho_spent, std::uint64_t seed) {
    const detail::SecretMoment moment = moment_of(pair.x, pair.d);
    const std::vector<double> on_x = means(pair.x, pair.d);
    const std::vector<double> on_y = means(pair.y, pair.d);
    const double s = noise_scale(1.0, rho, pair.x.size() / pair.d);
    SeededRandomSource random(seed);
    std::vector<double> losses(static_cast<std::size_t>(test_size(4000, 20000)));
    for (double& loss : losses) {
        loss = gaussian_loss(released(moment, rho_spent, random), on_x, on_y, s);
    }
    const double divergence = pair.share * rho;
    if (divergence == 0.0) {
        const bool none =
            std::all_of(losses.begin(), losses.end(), [](double x) { return x == 0.0; });
        return none ? 1.0 : 0.0;
    }
    return loss_p_value(losses, divergence);
}

// False alarm: 2e-6 for each of the seven pairs. Never more than rho, which the first three and the
// fifth reach.
TEST(Stratified, PrivacyLossIsWhatTheoryGivesForEveryPair) {
    constexpr double rho = 0.5;
    std::uint64_t seed = 300;
    for (const StrataPair& pair : strata_pairs()) {
        EXPECT_LE(pair.share, 1.0);
        EXPECT_GT(pair_p_value(pair, rho, rho, ++seed), false_alarm) << pair.name;
        if (pair.share > 0.0) {
            // Controls: half the noise, and noise for half the budget.
            EXPECT_LT(pair_p_value(pair, rho, 4.0 * rho, ++seed), false_alarm) << pair.name;
            EXPECT_LT(pair_p_value(pair, rho, 0.5 * rho, ++seed), false_alarm) << pair.name;
        }
    }
}

// --- Pure DP ------------------------------------------------------------------------------------

// In one column P - Q is a Laplace variable of scale 2 c = 2 r_k^2 / (epsilon n), so the loss of a
// release is known. Mean and greatest absolute loss on rows x against rows y, by the law for
// `epsilon`, of releases that spend `spent`.
struct Loss {
    double mean = 0.0;
    double mean_error = 0.0;  // standard error of it
    double greatest = 0.0;
};

Loss pure_loss(const Rows& x, const Rows& y, double epsilon, double spent, std::uint64_t seed) {
    constexpr int draws = 20000;
    const detail::SecretMoment moment = moment_of(x, 1);
    const std::vector<double> on_x = means(x, 1);
    const std::vector<double> on_y = means(y, 1);
    const double scale = 2.0 / (epsilon * static_cast<double>(x.size()));
    SeededRandomSource random(seed);
    double squares = 0.0;
    Loss loss;
    for (int draw = 0; draw < draws; ++draw) {
        double one = 0.0;
        for (int k = 0; k < shown_strata; ++k) {
            const auto index = static_cast<std::size_t>(k);
            const double released =
                std::ldexp(noisy_octave(moment, k, Epsilon(spent), random).matrix(0, 0), 2 * k);
            one += (std::fabs(released - on_y[index]) - std::fabs(released - on_x[index])) / scale;
        }
        loss.mean += one / draws;
        squares += one * one / draws;
        loss.greatest = std::max(loss.greatest, std::fabs(one));
    }
    loss.mean_error = std::sqrt((squares - loss.mean * loss.mean) / draws);
    return loss;
}

// A row that moves from one stratum to another costs epsilon / 2 in either: KL(Laplace shifted by t
// scales) = t - 1 + exp(-t), twice, and never a loss above epsilon, which is reached. One that
// stays in its stratum, or goes to zero, costs half. False alarm: 2e-6 for either pair (4.75
// standard errors).
TEST(Stratified, PureLossIsWhatTheoryGives) {
    constexpr double epsilon = 1.0;
    const double one = 0.5 * epsilon - 1.0 + std::exp(-0.5 * epsilon);
    const Rows far = {0.3, 1.0};
    struct Case {
        Rows y;
        double mean;
        double greatest;
    };
    const Case cases[] = {{{0.3, 0.25}, 2.0 * one, epsilon}, {{0.3, 0.0}, one, 0.5 * epsilon}};
    std::uint64_t seed = 350;
    for (const Case& c : cases) {
        const Loss loss = pure_loss(far, c.y, epsilon, epsilon, ++seed);
        EXPECT_NEAR(loss.mean, c.mean, 4.75 * loss.mean_error);
        EXPECT_LE(loss.greatest, c.greatest * (1.0 + 1e-5));
        EXPECT_GT(loss.greatest, c.greatest * (1.0 - 1e-5));
        // Control: twice the budget. The same law's loss is as great at most, but on average more.
        const Loss spent = pure_loss(far, c.y, epsilon, 2.0 * epsilon, ++seed);
        EXPECT_GT(spent.mean, c.mean + 4.75 * spent.mean_error);
    }
}

// P - Q, each Wishart_d(d + 1, c I), c = r_k^2 / (epsilon n): E |N|^2 = 2 c^2 d (d + 1)^2, from
// which a draw deviates by 1.5 sqrt(2 / 820), 7 %, and the mean of 20 by 1.7 %: five of these, a
// false alarm in two million. Control: noise for a tenth more of the budget, 17 % less of it, which
// is five of its deviations below that. Strata without rows have it too.
TEST(Stratified, PureNoiseOfEveryStratumIsItsOwn) {
    constexpr std::size_t d = 40;
    const detail::SecretMoment moment = moment_of(sphere_rows(50, d, 1.0, 1), d);
    SeededRandomSource random(360);
    for (const int k : {1, 7, detail::NormBins::octaves - 1}) {
        const double c = std::ldexp(1.0 / (0.3 * 50.0), -2 * k);
        const auto mean_square = [&](double epsilon) {
            constexpr int draws = 20;
            double sum = 0.0;
            for (int draw = 0; draw < draws; ++draw) {
                sum += noisy_octave(moment, k, Epsilon(epsilon), random).matrix.squaredNorm();
            }
            return sum / draws / (2.0 * c * c * 40.0 * 41.0 * 41.0);
        };
        EXPECT_NEAR(mean_square(0.3), 1.0, 0.085);
        EXPECT_LT(mean_square(0.33), 1.0 - 0.085);  // control: 0.83
        const detail::NoisyMatrix noisy = noisy_octave(moment, k, Epsilon(0.3), random);
        EXPECT_NEAR(noisy.deviation / (2.0 * c * std::sqrt(41.0)), 1.0, 1e-9);
        const double steps = noisy.matrix(0, 1) / noisy.grid;
        EXPECT_NEAR(steps, std::round(steps), 1e-6 + 1e-9 * std::fabs(steps));
    }
    const Release release = run("stratified", moment, Epsilon(7.0), Variant::best, 361);
    ASSERT_EQ(release.stages.size(), 2U);
    EXPECT_EQ(spent(release), 7.0);
}

// Which strata have rows is not to be seen: one without has noise of the same size.
TEST(Stratified, StrataWithoutRowsHaveNoiseToo) {
    constexpr std::size_t d = 40;
    const detail::SecretMoment moment = moment_of(sphere_rows(50, d, 1.0, 1), d);
    SeededRandomSource random(310);
    for (const int k : {1, 7, detail::NormBins::octaves - 1}) {
        const detail::NoisyMatrix noisy = noisy_octave(moment, k, Rho(0.3), random);
        const double s = std::ldexp(noise_scale(1.0, 0.3, 50), -2 * k);
        EXPECT_NEAR(noisy.deviation / s, 1.0, 1e-9) << k;
        // |N|^2 / s^2 is chi-squared with 820 degrees of freedom: deviation 40.
        EXPECT_NEAR(noisy.matrix.squaredNorm() / (s * s), 820.0, 5.0 * 40.5) << k;
    }
}

TEST(Stratified, ReleasesLieOnAPublicGrid) {
    const Rows rows = sphere_rows(30, 3, 1.0, 2) + sphere_rows(70, 3, 0.1, 3);
    const detail::SecretMoment moment = moment_of(rows, 3);
    SeededRandomSource random(311);
    double finest = 0.0;
    for (int k = detail::NormBins::octaves - 1; k >= 0; --k) {
        const detail::NoisyMatrix noisy = noisy_octave(moment, k, Rho(0.1), random);
        if (finest == 0.0) finest = noisy.grid;
        EXPECT_EQ(std::remainder(std::log2(noisy.grid / finest), 1.0), 0.0);
        EXPECT_GE(noisy.grid, finest);
        for (const double entry : noisy.matrix.reshaped()) {
            const double steps = entry / noisy.grid;
            EXPECT_NEAR(steps, std::round(steps), 1e-6 + 1e-9 * std::fabs(steps));
        }
    }
    // That of a release is one of these, or a power of two times one.
    const Release release = run("stratified", moment, 0.1, Variant::best, 312);
    EXPECT_GT(release.grid, 0.0);
    EXPECT_EQ(std::remainder(std::log2(release.grid / finest), 1.0), 0.0);
}

TEST(Stratified, DoesNotDependOnTheOrderOfRowsOrTheUnit) {
    const Rows rows = sphere_rows(60, 4, 1.0, 4) + sphere_rows(900, 4, 0.3, 5);
    Rows reversed;
    for (std::size_t i = rows.size(); i > 0; i -= 4) {
        reversed.insert(reversed.end(), rows.begin() + static_cast<std::ptrdiff_t>(i - 4),
                        rows.begin() + static_cast<std::ptrdiff_t>(i));
    }
    detail::SecretMoment merged = moment_of(sphere_rows(900, 4, 0.3, 5), 4);
    merged.merge(moment_of(sphere_rows(60, 4, 1.0, 4), 4));
    const Release release = run("stratified", moment_of(rows, 4), 0.5, Variant::best, 314);
    EXPECT_EQ(release.covariance,
              run("stratified", moment_of(reversed, 4), 0.5, Variant::best, 314).covariance);
    EXPECT_EQ(release.covariance, run("stratified", merged, 0.5, Variant::best, 314).covariance);
    // Eight times the unit: 64 times the matrix, to the last bit.
    Rows longer = rows;
    for (double& x : longer) x *= 8.0;
    const Release scaled = run("stratified", moment_of(longer, 4, 8.0), 0.5, Variant::best, 314);
    EXPECT_EQ(scaled.covariance, 64.0 * release.covariance);
    EXPECT_DOUBLE_EQ(*scaled.estimated_frobenius_error, 64.0 * *release.estimated_frobenius_error);
}

TEST(Stratified, AccountsForTheWholeBudgetOnce) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 3, 1.0, 6), 3, 1.0, false);
    const Release release = run("stratified", moment, 0.7, Variant::best, 315);
    ASSERT_EQ(release.stages.size(), 2U);  // norms, strata
    EXPECT_EQ(spent(release), 0.7);
    EXPECT_FALSE(release.threshold);
}

template <class Share>
double mean_error(std::string_view method, const Rows& rows, std::size_t d, Share budget, int runs,
                  double* estimated = nullptr) {
    const detail::SecretMoment moment = moment_of(rows, d);
    const Eigen::MatrixXd truth = covariance_of(rows, d);
    double error = 0.0;
    for (int i = 0; i < runs; ++i) {
        const Release release =
            run(method, moment, budget, Variant::best, 320 + static_cast<std::uint64_t>(i));
        error += (release.covariance - truth).norm() / runs;
        if (estimated != nullptr)
            *estimated += release.estimated_frobenius_error.value_or(0.0) / runs;
    }
    return error;
}

// Most rows short, some long: less than half of what the other methods err, and an estimated RMS
// error that is right to a fifth.
TEST(Stratified, BeatsTheOthersOnSkewedRows) {
    constexpr std::size_t d = 40;
    const Rows rows = sphere_rows(8000, d, 0.125, 7, 0.9) + sphere_rows(1000, d, 0.25, 8, 0.9) +
                      sphere_rows(300, d, 0.5, 9, 0.9) + sphere_rows(100, d, 1.0, 10, 0.9);
    double estimated = 0.0;
    const double error = mean_error("stratified", rows, d, 0.1, 10, &estimated);
    for (const char* other : {"gauss", "separate", "adaptive"}) {
        EXPECT_LT(error, 0.5 * mean_error(other, rows, d, 0.1, 5)) << other;
    }
    EXPECT_NEAR(estimated / error, 1.0, 0.2);
}

TEST(Stratified, BeatsTheOthersOnSkewedRowsUnderPureDp) {
    constexpr std::size_t d = 40;
    const Rows rows = sphere_rows(8000, d, 0.125, 7, 0.9) + sphere_rows(1000, d, 0.25, 8, 0.9) +
                      sphere_rows(300, d, 0.5, 9, 0.9) + sphere_rows(100, d, 1.0, 10, 0.9);
    double estimated = 0.0;
    const double error = mean_error("stratified", rows, d, Epsilon(4.0), 10, &estimated);
    for (const char* other : {"wishart", "separate", "adaptive"}) {
        EXPECT_LT(error, 0.5 * mean_error(other, rows, d, Epsilon(4.0), 5)) << other;
    }
    EXPECT_NEAR(estimated / error, 1.0, 0.25);
}

// One column that fills its bounds, for either kind of neighbours: as the method of the whole
// matrix, but for the histogram's share. With bounds ten times as wide a small part
// of that.
TEST(Automatic, ErrsAsTheWholeOnOneColumnThatFillsItsBounds) {
    constexpr int n = 4000;
    const auto error_over = [&](double size, Neighbours neighbours, auto budget,
                                const char* other) {
        Rows rows;
        for (int i = 0; i < n; ++i) {
            rows.push_back(size * (2.0 * i / (n - 1.0) - 1.0));
        }
        const detail::SecretMoment moment = moment_of(rows, 1);
        const double truth = covariance_of(rows, 1)(0, 0);
        ReleaseOptions options;
        options.neighbours = neighbours;
        const auto squared_error = [&](const char* method) {
            double sum = 0.0;
            for (std::uint64_t seed = 480; seed < 560; ++seed) {
                const Release release = run(method, moment, budget, options, seed);
                sum += std::pow(release.covariance(0, 0) - truth, 2);
            }
            return sum;
        };
        return std::sqrt(squared_error("auto") / squared_error(other));
    };
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        EXPECT_LT(error_over(1.0, neighbours, 1.0, "gauss"), 1.35);
        EXPECT_LT(error_over(0.1, neighbours, 1.0, "gauss"), 0.1);
        EXPECT_LT(error_over(0.1, neighbours, Epsilon(2.0), "laplace"), 0.4);
    }
    EXPECT_LT(error_over(1.0, Neighbours::replace, Epsilon(8.0), "laplace"), 1.35);
}

// Never worse than the zero matrix by more than a twentieth, wherever noise drowns everything; the
// methods with a threshold or none are (control).
TEST(Stratified, IsNeverMuchWorseThanZero) {
    struct Case {
        std::size_t d;
        Rows rows;
        double rho;
    };
    const Case cases[] = {
        {20, sphere_rows(50, 20, 1.0, 11), 1e-3},
        {20, sphere_rows(5, 20, 1.0, 12) + sphere_rows(1000, 20, 1e-3, 13), 1e-2},
        {1, {0.1, 0.1, 0.1}, 1e-2},
        {3, sphere_rows(10, 3, 0.5, 14), 1e-2},
        {30, sphere_rows(1, 30, 1.0, 15), 1e-1},
    };
    for (const Case& c : cases) {
        const double zero = covariance_of(c.rows, c.d).norm();
        EXPECT_LT(mean_error("stratified", c.rows, c.d, c.rho, 100), 1.05 * zero) << c.d;
        EXPECT_GT(mean_error("gauss", c.rows, c.d, c.rho, 20), 1.5 * zero) << c.d;
        const Epsilon epsilon(std::sqrt(c.rho));
        EXPECT_LT(mean_error("stratified", c.rows, c.d, epsilon, 100), 1.05 * zero) << c.d;
        EXPECT_GT(mean_error("separate", c.rows, c.d, epsilon, 20), 1.05 * zero) << c.d;
    }
}

// Where even rows that all point one way could not show, which n, d and the budget say, nothing is
// drawn. Controls: one row more, and another norm in the table.
TEST(Stratified, DrawsNothingWhereNothingCouldShow) {
    constexpr std::size_t d = 25;
    const auto drawn = [&](std::size_t rows, double norm, const Budget& budget) {
        FailingRandomSource random(321);
        const Release release = detail::run_method(find_method("stratified"),
                                                   moment_of(sphere_rows(rows, d, norm, 21), d),
                                                   budget, ReleaseOptions{}, random);
        if (random.used() == 0) {
            EXPECT_TRUE(release.covariance.isZero(0.0));
            EXPECT_FALSE(release.estimated_frobenius_error);
            EXPECT_TRUE(release.stages.empty());
            EXPECT_EQ(release.zero, ZeroReason::undetectable);
        }
        return random.used();
    };
    // s sqrt(d) = 5 / (sqrt(rho) n) is above 2 up to n = 252 at rho = 10^-4 * 251 / 256.
    for (const double norm : {1.0, 0.01}) {
        EXPECT_EQ(drawn(252, norm, Rho(1e-4)), 0U);
        EXPECT_GT(drawn(253, norm, Rho(1e-4)), 0U);
        // s = 2 sqrt(26) / (epsilon n).
        EXPECT_EQ(drawn(260, norm, Epsilon(0.1)), 0U);
        EXPECT_GT(drawn(261, norm, Epsilon(0.1)), 0U);
    }
}

// Where the number of rows is private it is looked at first, and the accountant was charged for
// all: the stages say that all was spent, whatever was drawn.
TEST(Stratified, AccountsForAllWhereANoisyCountSaysThatNothingCouldShow) {
    constexpr std::size_t d = 25;
    const detail::SecretMoment few = moment_of(sphere_rows(5, d, 1.0, 22), d);
    ReleaseOptions options;
    options.neighbours = Neighbours::add_remove;
    const auto expect_all = [&](auto budget) {
        SeededRandomSource random(322);
        const Release release =
            detail::run_method(find_method("stratified"), few, budget, options, random);
        EXPECT_TRUE(release.covariance.isZero(0.0));
        ASSERT_FALSE(release.stages.empty());
        EXPECT_EQ(release.stages.back().name, "strata");
        EXPECT_NEAR(spent(release), budget.value(), 1e-12 * budget.value());
    };
    expect_all(Rho(1e-9));
    expect_all(Epsilon(1e-4));
}

// The best form of auto is stratified and the others adaptive, with the same noise.
TEST(Automatic, TakesTheMethodThatTheDefinitionAndTheVariantSay) {
    const detail::SecretMoment moment = moment_of(sphere_rows(40, 4, 1.0, 20), 4);
    const auto same = [&](const auto& budget, Variant variant, std::string_view method) {
        const Release automatic = run("auto", moment, budget, variant, 340);
        EXPECT_EQ(automatic.method, "auto");
        EXPECT_EQ(automatic.covariance, run(method, moment, budget, variant, 340).covariance);
    };
    same(0.5, Variant::best, "stratified");
    same(0.5, Variant::paper, "adaptive");
    same(Epsilon(0.5), Variant::best, "stratified");
    same(Epsilon(0.5), Variant::published, "adaptive");
    EXPECT_NE(run("stratified", moment, 0.5, Variant::best, 340).covariance,
              run("adaptive", moment, 0.5, Variant::best, 340).covariance);
}

TEST(Stratified, IsProjected) {
    for (const double rho : {1e-2, 1.0, 1e4}) {
        const Rows rows = sphere_rows(40, 6, 2.0, 16) + sphere_rows(40, 6, 0.2, 17);
        const Release release = run("stratified", moment_of(rows, 6, 2.0), rho, Variant::best, 330);
        EXPECT_GE(spectrum(release.covariance).minCoeff(), -1e-12);
        EXPECT_LE(release.covariance.trace(), 4.0 * (1.0 + 1e-12));
    }
}

// With little noise it is the covariance.
TEST(Stratified, ConvergesToTheCovariance) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{5}}) {
        const Rows rows = sphere_rows(30, d, 1.0, 18) + sphere_rows(30, d, 0.01, 19) + Rows(d, 0.0);
        const Eigen::MatrixXd truth = covariance_of(rows, d);
        const Release release = run("stratified", moment_of(rows, d), 1e12, Variant::best, 331);
        EXPECT_LT((release.covariance - truth).norm(), 1e-5 * truth.norm()) << d;
        const Release pure =
            run("stratified", moment_of(rows, d), Epsilon(1e8), Variant::best, 332);
        EXPECT_LT((pure.covariance - truth).norm(), 1e-5 * truth.norm()) << d;
    }
}

// Of 20 rows under add-remove at so small a budget the number of rows is told to be anything. An
// error that is more than the matrix and the longest covariance together cannot be.
TEST(Stratified, EstimatedErrorIsNoMoreThanCanBe) {
    const detail::SecretMoment moment = moment_of(sphere_rows(20, 2, 1.0, 4), 2);
    int at_most = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Release release =
            run("auto", moment, 0.05, {.neighbours = Neighbours::add_remove}, seed);
        if (const auto error = release.estimated_frobenius_error) {
            const double most = release.covariance.norm() + std::pow(release.norm_bound, 2);
            EXPECT_LE(*error, most) << seed;
            at_most += *error == most ? 1 : 0;
        }
    }
    EXPECT_GT(at_most, 0);
}

// Few long rows have nearly all of the covariance, and nothing shows of them: the estimated error,
// which is that of the others, is less than a thousandth of the error. That of hidden rows is not.
TEST(Stratified, SaysWhatHiddenRowsMayMakeOfTheError) {
    const Rows rows = sphere_rows(2985, 10, 0.001, 22) + sphere_rows(15, 10, 1.0, 23);
    const Eigen::MatrixXd truth = covariance_of(rows, 10);
    const detail::SecretMoment moment = moment_of(rows, 10);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Release release = run("auto", moment, 0.05, Variant::best, seed);
        const double error = (release.covariance - truth).norm();
        EXPECT_GT(error, 0.9 * truth.norm());
        EXPECT_LT(*release.estimated_frobenius_error, 0.001 * error) << seed;
        EXPECT_GT(*release.hidden_rows_error, error) << seed;
    }
}

}  // namespace
}  // namespace dpcov::test
