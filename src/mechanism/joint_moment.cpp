#include "mechanism/joint_moment.hpp"

#include <cmath>
#include <iterator>
#include <utility>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/row_grid.hpp"
#include "dpcov/error.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/budget_cut.hpp"
#include "random/rounded_gaussian.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {
namespace {

// SECRET. What noise is added to, in lattice units of which a row of the stratum's radius has
// `full`.
struct JointIntegers {
    PackedGram gram;
    ExactSums sum;  // times weight, which is c but for what an integer is rounded down by
    Int128 parts_of_rows = 0;
    Int128 trace = 0;
    double full = 0.0;
    double weight = 0.0;       // integer
    double radius_unit = 0.0;  // an integer of a row, in units of the input
};

// The greatest integer of which the square is at most c^2 `squared_edge`.
double integer_weight(const JointQuery& query, double squared_edge) {
    const double square = query.squared_weight() * squared_edge;
    double weight = std::floor(std::sqrt(square));
    while (weight * weight > square) {
        weight -= 1.0;
    }
    return weight;
}

JointIntegers joint_integers(const SecretMoment& secret, const StratumRows& stratum,
                             const JointQuery& query) {
    const NormBins& norms = secret.norm_bins();
    const double squared_edge = norms.squared_edge(stratum.coarsest);
    JointIntegers all;
    all.gram = gram_of(secret, stratum);
    all.full = squared_edge * std::ldexp(1.0, fraction_bits);
    all.radius_unit =
        std::ldexp(secret.layout().norm_bound, -norms.octave(stratum.coarsest) - radius_bits);
    all.weight = integer_weight(query, squared_edge);
    if (all.weight > 0.0) {
        all.sum = sum_of(secret, stratum, static_cast<Int128>(all.weight));
    }
    all.parts_of_rows = parts_of_rows(secret, stratum);
    all.trace = trace_of(secret, stratum);
    return all;
}

// Of so many parts of rows, each as one of the stratum's radius. Exact: fraction_bits >= part_bits.
Int128 weight_of_rows(Int128 parts_of_rows, double full) {
    return parts_of_rows * static_cast<Int128>(std::ldexp(full, -part_bits));
}

// What is known of the noisy integers before they are drawn.
NoisySums empty_sums(const SecretMoment& secret, const JointIntegers& all) {
    NoisySums noisy;
    noisy.columns = secret.layout().columns;
    noisy.unit = std::ldexp(all.radius_unit * all.radius_unit, -fraction_bits);
    noisy.sum_unit =
        all.weight > 0.0 ? std::ldexp(all.radius_unit, -fraction_bits) / all.weight : 0.0;
    return noisy;
}

Int128 trace_of(const PackedGram& gram, std::size_t d) {
    Int128 trace = 0;
    for (std::size_t j = 0; j < d; ++j) {
        trace += gram[packed_index(j, j)];
    }
    return trace;
}

// Whether the strata are one, of every row and of nothing else: no row can go to another.
bool holds_every_row(const StratumRows& stratum, const NormBins& norms) {
    return stratum.partial.empty() && stratum.whole.size() == 1 && stratum.whole[0].first == 0 &&
           stratum.whole[0].last + 1 == norms.size();
}

// In a stratum of every row squares of numbers move as little where one is replaced as where it is
// added: they have one sign.
Neighbours neighbours_within(const StratumRows& stratum, const SecretMoment& secret,
                             Neighbours neighbours, const JointQuery& query) {
    const bool numbers = secret.layout().columns == 1 && !query.is_joint();
    return numbers && holds_every_row(stratum, secret.norm_bins()) ? Neighbours::add_remove
                                                                   : neighbours;
}

// In lattice units, over all strata together.
double l2_sensitivity(Neighbours neighbours, std::size_t d, double full, const JointQuery& query) {
    return query.is_joint() ? joint_sensitivity(neighbours, d, full, query.squared_weight())
                            : strata_sensitivity(neighbours, d, full);
}

// The same in the nuclear norm.
double nuclear_sensitivity(Neighbours neighbours, std::size_t d, double full,
                           const JointQuery& query) {
    return query.mean_weight > 0
               ? joint_nuclear_sensitivity(neighbours, d, full, query.squared_weight())
               : strata_nuclear_sensitivity(neighbours, d, full);
}

NoisySums with_gaussian_noise(const SecretMoment& secret, JointIntegers all, double sensitivity,
                              const JointQuery& query, Rho rho, NoiseLaw law,
                              RandomSource& random) {
    NoisySums noisy = empty_sums(secret, all);
    noisy.deviation = gaussian_deviation(sensitivity, rho);
    const SymmetricNoise noise = symmetric_noise(law, noisy.deviation);
    noisy.grid_log2 = noise.diagonal.grid_log2;
    noisy.gram = std::move(all.gram);
    add_symmetric_gaussian(random, noisy.gram, noise);
    noisy.sum = std::move(all.sum);
    add_gaussian(random, noisy.sum, noise.off_diagonal);
    noisy.sum_deviation =
        law == NoiseLaw::isotropic ? noisy.deviation / std::sqrt(2.0) : noisy.deviation;
    noisy.counted = query.counts;
    if (query.counts) {
        const Int128 corner = add_gaussian(
            random, weight_of_rows(all.parts_of_rows, all.full) - all.trace, noise.diagonal);
        noisy.rows = static_cast<double>(corner + trace_of(noisy.gram, noisy.columns)) / all.full;
        noisy.rows_deviation =
            noisy.deviation * std::sqrt(static_cast<double>(noisy.columns) + 1.0) / all.full;
    }
    return noisy;
}

// The root of d v^2 + m v = m.
double balanced_weight(std::size_t d, double m) {
    const auto order = static_cast<double>(d);
    return (std::sqrt(m * m + 4.0 * order * m) - m) / (2.0 * order);
}

}  // namespace

unsigned mean_weight(Neighbours neighbours, std::size_t d, double squared_mean, Rho /*budget*/) {
    return sixty_fourths(std::sqrt(neighbours == Neighbours::replace
                                       ? balanced_weight(d, squared_mean)
                                       : std::sqrt(squared_mean / static_cast<double>(d))),
                         64);
}

unsigned mean_weight(Neighbours /*neighbours*/, std::size_t d, double squared_mean,
                     Epsilon /*budget*/) {
    return sixty_fourths(std::sqrt(balanced_weight(d, squared_mean)), 64);
}

JointQuery joint_query(std::size_t d, const ReleaseOptions& options, Rho budget) {
    return {.mean_weight = options.center ? mean_weight(options.neighbours, d, 1.0, budget) : 0,
            .counts = options.neighbours == Neighbours::add_remove};
}

JointQuery joint_query(std::size_t d, const ReleaseOptions& options, Epsilon budget) {
    return {.mean_weight = options.center ? mean_weight(options.neighbours, d, 1.0, budget) : 0,
            .counts = options.neighbours == Neighbours::add_remove && options.center};
}

std::string name_of(const JointQuery& query) {
    if (query.mean_weight == 0) {
        return query.counts ? "the second moment and the number of the rows"
                            : "the covariance matrix";
    }
    return query.counts ? "the second moment, the sum and the number of the rows"
                        : "the second moment and the sum of the rows";
}

NoisyMatrix NoisySums::matrix_over(double n) const {
    return {.matrix = symmetric_matrix(gram, columns, unit / n),
            .deviation = deviation * (unit / n),
            .grid = grid_over(n)};
}

NoisyMoment NoisySums::take_moment_over(double n, double radius) {
    NoisyMoment moment{
        .radius = radius,
        .second_moment = symmetric_matrix(std::exchange(gram, {}), columns, unit / n),
        .noise_scale = deviation * (unit / n)};
    if (!sum.empty()) {
        moment.mean = vector_of(sum, sum_unit / n);
        moment.mean_noise_scale = sum_deviation * (sum_unit / n);
    }
    return moment;
}

double NoisySums::grid_over(double n) const {
    return std::ldexp(unit / n, grid_log2);
}

NoiseSize noise_size(Neighbours neighbours, std::size_t d, const JointQuery& query, Rho rho) {
    const double diagonal =
        gaussian_deviation(l2_sensitivity(neighbours, d, full_weight, query), rho) / full_weight;
    return {diagonal, diagonal * std::sqrt(static_cast<double>(d) + 1.0)};
}

NoiseSize noise_size(Neighbours neighbours, std::size_t d, const JointQuery& query,
                     Epsilon epsilon) {
    const double scale =
        wishart_noise_scale(nuclear_sensitivity(neighbours, d, full_weight, query), epsilon);
    const double diagonal =
        wishart_deviation(scale, query.mean_weight > 0 ? d + 1 : d) / full_weight;
    return {diagonal, diagonal / query.squared_weight()};
}

NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours, const StratumRows& stratum,
                     const JointQuery& query, Rho rho, RandomSource& random) {
    JointIntegers all = joint_integers(secret, stratum, query);
    const double sensitivity = l2_sensitivity(neighbours_within(stratum, secret, neighbours, query),
                                              secret.layout().columns, all.full, query);
    return with_gaussian_noise(secret, std::move(all), sensitivity, query, rho, NoiseLaw::isotropic,
                               random);
}

NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours, int clip_exponent,
                     const JointQuery& query, Rho rho, NoiseLaw law, RandomSource& random) {
    const NormBins& norms = secret.norm_bins();
    const std::size_t last = norms.of_octave(clip_exponent).last;
    JointIntegers all;
    if (clip_exponent == 0) {
        all = joint_integers(secret, whole_rows({{0, last}}), query);
    } else if (query.mean_weight > 0) {
        throw UsageError("the rows as clipped have no sum");
    } else {
        all = joint_integers(secret, whole_rows({{last, last}}), query);
        all.gram = clipped_gram(secret, clip_exponent);
        all.trace = clipped_trace(secret, clip_exponent);
        all.parts_of_rows = parts_of_rows(secret, whole_rows({{0, norms.size() - 1}}));
    }
    const std::size_t d = secret.layout().columns;
    const double sensitivity = query.is_joint() ? l2_sensitivity(neighbours, d, all.full, query)
                                                : gram_sensitivity(neighbours, d);
    return with_gaussian_noise(secret, std::move(all), sensitivity, query, rho, law, random);
}

NoisySums noisy_sums(const SecretMoment& secret, Neighbours neighbours, const StratumRows& stratum,
                     const JointQuery& query, Epsilon epsilon, RandomSource& random) {
    JointIntegers all = joint_integers(secret, stratum, query);
    NoisySums noisy = empty_sums(secret, all);
    const std::size_t d = noisy.columns;
    const bool joint = query.mean_weight > 0;
    const std::size_t order = joint ? d + 1 : d;
    const double scale = wishart_noise_scale(
        nuclear_sensitivity(neighbours_within(stratum, secret, neighbours, query), d, all.full,
                            query),
        epsilon);
    const WishartNoise noise = wishart_noise(scale, order);
    noisy.gram = std::move(all.gram);
    noisy.deviation = wishart_deviation(scale, order);
    noisy.grid_log2 = noise.grid_log2;
    if (!joint) {
        add_wishart(random, noisy.gram, noise);
        return noisy;
    }
    const Int128 row_weight = static_cast<Int128>(all.weight * all.weight) << fraction_bits;
    noisy.gram.insert(noisy.gram.end(), all.sum.begin(), all.sum.end());
    noisy.gram.push_back(all.parts_of_rows * (row_weight >> part_bits));
    add_wishart(random, noisy.gram, noise);
    noisy.sum.assign(std::prev(noisy.gram.end(), static_cast<std::ptrdiff_t>(order)),
                     std::prev(noisy.gram.end()));
    noisy.sum_deviation = noisy.deviation / std::sqrt(2.0);
    noisy.counted = query.counts;
    if (query.counts) {
        noisy.rows = static_cast<double>(noisy.gram.back()) / static_cast<double>(row_weight);
        noisy.rows_deviation = noisy.deviation / static_cast<double>(row_weight);
    }
    noisy.gram.resize(packed_size(d));
    return noisy;
}

CountedMoment counted_by(const NoisySums& sums, const SecretMoment& secret, Neighbours neighbours) {
    return sums.counted
               ? CountedMoment{secret, neighbours, row_count(sums.rows, sums.rows_deviation)}
               : counted_openly(secret);
}

}  // namespace dpcov::detail
