#include "mechanism/stratified.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/detection.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"
#include "random/symmetric_noise.hpp"
#include "random/wishart_noise.hpp"

namespace dpcov::detail {
namespace {

NoiseShape shape_of(Rho /*budget*/) {
    return NoiseShape::gaussian;
}
NoiseShape shape_of(Epsilon /*budget*/) {
    return NoiseShape::wishart;
}

// Of 256 parts of the budget, those that the histogram of norms gets.
constexpr unsigned histogram_parts = 5;
constexpr unsigned log2_parts = 8;

template <class Share>
Share share_of_strata(Share budget) {
    return budget.share((1U << log2_parts) - histogram_parts, log2_parts);
}

// A stratum in the integers of gram_of_bins.
struct StratumUnits {
    double full;  // the greatest weight of a row
    double unit;  // what an integer stands for, in units of the squared norm bound over n
};

StratumUnits units_of(const CountedMoment& moment, std::size_t coarsest_bin) {
    const NormBins& norms = moment.secret.norm_bins();
    const int k = norms.octave(coarsest_bin);
    return {.full = norms.squared_edge(coarsest_bin) * std::ldexp(1.0, fraction_bits),
            .unit = std::ldexp(1.0, -2 * (k + radius_bits) - fraction_bits) / moment.rows.value};
}

// Density exp(-a tr P) with a = epsilon / sensitivity, and c = 1 / (2 a).
double wishart_scale(const CountedMoment& moment, double full, Epsilon epsilon) {
    const std::size_t d = moment.secret.layout().columns;
    return 0.5 *
           laplace_noise_scale(strata_nuclear_sensitivity(moment.neighbours, d, full), epsilon);
}

// The noise's deviation along the diagonal, in the stratum's integers.
double noise_deviation(const CountedMoment& moment, double full, Rho rho) {
    const std::size_t d = moment.secret.layout().columns;
    return gaussian_deviation(strata_sensitivity(moment.neighbours, d, full), rho);
}
double noise_deviation(const CountedMoment& moment, double full, Epsilon epsilon) {
    const auto d = static_cast<double>(moment.secret.layout().columns);
    return 2.0 * wishart_scale(moment, full, epsilon) * std::sqrt(d + 1.0);
}

// That of a stratum which reaches up to the norm bound, in its square.
template <class Share>
double noise_deviation_at_bound(const CountedMoment& moment, Share budget) {
    const std::size_t coarsest = moment.secret.norm_bins().size() - 1;
    const auto [full, unit] = units_of(moment, coarsest);
    return noise_deviation(moment, full, budget) * unit;
}

// Whether no stratum could be detected, whatever its rows and its radius. Public.
template <class Share>
bool is_provably_undetectable(const CountedMoment& moment, Share budget) {
    const auto d = static_cast<Eigen::Index>(moment.secret.layout().columns);
    return is_provably_undetectable(d, noise_deviation_at_bound(moment, budget), Tuning{});
}

CovarianceEstimate nothing(const CountedMoment& moment) {
    const auto d = static_cast<Eigen::Index>(moment.secret.layout().columns);
    CovarianceEstimate estimate;
    estimate.covariance = Eigen::MatrixXd::Zero(d, d);
    return estimate;
}

template <class Share>
NoisyMoment drawn_stratum(const CountedMoment& moment, std::span<const BinRange> bins, Share budget,
                          RandomSource& random, double& grid) {
    const double norm_bound = moment.secret.layout().norm_bound;
    const double squared_bound = norm_bound * norm_bound;
    const NoisyMatrix noisy = noisy_stratum(moment, bins, budget, random);
    // They differ by powers of two: the others are multiples of the finest.
    grid = grid > 0.0 ? std::fmin(grid, squared_bound * noisy.grid) : squared_bound * noisy.grid;
    return {.radius = norm_bound * moment.secret.norm_bins().radius(bins.back().last),
            .second_moment = squared_bound * noisy.matrix,
            .noise_scale = squared_bound * noisy.noise_scale};
}

template <class Share>
CovarianceEstimate draw_strata(const CountedMoment& moment, const std::vector<StratumBins>& strata,
                               Share budget, bool keep_statistics, RandomSource& random) {
    const MomentLayout& layout = moment.secret.layout();
    Statistics statistics = statistics_of(moment, shape_of(budget));
    StrataEstimate fold(static_cast<Eigen::Index>(layout.columns), layout.norm_bound,
                        {.rows = statistics.rows, .noise = statistics.noise});
    double grid = 0.0;
    for (const auto& [first, last] : strata) {
        const BinRange bins{first, last};
        NoisyMoment stratum = drawn_stratum(moment, std::span(&bins, 1), budget, random, grid);
        fold.add(stratum);
        if (keep_statistics) {
            statistics.strata.push_back(std::move(stratum));
        }
    }
    CovarianceEstimate estimate = fold.result();
    estimate.grid = grid;
    if (keep_statistics) {
        std::vector<BinRange> rest;
        for (const auto& [first, last] : bins_left_out(strata, moment.secret.norm_bins().size())) {
            rest.push_back({first, last});
        }
        if (!rest.empty()) {
            statistics.strata.push_back(drawn_stratum(moment, rest, budget, random, grid));
            statistics.strata.back().left_out = true;
        }
        statistics.complete = true;
        estimate.statistics = std::move(statistics);
    }
    return estimate;
}

template <class Share>
Release stratified_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                          RandomSource& random) {
    BudgetMeter<Share> meter(budget);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Share for_strata = share_of_strata(rest);
    const std::string noise =
        shape_of(budget) == NoiseShape::gaussian ? "Gaussian noise" : "Wishart noise";
    if (is_provably_undetectable(moment, for_strata)) {
        if (options.neighbours == Neighbours::add_remove) {
            // The count says so, and is paid for: so is all of the budget, by the accountant.
            meter.spend("strata", rest,
                        noise +
                            " that was not drawn: by the noisy number of rows nothing could "
                            "show in it");
        }  // else public facts say so, and it costs nothing
        return make_release(moment, options, meter, nothing(moment));
    }
    const Share for_histogram =
        meter.spend("norms", rest.share(histogram_parts, log2_parts),
                    Noise<Share>::name() + " on the number of rows in each bin of norms");
    const PartitionFacts facts{
        .columns = static_cast<Eigen::Index>(secret.layout().columns),
        .rows = moment.rows.value,
        .noise = shape_of(budget),
        .noise_deviation_at_radius_one = noise_deviation_at_bound(moment, for_strata)};
    const std::vector<StratumBins> strata =
        choose_partition(noisy_histogram(moment, for_histogram, random), facts);
    meter.spend("strata", for_strata,
                noise +
                    " on the covariance matrix of every stratum of norms that these numbers "
                    "tell to take" +
                    (options.keep_statistics ? ", and of all other rows together" : "") +
                    "; one row is in one stratum at most");
    return make_release(moment, options, meter,
                        draw_strata(moment, strata, for_strata, options.keep_statistics, random));
}

template <class Share>
NoisyHistogram histogram_of(const CountedMoment& moment, Share budget, RandomSource& random) {
    const NormBins& norms = moment.secret.norm_bins();
    std::vector<Int128> counts;
    NoisyHistogram histogram;
    for (std::size_t i = 0; i < norms.size(); ++i) {
        counts.emplace_back(moment.secret.bin(i).rows);
        histogram.radii.push_back(norms.radius(i));
    }
    const Noise<Share> noise(histogram_sensitivity(moment.neighbours), budget);
    noise.add_to(counts, random);
    std::transform(counts.begin(), counts.end(), std::back_inserter(histogram.counts),
                   [](Int128 count) { return static_cast<double>(count); });
    histogram.deviation = noise.deviation();
    return histogram;
}

}  // namespace

NoisyHistogram noisy_histogram(const CountedMoment& moment, Rho rho, RandomSource& random) {
    return histogram_of(moment, rho, random);
}

NoisyHistogram noisy_histogram(const CountedMoment& moment, Epsilon epsilon, RandomSource& random) {
    return histogram_of(moment, epsilon, random);
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, BinRange stratum, Rho rho,
                          RandomSource& random) {
    return noisy_stratum(moment, std::span(&stratum, 1), rho, random);
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, BinRange stratum, Epsilon epsilon,
                          RandomSource& random) {
    return noisy_stratum(moment, std::span(&stratum, 1), epsilon, random);
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, std::span<const BinRange> stratum, Rho rho,
                          RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = gram_of_bins(moment.secret, stratum);
    const auto [full, unit] = units_of(moment, stratum.back().last);
    const double deviation = noise_deviation(moment, full, rho);
    const SymmetricNoise noise = symmetric_noise(NoiseLaw::isotropic, deviation);
    add_symmetric_gaussian(random, entries, noise);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = deviation * unit,
            .grid = std::ldexp(unit, noise.diagonal.grid_log2)};
}

NoisyMatrix noisy_stratum(const CountedMoment& moment, std::span<const BinRange> stratum,
                          Epsilon epsilon, RandomSource& random) {
    const std::size_t d = moment.secret.layout().columns;
    PackedGram entries = gram_of_bins(moment.secret, stratum);
    const auto [full, unit] = units_of(moment, stratum.back().last);
    const WishartNoise noise = wishart_noise(wishart_scale(moment, full, epsilon), d);
    add_wishart(random, entries, noise);
    return {.matrix = symmetric_matrix(entries, d, unit),
            .noise_scale = noise_deviation(moment, full, epsilon) * unit,
            .grid = std::ldexp(unit, noise.grid_log2)};
}

CovarianceEstimate stratified_estimate(const CountedMoment& moment,
                                       const std::vector<StratumBins>& strata, const Budget& budget,
                                       bool keep_statistics, RandomSource& random) {
    return std::visit(
        [&](auto share) { return draw_strata(moment, strata, share, keep_statistics, random); },
        budget);
}

Release stratified_cov(const SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    return std::visit([&](auto share) { return stratified_within(secret, share, options, random); },
                      budget);
}

}  // namespace dpcov::detail
