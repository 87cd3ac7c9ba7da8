// How far a row that is added moves the integers that get noise: never beyond the sensitivity for
// add-remove, on the exact statistic. Rows that are replaced have their tests beside each
// statistic.
#include "mechanism/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "random/big_integer.hpp"
#include "support/decompositions.hpp"
#include "support/octave_sums.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::full_weight;
using detail::to_big;

constexpr Neighbours one_more = Neighbours::add_remove;

// Rows that move things far: axes, equal entries, both sides of every stratum's edge, zero, rows
// beyond the bound.
std::vector<Rows> added_rows(std::size_t d) {
    std::vector<Rows> rows = {Rows(d, 0.0), Rows(d, 1.0 / std::sqrt(static_cast<double>(d))),
                              Rows(d, 1e300), sphere_rows(1, d, 1.0, 401)};
    for (const double size : {1.0, -1.0, 0.9, 3.0}) {
        rows.emplace_back(d, 0.0);
        rows.back()[0] = size;
        rows.emplace_back(d, 0.0);
        rows.back()[d - 1] = size;
    }
    for (int k = 1; k <= detail::NormBins::octaves; ++k) {
        for (const double above : {0.0, 0x1p-12}) {
            rows.push_back(sphere_rows(1, d, std::ldexp(1.0 + above, -k), 402));
        }
    }
    return rows;
}

// Tables to add them to: none, one row, many rows along a few directions and in many strata.
std::vector<detail::SecretMoment> tables(std::size_t d) {
    std::vector<detail::SecretMoment> moments = {moment_of({}, d), moment_of(Rows(d, 0.0), d),
                                                 moment_of(sphere_rows(1, d, 1.0, 403), d)};
    Rows many = sphere_rows(20, d, 1.0, 404, 0.1) + sphere_rows(20, d, 1e-6, 405);
    for (int k = 1; k < 30; ++k) many = many + sphere_rows(1, d, std::ldexp(0.9, -k), 406);
    moments.push_back(moment_of(many, d));
    return moments;
}

detail::SecretMoment with(detail::SecretMoment moment, const Rows& row) {
    moment.add(row);
    return moment;
}

// The squared Frobenius norm of a packed difference, exactly.
mpz_class squared_norm(const detail::PackedGram& difference) {
    mpz_class sum;
    std::size_t entry = 0;
    for (std::size_t j = 0; entry < difference.size(); ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++entry) {
            const mpz_class value = to_big(difference[entry]);
            sum += (i < j ? 2 : 1) * value * value;
        }
    }
    return sum;
}

// l1 over the upper triangle, entries off the diagonal times `weight`.
long double l1_norm(const detail::PackedGram& difference, long double weight) {
    long double sum = 0.0L;
    std::size_t entry = 0;
    for (std::size_t j = 0; entry < difference.size(); ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++entry) {
            sum += (i < j ? weight : 1.0L) * std::fabs(static_cast<long double>(difference[entry]));
        }
    }
    return sum;
}

detail::ExactSums difference(detail::ExactSums a, const detail::ExactSums& b) {
    std::transform(a.begin(), a.end(), b.begin(), a.begin(), std::minus<>());
    return a;
}

mpz_class square_of(double bound) {
    const mpz_class integer(std::floor(bound));
    return integer * integer;
}

// Gram, in the Frobenius norm, in l1 under either law and in the nuclear norm, and its eigenvalues.
// Each bound is reached but for a hair (l1: within 2 %, the paper's count within half). Control:
// two rows added, which are farther apart than what holds for one.
TEST(AddRemoveSensitivity, OfTheGram) {
    for (const std::size_t d : {1U, 2U, 3U, 7U}) {
        for (const int clip_exponent : {0, 2}) {
            const auto gram = [&](const detail::SecretMoment& moment) {
                return detail::clipped_gram(moment, clip_exponent);
            };
            mpz_class squares;
            long double wigner = 0.0L;
            long double isotropic = 0.0L;
            double nuclear = 0.0;
            double eigenvalues = 0.0;
            for (const detail::SecretMoment& table : tables(d)) {
                const Eigen::VectorXd before =
                    spectrum(detail::symmetric_matrix(gram(table), d, 1.0));
                for (const Rows& row : added_rows(d)) {
                    const detail::PackedGram after = gram(with(table, row));
                    const detail::PackedGram moved = difference(after, gram(table));
                    squares = std::max(squares, squared_norm(moved));
                    wigner = std::max(wigner, l1_norm(moved, 1.0L));
                    isotropic = std::max(isotropic, l1_norm(moved, std::sqrt(2.0L)));
                    nuclear = std::max(
                        nuclear,
                        spectrum(detail::symmetric_matrix(moved, d, 1.0)).cwiseAbs().sum());
                    eigenvalues = std::max(
                        eigenvalues, (spectrum(detail::symmetric_matrix(after, d, 1.0)) - before)
                                         .cwiseAbs()
                                         .sum());
                }
            }
            const double frobenius = detail::gram_sensitivity(one_more, d);
            EXPECT_TRUE(squares <= square_of(frobenius)) << d;
            EXPECT_TRUE(squares > square_of(0.9999 * frobenius)) << d;
            EXPECT_LE(wigner, detail::gram_l1_sensitivity(one_more, NoiseLaw::wigner, d)) << d;
            EXPECT_GT(wigner, 0.5 * detail::gram_l1_sensitivity(one_more, NoiseLaw::wigner, d));
            EXPECT_LE(isotropic, detail::gram_l1_sensitivity(one_more, NoiseLaw::isotropic, d));
            EXPECT_GT(isotropic,
                      0.98 * detail::gram_l1_sensitivity(one_more, NoiseLaw::isotropic, d));
            EXPECT_LE(nuclear, detail::gram_nuclear_sensitivity(one_more, d)) << d;
            EXPECT_GT(nuclear, 0.9999 * detail::gram_nuclear_sensitivity(one_more, d)) << d;
            EXPECT_LE(eigenvalues, detail::eigenvalue_sensitivity(one_more, d, 100.0).l1) << d;
            EXPECT_GT(eigenvalues, 0.9999 * full_weight) << d;

            const Rows full = added_rows(d)[1];
            const detail::PackedGram two = difference(gram(with(moment_of(full, d), full)),
                                                      detail::PackedGram(d * (d + 1) / 2));
            EXPECT_TRUE(squared_norm(two) > square_of(frobenius));
            EXPECT_GT(l1_norm(two, std::sqrt(2.0L)),
                      detail::gram_l1_sensitivity(one_more, NoiseLaw::isotropic, d));
        }
    }
}

TEST(AddRemoveSensitivity, OfTraceBiasSumAndStrata) {
    for (const std::size_t d : {1U, 2U, 3U, 7U}) {
        long double trace = 0.0L;
        mpz_class sum;
        Int128 bias = 0;
        mpz_class strata;
        for (const detail::SecretMoment& table : tables(d)) {
            for (const Rows& row : added_rows(d)) {
                const detail::SecretMoment more = with(table, row);
                for (const int t : {0, 3, 30}) {
                    trace =
                        std::max(trace, static_cast<long double>(detail::clipped_trace(more, t) -
                                                                 detail::clipped_trace(table, t)));
                    EXPECT_GE(detail::clipped_trace(more, t), detail::clipped_trace(table, t) - 2);
                    for (const auto& of : {detail::clipping_bias, detail::clipping_bias_at_edges}) {
                        const Int128 moved = of(more, 0, t) - of(table, 0, t);
                        bias = std::max({bias, moved, -moved});
                    }
                }
                mpz_class squares;
                for (const Int128 moved :
                     difference(detail::row_sum(more), detail::row_sum(table))) {
                    squares += to_big(moved) * to_big(moved);
                }
                sum = std::max(sum, squares);
                mpz_class all;
                for (int k = 0; k < detail::NormBins::octaves; ++k) {
                    detail::PackedGram before = octave_sums(table, k).gram;
                    detail::PackedGram after = octave_sums(more, k).gram;
                    before.resize(d * (d + 1) / 2);
                    after.resize(d * (d + 1) / 2);
                    all += squared_norm(difference(after, before));
                }
                strata = std::max(strata, all);
            }
        }
        EXPECT_LE(trace, detail::trace_sensitivity());
        EXPECT_GT(trace, 0.9999 * detail::trace_sensitivity());
        EXPECT_TRUE(bias <= detail::bias_sensitivity(d));
        EXPECT_TRUE(bias > Int128{1} << 29);
        EXPECT_TRUE(sum <= square_of(detail::sum_sensitivity(one_more, d).l2));
        EXPECT_TRUE(sum > square_of(0.9999 * detail::sum_sensitivity(one_more, d).l2));
        EXPECT_TRUE(strata <= square_of(detail::strata_sensitivity(one_more, d, 0x1p40)));
        EXPECT_TRUE(strata > square_of(0.9999 * detail::strata_sensitivity(one_more, d, 0x1p40)));
        // One stratum moves, by a matrix of rank one: its nuclear norm is its Frobenius norm.
        EXPECT_TRUE(strata <= square_of(detail::strata_nuclear_sensitivity(one_more, d, 0x1p40)));
        EXPECT_TRUE(strata >
                    square_of(0.9999 * detail::strata_nuclear_sensitivity(one_more, d, 0x1p40)));
    }
}

// A replaced row is a row removed and a row added, so nothing moves farther than twice.
TEST(AddRemoveSensitivity, IsHalfOfReplacementsAtLeastAndAllAtMost) {
    const auto expect_between = [](double one, double two) {
        EXPECT_LE(one, two);
        EXPECT_GE(2.0 * one, two * (1.0 - 0x1p-50));
    };
    constexpr Neighbours replaced = Neighbours::replace;
    for (const std::size_t d : {1U, 2U, 5U, 100U, 1000U}) {
        expect_between(detail::gram_sensitivity(one_more, d),
                       detail::gram_sensitivity(replaced, d));
        for (const NoiseLaw law : {NoiseLaw::wigner, NoiseLaw::isotropic}) {
            expect_between(detail::gram_l1_sensitivity(one_more, law, d),
                           detail::gram_l1_sensitivity(replaced, law, d));
        }
        expect_between(detail::gram_nuclear_sensitivity(one_more, d),
                       detail::gram_nuclear_sensitivity(replaced, d));
        expect_between(detail::eigenvalue_sensitivity(one_more, d, 1e6).l1,
                       detail::eigenvalue_sensitivity(replaced, d, 1e6).l1);
        expect_between(detail::eigenvalue_sensitivity(one_more, d, 1e6).l2,
                       detail::eigenvalue_sensitivity(replaced, d, 1e6).l2);
        expect_between(detail::sum_sensitivity(one_more, d).l2,
                       detail::sum_sensitivity(replaced, d).l2);
    }
    // Nuclear norms of two strata add up.
    EXPECT_EQ(detail::strata_nuclear_sensitivity(replaced, 5, 0x1p40),
              2.0 * detail::strata_nuclear_sensitivity(one_more, 5, 0x1p40));
    EXPECT_FALSE(detail::wishart_beats_laplace(one_more, 1));
    EXPECT_TRUE(detail::wishart_beats_laplace(one_more, 2));
}

// Never below what the budget asks for, in long doubles: a sensitivity over sqrt(2 rho), or over
// epsilon, is rounded up, whichever way the division went.
TEST(NoiseScale, IsNowhereBelowWhatTheBudgetAsksFor) {
    using Exact = long double;
    std::mt19937_64 generator(471);
    std::uniform_real_distribution<double> uniform(1.0, 2.0);
    int below = 0;
    for (int i = 0; i < 10000; ++i) {
        const double sensitivity = std::ldexp(uniform(generator), 64);
        const double budget = uniform(generator);
        const Exact gaussian = sensitivity / std::sqrt(Exact{2} * budget);
        const Exact laplace = static_cast<Exact>(sensitivity) / budget;
        EXPECT_GE(detail::gaussian_deviation(sensitivity, Rho(budget)), gaussian);
        EXPECT_GE(detail::laplace_noise_scale(sensitivity, Epsilon(budget)), laplace);
        EXPECT_GE(detail::wishart_noise_scale(sensitivity, Epsilon(budget)), laplace / 2);
        EXPECT_LE(detail::gaussian_deviation(sensitivity, Rho(budget)), gaussian * (1 + 0x1p-49L));
        below += sensitivity / budget < laplace ? 1 : 0;  // what is not rounded up
    }
    EXPECT_GT(below, 1000);
}

// What each is proved to be (docs/privacy.md), in long doubles, rounding to integers and all: no
// table shows those terms, but the proofs need them. In many columns, and in units in which a row
// weighs little, they are more than what is left for the arithmetic of doubles.
TEST(Sensitivity, IsNotBelowItsProofAndHardlyAbove) {
    using Exact = long double;
    const auto expect_just_above = [](double sensitivity, Exact proved, std::size_t d) {
        // Noise is scaled by 2^-50 more than that, for the last rounding of doubles.
        EXPECT_GE(static_cast<Exact>(sensitivity), proved * (1 - 0x1p-52L)) << d;
        EXPECT_LE(static_cast<Exact>(sensitivity), proved * (1 + 0x1p-47L)) << d;
    };
    constexpr Exact weight = 0x1p64L;
    for (const Neighbours neighbours : {Neighbours::replace, one_more}) {
        const auto m = static_cast<Exact>(detail::differing_rows(neighbours));
        for (const std::size_t d : {2U, 5U, 300U, 32766U}) {
            const auto order = static_cast<Exact>(d);
            const Exact root = std::sqrt(order);
            const double gram = detail::gram_sensitivity(neighbours, d);
            expect_just_above(gram, std::sqrt(m) * weight + 2 * order, d);
            expect_just_above(detail::gram_sensitivity(neighbours, d, 0x1p60),
                              std::sqrt(m) * weight + 2 * order + 0x1p61L, d);
            expect_just_above(detail::gram_nuclear_sensitivity(neighbours, d),
                              m * weight + 2 * order * root, d);
            const detail::Sensitivity sum = detail::sum_sensitivity(neighbours, d);
            expect_just_above(sum.l2, m * 0x1p44L + 2 * root, d);
            expect_just_above(sum.l1, root * (m * 0x1p44L + 2 * root), d);
            EXPECT_TRUE(detail::bias_sensitivity(d) ==
                        (Int128{1} << 30) + (static_cast<Int128>(std::ceil(root)) << 11) + 2);
            // A value of a row is at most a unit above its share of the radius, and of either
            // table's sums, which are weighed by 2^24, each is a unit off.
            const Exact square = std::pow(0x1p20L / root + 1, 2) * 0x1p24L + 2;
            const detail::Sensitivity squares = detail::squares_sensitivity(d);
            expect_just_above(squares.l1, order * square, d);
            expect_just_above(squares.l2, root * square, d);
            constexpr double rows = 1e9;
            const Exact error =
                detail::eigenvalue_error(d, rows * 0x1p64 + static_cast<double>(d)) +
                0x1p-53L * rows * weight + root;
            const detail::Sensitivity values = detail::eigenvalue_sensitivity(neighbours, d, rows);
            EXPECT_GE(values.l2, gram + 2 * error) << d;
            EXPECT_GE(values.l1, m * weight + 2 * root * (error + order)) << d;
            for (const double full : {0x1p36, 0x1p40, 0x1p64}) {
                const Exact in_l2 = full + 2 * order;
                const Exact nuclear = full + 2 * order * root;
                expect_just_above(detail::strata_sensitivity(neighbours, d, full),
                                  std::sqrt(m) * in_l2, d);
                expect_just_above(detail::strata_nuclear_sensitivity(neighbours, d, full),
                                  m * nuclear, d);
                for (const double c2 : {0.0, 0.25, 1.0}) {
                    const Exact joint = full + 2 * (order + 1);
                    const Exact of_row = neighbours == one_more ? std::sqrt(1 + 2 * Exact{c2})
                                                                : std::sqrt(m) * (1 + c2);
                    expect_just_above(detail::joint_sensitivity(neighbours, d, full, c2),
                                      of_row * joint, d);
                    expect_just_above(
                        detail::joint_nuclear_sensitivity(neighbours, d, full, c2),
                        m * (1 + c2) * (full + 2 * (order + 1) * std::sqrt(order + 1)), d);
                }
            }
        }
        expect_just_above(detail::gram_sensitivity(neighbours, 1, 0x1p60), weight + 2 + 0x1p61L, 1);
    }
}

// Where a row is replaced two counts move by one: by the root of two, and no double below it.
TEST(HistogramSensitivity, IsAtLeastTheRootOfTheRows) {
    const double replaced = detail::histogram_sensitivity(Neighbours::replace).l2;
    EXPECT_GE(std::fma(replaced, replaced, -2.0), 0.0);
    const double below = std::nextafter(replaced, 0.0);
    EXPECT_LT(std::fma(below, below, -2.0), 0.0);
    EXPECT_EQ(detail::histogram_sensitivity(Neighbours::replace).l1, 2.0);
    EXPECT_EQ(detail::histogram_sensitivity(one_more).l2, 1.0);
    EXPECT_EQ(detail::histogram_sensitivity(one_more).l1, 1.0);
}

}  // namespace
}  // namespace dpcov::test
