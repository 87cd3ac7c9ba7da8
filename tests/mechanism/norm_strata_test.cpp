// The strata that a partition of the bins makes, and the histogram that chooses it: what they are,
// and what they tell of a row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gaussian_losses.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/strata_draws.hpp"
#include "random/statistics.hpp"
#include "support/failing_source.hpp"
#include "support/noisy_stratum.hpp"
#include "support/test_size.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::BinRange;
using detail::NormBins;

// The losses' variance deviates by sqrt(2 / draws): a noise whose variance is 11 % off is five
// deviations by day, 5 % at full size.
const int loss_draws = test_size(4000, 20000);

detail::CountedMoment counted(const detail::SecretMoment& moment, Neighbours neighbours) {
    const auto rows = static_cast<double>(moment.rows());
    return {moment, neighbours, {.value = rows, .deviation = 0.0, .at_most = rows}};
}

// Strata with edges inside octaves and across them, and bins that are in none: (0, 2^-5.25] all
// together, nothing up to 2^-3, then (2^-3, 2^-0.75], (2^-0.75, 2^-0.25] and (2^-0.25, 1].
std::vector<BinRange> cuts(const NormBins& norms) {
    const std::size_t coarsest = norms.size() - 1;
    const auto below = [&](std::size_t sixteenths) { return coarsest - sixteenths; };
    return {{0, below(84)}, {below(47), below(12)}, {below(11), below(4)}, {below(3), coarsest}};
}

// The greatest |q|^2 that the stratum takes, over 2^40, at its own octave.
double squared_edge(const NormBins& norms, BinRange stratum) {
    return norms.squared_edge(stratum.last) * 0x1p-40;
}

// Gram of the rows that are in the stratum, in units of a row that fills its radius, by norms
// alone.
Eigen::MatrixXd gram_by_norms(const Rows& rows, std::size_t d, const NormBins& norms,
                              BinRange stratum) {
    const double from = stratum.first == 0 ? 0.0 : norms.radius(stratum.first - 1);
    const double to = norms.radius(stratum.last);
    Rows inside(rows.size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); i += d) {
        double squares = 0.0;
        for (std::size_t j = 0; j < d; ++j) squares += rows[i + j] * rows[i + j];
        const double norm = std::sqrt(squares);
        if (norm > from && norm <= to) {
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i), d,
                        inside.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    return covariance_of(inside, d) * static_cast<double>(rows.size() / d) / (to * to);
}

// In coordinates orthonormal for the Frobenius product.
void append(std::vector<double>& all, const Eigen::MatrixXd& matrix) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            all.push_back(matrix(i, j) * (i == j ? 1.0 : std::sqrt(2.0)));
        }
    }
}

struct LossMoments {
    double divergence = 0.0;  ///< what theory gives for the pair
    double p_value = 0.0;     ///< two-sided, of mean and variance of the losses
};

// Losses of Gaussian noise of deviation s around on_x, against on_y.
template <class Draw>
LossMoments losses(const std::vector<double>& on_x, const std::vector<double>& on_y, double s,
                   Draw&& draw) {
    LossMoments result;
    for (std::size_t e = 0; e < on_x.size(); ++e) {
        result.divergence += std::pow(on_x[e] - on_y[e], 2) / (2.0 * s * s);
    }
    std::vector<double> drawn(static_cast<std::size_t>(loss_draws));
    for (double& loss : drawn) {
        loss = gaussian_loss(draw(), on_x, on_y, s);
    }
    result.p_value = loss_p_value(drawn, result.divergence);
    return result;
}

// Losses of strata over neighbours, whose second moments over n `draw` draws, against the law for
// rho.
template <class Draw>
LossMoments strata_losses(const Rows& x, const Rows& y, Neighbours neighbours, double rho,
                          const std::vector<BinRange>& strata, std::uint64_t seed, Draw&& draw) {
    constexpr std::size_t d = 2;
    const detail::SecretMoment moment = moment_of(x, d);
    const NormBins& norms = moment.norm_bins();
    const double n = static_cast<double>(moment.rows());
    std::vector<double> on_x;
    std::vector<double> on_y;
    for (const BinRange stratum : strata) {
        append(on_x, gram_by_norms(x, d, norms, stratum));
        append(on_y, gram_by_norms(y, d, norms, stratum));
    }
    SeededRandomSource random(seed);
    const double rows_that_differ = neighbours == Neighbours::replace ? 2.0 : 1.0;
    return losses(on_x, on_y, std::sqrt(rows_that_differ / (2.0 * rho)), [&] {
        const std::vector<Eigen::MatrixXd> drawn = draw(counted(moment, neighbours), random);
        std::vector<double> entries;
        for (std::size_t k = 0; k < strata.size(); ++k) {
            const double radius = norms.radius(strata[k].last);
            append(entries, drawn.at(k) * n / (radius * radius));
        }
        return entries;
    });
}

struct CutPair {
    const char* name;
    Rows x;
    Rows y;
    Neighbours neighbours;
    double share;  ///< of rho, worked out by hand
};

// The norm of a row that fills the stratum up to 2^-0.25, or up to 2^-0.75. Edges inside octaves
// are slightly above these.
const double upper = std::exp2(-0.25);
const double lower = std::exp2(-0.75);

std::vector<CutPair> cut_pairs() {
    const Rows common = {0.02, 0.01};
    constexpr Neighbours replace = Neighbours::replace;
    constexpr Neighbours more = Neighbours::add_remove;
    return {
        {"orthogonal, one stratum inside an octave", common + Rows{upper, 0},
         common + Rows{0, upper}, replace, 1.0},
        {"from one stratum to another in the same octave", common + Rows{1, 0},
         common + Rows{upper, 0}, replace, 1.0},
        {"over an edge between bins", common + Rows{1.001 * upper, 0},
         common + Rows{0.999 * upper, 0}, replace,
         0.5 * (std::pow(1.001 * upper, 4) + std::pow(0.999, 4))},
        {"between bins of one stratum", common + Rows{lower, 0}, common + Rows{0.3, 0}, replace,
         0.5 * std::pow(1.0 - std::pow(0.3 / lower, 2), 2)},
        {"into a bin that is in no stratum", common + Rows{1, 0}, common + Rows{0.1, 0}, replace,
         0.5},
        {"from below into the top", common + Rows{std::exp2(-5.25), 0}, common + Rows{0, 1},
         replace, 1.0},
        {"one row more", common, common + Rows{upper, 0}, more, 1.0},
        {"one row less", common + Rows{0, lower}, common, more, 1.0},
    };
}

// False alarm: 2e-6 for each of the eight pairs. Never more than rho, which five of them reach, but
// for the hair by which edges are above their powers of two.
TEST(NormStrata, PrivacyLossIsWhatTheoryGivesForAnyCuts) {
    constexpr double rho = 0.5;
    std::uint64_t seed = 400;
    const std::vector<BinRange> strata = cuts(moment_of(Rows(2, 0.0), 2).norm_bins());
    for (const CutPair& pair : cut_pairs()) {
        const auto of = [&](double spent) {
            return strata_losses(
                pair.x, pair.y, pair.neighbours, rho, strata, ++seed,
                [&](const detail::CountedMoment& moment, RandomSource& random) {
                    std::vector<Eigen::MatrixXd> drawn;
                    for (const BinRange stratum : strata) {
                        drawn.push_back(noisy_stratum(moment, stratum, Rho(spent), random).matrix);
                    }
                    return drawn;
                });
        };
        const LossMoments honest = of(rho);
        EXPECT_NEAR(honest.divergence, pair.share * rho, 4e-4 * rho) << pair.name;
        EXPECT_LE(honest.divergence, rho * (1.0 + 1e-12)) << pair.name;
        EXPECT_GT(honest.p_value, false_alarm) << pair.name;
        // Controls: half the noise, and noise for half the budget.
        EXPECT_LT(of(4.0 * rho).p_value, false_alarm) << pair.name;
        EXPECT_LT(of(0.5 * rho).p_value, false_alarm) << pair.name;
    }
}

// As a release draws them, whose statistics are kept: bins that are in no stratum make one more, up
// to 2^-3. False alarm: 2e-6 for either pair.
TEST(NormStrata, PrivacyLossIsTheSameAsReleasesDrawThem) {
    constexpr double rho = 0.5;
    detail::Partition partition;
    std::vector<BinRange> strata = cuts(moment_of(Rows(2, 0.0), 2).norm_bins());
    for (const BinRange stratum : strata) {
        partition.strata.push_back({stratum.first, stratum.last});
    }
    strata.push_back({strata[0].last + 1, strata[1].first - 1});
    const Rows common = {0.02, 0.01};
    const Rows from = common + Rows{1, 0};
    const CutPair pairs[] = {
        {"from one stratum to another", from, common + Rows{upper, 0}, Neighbours::replace, 1.0},
        {"into the rest", from, common + Rows{0.1, 0}, Neighbours::replace,
         0.5 * (1.0 + std::pow(0.8, 4))}};
    std::uint64_t seed = 470;
    for (const CutPair& pair : pairs) {
        const auto of = [&](double spent) {
            return strata_losses(
                pair.x, pair.y, pair.neighbours, rho, strata, ++seed,
                [&](const detail::CountedMoment& moment, RandomSource& random) {
                    const detail::DrawnStrata released =
                        detail::draw_strata(moment.secret, moment.neighbours,
                                            {partition, {}, moment.rows, true}, Rho(spent), random);
                    std::vector<Eigen::MatrixXd> drawn;
                    for (const NoisyMoment& stratum : released.estimate.statistics.strata) {
                        drawn.push_back(stratum.second_moment);
                    }
                    return drawn;
                });
        };
        const LossMoments honest = of(rho);
        EXPECT_NEAR(honest.divergence, pair.share * rho, 4e-4 * rho) << pair.name;
        EXPECT_GT(honest.p_value, false_alarm) << pair.name;
        // Controls: half the noise, and noise for half the budget.
        EXPECT_LT(of(4.0 * rho).p_value, false_alarm) << pair.name;
        EXPECT_LT(of(0.5 * rho).p_value, false_alarm) << pair.name;
    }
}

// Without noise worth speaking of a stratum is the Gram of its rows, however many octaves it spans,
// and its noise is that of its radius. Control: the stratum next to it.
TEST(NormStrata, AreTheGramsOfTheirRows) {
    constexpr std::size_t d = 3;
    Rows rows(d, 0.0);
    for (int i = 0; i < 60; ++i) {
        rows = rows + sphere_rows(1, d, std::exp2(-0.11 - 0.6 * i), static_cast<std::uint64_t>(i));
    }
    const detail::SecretMoment moment = moment_of(rows, d);
    const NormBins& norms = moment.norm_bins();
    const std::size_t coarsest = norms.size() - 1;
    SeededRandomSource random(450);
    std::vector<BinRange> strata = cuts(norms);
    strata.push_back({0, coarsest});
    strata.push_back({coarsest - 40, coarsest - 3});
    strata.push_back({20, 20});
    for (const BinRange stratum : strata) {
        const double n = static_cast<double>(moment.rows());
        const double radius = norms.radius(stratum.last);
        const detail::NoisyMatrix noisy =
            noisy_stratum(counted(moment, Neighbours::replace), stratum, Rho(1e14), random);
        const Eigen::MatrixXd expected =
            gram_by_norms(rows, d, norms, stratum) * radius * radius / n;
        EXPECT_LT((noisy.matrix - expected).norm(), 1e-4 * radius * radius / n) << stratum.last;
        EXPECT_NEAR(noisy.deviation / (radius * radius / (1e7 * n)), 1.0, 1e-9);
        EXPECT_NEAR(radius * radius,
                    std::ldexp(squared_edge(norms, stratum), -2 * norms.octave(stratum.last)),
                    1e-15);
        if (stratum.last < coarsest) {
            const Eigen::MatrixXd next = gram_by_norms(rows, d, norms, {0, coarsest});
            EXPECT_GT((noisy.matrix - next / n).norm(), 1e-2 * radius * radius / n);
        }
    }
}

// --- The histogram ------------------------------------------------------------------------------

LossMoments histogram_losses(const Rows& x, const Rows& y, Neighbours neighbours, double rho,
                             double spent, std::uint64_t seed) {
    const detail::SecretMoment moment = moment_of(x, 1);
    const detail::SecretMoment other = moment_of(y, 1);
    std::vector<double> on_x;
    std::vector<double> on_y;
    for (std::size_t i = 0; i < moment.norm_bins().size(); ++i) {
        on_x.push_back(static_cast<double>(moment.bin(i).rows));
        on_y.push_back(static_cast<double>(other.bin(i).rows));
    }
    SeededRandomSource random(seed);
    const double rows_that_differ = neighbours == Neighbours::replace ? 2.0 : 1.0;
    return losses(on_x, on_y, std::sqrt(rows_that_differ / (2.0 * rho)), [&] {
        return detail::noisy_histogram(moment, neighbours, Rho(spent), random).counts;
    });
}

// Counts are rounded, so noise is for a small rho: a unit of rounding is a thirtieth of its
// deviation. False alarm: 2e-6 for each of the three pairs.
TEST(NormHistogram, PrivacyLossIsWhatTheoryGives) {
    constexpr double rho = 1e-3;
    struct Case {
        Rows x;
        Rows y;
        Neighbours neighbours;
    };
    const Case cases[] = {{{0.3, 1.0}, {0.3, 0.9}, Neighbours::replace},
                          {{0.3, 1.0}, {0.3, 0.0}, Neighbours::replace},
                          {{0.3}, {0.3, 0.7}, Neighbours::add_remove}};
    std::uint64_t seed = 470;
    for (const Case& c : cases) {
        const auto of = [&](double spent) {
            return histogram_losses(c.x, c.y, c.neighbours, rho, spent, ++seed);
        };
        const LossMoments honest = of(rho);
        EXPECT_NEAR(honest.divergence, rho, 1e-12);
        EXPECT_GT(honest.p_value, false_alarm);
        EXPECT_LT(of(4.0 * rho).p_value, false_alarm);  // controls
        EXPECT_LT(of(0.5 * rho).p_value, false_alarm);
    }
    // A row that stays in its bin is not seen at all.
    const detail::SecretMoment moment = moment_of({0.3, 1.0}, 1);
    const detail::SecretMoment other = moment_of({0.3, 0.97}, 1);
    SeededRandomSource one(499);
    SeededRandomSource same(499);
    EXPECT_EQ(detail::noisy_histogram(moment, Neighbours::replace, Rho(rho), one).counts,
              detail::noisy_histogram(other, Neighbours::replace, Rho(rho), same).counts);
}

// Discrete Laplace noise of scale m / epsilon on each count; its deviation is what is said. Of 3200
// counts the mean of squares has a standard error of sqrt(5 / 3200), 4 %: false alarm below 1e-6 at
// five of them.
TEST(NormHistogram, SaysTheDeviationOfItsNoise) {
    const detail::SecretMoment moment = moment_of({0.3, 1.0}, 1);
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        const double m = neighbours == Neighbours::replace ? 2.0 : 1.0;
        SeededRandomSource random(500);
        double squares = 0.0;
        constexpr int repeats = 20;
        double deviation = 0.0;
        for (int i = 0; i < repeats; ++i) {
            const NoisyHistogram noisy =
                detail::noisy_histogram(moment, neighbours, Epsilon(0.1), random);
            deviation = noisy.deviation;
            for (const double count : noisy.counts) {
                squares += count * count / (repeats * static_cast<double>(noisy.counts.size()));
            }
        }
        EXPECT_NEAR(deviation, std::sqrt(2.0) * m / 0.1, 1e-9);
        EXPECT_NEAR(squares / (deviation * deviation), 1.0, 0.2);
    }
    SeededRandomSource random(501);
    const NoisyHistogram gaussian =
        detail::noisy_histogram(moment, Neighbours::replace, Rho(1e-4), random);
    EXPECT_NEAR(gaussian.deviation, 100.0, 1e-9);
    ASSERT_EQ(gaussian.radii.size(), gaussian.counts.size());
    EXPECT_TRUE(std::is_sorted(gaussian.radii.begin(), gaussian.radii.end()));
    EXPECT_EQ(gaussian.radii.back(), 1.0);
}

// Both together are the budget, and what the histogram gets is what is said.
TEST(NormHistogram, IsPaidForOnceByAFiftieth) {
    const detail::SecretMoment moment = moment_of(sphere_rows(200, 3, 0.7, 1), 3);
    for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
        ReleaseOptions options;
        options.neighbours = neighbours;
        const Release release = run("stratified", moment, 1.0, options, 510);
        // In one stratum the number of rows is free.
        ASSERT_EQ(release.stages.size(), 2U);
        EXPECT_EQ(release.stages[0].name, "norms");
        EXPECT_EQ(release.stages[1].name, "strata");
        EXPECT_EQ(spent(release), 1.0);
        const double norms = std::get<Rho>(release.stages[0].spent).value();
        const double strata = std::get<Rho>(release.stages[1].spent).value();
        EXPECT_NEAR(norms / (norms + strata), 5.0 / 256.0, 1e-12);
    }
}

// A moment of an older file, with one bin an octave, is released like any other.
TEST(NormStrata, AreReleasedFromOctavesToo) {
    constexpr std::size_t d = 3;
    const Rows rows = sphere_rows(400, d, 0.9, 2) + sphere_rows(400, d, 0.1, 3);
    detail::SecretMoment moment({.columns = d, .norm_bound = 1.0}, NormBins::whole_octaves());
    moment.add(rows);
    const Release release = run("stratified", moment, 1e6, Variant::best, 520);
    EXPECT_LT((release.covariance - covariance_of(rows, d)).norm(), 1e-3);
}

}  // namespace
}  // namespace dpcov::test
