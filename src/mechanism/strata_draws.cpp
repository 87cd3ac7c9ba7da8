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
#include "mechanism/release_steps.hpp"
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

// Which rows count in each stratum, and after these, `with_rest`, in the stratum of all bins that
// are in none of them, if there are any.
std::vector<StratumRows> rows_to_draw(const NormBins& norms, const Partition& partition,
                                      NoiseShape shape, bool with_rest) {
    const std::vector<StratumBins>& strata = partition.strata;
    std::vector<StratumRows> parts;
    parts.reserve(strata.size() + 1);
    for (const StratumBins& bins : strata) {
        parts.push_back(whole_rows({{bins.first, bins.last}}));
    }
    std::vector<BinRange> rest;
    for (const StratumBins& bins : bins_left_out(strata, norms.size())) {
        rest.push_back({bins.first, bins.last});
    }
    if (!rest.empty()) {
        parts.push_back(whole_rows(std::move(rest)));
    }
    // Rows of the rest may count in the extended stratum in part.
    if (partition.extended) {
        parts = with_extended(norms, std::move(parts), *partition.extended, shape);
    }
    if (!with_rest) {
        parts.resize(strata.size());
    }
    return parts;
}

// Every bin of which no row is in a stratum that is still to be drawn.
void forget_all_but(std::span<const StratumRows> to_draw, const ReleasedRows& rows) {
    std::vector<bool> needed(rows->norm_bins().size());
    for (const StratumRows& stratum : to_draw) {
        for (const BinRange& range : stratum.whole) {
            for (std::size_t bin = range.first; bin <= range.last; ++bin) {
                needed[bin] = true;
            }
        }
        for (const PartialBin& partial : stratum.partial) {
            needed[partial.bin] = true;
        }
    }
    for (std::size_t bin = 0; bin < needed.size(); ++bin) {
        if (!needed[bin]) {
            rows.forget({bin, bin});
        }
    }
}

// From noisy sums over strata, finest first, to the estimate. One at a time: their matrices take
// memory.
class SumsFold {
public:
    // The statistics have no strata so far.
    SumsFold(const MomentLayout& layout, Statistics statistics, bool keep_statistics)
        : norm_bound_(layout.norm_bound),
          keep_statistics_(keep_statistics),
          statistics_(std::move(statistics)),
          estimate_(static_cast<Eigen::Index>(layout.columns), layout.norm_bound, statistics_) {}

    // Of a stratum of that radius in units of the norm bound; the estimate may leave it out.
    void add(NoisySums sums, double radius, bool left_out) {
        const double n = statistics_.rows;
        // They differ by powers of two: the others are multiples of the finest.
        grid_ = std::fmin(grid_, sums.grid_over(n));
        NoisyMoment stratum = sums.take_moment_over(n, norm_bound_ * radius);
        stratum.left_out = left_out;
        traces_.push_back(stratum.second_moment.trace());
        statistics_.strata.push_back(keep_statistics_ ? stratum : without_second_moment(stratum));
        if (!left_out) {
            estimate_.add(std::move(stratum));
        }
    }

    [[nodiscard]] CovarianceEstimate result() && {
        const std::optional<NoisyMean> mean = mean_of_strata(statistics_, traces_);
        CovarianceEstimate estimate =
            mean ? estimate_.result(*mean) : std::move(estimate_).result();
        estimate.grid = traces_.empty() ? 0.0 : grid_;
        if (keep_statistics_) {
            estimate.statistics = std::move(statistics_);
        }
        return estimate;
    }

private:
    double norm_bound_;
    bool keep_statistics_;
    Statistics statistics_;
    StrataEstimate estimate_;
    double grid_ = HUGE_VAL;
    std::vector<double> traces_;
};

}  // namespace

template <class Share>
NoisyHistogram noisy_histogram(const SecretMoment& secret, Neighbours neighbours, Share budget,
                               RandomSource& random) {
    const NormBins& norms = secret.norm_bins();
    std::vector<Int128> counts;
    NoisyHistogram histogram;
    for (std::size_t i = 0; i < norms.size(); ++i) {
        counts.emplace_back(secret.bin(i).rows);
        histogram.radii.push_back(norms.radius(i));
    }
    const Noise<Share> noise(histogram_sensitivity(neighbours), budget);
    noise.add_to(counts, random);
    std::transform(counts.begin(), counts.end(), std::back_inserter(histogram.counts),
                   [](Int128 count) { return static_cast<double>(count); });
    histogram.deviation = noise.deviation();
    return histogram;
}

template <class Share>
DrawnStrata draw_strata(const ReleasedRows& drawn_from, Neighbours neighbours,
                        const StrataRequest& request, Share budget, RandomSource& random) {
    const auto& [partition, query, rows, keep_statistics] = request;
    const SecretMoment& secret = *drawn_from;
    const NormBins& norms = secret.norm_bins();
    // Mean and number of rows are of all rows.
    const std::vector<StratumRows> parts =
        rows_to_draw(norms, partition, shape_of(budget), keep_statistics || query.is_joint());
    const auto draw = [&](std::size_t k) {
        NoisySums sums = noisy_sums(secret, neighbours, parts[k], request.query, budget, random);
        forget_all_but(std::span(parts).subspan(k + 1), drawn_from);
        return sums;
    };
    std::vector<NoisySums> drawn;
    for (std::size_t k = 0; !rows && k < parts.size(); ++k) {
        drawn.push_back(draw(k));
    }
    const CountedMoment moment{secret, neighbours, rows ? *rows : counted(drawn)};
    Statistics statistics = statistics_of(moment, shape_of(budget));
    statistics.complete = true;
    statistics.counted_with_strata = !rows && statistics.noise == NoiseShape::gaussian;
    SumsFold fold(secret.layout(), std::move(statistics), keep_statistics);
    for (std::size_t k = 0; k < parts.size(); ++k) {
        NoisySums sums = rows ? draw(k) : std::exchange(drawn[k], {});
        fold.add(std::move(sums), norms.radius(parts[k].coarsest), k >= partition.strata.size());
    }
    return {moment, std::move(fold).result()};
}

template NoisyHistogram noisy_histogram(const SecretMoment&, Neighbours, Rho, RandomSource&);
template DrawnStrata draw_strata(const ReleasedRows&, Neighbours, const StrataRequest&, Rho,
                                 RandomSource&);
template NoisyHistogram noisy_histogram(const SecretMoment&, Neighbours, Epsilon, RandomSource&);
template DrawnStrata draw_strata(const ReleasedRows&, Neighbours, const StrataRequest&, Epsilon,
                                 RandomSource&);

}  // namespace dpcov::detail
