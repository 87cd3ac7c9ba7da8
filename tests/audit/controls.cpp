#include "audit/controls.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/second_moment.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/run_method.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/strata_draws.hpp"
#include "mechanism/wishart_cov.hpp"
#include "moment/secret_door.hpp"
#include "random/rounded_gaussian.hpp"
#include "random/wishart_noise.hpp"
#include "support/noisy_stratum.hpp"

namespace dpcov::test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Release released(MatrixXd covariance, double grid = 0.0) {
    Release release;
    release.covariance = std::move(covariance);
    release.grid = grid;
    return release;
}

Release released(detail::NoisyMatrix noisy) {
    return released(std::move(noisy.matrix), noisy.grid);
}

/// A covariance in plain doubles, as exact as they are.
MatrixXd exact_covariance(const detail::SecretMoment& secret, int clip_exponent = 0) {
    return detail::symmetric_matrix(
        detail::clipped_gram(secret, clip_exponent), secret.layout().columns,
        detail::lattice_unit(secret, clip_exponent) / static_cast<double>(secret.rows()));
}

/// Without the rows at the origin, which no projection onto the sphere can place.
std::vector<double> without_zero_rows(std::vector<double> rows, std::size_t d) {
    std::vector<double> kept;
    for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(d)) {
        const auto end = row + static_cast<std::ptrdiff_t>(d);
        if (std::any_of(row, end, [](double value) { return value != 0.0; })) {
            kept.insert(kept.end(), row, end);
        }
    }
    return kept;
}

/// Whole pairs of rows: the last row of an odd number is left out. A row more changes which are in
/// by two.
std::vector<double> whole_pairs(std::vector<double> rows, std::size_t d) {
    rows.resize(rows.size() / (2 * d) * (2 * d));
    return rows;
}

/// N(0, 1), in doubles.
double normal(RandomSource& random) {
    return std::ldexp(static_cast<double>(lazy_normal(random).floor), -LazyNormal::fraction_bits);
}

/// Uniform on (0, 1), in doubles.
double uniform(RandomSource& random) {
    return (static_cast<double>(random.next_word() >> 11) + 0.5) * 0x1p-53;
}

/// Symmetric, the upper triangle filled entry by entry.
template <class Entry>
MatrixXd symmetric_of(Index d, Entry entry) {
    MatrixXd matrix(d, d);
    for (Index j = 0; j < d; ++j) {
        for (Index i = 0; i <= j; ++i) {
            matrix(i, j) = matrix(j, i) = entry(i, j);
        }
    }
    return matrix;
}

Rho rho_of_budget(const Budget& budget) {
    return std::get<Rho>(budget);
}

Epsilon epsilon_of_budget(const Budget& budget) {
    return std::get<Epsilon>(budget);
}

/// What a mechanism has to be given, for noise of `factor` times the scale that it should have.
Budget for_noise_scaled(const Budget& budget, double factor) {
    if (const Rho* rho = std::get_if<Rho>(&budget)) {
        return Rho(rho->value() / (factor * factor));
    }
    return Epsilon(epsilon_of_budget(budget).value() / factor);
}

// GaussCov, or LapCov under pure DP: honest.
Release noisy_matrix(const detail::SecretMoment& secret, const Budget& budget,
                     const ReleaseOptions&, RandomSource& random) {
    return std::visit(
        [&](auto value) {
            return released(detail::noisy_second_moment(detail::counted_openly(secret), 0, value,
                                                        NoiseLaw::isotropic, random));
        },
        budget);
}

// The sensitivity taken to be B^2 / n.
Release sensitivity_without_root_two(const detail::SecretMoment& secret, const Budget& budget,
                                     const ReleaseOptions&, RandomSource& random) {
    detail::PackedGram entries = detail::clipped_gram(secret, 0);
    const std::size_t d = secret.layout().columns;
    const double deviation = detail::gaussian_deviation(
        detail::gram_sensitivity(Neighbours::replace, d) / std::sqrt(2.0), rho_of_budget(budget));
    add_symmetric_gaussian(random, entries, symmetric_noise(NoiseLaw::isotropic, deviation));
    return released(detail::symmetric_matrix(
        entries, d, detail::lattice_unit(secret, 0) / static_cast<double>(secret.rows())));
}

Release diagonal_without_noise(const detail::SecretMoment& secret, const Budget& budget,
                               const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_matrix(secret, budget, options, random);
    release.covariance.diagonal() = exact_covariance(secret).diagonal();
    return release;
}

// Rows clipped to half the bound for the sensitivity, and not clipped in what is released.
Release unclipped_after_all(const detail::SecretMoment& secret, const Budget& budget,
                            const ReleaseOptions&, RandomSource& random) {
    detail::NoisyMatrix noisy = detail::noisy_second_moment(
        detail::counted_openly(secret), 1, rho_of_budget(budget), NoiseLaw::isotropic, random);
    noisy.matrix += exact_covariance(secret, 0) - exact_covariance(secret, 1);
    return released(std::move(noisy));
}

// GaussCov of the rows that are left, of which there may be none, with their number as public.
Release matrix_of_what_is_left(const detail::SecretMoment& secret, const Budget& budget,
                               const ReleaseOptions&, RandomSource& random) {
    const double rows = std::max(1.0, static_cast<double>(secret.rows()));
    const detail::CountedMoment moment{
        secret, Neighbours::replace, {.value = rows, .deviation = 0.0, .at_most = rows}};
    Release release = released(
        detail::noisy_second_moment(moment, 0, rho_of_budget(budget), NoiseLaw::isotropic, random));
    release.rows = secret.rows();
    return release;
}

// GaussCov for a norm bound that the caller names, of 1 or 0. A bound of 0 is one that was not
// given, to what clips; to the noise it is a number, and times it the sensitivity is 0. Honest for
// 1, which the rows are clipped to already.
Release matrix_for_bound(const detail::SecretMoment& secret, const Budget& budget,
                         RandomSource& random, double bound) {
    const std::size_t d = secret.layout().columns;
    detail::PackedGram entries = detail::clipped_gram(secret, 0);
    const double sensitivity = detail::gram_sensitivity(Neighbours::replace, d) * bound * bound;
    if (sensitivity > 0.0) {
        const double deviation = detail::gaussian_deviation(sensitivity, rho_of_budget(budget));
        add_symmetric_gaussian(random, entries, symmetric_noise(NoiseLaw::isotropic, deviation));
    }
    return released(detail::symmetric_matrix(
        entries, d, detail::lattice_unit(secret, 0) / static_cast<double>(secret.rows())));
}

Release matrix_for_bound_of_one(const detail::SecretMoment& secret, const Budget& budget,
                                const ReleaseOptions&, RandomSource& random) {
    return matrix_for_bound(secret, budget, random, 1.0);
}

Release matrix_for_bound_of_zero(const detail::SecretMoment& secret, const Budget& budget,
                                 const ReleaseOptions&, RandomSource& random) {
    return matrix_for_bound(secret, budget, random, 0.0);
}

// WishartCov with the sensitivity for a row that is added or removed: one row's weight, not two.
Release noise_for_other_neighbours(const detail::SecretMoment& secret, const Budget& budget,
                                   const ReleaseOptions&, RandomSource& random) {
    const Epsilon doubled(2.0 * epsilon_of_budget(budget).value());
    return released(detail::wishart_covariance(detail::counted_openly(secret), 0, doubled, random));
}

// Two releases with the whole budget each, averaged.
Release budget_spent_twice(const detail::SecretMoment& secret, const Budget& budget,
                           const ReleaseOptions& options, RandomSource& random) {
    const MatrixXd first = noisy_matrix(secret, budget, options, random).covariance;
    return released(0.5 * (first + noisy_matrix(secret, budget, options, random).covariance));
}

// EMCov's first eigenvector, accepted with exp(-weight u^T A u) (u^T Omega u)^(power d / 2) over
// its greatest value, A = c (l_max I - G), Omega = I + 2 A / b. Honest for weight = power = 1.
Release bingham_vector(const detail::SecretMoment& secret, const Budget& budget,
                       RandomSource& random, double weight, double power) {
    const auto rows = static_cast<double>(secret.rows());
    const auto eigen = detail::eigen_decomposition(exact_covariance(secret) * rows);
    // epsilon / 2, for a range of 2 in units of a full row.
    const double concentration = 0.5 * epsilon_of_budget(budget).value();
    const VectorXd a = concentration * (eigen.values.maxCoeff() - eigen.values.array());
    const auto d = static_cast<double>(a.size());
    double low = 1.0;
    double high = d;
    for (int step = 0; step < 40; ++step) {  // sum of 1 / (b + 2 a_i) = 1
        const double middle = 0.5 * (low + high);
        ((2.0 * a.array() + middle).inverse().sum() > 1.0 ? low : high) = middle;
    }
    const VectorXd omega = 1.0 + 2.0 * a.array() / high;
    // The logarithm of the ratio, of s = u^T Omega u from 1 on: u^T A u = b (s - 1) / 2.
    const auto log_ratio = [=](double s) {
        return -weight * 0.5 * high * (s - 1.0) + power * 0.5 * d * std::log(s);
    };
    const double peak = std::clamp(power * d / (weight * high), 1.0, omega.maxCoeff());
    while (true) {
        VectorXd u = omega.cwiseSqrt().cwiseInverse();
        for (double& coordinate : u) {
            coordinate *= normal(random);
        }
        u.normalize();
        const double s = u.cwiseAbs2().dot(omega);
        if (std::log(uniform(random)) < log_ratio(s) - log_ratio(peak)) {
            const VectorXd direction = eigen.vectors * u;
            return released(direction * direction.transpose());
        }
    }
}

Release bingham_honest(const detail::SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions&, RandomSource& random) {
    return bingham_vector(secret, budget, random, 1.0, 1.0);
}

// The second factor upside down, as in two well-known libraries.
Release bingham_inverted(const detail::SecretMoment& secret, const Budget& budget,
                         const ReleaseOptions&, RandomSource& random) {
    return bingham_vector(secret, budget, random, 1.0, -1.0);
}

// The factor of a half between Omega and the exponent upside down: exp(-2 u^T A u).
Release bingham_without_half(const detail::SecretMoment& secret, const Budget& budget,
                             const ReleaseOptions&, RandomSource& random) {
    return bingham_vector(secret, budget, random, 2.0, 1.0);
}

// Wishart noise P alone (Jiang, Xie, Zhang 2016), with the scale of WishartCov.
Release wishart_of_one_side(const detail::SecretMoment& secret, const Budget& budget,
                            const ReleaseOptions&, RandomSource& random) {
    const auto d = static_cast<Index>(secret.layout().columns);
    const double scale =
        1.0 / (epsilon_of_budget(budget).value() * static_cast<double>(secret.rows()));
    MatrixXd factor(d, d + 1);
    for (double& entry : factor.reshaped()) {
        entry = normal(random);
    }
    return released(exact_covariance(secret) + scale * factor * factor.transpose());
}

// Laplace noise of the right size, in single precision, added in doubles (Mironov 2012).
Release noise_in_floating_point(const detail::SecretMoment& secret, const Budget& budget,
                                const ReleaseOptions&, RandomSource& random) {
    const std::size_t d = secret.layout().columns;
    const double scale = detail::gram_l1_sensitivity(Neighbours::replace, NoiseLaw::wigner, d) /
                         detail::full_weight /
                         (epsilon_of_budget(budget).value() * static_cast<double>(secret.rows()));
    const MatrixXd exact = exact_covariance(secret);
    return released(symmetric_of(exact.rows(), [&](Index i, Index j) {
        const double sign = (random.next_word() & 1U) == 0 ? 1.0 : -1.0;
        const auto noise = static_cast<float>(-sign * scale * std::log(uniform(random)));
        return exact(i, j) + static_cast<double>(noise);
    }));
}

// Noise for the greatest norm in the table, which nobody has hidden.
Release bound_from_the_data(const detail::SecretMoment& secret, const Budget& budget,
                            const ReleaseOptions&, RandomSource& random) {
    int coarsest = 0;
    while (coarsest + 1 < detail::NormBins::octaves && secret.rows_in_octave(coarsest) == 0) {
        ++coarsest;
    }
    detail::NoisyMatrix noisy =
        detail::noisy_second_moment(detail::counted_openly(secret), coarsest, rho_of_budget(budget),
                                    NoiseLaw::isotropic, random);
    return released(std::move(noisy.matrix));  // whose grid would tell at once
}

// The stratum of all rows, where noise is for the bin that they reach up to; which bin that is,
// nobody has hidden.
Release strata_of_the_exact_histogram(const detail::SecretMoment& secret, const Budget& budget,
                                      const ReleaseOptions&, RandomSource& random) {
    std::size_t coarsest = secret.norm_bins().size() - 1;
    while (coarsest > 0 && secret.bin(coarsest).rows == 0) {
        --coarsest;
    }
    detail::NoisyMatrix noisy =
        noisy_stratum(detail::counted_openly(secret), {0, coarsest}, rho_of_budget(budget), random);
    return released(std::move(noisy.matrix));  // whose grid would tell at once
}

// The coarsest octave as a stratum: honest.
Release noisy_octave(const detail::SecretMoment& secret, const Budget& budget,
                     const ReleaseOptions&, RandomSource& random) {
    return released(noisy_stratum(detail::counted_openly(secret), secret.norm_bins().of_octave(0),
                                  rho_of_budget(budget), random));
}

// The same with the noise of the radius of its finest bin, which most of its rows are longer than.
Release radius_of_the_finest_bin(const detail::SecretMoment& secret, const Budget& budget,
                                 const ReleaseOptions& options, RandomSource& random) {
    const detail::NormBins& norms = secret.norm_bins();
    const auto [finest, coarsest] = norms.of_octave(0);
    const double factor = norms.squared_edge(finest) / norms.squared_edge(coarsest);
    return noisy_octave(secret, for_noise_scaled(budget, factor), options, random);
}

// The sum of two strata, of which the coarsest half octave is one.
Release sum_of_two_strata(const detail::SecretMoment& secret, const Budget& budget,
                          RandomSource& random, bool whole_in_both) {
    const detail::NormBins& norms = secret.norm_bins();
    const std::size_t top = norms.size() - 1;
    const std::size_t cut = top - static_cast<std::size_t>(norms.per_octave() / 2);
    std::vector<detail::StratumRows> strata = {detail::whole_rows({{0, cut}}),
                                               detail::whole_rows({{cut + 1, top}})};
    if (whole_in_both) {
        // The noise stays that of the first one's own radius.
        for (std::size_t bin = cut + 1; bin <= top; ++bin) {
            strata[0].partial.push_back({bin, detail::whole_row});
        }
    } else {
        strata = detail::with_extended(norms, strata, 0, NoiseShape::gaussian);
    }
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(secret.layout().columns),
                                                static_cast<Eigen::Index>(secret.layout().columns));
    for (const detail::StratumRows& stratum : strata) {
        sum += detail::noisy_sums(secret, Neighbours::replace, stratum, {}, rho_of_budget(budget),
                                  random)
                   .matrix_over(static_cast<double>(secret.rows()))
                   .matrix;
    }
    return released(std::move(sum));
}

// Rows of the coarser one count in part in the other: honest.
Release rows_in_part(const detail::SecretMoment& secret, const Budget& budget,
                     const ReleaseOptions&, RandomSource& random) {
    return sum_of_two_strata(secret, budget, random, false);
}

// They count in the other in whole.
Release rows_in_whole_in_two_strata(const detail::SecretMoment& secret, const Budget& budget,
                                    const ReleaseOptions&, RandomSource& random) {
    return sum_of_two_strata(secret, budget, random, true);
}

// The numbers of rows in the finest bin, where zero rows are, and in the coarsest: honest.
Release noisy_norms(const detail::SecretMoment& secret, const Budget& budget, const ReleaseOptions&,
                    RandomSource& random) {
    const NoisyHistogram histogram =
        detail::noisy_histogram(secret, Neighbours::replace, rho_of_budget(budget), random);
    return released(VectorXd{{histogram.counts.front(), histogram.counts.back()}}.asDiagonal());
}

// Half the budget on the matrix, half on its trace, both with the same stretch of the stream.
Release same_stream_twice(const detail::SecretMoment& secret, const Budget& budget,
                          const ReleaseOptions&, RandomSource& random) {
    const std::uint64_t seed = random.next_word();
    const Rho half = rho_of_budget(budget).share(1, 1);
    SeededRandomSource first(seed);
    Release release = released(detail::noisy_second_moment(detail::counted_openly(secret), 0, half,
                                                           NoiseLaw::isotropic, first));
    SeededRandomSource second(seed);
    const double deviation = detail::gaussian_deviation(detail::full_weight + 2.0, half);
    const Int128 trace =
        add_gaussian(second, detail::clipped_trace(secret, 0), gaussian_noise(deviation));
    release.threshold = static_cast<double>(trace) * detail::lattice_unit(secret, 0);
    return release;
}

// The estimated error is the error.
Release estimated_error_from_the_data(const detail::SecretMoment& secret, const Budget& budget,
                                      const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_matrix(secret, budget, options, random);
    release.estimated_frobenius_error = (release.covariance - exact_covariance(secret)).norm();
    return release;
}

// How near the rows are to the norm bound, as a warning needs it, from the rows.
Release share_of_norm_bound_from_the_data(const detail::SecretMoment& secret, const Budget& budget,
                                          const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_matrix(secret, budget, options, random);
    release.share_of_norm_bound = exact_covariance(secret).trace();
    return release;
}

// The mean beside a noisy matrix, as if the matrix had paid for it.
Release mean_without_noise(const detail::SecretMoment& secret, const Budget& budget,
                           const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_matrix(secret, budget, options, random);
    VectorXd mean(release.covariance.cols());
    const detail::ExactSums sum = detail::row_sum(secret);
    std::transform(sum.begin(), sum.end(), mean.begin(), [&](Int128 entry) {
        return std::ldexp(static_cast<double>(entry), -44) / static_cast<double>(secret.rows());
    });
    release.mean = mean;
    return release;
}

// Laplace noise, drawn again until no entry is beyond one and a half scales: "nobody likes
// outliers".
Release noise_cut_off(const detail::SecretMoment& secret, const Budget& budget,
                      const ReleaseOptions&, RandomSource& random) {
    const MatrixXd exact = exact_covariance(secret);
    while (true) {
        detail::NoisyMatrix noisy =
            detail::noisy_second_moment(detail::counted_openly(secret), 0,
                                        epsilon_of_budget(budget), NoiseLaw::isotropic, random);
        if ((noisy.matrix - exact).cwiseAbs().maxCoeff() < 1.5 * noisy.deviation / std::sqrt(2.0)) {
            return released(std::move(noisy));
        }
    }
}

// For one row more or less: a sum with noise for rho_sum over a number of rows with noise for
// rho_rows. Honest where the two add up to rho.
Release sums_over_count(const detail::SecretMoment& secret, Rho rho_sum, Rho rho_rows,
                        RandomSource& random) {
    const Int128 noisy_rows = add_gaussian(
        random, Int128{secret.rows()}, gaussian_noise(detail::gaussian_deviation(1.0, rho_rows)));
    const double rows = std::max(1.0, static_cast<double>(noisy_rows));
    const detail::CountedMoment moment{
        secret, Neighbours::add_remove, {.value = rows, .deviation = 0.0, .at_most = rows}};
    Release release =
        released(detail::noisy_second_moment(moment, 0, rho_sum, NoiseLaw::isotropic, random));
    release.neighbours = Neighbours::add_remove;
    release.noisy_rows = static_cast<std::uint64_t>(rows);
    return release;
}

// Half the budget on the sum, half on the number of rows: honest.
Release noisy_sums(const detail::SecretMoment& secret, const Budget& budget, const ReleaseOptions&,
                   RandomSource& random) {
    const Rho half = rho_of_budget(budget).share(1, 1);
    return sums_over_count(secret, half, half, random);
}

// The matrix divided by n itself; the noisy number of rows stands beside it.
Release divided_by_the_number_of_rows(const detail::SecretMoment& secret, const Budget& budget,
                                      const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_sums(secret, budget, options, random);
    release.covariance *= static_cast<double>(*release.noisy_rows) /
                          std::max(1.0, static_cast<double>(secret.rows()));
    return release;
}

// The noisy number of rows is divided by, and the one without noise is in the record.
Release number_of_rows_in_the_record(const detail::SecretMoment& secret, const Budget& budget,
                                     const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_sums(secret, budget, options, random);
    release.rows = secret.rows();
    return release;
}

// All of the budget on the sum, and again on the number of rows.
Release number_of_rows_for_nothing(const detail::SecretMoment& secret, const Budget& budget,
                                   const ReleaseOptions&, RandomSource& random) {
    return sums_over_count(secret, rho_of_budget(budget), rho_of_budget(budget), random);
}

// An estimated error that takes the number of rows as it is.
Release estimated_error_from_the_number_of_rows(const detail::SecretMoment& secret,
                                                const Budget& budget, const ReleaseOptions& options,
                                                RandomSource& random) {
    Release release = noisy_sums(secret, budget, options, random);
    release.estimated_frobenius_error = 1.0 / (1.0 + static_cast<double>(secret.rows()));
    return release;
}

// A mechanism for a public number of rows, which takes it from tables that differ in it: both the
// mean and the scale of its noise are over n.
Release gauss_for_a_public_number(const detail::SecretMoment& secret, const Budget& budget,
                                  const ReleaseOptions& options, RandomSource& random) {
    Release release = noisy_matrix(secret, budget, options, random);
    release.neighbours = Neighbours::add_remove;
    return release;
}

// The coarsest octave's second moment with the sum of the rows beside it, at full weight: honest.
Release matrix_and_mean(const detail::SecretMoment& secret, const Budget& budget,
                        const ReleaseOptions&, RandomSource& random) {
    const detail::BinRange octave = secret.norm_bins().of_octave(0);
    const NoisyMoment noisy =
        detail::noisy_sums(secret, Neighbours::replace, detail::whole_rows({octave}),
                           {.mean_weight = 64}, rho_of_budget(budget), random)
            .take_moment_over(static_cast<double>(secret.rows()), 1.0);
    Release release = released(noisy.second_moment);
    release.mean = noisy.mean;
    return release;
}

// The same with the sensitivity of the second moment alone: sqrt(2) for sqrt(2) (1 + c^2).
Release sum_for_nothing(const detail::SecretMoment& secret, const Budget& budget,
                        const ReleaseOptions& options, RandomSource& random) {
    return matrix_and_mean(secret, for_noise_scaled(budget, 0.5), options, random);
}

// For one row more or less: the coarsest octave's second moment, and sum(1 - unit t) beside it,
// for free. Honest for a unit of 1, in which t is at most 1.
Release count_beside_trace(const detail::SecretMoment& secret, const Budget& budget,
                           RandomSource& random, double unit) {
    const detail::BinRange octave = secret.norm_bins().of_octave(0);
    const detail::NoisySums sums =
        detail::noisy_sums(secret, Neighbours::add_remove, detail::whole_rows({octave}),
                           {.counts = true}, rho_of_budget(budget), random);
    const auto exact = static_cast<double>(detail::trace_of(secret, detail::whole_rows({octave}))) /
                       detail::full_weight;
    Release release = released(sums.matrix_over(1.0));
    release.neighbours = Neighbours::add_remove;
    release.noisy_rows = 1;
    release.threshold = sums.rows - release.covariance.trace() - (unit - 1.0) * exact;
    return release;
}

Release count_beside_its_trace(const detail::SecretMoment& secret, const Budget& budget,
                               const ReleaseOptions&, RandomSource& random) {
    return count_beside_trace(secret, budget, random, 1.0);
}

// With t in units of the next finer octave.
Release count_beside_trace_in_another_unit(const detail::SecretMoment& secret, const Budget& budget,
                                           const ReleaseOptions&, RandomSource& random) {
    return count_beside_trace(secret, budget, random, 4.0);
}

// The honest mechanism with all that it drew.
Release gauss_with_statistics(const detail::SecretMoment& secret, const Budget& budget,
                              const ReleaseOptions& options, RandomSource& random) {
    return detail::run_method(find_method("gauss"), secret, budget, options, random);
}

// What is released is private, what is kept is not.
Release gauss_with_clearer_statistics(const detail::SecretMoment& secret, const Budget& budget,
                                      const ReleaseOptions& options, RandomSource& random) {
    Release release = gauss_with_statistics(secret, budget, options, random);
    release.statistics =
        gauss_with_statistics(secret, for_noise_scaled(budget, 0.5), options, random).statistics;
    return release;
}

// Tables in whose columns, bounded by [-1, 1], many rows are public: a rough mean is worth having.
class BoundedTable {
public:
    BoundedTable(std::vector<double> rows, std::size_t d)
        : rows_(std::move(rows)), d_(d), about_midpoints_(layout({})) {
        constexpr std::size_t public_rows = 62;
        rows_.insert(rows_.end(), public_rows * d, 0.75);
        add_to(about_midpoints_);
    }

    [[nodiscard]] const SecondMoment& about_midpoints() const { return about_midpoints_; }
    [[nodiscard]] SecondMoment about(std::vector<double> origin,
                                     std::vector<double> stretch = {}) const {
        SecondMoment moment(layout(std::move(origin), std::move(stretch)));
        add_to(moment);
        return moment;
    }
    void add_to(SecondMoment& moment) const { moment.add_row_major(rows_); }

    [[nodiscard]] std::vector<double> mean() const {
        std::vector<double> mean(d_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            mean[i % d_] += std::clamp(rows_[i], -1.0, 1.0) * static_cast<double>(d_) /
                            static_cast<double>(rows_.size());
        }
        return mean;
    }
    // Over the roots of the deviations about some point.
    [[nodiscard]] std::vector<double> stretch(const std::vector<double>& origin) const {
        std::vector<double> stretch(d_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            stretch[i % d_] += std::pow(std::clamp(rows_[i], -1.0, 1.0) - origin[i % d_], 2) *
                               static_cast<double>(d_) / static_cast<double>(rows_.size());
        }
        for (double& factor : stretch) {
            factor = std::pow(std::fmax(factor, 0x1p-10), -0.25);
        }
        return stretch;
    }

private:
    [[nodiscard]] MomentLayout layout(std::vector<double> origin,
                                      std::vector<double> stretch = {}) const {
        const Column column{.bounds = ColumnBounds{.lower = -1.0, .upper = 1.0}};
        return {.columns = d_,
                .schema = Schema(d_, column),
                .origin = std::move(origin),
                .stretch = std::move(stretch)};
    }

    std::vector<double> rows_;
    std::size_t d_;
    SecondMoment about_midpoints_;
};

using RunOnTable = Release (*)(const BoundedTable&, const Budget&, const ReleaseOptions&,
                               RandomSource&);

Release centred_strata(const SecondMoment& moment, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    return detail::run_method(find_method("stratified"), *detail::SecretDoor::open(moment), budget,
                              options, random);
}

Release strata_in_two_passes(const BoundedTable& table, const Budget& budget,
                             const ReleaseOptions& options, RandomSource& random) {
    ReleaseOptions twice = options;
    twice.center = true;
    twice.read_again = [&table](SecondMoment& again) { table.add_to(again); };
    return centred_strata(table.about_midpoints(), budget, twice, random);
}

// The second pass alone.
Release strata_about_the_mean_as_it_is(const BoundedTable& table, const Budget& budget,
                                       const ReleaseOptions& options, RandomSource& random) {
    ReleaseOptions centred = options;
    centred.center = true;
    return centred_strata(table.about(table.mean()), budget, centred, random);
}

// The same about a public point, in the units that the table has.
Release strata_stretched_by_deviations_as_they_are(const BoundedTable& table, const Budget& budget,
                                                   const ReleaseOptions& options,
                                                   RandomSource& random) {
    ReleaseOptions centred = options;
    centred.center = true;
    const std::vector<double> origin(table.mean().size(), 0.75);
    return centred_strata(table.about(origin, table.stretch(origin)), budget, centred, random);
}

// The table that was prepared last is the one that is released.
audit::Suspect on_bounded_tables(RunOnTable run) {
    const auto table = std::make_shared<std::optional<BoundedTable>>();
    audit::Suspect suspect("control",
                           [table, run](const detail::SecretMoment&, const Budget& budget,
                                        const ReleaseOptions& options, RandomSource& random) {
                               return run(**table, budget, options, random);
                           });
    suspect.prepare = [table](std::vector<double> rows, std::size_t d) {
        table->emplace(rows, d);
        return rows;
    };
    return suspect;
}

using Run = Release (*)(const detail::SecretMoment&, const Budget&, const ReleaseOptions&,
                        RandomSource&);

audit::Suspect broken(Run run) {
    return {"control", run};
}

audit::Suspect broken(Run run, audit::Suspect::Prepare prepare) {
    audit::Suspect suspect = broken(run);
    suspect.prepare = std::move(prepare);
    return suspect;
}

audit::Suspect with_noise_scaled(Run honest, double factor) {
    return {"control", [honest, factor](const detail::SecretMoment& secret, const Budget& budget,
                                        const ReleaseOptions& options, RandomSource& random) {
                return honest(secret, for_noise_scaled(budget, factor), options, random);
            }};
}

}  // namespace

audit::Suspect matrix_with_noise_scaled(double factor) {
    return with_noise_scaled(&noisy_matrix, factor);
}

audit::Suspect matrix_with_rho_of_the_curve_scaled(double factor) {
    audit::Suspect suspect = matrix_with_noise_scaled(1.0 / std::sqrt(factor));
    suspect.curve = [](Variant) { return Curve::gaussian; };
    return suspect;
}

audit::Suspect sums_with_noise_scaled(double factor) {
    return with_noise_scaled(&noisy_sums, factor);
}

audit::Suspect stratum_with_noise_scaled(double factor) {
    return with_noise_scaled(&noisy_octave, factor);
}

audit::Suspect joint_moment_with_noise_scaled(double factor) {
    return with_noise_scaled(&matrix_and_mean, factor);
}

audit::Suspect count_with_noise_scaled(double factor) {
    return with_noise_scaled(&count_beside_its_trace, factor);
}

audit::Suspect norms_with_noise_scaled(double factor) {
    return with_noise_scaled(&noisy_norms, factor);
}

audit::Suspect statistics_kept() {
    return broken(&gauss_with_statistics);
}

audit::Suspect matrix_with_a_bound_of_one() {
    return broken(&matrix_for_bound_of_one);
}

audit::Suspect sums_without_zero_rows() {
    return broken(&noisy_sums, &without_zero_rows);
}

audit::Suspect matrix_of_whole_pairs() {
    return broken(&matrix_of_what_is_left, &whole_pairs);
}

audit::Suspect with_rows_in_part() {
    return broken(&rows_in_part);
}

audit::Suspect in_two_passes() {
    return on_bounded_tables(&strata_in_two_passes);
}

audit::Suspect bingham_without_mistake() {
    return broken(&bingham_honest);
}

const std::vector<Control>& controls() {
    static const std::vector<Control> all = {
        {"half the noise", matrix_with_noise_scaled(0.5), Rho(1.0), 2, 2000},
        {"sqrt(2) left out of the sensitivity", broken(&sensitivity_without_root_two), Rho(1.0), 2,
         16000},
        {"no noise on the diagonal", broken(&diagonal_without_noise), Rho(1.0), 2, 500},
        {"clipped for the sensitivity, unclipped in the release", broken(&unclipped_after_all),
         Rho(1.0), 2, 1000},
        {"a bound of 0 and so no noise", broken(&matrix_for_bound_of_zero), Rho(0.5), 2, 500},
        {"rows at the origin dropped, then counted",
         broken(&matrix_of_what_is_left, &without_zero_rows), Rho(0.5), 2, 500},
        {"noise for the other kind of neighbours", broken(&noise_for_other_neighbours),
         Epsilon(1.0), 1, 4000},
        {"the budget spent twice", broken(&budget_spent_twice), Rho(1.0), 2, 16000},
        {"Bingham acceptance inverted", broken(&bingham_inverted), Epsilon(2.0), 2, 4000},
        {"Bingham exponent's half inverted", broken(&bingham_without_half), Epsilon(2.0), 2, 16000},
        {"Wishart noise of one side", broken(&wishart_of_one_side), Epsilon(1.0), 2, 1000},
        {"noise in floating point", broken(&noise_in_floating_point), Epsilon(1.0), 2, 500},
        {"norm bound from the data", broken(&bound_from_the_data), Rho(0.5), 2, 500},
        {"strata from the histogram without its noise", broken(&strata_of_the_exact_histogram),
         Rho(0.5), 2, 500},
        {"a stratum's radius below its longest row", broken(&radius_of_the_finest_bin), Rho(1.0), 2,
         500},
        {"rows in two strata in whole", broken(&rows_in_whole_in_two_strata), Rho(1.0), 2, 2000},
        {"a row counted in one bin where it leaves another",
         norms_with_noise_scaled(std::sqrt(0.5)), Rho(1.0), 2, 16000},
        {"the same stream of noise twice", broken(&same_stream_twice), Rho(0.5), 2, 500},
        {"estimated error from the data", broken(&estimated_error_from_the_data), Rho(0.5), 1,
         2000},
        {"share of the norm bound from the data", broken(&share_of_norm_bound_from_the_data),
         Rho(0.5), 2, 500},
        {"mean without noise", broken(&mean_without_noise), Rho(0.5), 2, 500},
        {"noise cut off in the tails", broken(&noise_cut_off), Epsilon(0.5), 1, 2000},
        {"divided by the private number of rows", broken(&divided_by_the_number_of_rows), Rho(0.5),
         2, 1000, Neighbours::add_remove},
        {"the private number of rows in the record", broken(&number_of_rows_in_the_record),
         Rho(0.5), 2, 500, Neighbours::add_remove},
        {"the number of rows for nothing", broken(&number_of_rows_for_nothing), Rho(1.0), 1, 16000,
         Neighbours::add_remove},
        {"the odd row left out, so that two differ", broken(&noisy_sums, &whole_pairs), Rho(1.0), 2,
         4000, Neighbours::add_remove},
        {"estimated error from the private number of rows",
         broken(&estimated_error_from_the_number_of_rows), Rho(0.5), 2, 500,
         Neighbours::add_remove},
        {"a mechanism for a public number of rows", broken(&gauss_for_a_public_number), Rho(0.5), 2,
         500, Neighbours::add_remove},
        {"the sum of the rows for nothing", broken(&sum_for_nothing), Rho(1.0), 2, 2000},
        {"rows counted beside a trace in another unit", broken(&count_beside_trace_in_another_unit),
         Rho(1.0), 2, 1000, Neighbours::add_remove},
        {"statistics kept with half the noise", broken(&gauss_with_clearer_statistics), Rho(1.0), 2,
         2000, Neighbours::replace, true},
        {"rows moved by their mean as it is", on_bounded_tables(&strata_about_the_mean_as_it_is),
         Rho(1.0), 2, 500},
        {"columns stretched by their deviations as they are",
         on_bounded_tables(&strata_stretched_by_deviations_as_they_are), Rho(1.0), 2, 500},
        // A large delta, where many runs tell what the curve gives away.
        {"1.3 times the rho of the Gaussian curve", matrix_with_rho_of_the_curve_scaled(1.3),
         ApproximateDp{Epsilon(1.0), Delta(0.7)}, 2, 16000},
    };
    return all;
}

}  // namespace dpcov::test
