// Attacks through what floating point gives away: grids, low-order bits, extreme rows, the order in
// which rows come, and sensitivities that rounding might exceed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "audit/neighbour_pairs.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/tables.hpp"
#include "mechanism/wishart_cov.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"

namespace dpcov::test {
namespace {

using audit::neighbour_pairs;
using audit::NeighbourPair;

// Methods that release their noisy matrix as it is in the paper's form.
constexpr std::array plain_methods = {"gauss", "laplace", "wishart", "clip-gauss"};

ReleaseOptions options_for(const Method& method, Variant variant) {
    ReleaseOptions options;
    options.variant = variant;
    if (method.needs_clip) options.clip = 0.5;
    return options;
}

bool is_power_of_two(std::size_t n) {
    return std::has_single_bit(n);
}

// --- Grids ---------------------------------------------------------------------------------------

// The grid is a number that d, n and the budget fix; on which every entry lies, whatever the rows.
// n is a power of two here, so that the division by n is exact.
TEST(PublicGrid, IsTheSameForAllTablesAndHoldsEveryEntry) {
    for (const char* name : plain_methods) {
        const Method& method = find_method(name);
        const ReleaseOptions options = options_for(method, Variant::paper);
        for (const std::size_t d : {1U, 2U, 5U}) {
            for (const NeighbourPair& pair : neighbour_pairs(d, Neighbours::replace)) {
                if (!is_power_of_two(pair.x.size() / d)) continue;
                double grid = 0.0;
                for (const Rows& rows : {pair.x, pair.y}) {
                    for (std::uint64_t seed = 0; seed < 10; ++seed) {
                        SeededRandomSource random(seed);
                        const Release release = detail::run_method(
                            method, moment_of(rows, d), budget_for(method, 0.5), options, random);
                        if (grid == 0.0) grid = release.grid;
                        EXPECT_EQ(release.grid, grid) << name << ", " << pair.name;
                        const Eigen::ArrayXXd steps = release.covariance.array() / grid;
                        EXPECT_TRUE((steps == steps.round()).all()) << name << ", " << pair.name;
                    }
                }
                EXPECT_GT(grid, 0.0);
            }
        }
    }
}

// --- Low-order bits
// --------------------------------------------------------------------------------

// In how many zero bits each entry's number of grid steps ends, 0 to 11 and more; entries that are
// zero are left out.
std::vector<std::uint64_t> trailing_zeros(const std::vector<Eigen::MatrixXd>& matrices,
                                          double grid) {
    std::vector<std::uint64_t> counts(12);
    for (const Eigen::MatrixXd& matrix : matrices) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            for (Eigen::Index i = 0; i <= j; ++i) {
                const double steps = std::fabs(matrix(i, j) / grid);
                if (steps == 0.0) continue;
                // Doubles hold 53 bits of the number: what is below shows as zeros, in a number
                // that depends on the size alone. So: of the bits that are held.
                int exponent = 0;
                const auto mantissa =
                    static_cast<std::uint64_t>(std::ldexp(std::frexp(steps, &exponent), 53));
                const int unheld = std::max(0, 53 - exponent);
                const int zeros = std::max(0, std::countr_zero(mantissa) - unheld);
                ++counts[static_cast<std::size_t>(std::min(zeros, 11))];
            }
        }
    }
    return counts;
}

std::vector<Eigen::MatrixXd> releases(const Method& method, const Rows& rows, std::size_t d,
                                      double& grid) {
    const detail::SecretMoment moment = moment_of(rows, d);
    SeededRandomSource random(7, rows.back() == 0.0 ? 0 : 1);
    std::vector<Eigen::MatrixXd> all;
    for (int run = 0; run < 2000; ++run) {
        Release release = detail::run_method(method, moment, budget_for(method, 0.5),
                                             options_for(method, Variant::paper), random);
        grid = release.grid;
        all.push_back(std::move(release.covariance));
    }
    return all;
}

// Against the geometric law 2^-(k+1) of fair bits.
double fair_bits_p_value(const std::vector<std::uint64_t>& counts) {
    std::vector<double> probabilities(counts.size());
    for (std::size_t k = 0; k + 1 < counts.size(); ++k) {
        probabilities[k] = std::exp2(-static_cast<double>(k) - 1.0);
    }
    probabilities.back() = std::exp2(-static_cast<double>(counts.size()) + 1.0);
    return chi_square_p_value(counts, probabilities);
}

// The last bits are fair coins on any table, so they tell no two apart. False alarm: 1e-6 each.
TEST(LowOrderBits, AreFairWhateverTheTable) {
    constexpr std::size_t d = 2;
    for (const char* name : plain_methods) {
        const Method& method = find_method(name);
        for (const Rows& rows :
             {Rows{0, 0, 0, 0}, Rows{0, 0, 1, 0}, Rows{0.1, 0.3, 0.7, -0.2}, Rows{1, 0, 0, 1}}) {
            double grid = 0.0;
            const std::vector<Eigen::MatrixXd> all = releases(method, rows, d, grid);
            EXPECT_GT(fair_bits_p_value(trailing_zeros(all, grid)), false_alarm) << name;
        }
    }
}

// Control: noise on a grid 16 times as coarse, added to data that is not on it, shows the data in
// the bits below.
TEST(LowOrderBits, TestSeesNoiseOnACoarserGrid) {
    constexpr std::size_t d = 2;
    double grid = 0.0;
    std::vector<Eigen::MatrixXd> all = releases(find_method("gauss"), {0, 0, 0, 0}, d, grid);
    for (Eigen::MatrixXd& noise : all) {
        noise = 16.0 * grid * (noise.array() / (16.0 * grid)).round().matrix();
        noise.array() += 3.0 * grid;
    }
    EXPECT_LT(fair_bits_p_value(trailing_zeros(all, grid)), false_alarm);
}

// --- Rows of every size
// ----------------------------------------------------------------------------

// Nothing a finite row can hold makes a release fail or be anything but finite numbers: the largest
// and the smallest doubles, subnormals, negative zero, sizes that overflow when squared.
TEST(ExtremeRows, GiveFiniteReleases) {
    using Limits = std::numeric_limits<double>;
    const std::vector<double> extremes = {0.0,
                                          -0.0,
                                          1.0,
                                          std::nextafter(1.0, 2.0),
                                          std::nextafter(0.5, 1.0),
                                          Limits::max(),
                                          Limits::lowest(),
                                          Limits::min(),
                                          Limits::denorm_min(),
                                          -Limits::denorm_min(),
                                          1e200,
                                          1e-200,
                                          0x1p-39,
                                          0x1p-40,
                                          0x1p-41};
    std::mt19937_64 generator(11);
    std::uniform_int_distribution<std::size_t> pick(0, extremes.size() - 1);
    for (const std::size_t d : {1U, 2U, 5U}) {
        for (int table = 0; table < 25; ++table) {
            Rows rows(4 * d);
            for (double& value : rows) value = extremes[pick(generator)];
            const detail::SecretMoment moment = moment_of(rows, d);
            for (const Method& method : methods()) {
                std::vector<Budget> budgets;
                if (method.zcdp) budgets.emplace_back(Rho(0.5));
                if (method.pure_dp) budgets.emplace_back(Epsilon(0.5));
                for (const Budget& budget : budgets) {
                    for (const Variant variant : {Variant::best, Variant::paper}) {
                        SeededRandomSource random(static_cast<std::uint64_t>(table));
                        const Release release = detail::run_method(
                            method, moment, budget, options_for(method, variant), random);
                        EXPECT_TRUE(release.covariance.allFinite()) << method.name << ", d = " << d;
                        EXPECT_EQ(release.covariance, release.covariance.transpose());
                    }
                }
            }
        }
    }
}

// --- The order of rows
// -----------------------------------------------------------------------------

// With the same noise, the same release bit by bit: for any order, any chunks, any threads.
TEST(RowOrder, DoesNotShow) {
    constexpr std::size_t d = 3;
    const Rows rows = sphere_rows(40, d, 1.0, 1) + sphere_rows(40, d, 0.01, 2);
    const MomentLayout layout = {.columns = d, .norm_bound = 1.0, .keep_directions = true};

    Rows permuted;
    for (std::size_t i = 0; i < 80; ++i) {  // 37 and 80 have no common divisor
        const auto row = rows.begin() + static_cast<std::ptrdiff_t>(37 * i % 80 * d);
        permuted.insert(permuted.end(), row, row + d);
    }
    detail::SecretMoment chunked(layout);
    for (std::size_t i = 0; i < rows.size(); i += 7 * d) {
        chunked.add(std::span(rows).subspan(i, std::min<std::size_t>(7 * d, rows.size() - i)));
    }
    detail::SecretMoment threaded(layout);
    threaded.add(rows, 3);
    const std::vector<detail::SecretMoment> ways = {moment_of(permuted, d), chunked, threaded};

    for (const Method& method : methods()) {
        for (const Variant variant : {Variant::best, Variant::paper}) {
            const auto release = [&](const detail::SecretMoment& moment) {
                SeededRandomSource random(5);
                return detail::run_method(method, moment, budget_for(method, 0.5),
                                          options_for(method, variant), random)
                    .covariance;
            };
            const Eigen::MatrixXd expected = release(moment_of(rows, d));
            for (const detail::SecretMoment& way : ways) {
                EXPECT_EQ(release(way), expected) << method.name;
            }
        }
    }
}

// --- Sensitivities
// -----------------------------------------------------------------------------------

// Distances between two integer Grams, in units of their sensitivities.
struct Distances {
    double frobenius = 0.0;
    double l1_wigner = 0.0;
    double l1_isotropic = 0.0;
    double nuclear = 0.0;
};

// The differences are exact integers below 2^66; what comes after errs by some 10^-15, which the
// comparison allows for.
Distances distances(const detail::PackedGram& a, const detail::PackedGram& b, std::size_t d) {
    const auto order = static_cast<Eigen::Index>(d);
    Eigen::MatrixXd moved(order, order);
    std::size_t next = 0;
    for (Eigen::Index j = 0; j < order; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i, ++next) {
            moved(i, j) = moved(j, i) = static_cast<double>(a[next] - b[next]);
        }
    }
    const double diagonal = moved.diagonal().lpNorm<1>();
    const double off_diagonal = 0.5 * (moved.lpNorm<1>() - diagonal);
    return {moved.norm() / detail::gram_sensitivity(Neighbours::replace, d),
            (diagonal + off_diagonal) /
                detail::gram_l1_sensitivity(Neighbours::replace, NoiseLaw::wigner, d),
            (diagonal + std::sqrt(2.0) * off_diagonal) /
                detail::gram_l1_sensitivity(Neighbours::replace, NoiseLaw::isotropic, d),
            spectrum(moved).lpNorm<1>() / detail::gram_nuclear_sensitivity(Neighbours::replace, d)};
}

void take_greatest(Distances& greatest, const Distances& found) {
    greatest.frobenius = std::max(greatest.frobenius, found.frobenius);
    greatest.l1_wigner = std::max(greatest.l1_wigner, found.l1_wigner);
    greatest.l1_isotropic = std::max(greatest.l1_isotropic, found.l1_isotropic);
    greatest.nuclear = std::max(greatest.nuclear, found.nuclear);
}

constexpr double rounding = 1e-13;

void expect_within_sensitivities(const Distances& greatest) {
    EXPECT_LE(greatest.frobenius, 1.0 + rounding);
    EXPECT_LE(greatest.l1_wigner, 1.0 + rounding);
    EXPECT_LE(greatest.l1_isotropic, 1.0 + rounding);
    EXPECT_LE(greatest.nuclear, 1.0 + rounding);
}

detail::PackedGram gram_of(const Rows& row, std::size_t d, int clip_exponent) {
    Rows table = {Rows(d, 0.25)};  // a second row, so that rounding has something to do
    table.insert(table.end(), row.begin(), row.end());
    return detail::clipped_gram(moment_of(table, d), clip_exponent);
}

// Every pair of rows from a small grid that has the strata's edges on it, and the doubles next to
// them. The search comes near the bounds that can be reached (control).
TEST(IntegerSensitivity, IsNotExceededOnATinyGrid) {
    constexpr std::size_t d = 2;
    const double edge = std::sqrt(0.5);
    const std::vector<double> values = {0.0,
                                        1e-9,
                                        0.25,
                                        0.5,
                                        std::nextafter(0.5, 1.0),
                                        edge,
                                        std::nextafter(edge, 1.0),
                                        1.0,
                                        std::nextafter(1.0, 2.0),
                                        3.0,
                                        -0.5,
                                        -edge,
                                        -1.0};
    for (const int clip_exponent : {0, 1, 3}) {
        std::vector<detail::PackedGram> grams;
        for (const double a : values) {
            for (const double b : values) grams.push_back(gram_of({a, b}, d, clip_exponent));
        }
        Distances greatest;
        for (const detail::PackedGram& a : grams) {
            for (const detail::PackedGram& b : grams) take_greatest(greatest, distances(a, b, d));
        }
        expect_within_sensitivities(greatest);
        EXPECT_GT(greatest.frobenius, 1.0 - 1e-6);
        EXPECT_GT(greatest.nuclear, 1.0 - 1e-6);
    }
}

// Random pairs near orthogonality and near the strata's edges, each the start of a walk that keeps
// what lengthens the distance.
TEST(IntegerSensitivity, IsNotExceededByASearch) {
    std::mt19937_64 generator(13);
    std::normal_distribution<double> normal;
    for (const std::size_t d : {1U, 3U, 6U}) {
        Distances greatest;
        for (int start = 0; start < 40; ++start) {
            Rows x(d);
            Rows y(d);
            for (double& value : x) value = normal(generator);
            for (double& value : y) value = normal(generator);
            double best = 0.0;
            for (int step = 0; step < 60; ++step) {
                Rows moved_x = x;
                Rows moved_y = y;
                for (double& value : moved_x) value += 0.1 * normal(generator);
                for (double& value : moved_y) value += 0.1 * normal(generator);
                const Distances found =
                    distances(gram_of(moved_x, d, 0), gram_of(moved_y, d, 0), d);
                take_greatest(greatest, found);
                if (found.frobenius + found.l1_isotropic > best) {
                    best = found.frobenius + found.l1_isotropic;
                    x = moved_x;
                    y = moved_y;
                }
            }
        }
        expect_within_sensitivities(greatest);
        EXPECT_GT(greatest.frobenius, d == 1 ? 0.5 : 0.9);
    }
}

}  // namespace
}  // namespace dpcov::test
