// The joint query of second moment, sum and number of rows: how far neighbours are apart, by search
// over pairs of rows in the integers that get the noise; and the law of that noise.
#include "mechanism/joint_moment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "mechanism/clipped_gram.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::BinRange;
using detail::JointQuery;
using detail::NoisySums;
using detail::StratumRows;

// Noise far below a unit of the lattice: the integers as they are.
constexpr double no_noise = 1e70;

double full_of(const detail::SecretMoment& secret, const StratumRows& stratum) {
    return secret.norm_bins().squared_edge(stratum.coarsest) *
           std::ldexp(1.0, detail::fraction_bits);
}

// What a stratum's query gives for a table, as a symmetric matrix in units of a full row.
template <class Share>
Eigen::MatrixXd answer(const detail::SecretMoment& secret, Neighbours neighbours,
                       const StratumRows& stratum, const JointQuery& query, Share share) {
    SeededRandomSource random(460);
    const NoisySums sums = detail::noisy_sums(secret, neighbours, stratum, query, share, random);
    const auto d = static_cast<Eigen::Index>(sums.columns);
    const double full = full_of(secret, stratum);
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(d + 1, d + 1);
    all.topLeftCorner(d, d) = detail::symmetric_matrix(sums.gram, sums.columns, 1.0 / full);
    for (std::size_t j = 0; j < sums.sum.size(); ++j) {
        const auto at = static_cast<Eigen::Index>(j);
        all(at, d) = all(d, at) = static_cast<double>(sums.sum[j]) / full;
    }
    if (query.counts) {
        all(d, d) = std::is_same_v<Share, Rho> ? sums.rows - all.topLeftCorner(d, d).trace()
                                               : sums.rows * query.squared_weight();
    }
    return all;
}

Eigen::MatrixXd answer(const detail::SecretMoment& secret, Neighbours neighbours,
                       const StratumRows& stratum, const JointQuery& query, Rho /*shape*/, int) {
    return answer(secret, neighbours, stratum, query, Rho(no_noise));
}
Eigen::MatrixXd answer(const detail::SecretMoment& secret, Neighbours neighbours,
                       const StratumRows& stratum, const JointQuery& query, Epsilon /*shape*/,
                       int) {
    return answer(secret, neighbours, stratum, query, Epsilon(1e35));
}

double nuclear(const Eigen::MatrixXd& matrix) {
    return spectrum(matrix).cwiseAbs().sum();
}

// Rows of two columns all around, of many lengths, those at which the search is reached among them:
// full ones whose cosine is -c^2.
std::vector<Rows> rows_around(double squared_weight, double radius,
                              const std::vector<double>& sizes = {1.0 - 1e-9, 0.9, 0.7, 0.51}) {
    std::vector<double> angles = {0.0, std::acos(-squared_weight)};
    for (int i = 1; i < 12; ++i) angles.push_back(std::acos(-1.0) * i / 6.0);
    std::vector<Rows> rows = {Rows(2, 0.0)};
    for (const double angle : angles) {
        for (const double size : sizes) {
            rows.push_back({radius * size * std::cos(angle), radius * size * std::sin(angle)});
        }
    }
    return rows;
}

struct Strata {
    BinRange fine;
    BinRange coarse;
};

// The bins up to a fine one in octave 1, and all above it; and the fine one's radius.
Strata strata_of(const detail::NormBins& norms) {
    const std::size_t cut = norms.of_octave(1).last - 3;
    return {{0, cut}, {cut + 1, norms.size() - 1}};
}

// Greatest distance of neighbours over these strata, in units of a full row of each.
template <class Share>
double greatest_distance_over(const std::vector<StratumRows>& strata, const std::vector<Rows>& rows,
                              Neighbours neighbours, const JointQuery& query, Share shape) {
    constexpr bool squares_add = std::is_same_v<Share, Rho>;
    const auto answers_of = [&](const Rows& table) {
        const detail::SecretMoment secret = moment_of(table, 2);
        std::vector<Eigen::MatrixXd> answers;
        for (const StratumRows& stratum : strata) {
            answers.push_back(answer(secret, neighbours, stratum, query, shape, 0));
        }
        return answers;
    };
    std::vector<std::vector<Eigen::MatrixXd>> answers;
    std::transform(rows.begin(), rows.end(), std::back_inserter(answers), answers_of);
    const std::vector<Eigen::MatrixXd> none(strata.size(), Eigen::MatrixXd::Zero(3, 3));
    double greatest = 0.0;
    const auto consider = [&](const auto& a, const auto& b) {
        double distance = 0.0;
        for (std::size_t k = 0; k < strata.size(); ++k) {
            distance += squares_add ? (a[k] - b[k]).squaredNorm() : nuclear(a[k] - b[k]);
        }
        greatest = std::max(greatest, squares_add ? std::sqrt(distance) : distance);
    };
    for (const auto& a : answers) {
        if (neighbours == Neighbours::add_remove) {
            consider(a, none);
            continue;
        }
        for (const auto& b : answers) consider(a, b);
    }
    return greatest;
}

// Over the two strata of strata_of().
template <class Share>
double greatest_distance(Neighbours neighbours, const JointQuery& query, Share shape) {
    const detail::NormBins norms = moment_of(Rows(2, 0.0), 2).norm_bins();
    const Strata strata = strata_of(norms);
    std::vector<Rows> rows = rows_around(query.squared_weight(), 1.0);
    for (const Rows& row : rows_around(query.squared_weight(), norms.radius(strata.fine.last))) {
        rows.push_back(row);
    }
    return greatest_distance_over(
        {detail::whole_rows({strata.fine}), detail::whole_rows({strata.coarse})}, rows, neighbours,
        query, shape);
}

// By search over pairs never beyond the sensitivity, and up to it but for a hair. Controls: without
// the weight of the sum, and (for a row added) with one beyond the mean's.
TEST(JointMoment, NeighboursAreAtMostTheSensitivityApart) {
    const double full = detail::full_weight;
    for (const unsigned weight : {0U, 13U, 38U, 64U}) {
        const JointQuery query{.mean_weight = weight, .counts = false};
        const double square = query.squared_weight();
        const double replaced = greatest_distance(Neighbours::replace, query, Rho(1.0));
        const double bound = detail::joint_sensitivity(Neighbours::replace, 2, full, square) / full;
        EXPECT_LE(replaced, bound) << weight;
        EXPECT_GT(replaced, 0.9999 * bound) << weight;
        const JointQuery counting{.mean_weight = weight, .counts = true};
        const double added = greatest_distance(Neighbours::add_remove, counting, Rho(1.0));
        const double of_one =
            detail::joint_sensitivity(Neighbours::add_remove, 2, full, square) / full;
        EXPECT_LE(added, of_one * (1.0 + 1e-12)) << weight;
        EXPECT_GT(added, 0.9999 * of_one) << weight;
        if (weight == 0) continue;
        EXPECT_GT(replaced, 1.01 * std::sqrt(2.0));
        EXPECT_GT(added, 1.01);

        // The corner has its noise whether or not it is looked at.
        const double swapped = greatest_distance(Neighbours::replace, counting, Epsilon(1.0));
        const double two =
            detail::joint_nuclear_sensitivity(Neighbours::replace, 2, full, square) / full;
        EXPECT_LE(swapped, two * (1.0 + 1e-12)) << weight;
        EXPECT_GT(swapped, 0.9999 * two) << weight;
        EXPECT_GT(swapped, 2.01);
        const double one_more = greatest_distance(Neighbours::add_remove, counting, Epsilon(1.0));
        const double one =
            detail::joint_nuclear_sensitivity(Neighbours::add_remove, 2, full, square) / full;
        EXPECT_LE(one_more, one * (1.0 + 1e-12)) << weight;
        EXPECT_GT(one_more, 0.9999 * one) << weight;
    }
}

// The same where rows of the coarser of three strata count in part in the finest, down to every
// bin's edge. Reached but for what parts are rounded down by. Control: in whole they go beyond.
TEST(JointMoment, PartsOfRowsAreWithinTheSensitivityOfWholeOnes) {
    const detail::NormBins norms = moment_of(Rows(2, 0.0), 2).norm_bins();
    const std::size_t cut = norms.of_octave(1).last - 3;
    const std::vector<StratumRows> whole = {detail::whole_rows({{0, cut}}),
                                            detail::whole_rows({{cut + 1, cut + 6}}),
                                            detail::whole_rows({{cut + 7, norms.size() - 1}})};
    const auto distance = [&](Neighbours neighbours, const JointQuery& query, auto shape,
                              bool in_whole) {
        const auto noise =
            std::is_same_v<decltype(shape), Rho> ? NoiseShape::gaussian : NoiseShape::wishart;
        std::vector<StratumRows> strata = detail::with_extended(norms, whole, 0, noise);
        EXPECT_GE(strata[0].partial.size(), norms.size() - 3 - cut);
        if (in_whole) {
            strata[1] = whole[1];
            strata[2] = whole[2];
        }
        std::vector<Rows> rows;
        for (std::size_t bin = cut; bin < norms.size(); bin += 3) {
            for (const Rows& row :
                 rows_around(query.squared_weight(), norms.radius(bin), {1.0 - 1e-9, 0.96})) {
                rows.push_back(row);
            }
        }
        return greatest_distance_over(strata, rows, neighbours, query, shape);
    };
    const double full = detail::full_weight;
    for (const unsigned weight : {0U, 13U, 64U}) {
        const JointQuery query{.mean_weight = weight, .counts = false};
        const JointQuery counting{.mean_weight = weight, .counts = true};
        const double square = query.squared_weight();
        const auto expect = [&](double bound, Neighbours neighbours, const JointQuery& asked,
                                auto shape) {
            const double in_part = distance(neighbours, asked, shape, false);
            EXPECT_LE(in_part, bound / full * (1.0 + 1e-12)) << weight;
            EXPECT_GT(in_part, 0.99 * bound / full) << weight;
            EXPECT_GT(distance(neighbours, asked, shape, true), 1.1 * bound / full) << weight;
        };
        expect(detail::joint_sensitivity(Neighbours::replace, 2, full, square), Neighbours::replace,
               query, Rho(1.0));
        expect(detail::joint_sensitivity(Neighbours::add_remove, 2, full, square),
               Neighbours::add_remove, counting, Rho(1.0));
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            // Under pure DP without a sum there is no number of rows either.
            expect(weight > 0 ? detail::joint_nuclear_sensitivity(neighbours, 2, full, square)
                              : detail::strata_nuclear_sensitivity(neighbours, 2, full),
                   neighbours, weight > 0 ? counting : query, Epsilon(1.0));
        }
    }
}

// Squares of numbers have one sign: where one stratum has every row, one replaced moves its sum no
// more than one added does. Where there are more strata it moves two of them.
TEST(JointMoment, NumbersInOneStratumMoveByOneRow) {
    const auto table = [](double x) { return moment_of({0.3, x}, 1); };
    const detail::NormBins norms = table(1.0).norm_bins();
    const std::size_t last = norms.size() - 1;
    const StratumRows every = detail::whole_rows({{0, last}});
    const StratumRows longest = detail::whole_rows({{last - 4, last}});
    const double full = full_of(table(1.0), every);
    const auto sums = [](const detail::SecretMoment& secret, const StratumRows& stratum,
                         auto budget) {
        SeededRandomSource random(464);
        return detail::noisy_sums(secret, Neighbours::replace, stratum, {}, budget, random);
    };
    double greatest = 0.0;
    double least = full;
    for (const double x : {0.0, 1e-5, 0.2, 0.7, -0.9, 1.0, -1.0}) {
        const auto gram = static_cast<double>(sums(table(x), every, Rho(no_noise)).gram[0]);
        greatest = std::max(greatest, gram);
        least = std::min(least, gram);
    }
    const Neighbours one_more = Neighbours::add_remove;
    const double bound = detail::strata_sensitivity(one_more, 1, full);
    EXPECT_LE(greatest - least, bound);
    EXPECT_GT(greatest - least, 0.9999 * bound);

    const auto deviation = [&](const StratumRows& stratum, auto budget) {
        return sums(table(1.0), stratum, budget).deviation;
    };
    EXPECT_NEAR(deviation(every, Rho(0.5)) / bound, 1.0, 1e-9);
    EXPECT_NEAR(deviation(longest, Rho(0.5)) / bound, std::sqrt(2.0), 1e-9);
    EXPECT_NEAR(deviation(longest, Epsilon(1.0)) / deviation(every, Epsilon(1.0)), 2.0, 1e-9);
    // With a mean they move by two rows, or nearly.
    SeededRandomSource random(465);
    const JointQuery query{.mean_weight = 64, .counts = false};
    EXPECT_GT(detail::noisy_sums(table(1.0), Neighbours::replace, every, query, Rho(0.5), random)
                  .deviation,
              2.8 * bound);
}

// With hardly any noise the sums are the table's, whatever the strata; also of clipped rows.
TEST(JointMoment, IsSumAndNumberOfTheRows) {
    constexpr std::size_t d = 3;
    Rows rows = sphere_rows(40, d, 2.0, 461) + sphere_rows(30, d, 0.3, 462) + Rows(d, 0.0);
    const detail::SecretMoment secret = moment_of(rows, d, 2.0);
    Eigen::Vector3d truth = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < rows.size(); ++i)
        truth[static_cast<Eigen::Index>(i % d)] += rows[i];
    const Strata strata = strata_of(secret.norm_bins());
    const JointQuery query{.mean_weight = 21, .counts = true};
    SeededRandomSource random(463);
    const auto expect_all = [&](auto share) {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(d);
        double n = 0.0;
        for (const BinRange& stratum : {strata.fine, strata.coarse}) {
            NoisySums sums =
                detail::noisy_sums(secret, Neighbours::add_remove, detail::whole_rows({stratum}),
                                   query, share, random);
            sum += sums.take_moment_over(1.0, 2.0).mean;
            n += sums.rows;
        }
        EXPECT_LT((sum - truth).norm(), 1e-4);  // rows stand on a grid
        EXPECT_NEAR(n, 71.0, 1e-9);
    };
    expect_all(Rho(no_noise));
    expect_all(Epsilon(1e35));
    for (const int clip : {0, 2}) {
        const NoisySums sums =
            detail::noisy_sums(secret, Neighbours::add_remove, clip, {.counts = true},
                               Rho(no_noise), NoiseLaw::isotropic, random);
        EXPECT_NEAR(sums.rows, 71.0, 1e-3) << clip;
    }
}

// Mean squares over 20000 draws of everything that is drawn, in units of what is said of it; a
// Gaussian's deviates by 1 %, a Wishart entry's by less than 2 %, of diagonals and sums together
// less. Seven deviations: false alarm below 1e-10. Control: 10 % more deviation.
TEST(JointMoment, NoiseHasTheDeviationsItSays) {
    constexpr std::size_t d = 2;
    const detail::SecretMoment secret = moment_of(Rows(d, 0.0), d);
    const BinRange all{0, secret.norm_bins().size() - 1};
    const JointQuery query{.mean_weight = 40, .counts = true};
    const auto expect_law = [&](auto share, double s, double rows_deviation) {
        constexpr int runs = 20000;
        SeededRandomSource random(464);
        double diagonal = 0.0;
        double off_diagonal = 0.0;
        double mean = 0.0;
        double rows = 0.0;
        for (int i = 0; i < runs; ++i) {
            NoisySums sums = detail::noisy_sums(secret, Neighbours::add_remove,
                                                detail::whole_rows({all}), query, share, random);
            const NoisyMoment drawn = sums.take_moment_over(1.0, 1.0);
            EXPECT_NEAR(drawn.noise_scale, s, 1e-9 * s);
            EXPECT_NEAR(drawn.mean_noise_scale, s / std::sqrt(2.0 * query.squared_weight()),
                        1e-5 * s);
            EXPECT_NEAR(sums.rows_deviation, rows_deviation, 1e-5 * rows_deviation);
            diagonal += drawn.second_moment.diagonal().squaredNorm() / (2.0 * s * s * runs);
            off_diagonal += std::pow(drawn.second_moment(0, 1), 2) / (0.5 * s * s * runs);
            mean += drawn.mean.squaredNorm() / (2.0 * std::pow(drawn.mean_noise_scale, 2) * runs);
            rows += std::pow((sums.rows - 1.0) / rows_deviation, 2) / runs;
        }
        for (const double ratio : {diagonal, off_diagonal, mean, rows}) {
            EXPECT_NEAR(ratio, 1.0, 0.14);
            EXPECT_GT(1.1 * 1.1 * ratio, 1.14);  // a tenth more noise would have been seen
        }
    };
    const double square = query.squared_weight();
    const double gaussian = std::sqrt(1.0 + 2.0 * square) / std::sqrt(2.0 * 0.5);
    expect_law(Rho(0.5), gaussian, gaussian * std::sqrt(3.0));
    // Two-sided Wishart of d + 1 columns: 2 C sqrt(d + 2) on the diagonal, C = (1 + c^2) / (2 eps).
    const double wishart = 2.0 * (1.0 + square) / (2.0 * 0.5) * std::sqrt(4.0);
    expect_law(Epsilon(0.5), wishart, wishart / square);
}

// What is expected of the noise is what is drawn: one place says how much, for whatever is asked.
TEST(JointMoment, NoiseIsOfTheSizeThatIsExpected) {
    for (const std::size_t d : {1U, 2U, 9U}) {
        const detail::SecretMoment secret = moment_of(Rows(d, 0.0), d);
        const StratumRows all = detail::whole_rows({{0, secret.norm_bins().size() - 1}});
        for (const Neighbours neighbours : {Neighbours::replace, Neighbours::add_remove}) {
            const bool counts = neighbours == Neighbours::add_remove;
            const auto expect_same = [&](const JointQuery& query, auto share) {
                if (d == 1 && !query.is_joint()) return;  // less where one stratum has all rows
                SeededRandomSource random(465);
                const NoisySums sums =
                    detail::noisy_sums(secret, neighbours, all, query, share, random);
                const detail::NoiseSize size = detail::noise_size(neighbours, d, query, share);
                EXPECT_NEAR(sums.deviation / detail::full_weight, size.diagonal,
                            1e-9 * size.diagonal);
                if (query.counts) {
                    EXPECT_NEAR(sums.rows_deviation, size.rows, 1e-5 * size.rows);
                }
            };
            for (const unsigned weight : {0U, 20U, 64U}) {
                expect_same({.mean_weight = weight, .counts = counts}, Rho(0.5));
                expect_same({.mean_weight = weight, .counts = counts && weight > 0}, Epsilon(0.5));
            }
        }
    }
}

// The sum is weighed by an integer, c of the stratum's radius in units of the grid or less: more of
// a mean would be released than the sensitivity counts.
TEST(JointMoment, WeighsTheSumByNoMoreThanItsSensitivityCounts) {
    const detail::SecretMoment secret = moment_of(Rows(2, 0.0), 2);
    const detail::NormBins& norms = secret.norm_bins();
    std::size_t rounded = 0;
    for (std::size_t last = norms.size() - 20; last < norms.size(); ++last) {
        for (unsigned c = 1; c <= 64; ++c) {
            const JointQuery query{.mean_weight = c};
            SeededRandomSource random(466);
            const NoisySums sums =
                detail::noisy_sums(secret, Neighbours::replace, detail::whole_rows({{0, last}}),
                                   query, Rho(no_noise), random);
            const double of_radius =
                std::ldexp(1.0, -norms.octave(last) - 20 - detail::fraction_bits);
            const double weight = of_radius / sums.sum_unit;
            EXPECT_NEAR(weight, std::round(weight), 1e-6);
            const double most = query.squared_weight() * norms.squared_edge(last);
            EXPECT_LE(std::pow(std::round(weight), 2), most);
            EXPECT_GT(std::pow(std::round(weight) + 1.0, 2), most);
            rounded += std::pow(std::round(weight), 2) < most ? 1 : 0;
        }
    }
    EXPECT_GT(rounded, 500U);
}

// d v^2 + m v = m, in 64ths of the root of v.
TEST(JointMoment, WeighsTheMeanByPublicFacts) {
    for (const std::size_t d : {1U, 5U, 20U, 60U, 1000U}) {
        for (const double m : {0.1, 0.5, 1.0}) {
            const double weight = detail::mean_weight(Neighbours::replace, d, m, Rho(1.0)) / 64.0;
            const auto excess = [&](double c) {
                return static_cast<double>(d) * std::pow(c, 4) + m * c * c - m;
            };
            EXPECT_LE(excess(weight - 0.5 / 64.0), 0.0) << d;
            EXPECT_GE(excess(weight + 0.5 / 64.0), 0.0) << d;
            EXPECT_EQ(detail::mean_weight(Neighbours::add_remove, d, m, Epsilon(1.0)),
                      detail::mean_weight(Neighbours::replace, d, m, Rho(1.0)));
        }
    }
    EXPECT_EQ(detail::mean_weight(Neighbours::add_remove, 16, 1.0, Rho(1.0)), 32U);
}

}  // namespace
}  // namespace dpcov::test
