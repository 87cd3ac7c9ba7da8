// The Bingham sequence against densities integrated numerically.
#include "mechanism/bingham.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "random/statistics.hpp"
#include "support/failing_source.hpp"
#include "support/test_size.hpp"

namespace dpcov::test {
namespace {

using detail::eigen_decomposition;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;

MatrixXd random_symmetric(Index d, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    const MatrixXd a = MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
    return a * a.transpose();
}

BinghamSequence sequence_of(const MatrixXd& matrix) {
    return {matrix, eigen_decomposition(matrix)};
}

// How a library's sampler went wrong: u is proposed as it should be, and then accepted with
enum class Mistake {
    second_factor_inverted,  // (u^T Omega u)^(-q/2): the density exp(c u^T C u) (u^T Omega u)^-q
    exponent_without_half,   // exp(-2 u^T A u): the density exp(2 c u^T C u)
    exponent_inverted,       // exp(u^T A u - its greatest value): the density exp(-c u^T C u)
};

class WrongSampler {
public:
    WrongSampler(Mistake mistake, MatrixXd matrix, double concentration, unsigned seed)
        : mistake_(mistake), generator_(seed), basis_(eigen_decomposition(std::move(matrix))) {
        const Index q = basis_.values.size();
        const VectorXd gaps = 2.0 * concentration * (basis_.values[q - 1] - basis_.values.array());
        double low = 0.0;
        double high = static_cast<double>(q);
        for (int step = 0; step < 60; ++step) {
            const double b = 0.5 * (low + high);
            ((gaps.array() + b).inverse().sum() > 1.0 ? low : high) = b;
        }
        b_ = high;
        omega_ = gaps.array() / b_ + 1.0;
    }

    VectorXd operator()() {
        const Index q = basis_.values.size();
        while (true) {
            VectorXd u = VectorXd::NullaryExpr(
                q, [&](Index k) { return normal_(generator_) / std::sqrt(omega_[k]); });
            u.normalize();
            if (uniform_(generator_) < ratio(u.cwiseAbs2().dot(omega_))) return basis_.vectors * u;
        }
    }

private:
    // Of s = u^T Omega u in [1, omega_[0]]; u^T A u = b (s - 1) / 2. At most 1.
    [[nodiscard]] double ratio(double s) const {
        const double exponent = -0.5 * b_ * (s - 1.0);
        const double half_q = 0.5 * static_cast<double>(omega_.size());
        const double right_way_up = half_q * std::log(s);
        switch (mistake_) {
            case Mistake::second_factor_inverted:
                return std::exp(exponent - right_way_up);
            case Mistake::exponent_without_half: {
                const double peak = std::clamp(half_q / b_, 1.0, omega_.maxCoeff());
                return std::exp(2.0 * exponent + right_way_up + b_ * (peak - 1.0) -
                                half_q * std::log(peak));
            }
            case Mistake::exponent_inverted: {
                const double most = omega_.maxCoeff();
                return std::exp(-exponent + right_way_up - 0.5 * b_ * (most - 1.0) -
                                half_q * std::log(most));
            }
        }
        return 0.0;
    }

    Mistake mistake_;
    std::mt19937_64 generator_;
    std::normal_distribution<double> normal_;
    std::uniform_real_distribution<double> uniform_;
    detail::EigenDecomposition basis_;
    VectorXd omega_;
    double b_ = 0.0;
};

// A way to cut the sphere into cells, and a density to integrate over them.
struct Cells {
    std::size_t count = 0;
    std::function<std::size_t(const VectorXd& u)> cell_of;
    std::function<void(const std::function<void(const VectorXd& u)>& visit)> points;  // uniform
};

std::size_t bounded(double value, std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(std::max(0.0, value)));
}

Cells circle() {
    constexpr std::size_t count = 48;
    return {count,
            [](const VectorXd& u) {
                return bounded((std::atan2(u[1], u[0]) + pi) / (2.0 * pi) * count, count);
            },
            [](const auto& visit) {
                for (int i = 0; i < 48 * 40; ++i) {
                    const double angle = -pi + (i + 0.5) * 2.0 * pi / (48 * 40);
                    visit(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
                }
            }};
}

// Height and longitude: area is uniform in both.
Cells sphere() {
    constexpr std::size_t rings = 8;
    constexpr std::size_t sectors = 12;
    return {rings * sectors,
            [](const VectorXd& u) {
                return sectors * bounded(0.5 * (u[2] + 1.0) * rings, rings) +
                       bounded((std::atan2(u[1], u[0]) + pi) / (2.0 * pi) * sectors, sectors);
            },
            [](const auto& visit) {
                for (int i = 0; i < 8 * 15; ++i) {
                    const double z = -1.0 + (i + 0.5) / (4 * 15);
                    const double r = std::sqrt(1.0 - z * z);
                    for (int j = 0; j < 12 * 15; ++j) {
                        const double angle = -pi + (j + 0.5) * 2.0 * pi / (12 * 15);
                        visit(Eigen::Vector3d(r * std::cos(angle), r * std::sin(angle), z));
                    }
                }
            }};
}

double fit(const Cells& cells, const MatrixXd& matrix, double concentration,
           const std::function<VectorXd()>& draw, int draws = test_size(5000, 25000)) {
    std::vector<double> probabilities(cells.count);
    const double largest = detail::eigenvalues(matrix).maxCoeff();
    double sum = 0.0;
    cells.points([&](const VectorXd& u) {
        const double density = std::exp(concentration * (u.dot(matrix * u) - largest));
        probabilities[cells.cell_of(u)] += density;
        sum += density;
    });
    for (double& probability : probabilities) probability /= sum;
    std::vector<std::uint64_t> counts(cells.count);
    for (int i = 0; i < draws; ++i) ++counts[cells.cell_of(draw())];
    return chi_square_p_value(counts, probabilities);
}

// From uniform to sharply peaked. False alarm: 1e-6 for each of the eight fits. Controls: either
// factor of the ratio inverted, the exponent twice what it should be, a concentration 50 % off by
// day, 20 % at full size.
TEST(BinghamSequence, FirstVectorHasItsDensityOnCircleAndSphere) {
    std::uint64_t seed = 300;
    for (const Index d : {2, 3}) {
        const Cells cells = d == 2 ? circle() : sphere();
        const MatrixXd matrix = random_symmetric(d, 301);
        for (const double concentration : {0.0, 0.3, 2.0, 20.0}) {
            SeededRandomSource random(++seed);
            const auto honest = [&] { return sequence_of(matrix).next(random, concentration); };
            EXPECT_GT(fit(cells, matrix, concentration, honest), false_alarm)
                << d << ' ' << concentration;
            if (concentration >= 0.3) {
                for (const Mistake mistake :
                     {Mistake::second_factor_inverted, Mistake::exponent_without_half,
                      Mistake::exponent_inverted}) {
                    if (mistake == Mistake::exponent_inverted && concentration > 0.3) {
                        continue;  // its rejection would not end
                    }
                    WrongSampler wrong(mistake, matrix, concentration, 302);
                    EXPECT_LT(fit(cells, matrix, concentration, wrong,
                                  concentration < 2.0 ? 25000 : test_size(5000, 25000)),
                              false_alarm)
                        << d << ' ' << concentration << ' ' << static_cast<int>(mistake);
                }
            }
            if (concentration >= 2.0) {
                EXPECT_LT(fit(cells, matrix, test_size(1.5, 1.2) * concentration, honest),
                          false_alarm);
            }
        }
    }
}

// P(|t| <= x) for the density exp(k t^2) (1 - t^2)^((q - 3) / 2) of one coordinate of a unit vector
// in q >= 2 dimensions; with t = sin(a) the density of a is exp(k sin^2 a) cos^(q - 2) a.
double coordinate_cdf(double x, double k, Index q) {
    const auto integral = [&](double to) {
        constexpr int steps = 30;  // Simpson's rule
        double sum = 0.0;
        for (int i = 0; i <= 2 * steps; ++i) {
            const double a = to * i / (2 * steps);
            const double s = std::sin(a);
            const double f =
                std::exp(k * (s * s - 1.0)) * std::pow(std::cos(a), static_cast<double>(q - 2));
            sum += f * (i == 0 || i == 2 * steps ? 1.0 : i % 2 == 1 ? 4.0 : 2.0);
        }
        return sum * to;
    };
    return integral(std::asin(std::min(1.0, std::abs(x)))) / integral(pi / 2.0);
}

// Every vector of a sequence, given those before it: for C = e e^T the complement has the one
// direction p, what they leave of e, and u^T p / |p| has a known law. In 12 dimensions the second
// vector is drawn within a stale frame, the third in a fresh one; after a sharply concentrated
// vector the stale frame is given up. False alarm: 1e-6 for each of the 2 x 10 vectors.
TEST(BinghamSequence, LaterVectorsHaveTheirDensityOnTheComplement) {
    constexpr Index d = 12;
    constexpr std::size_t cells = 20;
    const VectorXd e = VectorXd::LinSpaced(d, 1.0, 2.0).normalized();
    const MatrixXd matrix = e * e.transpose();
    const int runs = test_size(1200, 3000);
    for (const double first : {3.0, 60.0}) {
        std::vector<std::vector<std::uint64_t>> counts(d, std::vector<std::uint64_t>(cells));
        std::vector<std::vector<std::uint64_t>> wrong = counts;
        SeededRandomSource random(310);
        for (int run = 0; run < runs; ++run) {
            BinghamSequence sequence = sequence_of(matrix);
            VectorXd left = e;
            for (Index i = 0; i < d; ++i) {
                const double concentration = i == 0 ? first : 4.0 + static_cast<double>(i);
                const VectorXd u = sequence.next(random, concentration);
                const double norm = left.norm();
                const double t = u.dot(left) / norm;
                const auto cell = [&](double k) {
                    return bounded(coordinate_cdf(t, k * norm * norm, d - i) * cells, cells);
                };
                if (i < d - 1) {
                    ++counts[static_cast<std::size_t>(i)][cell(concentration)];
                    ++wrong[static_cast<std::size_t>(i)][cell(concentration + 6.0)];
                }
                left -= u.dot(left) * u;
            }
        }
        const std::vector<double> flat(cells, 1.0 / cells);
        double caught = 1.0;
        for (std::size_t i = 0; i + 1 < d; ++i) {
            EXPECT_GT(chi_square_p_value(counts[i], flat), false_alarm) << i << ' ' << first;
            caught = std::min(caught, chi_square_p_value(wrong[i], flat));
        }
        EXPECT_LT(caught, false_alarm);  // control: another concentration
    }
}

TEST(BinghamSequence, VectorsAreOrthonormalWhateverTheMatrix) {
    for (const Index d : {1, 2, 9, 60}) {
        for (const double scale : {0.0, 1e-50, 1.0, 1e50}) {
            const MatrixXd matrix = scale * random_symmetric(d, 320);
            // From no concentration at all to eigenvectors exact to many digits.
            for (const double sharpness : {0.0, 1.0, 1e7}) {
                SeededRandomSource random(321);
                BinghamSequence sequence = sequence_of(matrix);
                MatrixXd vectors(d, d);
                for (Index i = 0; i < d; ++i) {
                    vectors.col(i) = sequence.next(random, sharpness / std::max(1.0, scale));
                }
                EXPECT_LT((vectors.transpose() * vectors - MatrixXd::Identity(d, d)).norm(),
                          2.0 * frame_error(d))
                    << d << ' ' << scale << ' ' << sharpness;
            }
        }
    }
}

// At a concentration of 10^7 they are the eigenvectors, from the largest eigenvalue down.
TEST(BinghamSequence, FindsEigenvectorsAtHighConcentration) {
    const MatrixXd matrix = random_symmetric(30, 330);
    const detail::EigenDecomposition eigen = eigen_decomposition(matrix);
    BinghamSequence sequence = sequence_of(matrix);
    SeededRandomSource random(331);
    for (Index i = 0; i < 30; ++i) {
        const VectorXd u = sequence.next(random, 1e7);
        EXPECT_GT(std::abs(u.dot(eigen.vectors.col(29 - i))), 1.0 - 1e-5) << i;
    }
}

// LAPACK may say what it likes: it decides how long a draw takes. False alarm: 1e-6 for each.
TEST(BinghamSequence, LawDoesNotDependOnWhatLapackSays) {
    const MatrixXd matrix = random_symmetric(3, 301);
    const detail::EigenDecomposition right = eigen_decomposition(matrix);
    const detail::EigenDecomposition nonsense[] = {{VectorXd::Zero(3), right.vectors},
                                                   {0.8 * right.values, right.vectors},
                                                   {1.2 * right.values.reverse(), right.vectors},
                                                   {right.values, MatrixXd::Identity(3, 3)},
                                                   {right.values, random_symmetric(3, 302)}};
    std::uint64_t seed = 350;
    for (const detail::EigenDecomposition& said : nonsense) {
        SeededRandomSource random(++seed);
        const auto draw = [&] { return BinghamSequence(matrix, said).next(random, 1.0); };
        EXPECT_GT(fit(sphere(), matrix, 1.0, draw), false_alarm) << said.values.transpose();
    }
}

// Counts what it hands out.
class CountingSource final : public RandomSource {
public:
    explicit CountingSource(std::uint64_t seed) : inner_(seed) {}
    std::uint64_t next_word() override {
        ++count_;
        return inner_.next_word();
    }
    [[nodiscard]] bool is_secure() const noexcept override { return false; }
    [[nodiscard]] double count() const { return static_cast<double>(count_); }

private:
    SeededRandomSource inner_;
    std::uint64_t count_ = 0;
};

// So sharp that doubles leave a good part of the proposals open and enclosures decide: the sine of
// the angle from the axis is then normal, of deviation (2 c)^(-1/2), to many digits.
// False alarm: 1e-6. Control: a deviation off by 5 %.
TEST(BinghamSequence, LawHoldsWhereDoublesDoNotDecide) {
    const MatrixXd matrix = Eigen::Vector2d(0.0, 1.0).asDiagonal();
    constexpr std::size_t cells = 20;
    constexpr int draws = 20000;
    const std::vector<double> flat(cells, 1.0 / cells);
    double words_before = 0.0;
    for (const double concentration : {1e6, 1e13}) {
        std::vector<std::uint64_t> counts(cells);
        std::vector<std::uint64_t> wrong(cells);
        CountingSource random(360);
        for (int i = 0; i < draws; ++i) {
            const double x =
                sequence_of(matrix).next(random, concentration)[0] * std::sqrt(2.0 * concentration);
            const auto cell = [&](double deviation) {
                return bounded(0.5 * std::erfc(-x / deviation / std::numbers::sqrt2) * cells,
                               cells);
            };
            ++counts[cell(1.0)];
            ++wrong[cell(1.05)];
        }
        EXPECT_GT(chi_square_p_value(counts, flat), false_alarm) << concentration;
        EXPECT_LT(chi_square_p_value(wrong, flat), false_alarm) << concentration;
        // Open proposals take digits more of each number and of the coin.
        EXPECT_GT(random.count(), words_before + 0.2 * draws);
        words_before = random.count();
    }
}

TEST(BinghamSequence, FailsWithItsSource) {
    BinghamSequence sequence = sequence_of(random_symmetric(4, 340));
    FailingRandomSource failing(341, 3);
    EXPECT_THROW((void)sequence.next(failing, 1.0), DeviceError);
}

}  // namespace
}  // namespace dpcov::test
