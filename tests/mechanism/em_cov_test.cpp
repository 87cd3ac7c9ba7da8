// EMCov: its privacy on neighbours, its account, its error.
#include "mechanism/em_cov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/bingham.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/em_sensitivity.hpp"
#include "mechanism/noise.hpp"
#include "random/statistics.hpp"
#include "shown_epsilon.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

// Grams in full rows, n = 40: half of the rows e1, half e2, and one row swapped.
const Matrix2d balanced = Vector2d(20, 20).asDiagonal();
const Matrix2d swapped = Vector2d(21, 19).asDiagonal();

// The angle of a vector against the second axis, at most this, is the event.
constexpr double narrow = 0.15;
constexpr std::size_t draws_per_table = 40000;

std::size_t near_second_axis(const std::function<VectorXd()>& draw) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < draws_per_table; ++i)
        count += std::abs(draw()[0]) < std::sin(narrow) ? 1 : 0;
    return count;
}

double shown(const std::function<VectorXd()>& x, const std::function<VectorXd()>& y) {
    const std::size_t on_x = near_second_axis(x);
    const std::size_t on_y = near_second_axis(y);
    return std::max(shown_epsilon(on_x, on_y, draws_per_table, 0.0, false_alarm),
                    shown_epsilon(on_y, on_x, draws_per_table, 0.0, false_alarm));
}

std::function<VectorXd()> honest(const MatrixXd& gram, double concentration, std::uint64_t seed) {
    return [gram, found = detail::eigen_decomposition(gram), concentration,
            random = std::make_shared<SeededRandomSource>(seed)] {
        return BinghamSequence(gram, found).next(*random, concentration);
    };
}

// The acceptance ratio with the second factor's exponent of the wrong sign, as two libraries have
// it: the density exp(c u^T G u) (u^T Omega u)^-2 in the plane, Omega as it should be.
std::function<VectorXd()> inverted(const Matrix2d& gram, double concentration, unsigned seed) {
    const double gap = 2.0 * concentration * (gram(0, 0) - gram(1, 1));  // first axis largest
    const double b = 1.0 - gap / 2.0 + std::sqrt(1.0 + gap * gap / 4.0);
    return [=, generator = std::mt19937_64(seed)]() mutable {
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        while (true) {
            Vector2d u(normal(generator), normal(generator) / std::sqrt(1.0 + gap / b));
            u.normalize();
            const double along = u[1] * u[1];
            if (uniform(generator) < std::exp(-0.5 * gap * along) / (1.0 + gap / b * along)) {
                return VectorXd(u);
            }
        }
    };
}

// The first eigenvector on its own, at epsilon = 4. Theory: the honest law shows at most
// log(I_0(2) exp(2)) = 2.8 with this event, the inverted one more than 4. False alarm: 2e-6.
TEST(EmCov, EigenvectorShowsNoMoreThanItsEpsilonOnASwappedRow) {
    const double c = detail::concentration(Neighbours::replace, 2, 40, Epsilon(4.0));
    const double right = shown(honest(balanced, c, 400), honest(swapped, c, 401));
    EXPECT_LT(right, 4.0);
    EXPECT_GT(right, 2.0);  // the test is near what is there to be seen
    const double wrong = shown(inverted(balanced, c, 402), inverted(swapped, c, 403));
    EXPECT_GT(wrong, 4.0);
    // Control: three times the concentration.
    EXPECT_GT(shown(honest(balanced, 3.0 * c, 404), honest(swapped, 3.0 * c, 405)), 4.0);
}

// log E_y (p_x / p_y)^alpha / (alpha - 1) in the plane, densities as given up to a factor.
double renyi(const std::function<double(double)>& log_x, const std::function<double(double)>& log_y,
             double alpha) {
    constexpr int steps = 1000;  // of a smooth periodic function: exact to rounding
    double x = 0.0;
    double y = 0.0;
    for (int i = 0; i < steps; ++i) {
        const double angle = (i + 0.5) * std::numbers::pi / steps;
        x += std::exp(log_x(angle)) / steps;
        y += std::exp(log_y(angle)) / steps;
    }
    double sum = 0.0;
    for (int i = 0; i < steps; ++i) {
        const double angle = (i + 0.5) * std::numbers::pi / steps;
        sum += std::exp(alpha * (log_x(angle) - std::log(x)) +
                        (1.0 - alpha) * (log_y(angle) - std::log(y))) /
               steps;
    }
    return std::log(sum) / (alpha - 1.0);
}

// Numeric integration, no sampling: the divergence of the stated laws at the stated concentration
// is within rho alpha on Grams of all kinds, and the worst of them comes within a factor of three.
// Controls: the concentration at twice the sensitivity's range, the inverted law.
TEST(EmCov, EigenvectorIsWithinItsRho) {
    double worst = 0.0;
    double worst_loud = 0.0;
    double worst_inverted = 0.0;
    for (const double rho : {0.01, 0.5, 5.0}) {
        const double c = detail::concentration(Neighbours::replace, 2, 40, Rho(rho));
        for (const double excess : {-3.0, -1.0, 0.0, 0.5, 2.0, 10.0}) {
            for (const double turn : {0.0, 0.4, std::numbers::pi / 4.0}) {
                // From a row along `turn` to one across it.
                const auto form = [=](double angle, double shift) {
                    return excess * std::pow(std::cos(angle), 2) +
                           shift * std::cos(2.0 * (angle - turn)) / 2.0;
                };
                const auto law = [&](double concentration, double shift) {
                    return [=](double angle) { return concentration * form(angle, shift); };
                };
                for (const double alpha : {1.01, 2.0, 8.0}) {
                    const auto share = [&](double concentration) {
                        return renyi(law(concentration, 1.0), law(concentration, -1.0), alpha) /
                               (rho * alpha);
                    };
                    worst = std::max(worst, share(c));
                    worst_loud = std::max(worst_loud, share(2.0 * c));
                }
            }
        }
        const double gap = 4.0 * c;
        const double b = 1.0 - gap / 2.0 + std::sqrt(1.0 + gap * gap / 4.0);
        const auto flat = [](double) { return 0.0; };
        const auto wrong = [=](double angle) {
            const double along = std::pow(std::sin(angle), 2);
            return -0.5 * gap * along - 2.0 * std::log(1.0 + gap / b * along);
        };
        worst_inverted = std::max({worst_inverted, renyi(flat, wrong, 2.0) / (2.0 * rho),
                                   renyi(wrong, flat, 2.0) / (2.0 * rho)});
    }
    EXPECT_LE(worst, 1.0);
    EXPECT_GT(worst, 1.0 / 3.0);
    EXPECT_GT(worst_loud, 1.0);
    EXPECT_GT(worst_inverted, 1.0);
}

TEST(EmCov, WeightedSharesAreThoseOfThePublishedCode) {
    const VectorXd noisy = (VectorXd(3) << 50.0, 7.0, 0.0).finished();
    const VectorXd shares = detail::weighted_shares(noisy, 0.4, 0.1);
    EXPECT_NEAR(shares.sum(), 1.0, 1e-15);
    const double tau = 2.0 / 0.4 * std::log(60.0);
    EXPECT_NEAR(shares[0] / shares[2], std::sqrt((50.0 + tau) / tau), 1e-12);
    EXPECT_NEAR(shares[1] / shares[2], std::sqrt((7.0 + tau) / tau), 1e-12);
}

TEST(EmCov, PlanSpendsAllOnTheVectorsThatAreWorthIt) {
    using detail::Composition;
    VectorXd noisy = VectorXd::Zero(50);
    noisy.head(3) << 1000.0, 900.0, 5.0;
    for (const Composition composition : {Composition::sum, Composition::squares}) {
        const VectorXd c = detail::planned_concentrations(noisy, 1.0, composition, 1.0);
        ASSERT_EQ(c.size(), 2);
        EXPECT_GT(c[0], c[1]);
        EXPECT_NEAR(composition == Composition::sum ? c.sum() : c.squaredNorm(), 1.0, 1e-12);
        // With hardly a budget nothing is worth it; with no noise everything that is there.
        EXPECT_EQ(detail::planned_concentrations(noisy, 1e-3, composition, 1.0).size(), 0);
        EXPECT_EQ(detail::planned_concentrations(noisy, 1e6, composition, 0.0).size(), 3);
    }
    EXPECT_EQ(detail::planned_concentrations(VectorXd::Zero(5), 1.0, Composition::sum, 0.0).size(),
              0);
    EXPECT_EQ(detail::planned_concentrations(VectorXd::Ones(1), 1.0, Composition::sum, 0.0).size(),
              0);
}

// The law is exact, so nothing but the Gram's own rounding is taken off the concentration.
TEST(EmCov, ConcentrationIsAllThatItsBudgetBuys) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        const double rows = neighbours == Neighbours::replace ? 2.0 : 1.0;
        for (const std::size_t d : {2U, 200U, 1000U}) {
            const double pure = detail::concentration(neighbours, d, 5e4, Epsilon(1.0)) * rows;
            EXPECT_LT(pure, 1.0);
            EXPECT_GT(pure, 1.0 - 1e-6);
            const double zcdp = detail::concentration(neighbours, d, 5e4, Rho(0.125)) * rows;
            EXPECT_LT(zcdp, 1.0);
            EXPECT_GT(zcdp, 1.0 - 1e-6);
            // A concentration is a double, made of doubles: so much is left for their rounding.
            const double range = detail::em_form_range(neighbours, d, 5e4) / rows;
            EXPECT_LE(pure * range, 1.0 - 0x1p-41);
            EXPECT_LE(zcdp * range, 1.0 - 0x1p-41);
        }
    }
    EXPECT_LT(detail::concentration(Neighbours::replace, 100, 1e6, Epsilon(1e12)), 1e9);
}

// The shares of so many vectors are sums of so many numbers, each rounded.
TEST(EmCov, ConcentrationsLeaveRoomForTheRoundingOfTheirSum) {
    constexpr double u = 0x1p-53;
    for (const std::size_t d : {2U, 1000U, 10'000U, 32'766U}) {
        const double exact = 1.0 / detail::em_form_range(Neighbours::replace, d, 100.0);
        const double lowered = detail::concentration(Neighbours::replace, d, 100.0, Epsilon(1.0));
        EXPECT_LE(lowered / exact, 1.0 - (static_cast<double>(d) + 16.0) * u) << d;
        EXPECT_GE(lowered / exact, 1.0 - 1e-11) << d;
    }
}

// A form of d products, twice summed, can err by 2 d u T, and the remainder by all k of them over
// sqrt(d - k). Control: what LAPACK may err by, sqrt(d) 16 d u T, does not cover that for
// k = d - 1 and d > 64.
TEST(EmCov, FormErrorCoversTheRemainderWhateverIsLeft) {
    constexpr double rows = 1e4;
    for (const std::size_t d : {2U, 64U, 80U, 128U, 1000U}) {
        const auto order = static_cast<double>(d);
        const double one = 2.0 * order * 0x1p-53 * rows;
        for (const std::size_t k : {std::size_t{0}, d / 2, d - 1}) {
            const auto count = static_cast<double>(k);
            const detail::FormError error = detail::form_error(d, rows, k);
            EXPECT_GT(error.form, one);
            EXPECT_GT(error.rest,
                      (count * one + order * 0x1p-53 * rows) / std::sqrt(order - count));
        }
        const double last = (order - 1.0) * one;
        EXPECT_EQ(detail::eigenvalue_error(d, rows) > last, d <= 64) << d;
    }
}

// What vectors that are nearly orthonormal, and numbers in doubles, add to what a row moves: with
// as many rows and columns as make both more than what is left for rounding up.
TEST(EmCov, SensitivitiesCoverTheErrorsOfDoubles) {
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        const double m = neighbours == Neighbours::replace ? 2.0 : 1.0;
        for (const std::size_t d : {50U, 500U}) {
            const double frame = frame_error(static_cast<Eigen::Index>(d));
            for (const double rows : {1e3, 1e6, 1e9}) {
                const double to_doubles = 0x1p-53 * rows;
                const double root = std::sqrt(static_cast<double>(d));
                EXPECT_GE(detail::em_form_range(neighbours, d, rows),
                          (m + 4.0 * to_doubles) * (1.0 + 3.0 * frame));
                for (const std::size_t k : {std::size_t{0}, d / 2, d - 1}) {
                    const detail::FormError error = detail::form_error(d, rows, k);
                    const auto count = static_cast<double>(k);
                    const detail::Sensitivity forms =
                        detail::em_form_sensitivity(neighbours, d, rows, k);
                    EXPECT_GE(forms.l2, (std::sqrt(m) + 2.0 * (std::sqrt(count) * error.form +
                                                               error.rest + to_doubles)) *
                                            (1.0 + 8.0 * frame));
                    EXPECT_GE(forms.l1,
                              (m + 2.0 * (count * error.form + error.rest + root * to_doubles)) *
                                  (1.0 + 8.0 * frame));
                }
            }
        }
    }
    // Three reflections of a vector, and then as many as there are columns: 12 d^2.5 u and more.
    EXPECT_GE(frame_error(500), 12.0 * std::pow(500.0, 2.5) * 0x1p-53);
}

double pure_spent(const Release& release) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        sum += std::get<Epsilon>(stage.spent).value();
    }
    return sum;
}

// The noise on the eigenvalues covers what LAPACK errs by, which grows with the number of rows. Of
// rows of zeros `paper` releases that noise on orthonormal vectors, here on the same words.
TEST(EmCov, EigenvalueNoiseIsForAsManyRowsAsThereAre) {
    constexpr std::size_t d = 3;
    const detail::SecretMoment moment = doubled(moment_of(Rows(d, 0.0), d), 46);
    const auto n = static_cast<double>(moment.rows());
    const double released = run("em", moment, 0.5, Variant::paper, 640).covariance.norm();
    const auto noise_for = [&](double rows) {
        const detail::Sensitivity sensitivity =
            detail::em_eigenvalue_sensitivity(Neighbours::replace, d, rows);
        SeededRandomSource random(640);
        std::vector<Int128> values(d, 0);
        detail::Noise<Rho>({.l1 = sensitivity.l1 * detail::full_weight,
                            .l2 = sensitivity.l2 * detail::full_weight},
                           Rho(0.25))
            .add_to(values, random);
        return detail::vector_of(values, 1.0 / detail::full_weight).norm() / n;
    };
    EXPECT_NEAR(released, noise_for(n), 1e-9 * released);
    EXPECT_GT(std::abs(released - noise_for(1.0)), 0.1 * released) << "the control";
}

TEST(EmCov, AccountsForItsBudget) {
    const detail::SecretMoment moment = moment_of(sphere_rows(3000, 4, 1.0, 2, 0.3), 4);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        ReleaseOptions options;
        options.variant = variant;
        EXPECT_EQ(spent(run("em", moment, 0.5, options, 410)), 0.5);
        SeededRandomSource random(411);
        const Release pure =
            detail::run_method(find_method("em"), moment, Epsilon(2.0), options, random);
        EXPECT_EQ(pure_spent(pure), 2.0);
        EXPECT_EQ(pure.stages.size(), variant == Variant::best ? 3U : 2U);
    }
}

// With budget without end all variants find the matrix, under both definitions; with hardly any
// they do not (control).
TEST(EmCov, FindsTheMatrixAsTheBudgetGrows) {
    const Rows rows = sphere_rows(500, 12, 1.0, 3, 0.7);
    const detail::SecretMoment moment = moment_of(rows, 12);
    const MatrixXd truth = covariance_of(rows, 12);
    for (const Variant variant : {Variant::paper, Variant::published, Variant::best}) {
        ReleaseOptions options;
        options.variant = variant;
        for (const bool pure : {false, true}) {
            const auto error = [&](double budget) {
                SeededRandomSource random(420);
                const Budget whole = pure ? Budget(Epsilon(budget)) : Budget(Rho(budget * budget));
                return (detail::run_method(find_method("em"), moment, whole, options, random)
                            .covariance -
                        truth)
                    .norm();
            };
            EXPECT_LT(error(1e7), 2e-3 * truth.norm());
            EXPECT_GT(error(1e-2), 0.3 * truth.norm());
        }
    }
}

double mean_error(const detail::SecretMoment& moment, const MatrixXd& truth, const Budget& budget,
                  Variant variant) {
    ReleaseOptions options;
    options.variant = variant;
    SeededRandomSource random(430);
    double sum = 0.0;
    for (int i = 0; i < 10; ++i) {
        sum += (detail::run_method(find_method("em"), moment, budget, options, random).covariance -
                truth)
                   .norm();
    }
    return sum / 10.0;
}

// At d = 60 and a budget of some use the published form still errs more than the zero matrix
// (1.33 |Sigma|) and the best one less (0.84 and 0.81). With next to no budget the best one stays
// near zero and the published one (1.5 |Sigma|) does not.
TEST(EmCov, BestErrsLessThanPublishedAndThanZero) {
    const Rows rows = sphere_rows(5000, 60, 0.4, 4, 0.8);
    const detail::SecretMoment moment = moment_of(rows, 60);
    const MatrixXd truth = covariance_of(rows, 60);
    const auto relative = [&](const Budget& budget, Variant variant) {
        return mean_error(moment, truth, budget, variant) / truth.norm();
    };
    for (const Budget& budget : {Budget(Rho(0.1)), Budget(Epsilon(1.5))}) {
        EXPECT_LT(relative(budget, Variant::best), 0.9);
        EXPECT_GT(relative(budget, Variant::published), 1.0);
    }
    for (const Budget& budget : {Budget(Rho(1e-3)), Budget(Epsilon(0.1))}) {
        EXPECT_LT(relative(budget, Variant::best), 1.1);
        EXPECT_GT(relative(budget, Variant::published), 1.3);
    }
}

// Up to rounding.
TEST(EmCov, BestIsPositiveSemidefiniteWithinTheBound) {
    for (const double norm : {0.0, 1e-3, 1.5}) {
        const detail::SecretMoment moment = moment_of(sphere_rows(30, 12, norm, 5), 12, 2.0);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            for (const double rho : {1e-3, 1.0, 1e3}) {
                const VectorXd values =
                    spectrum(run("em", moment, rho, Variant::best, seed).covariance);
                EXPECT_GT(values.minCoeff(), -1e-10);
                EXPECT_LT(values.maxCoeff(), 4.0 + 1e-10);
            }
        }
    }
}

}  // namespace
}  // namespace dpcov::test
