// The privacy loss of the releases themselves, measured on neighbouring tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "dpcov/budget.hpp"
#include "gaussian_losses.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/run_method.hpp"
#include "mechanism/separate_cov.hpp"
#include "random/statistics.hpp"
#include "shown_epsilon.hpp"
#include "support/decompositions.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

const std::size_t draws = test_size<std::size_t>(10000, 100000);

// The control's divergence, over the true one: ten deviations of the losses' variance at either
// size.
const double too_large = test_size(1.15, 1.05);

// Five deviations of measured_divergence, relatively: one is 1.2 % at 100,000 draws.
const double divergence_error = 0.06 * std::sqrt(1e5 / static_cast<double>(draws));

// Two tables that differ in their last row, and what the theory says of them.
struct Pair {
    const char* name;
    std::size_t d;
    Rows x;
    Rows y;
    int clip_exponent;
    // Greatest Renyi divergence of order alpha, over alpha rho: |Delta|^2 / (2 sigma^2) / rho,
    // worked out by hand.
    double wigner;
    double isotropic;
};

const double r = std::sqrt(0.5);

const std::vector<Pair>& pairs() {
    static const std::vector<Pair> all = {
        {"one column, nothing against a full row", 1, {0.3, -0.8, 0}, {0.3, -0.8, 1}, 0, 1.0, 1.0},
        {"one column, a row and its opposite", 1, {0.3, -0.8, 1}, {0.3, -0.8, -1}, 0, 0.0, 0.0},
        {"axis against axis",
         2,
         {0.3, 0.4, 0.1, -0.9, 1, 0},
         {0.3, 0.4, 0.1, -0.9, 0, 1},
         0,
         1.0,
         1.0},
        {"diagonal against diagonal", 2, {0, 0, r, r}, {0, 0, r, -r}, 0, 0.5, 1.0},
        {"nothing against an axis", 2, {0, 0, 0, 0}, {0, 0, 0, 1}, 0, 0.5, 0.5},
        {"nothing against a diagonal", 2, {0, 0, 0, 0}, {0, 0, r, r}, 0, 0.375, 0.5},
        {"clipped, axis against axis", 2, {0.3, 0.4, 1, 0}, {0.3, 0.4, 0, 0.6}, 1, 1.0, 1.0},
    };
    return all;
}

// The upper triangle, column by column.
std::vector<double> upper_triangle(const Eigen::MatrixXd& matrix) {
    std::vector<double> entries;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) entries.push_back(matrix(i, j));
    }
    return entries;
}

// log(density on X / density on Y) at the released matrix, from the law that the paper states for
// budget rho: nothing of it comes from the code under test.
class LogRatio {
public:
    LogRatio(const Pair& pair, NoiseLaw law, double rho) {
        const double tau = std::ldexp(1.0, -pair.clip_exponent);
        mean_x_ = upper_triangle(covariance_of(clipped(pair.x, pair.d, tau), pair.d));
        mean_y_ = upper_triangle(covariance_of(clipped(pair.y, pair.d, tau), pair.d));
        const double s = noise_scale(tau, rho, pair.x.size() / pair.d, pair.d);
        for (std::size_t j = 0; j < pair.d; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                variances_.push_back(i == j || law == NoiseLaw::wigner ? s * s : s * s / 2.0);
            }
        }
    }

    double operator()(const Eigen::MatrixXd& released) const {
        const std::vector<double> entries = upper_triangle(released);
        double loss = 0.0;
        for (std::size_t e = 0; e < entries.size(); ++e) {
            loss += (std::pow(entries[e] - mean_y_[e], 2) - std::pow(entries[e] - mean_x_[e], 2)) /
                    (2.0 * variances_[e]);
        }
        return loss;
    }

private:
    std::vector<double> mean_x_;
    std::vector<double> mean_y_;
    std::vector<double> variances_;
};

// The statistic over many releases of either table, in order of size.
struct Losses {
    std::vector<double> on_x;
    std::vector<double> on_y;
};

Losses measure(const Pair& pair, NoiseLaw law, double rho, double rho_spent, std::uint64_t seed) {
    const LogRatio ratio(pair, law, rho);
    const auto sample = [&](const Rows& rows, std::uint64_t stream) {
        const detail::SecretMoment moment = moment_of(rows, pair.d);
        SeededRandomSource random(seed, stream);
        std::vector<double> losses(draws);
        for (double& loss : losses) {
            loss =
                ratio(detail::noisy_second_moment(detail::counted_openly(moment),
                                                  pair.clip_exponent, Rho(rho_spent), law, random)
                          .matrix);
        }
        std::sort(losses.begin(), losses.end());
        return losses;
    };
    return {sample(pair.x, 0), sample(pair.y, 1)};
}

// The divergence that the samples show, whatever the law's scale: a shift of Gaussians.
double measured_divergence(const Losses& losses) {
    const MeanAndVariance x = mean_and_variance(losses.on_x);
    const MeanAndVariance y = mean_and_variance(losses.on_y);
    return std::pow(x.mean - y.mean, 2) / (x.variance + y.variance);
}

// The greatest epsilon that the events "loss above a threshold" and their complements prove, with
// either table in the first part; wrong with probability at most false_alarm. The thresholds are
// fixed beforehand.
double epsilon_lower_bound(const Losses& losses, double delta) {
    constexpr int thresholds = 25;
    const double alpha = false_alarm / (4.0 * thresholds);
    const auto above = [](const std::vector<double>& sorted, double threshold) {
        return static_cast<std::size_t>(sorted.end() -
                                        std::upper_bound(sorted.begin(), sorted.end(), threshold));
    };
    double best = 0.0;
    for (int step = 0; step < thresholds; ++step) {
        const double threshold = 0.25 * step;
        best =
            std::max({best,
                      shown_epsilon(above(losses.on_x, threshold), above(losses.on_y, threshold),
                                    draws, delta, alpha),
                      shown_epsilon(draws - above(losses.on_y, -threshold),
                                    draws - above(losses.on_x, -threshold), draws, delta, alpha)});
    }
    return best;
}

// False alarm: 2e-6 for each of the fourteen pairs and laws.
TEST(PrivacyLoss, OfGaussCovIsWhatTheoryGivesForEveryPair) {
    constexpr double rho = 0.5;
    std::uint64_t seed = 50;
    for (const Pair& pair : pairs()) {
        for (const NoiseLaw law : {NoiseLaw::wigner, NoiseLaw::isotropic}) {
            const double share = law == NoiseLaw::wigner ? pair.wigner : pair.isotropic;
            const Losses losses = measure(pair, law, rho, rho, ++seed);
            if (share == 0.0) {
                EXPECT_EQ(losses.on_x.front(), losses.on_x.back()) << pair.name;
                EXPECT_EQ(losses.on_x.front(), 0.0) << pair.name;
                continue;
            }
            EXPECT_GT(loss_p_value(losses.on_x, share * rho), false_alarm) << pair.name;
            std::vector<double> reversed = losses.on_y;
            for (double& loss : reversed) loss = -loss;
            EXPECT_GT(loss_p_value(reversed, share * rho), false_alarm) << pair.name;
            // Control: too large a divergence.
            EXPECT_LT(loss_p_value(losses.on_x, too_large * share * rho), false_alarm) << pair.name;
            // Never more than rho, and the worst pairs nearly that.
            EXPECT_LT(measured_divergence(losses), (1.0 + divergence_error) * rho) << pair.name;
            if (share == 1.0) {
                EXPECT_GT(measured_divergence(losses), (1.0 - divergence_error) * rho) << pair.name;
            }
        }
    }
}

// For every pair: no event shows more than epsilon(rho, delta), by the curve of Gaussian noise,
// under which such releases are made. Half the noise is refuted on the worst pairs of either law.
TEST(PrivacyLoss, EpsilonShownByReleasesStaysBelowTheConversion) {
    constexpr double rho = 0.5;
    constexpr double delta = 0.01;
    const double allowed = epsilon_of(Rho(rho), Delta(delta), Curve::gaussian).value();
    std::uint64_t seed = 80;
    for (const Pair& pair : pairs()) {
        for (const NoiseLaw law : {NoiseLaw::wigner, NoiseLaw::isotropic}) {
            const double share = law == NoiseLaw::wigner ? pair.wigner : pair.isotropic;
            const Losses honest = measure(pair, law, rho, rho, ++seed);
            EXPECT_LE(epsilon_lower_bound(honest, delta), allowed) << pair.name;
            if (share == 1.0) {
                EXPECT_GT(epsilon_lower_bound(honest, delta), 0.4 * allowed) << pair.name;
                // Four times the budget, claimed to be rho: half the noise.
                const Losses broken = measure(pair, law, rho, 4.0 * rho, ++seed);
                EXPECT_GT(epsilon_lower_bound(broken, delta), allowed) << pair.name;
                EXPECT_LT(loss_p_value(broken.on_x, rho), false_alarm) << pair.name;
                EXPECT_GT(measured_divergence(broken), 3.0 * rho) << pair.name;
            }
        }
    }
}

// SeparateCov's eigenvalues get half the budget. {e1, e1} against {e1, e2} moves them by (1, -1)/2,
// which is all of their sensitivity; {e1, 0} against {e1, e2} by (1, 0)/2.
TEST(PrivacyLoss, OfTheEigenvaluesReachesHalfTheBudget) {
    constexpr double rho = 50.0;  // so much that the order of the two cannot be mistaken
    struct Neighbours2 {
        Rows x;
        Rows y;
        double share;  // of rho / 2
    };
    for (const Neighbours2& c : {Neighbours2{{1, 0, 1, 0}, {1, 0, 0, 1}, 1.0},
                                 Neighbours2{{1, 0, 0, 0}, {1, 0, 0, 1}, 0.5}}) {
        // With X: eigenvalues (0, 1) or (0, 1/2); with Y: (1/2, 1/2). Only the sum and the
        // difference up to its sign are seen in the matrix, so the shift is measured on X's side
        // and the other mean taken from theory.
        constexpr int runs = 20000;
        const detail::SecretMoment moment = moment_of(c.x, 2);
        const Eigen::VectorXd truth = spectrum(covariance_of(c.x, 2));
        const Eigen::VectorXd other = spectrum(covariance_of(c.y, 2));
        SeededRandomSource random(110);
        double squares = 0.0;
        for (int i = 0; i < runs; ++i) {
            const Eigen::VectorXd noisy =
                spectrum(detail::separate_estimate<Rho>(
                             detail::counted_openly(moment), 0,
                             {Rho(rho).share(1, 1), Rho(rho).share(1, 1)}, Variant::paper, random)
                             .covariance);
            squares += (noisy - truth).squaredNorm() / (2.0 * runs);
        }
        const double divergence = (other - truth).squaredNorm() / (2.0 * squares);
        // The variance deviates by sqrt(2 / 40000) = 0.7 %.
        EXPECT_NEAR(divergence / (0.5 * rho * c.share), 1.0, 0.035);
    }
}

// One row more or less: the loss of a whole release of `gauss`, noisy number of rows and matrix. In
// units of full rows a table T gives the sum S + N, N Wigner noise of deviation 1 / sqrt(2 rho),
// and n - tr S + Z, Z of that deviation too; their sum with the trace is the noisy number of rows.
// A row x more moves the upper triangle by that of x x^T and the last by 1 - |x|^2.
class AddRemoveLogRatio {
public:
    AddRemoveLogRatio(const Rows& table, const Rows& more, std::size_t d, double rho)
        : table_(answer(static_cast<double>(table.size()) / static_cast<double>(d),
                        static_cast<double>(table.size()) / static_cast<double>(d) *
                            covariance_of(table, d))),
          variance_(1.0 / (2.0 * rho)) {
        const std::vector<double> row = answer(1.0, covariance_of(more, d));
        for (std::size_t e = 0; e < row.size(); ++e) more_.push_back(table_[e] + row[e]);
    }

    double operator()(const Release& release) const {
        const auto n = static_cast<double>(*release.noisy_rows);
        const std::vector<double> drawn = answer(n, n * release.covariance);
        double loss = 0.0;
        for (std::size_t e = 0; e < drawn.size(); ++e) {
            loss += (std::pow(drawn[e] - more_[e], 2) - std::pow(drawn[e] - table_[e], 2)) /
                    (2.0 * variance_);
        }
        return loss;
    }

private:
    static std::vector<double> answer(double rows, const Eigen::MatrixXd& sum) {
        std::vector<double> all = upper_triangle(sum);
        all.push_back(rows - sum.trace());
        return all;
    }

    std::vector<double> table_;
    std::vector<double> more_;
    double variance_;
};

// The releases of `gauss`, as drawn, with and without the row.
Losses measure_add_remove(const Rows& table, const Rows& more, std::size_t d, double rho,
                          double rho_spent, std::uint64_t seed) {
    const AddRemoveLogRatio ratio(table, more, d, rho);
    const Method& gauss = find_method("gauss");
    ReleaseOptions options;
    options.variant = Variant::paper;
    options.neighbours = Neighbours::add_remove;
    const auto sample = [&](const Rows& rows, std::uint64_t stream) {
        const detail::SecretMoment moment = moment_of(rows, d);
        SeededRandomSource random(seed, stream);
        std::vector<double> losses(draws);
        for (double& loss : losses)
            loss = ratio(detail::run_method(gauss, moment, Rho(rho_spent), options, random));
        std::sort(losses.begin(), losses.end());
        return losses;
    };
    return {sample(table, 0), sample(table + more, 1)};
}

// False alarm: 2e-6 for each of four tables. The count is rounded to an integer, which adds
// 1/12 to a variance of 25: less than the test sees. Controls: too large a divergence,
// half the noise.
TEST(PrivacyLoss, OfOneRowMoreIsWhatTheoryGives) {
    constexpr double rho = 0.02;
    struct Case {
        std::size_t d;
        Rows more;
        double divergence;  // over rho: all of it on a full axis
    };
    // A zero row moves the count alone, by 1; equal entries |M_ij| = 1/2 the upper triangle by 3/4.
    const Case cases[] = {{1, {1}, 1.0}, {1, {0}, 1.0}, {2, {0, 1}, 1.0}, {2, {r, -r}, 0.75}};
    std::uint64_t seed = 120;
    for (const Case& c : cases) {
        const Rows table = sphere_rows(100, c.d, 0.7, 121) + Rows(100 * c.d, 0.0);
        const Losses losses = measure_add_remove(table, c.more, c.d, rho, rho, ++seed);
        EXPECT_GT(loss_p_value(losses.on_x, c.divergence * rho), false_alarm) << c.d;
        std::vector<double> reversed = losses.on_y;
        for (double& loss : reversed) loss = -loss;
        EXPECT_GT(loss_p_value(reversed, c.divergence * rho), false_alarm) << c.d;
        EXPECT_LT(loss_p_value(losses.on_x, too_large * c.divergence * rho), false_alarm) << c.d;
        // At so small a rho the means' difference 2 rho deviates by sqrt(4 rho / draws); five of
        // that, in its square.
        const double error = 10.0 / std::sqrt(rho * static_cast<double>(draws));
        EXPECT_LT(measured_divergence(losses), (1.0 + error) * rho);

        const Losses broken = measure_add_remove(table, c.more, c.d, rho, 4.0 * rho, ++seed);
        EXPECT_LT(loss_p_value(broken.on_x, c.divergence * rho), false_alarm) << c.d;
        EXPECT_GT(measured_divergence(broken), 3.0 * c.divergence * rho) << c.d;
    }
}

}  // namespace
}  // namespace dpcov::test
