#include "mechanism/strata_draws.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "estimate/covariance_estimate.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

// By all strata together.
RowCount counted(const std::vector<NoisySums>& strata) {
    double rows = 0.0;
    double variance = 0.0;
    for (const NoisySums& stratum : strata) {
        rows += stratum.rows;
        variance += stratum.rows_deviation * stratum.rows_deviation;
    }
    return row_count(rows, std::sqrt(variance));
}

// All but the matrix, which takes memory.
NoisyMoment without_second_moment(const NoisyMoment& stratum) {
    return {.radius = stratum.radius,
            .noise_scale = stratum.noise_scale,
            .mean = stratum.mean,
            .mean_noise_scale = stratum.mean_noise_scale,
            .left_out = stratum.left_out};
}

double squared_bound(const CountedMoment& moment) {
    const double bound = moment.secret.layout().norm_bound;
    return bound * bound;
}

}  // namespace

template <class Share>
NoisyHistogram noisy_histogram(const CountedMoment& moment, Share budget, RandomSource& random) {
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

template <class Share>
NoisyMatrix noisy_stratum(const CountedMoment& moment, std::span<const BinRange> stratum,
                          Share budget, RandomSource& random) {
    return noisy_sums(moment.secret, moment.neighbours, stratum, {}, budget, random)
        .matrix_over(moment.rows.value * squared_bound(moment));
}

template <class Share>
DrawnStrata draw_strata(const CountedMoment& rows_of, const std::optional<RowCount>& rows,
                        const Partition& partition, const JointQuery& query, Share budget,
                        bool keep_statistics, RandomSource& random) {
    const SecretMoment& secret = rows_of.secret;
    const MomentLayout& layout = secret.layout();
    const NormBins& norms = secret.norm_bins();
    const std::vector<StratumBins>& strata = partition.strata;
    std::vector<StratumRows> parts;
    parts.reserve(strata.size() + 1);
    for (const auto& [first, last] : strata) {
        parts.push_back(whole_rows({{first, last}}));
    }
    std::vector<BinRange> rest;
    for (const StratumBins& bins : bins_left_out(strata, norms.size())) {
        rest.push_back({bins.first, bins.last});
    }
    if (!rest.empty()) {
        parts.push_back(whole_rows(std::move(rest)));
    }
    if (partition.extended) {
        parts = with_extended(norms, std::move(parts), *partition.extended, shape_of(budget));
    }
    // Mean and number of rows are of all rows.
    if (!keep_statistics && !query.is_joint()) {
        parts.resize(strata.size());
    }
    const auto draw = [&](const StratumRows& part) {
        return noisy_sums(secret, rows_of.neighbours, part, query, budget, random);
    };
    std::vector<NoisySums> drawn;
    if (!rows) {
        std::transform(parts.begin(), parts.end(), std::back_inserter(drawn), draw);
    }
    const CountedMoment moment{secret, rows_of.neighbours, rows ? *rows : counted(drawn)};
    const double n = moment.rows.value;
    Statistics statistics = statistics_of(moment, shape_of(budget));
    statistics.complete = true;
    statistics.counted_with_strata = !rows && statistics.noise == NoiseShape::gaussian;
    StrataEstimate fold(static_cast<Eigen::Index>(layout.columns), layout.norm_bound,
                        {.rows = n, .noise = statistics.noise});
    double grid = parts.empty() ? 0.0 : HUGE_VAL;
    std::vector<double> traces;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        NoisySums sums = rows ? draw(parts[k]) : std::exchange(drawn[k], {});
        // They differ by powers of two: the others are multiples of the finest.
        grid = std::fmin(grid, sums.grid_over(n));
        NoisyMoment stratum =
            sums.take_moment_over(n, layout.norm_bound * norms.radius(parts[k].coarsest));
        stratum.left_out = k == strata.size();
        traces.push_back(stratum.second_moment.trace());
        statistics.strata.push_back(keep_statistics ? stratum : without_second_moment(stratum));
        if (!stratum.left_out) {
            fold.add(std::move(stratum));
        }
    }
    const std::optional<NoisyMean> mean = mean_of_strata(statistics, traces);
    CovarianceEstimate estimate = mean ? fold.result(*mean) : fold.result();
    estimate.grid = grid;
    if (keep_statistics) {
        estimate.statistics = std::move(statistics);
    }
    return {moment, std::move(estimate)};
}

template NoisyHistogram noisy_histogram(const CountedMoment&, Rho, RandomSource&);
template NoisyMatrix noisy_stratum(const CountedMoment&, std::span<const BinRange>, Rho,
                                   RandomSource&);
template DrawnStrata draw_strata(const CountedMoment&, const std::optional<RowCount>&,
                                 const Partition&, const JointQuery&, Rho, bool, RandomSource&);
template NoisyHistogram noisy_histogram(const CountedMoment&, Epsilon, RandomSource&);
template NoisyMatrix noisy_stratum(const CountedMoment&, std::span<const BinRange>, Epsilon,
                                   RandomSource&);
template DrawnStrata draw_strata(const CountedMoment&, const std::optional<RowCount>&,
                                 const Partition&, const JointQuery&, Epsilon, bool, RandomSource&);

}  // namespace dpcov::detail
