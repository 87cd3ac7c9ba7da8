#include "estimate/mean_of_strata.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "estimate/spike_and_slab.hpp"

namespace dpcov::detail {
namespace {

// Before anything is seen of it: the chance that a stratum holds rows.
constexpr double presence_of_rows = 0.8;
// In deviations of its noise, what the trace of the clearest stratum must exceed it by before
// others are measured by it.
constexpr double least_z_of_main_trace = 2.0;
// The same of any stratum, before it certainly holds rows: chosen on 13 tables
// (docs/research-log.md#spread).
constexpr double least_z_of_rows = 5.0;

double squared_noise_of_trace(const NoisyMoment& stratum) {
    return stratum.noise_scale * stratum.noise_scale * static_cast<double>(stratum.mean.size());
}

// By its trace, the chance that a stratum holds rows: as many as the clearest one, or fewer.
double presence_by_trace(const NoisyMoment& stratum, double trace, const NoisyMoment& main,
                         double main_trace) {
    const double noise = squared_noise_of_trace(stratum);
    if (!(noise > 0.0 &&
          main_trace > least_z_of_main_trace * std::sqrt(squared_noise_of_trace(main)))) {
        return presence_of_rows;
    }
    constexpr double doubt = 1e-15;
    const double as_many = main_trace * std::pow(stratum.radius / main.radius, 2);
    const SpikeAndSlab rows =
        posterior_of_any_size(trace, std::sqrt(noise), presence_of_rows, as_many, Sign::positive);
    return std::clamp(rows.presence, doubt, 1.0 - doubt);
}

// Of the clearest stratum's mean, the multiple that another stratum has, `seen` behind noise.
SpikeAndSlab multiple_of_mean(double seen, const NoisyMoment& stratum, const NoisyMoment& main,
                              double presence) {
    const double squared_length = main.mean.squaredNorm();
    if (!(squared_length > 0.0)) {  // on the grid of centred rows
        return {};
    }
    return posterior_of_any_size(seen, stratum.mean_noise_scale / std::sqrt(squared_length),
                                 presence, stratum.radius / main.radius, Sign::either);
}

}  // namespace

Eigen::ArrayXd NoisyMean::deviations() const {
    const double squared_length = mean.squaredNorm();
    const double of_length = squared_length > 0.0 ? more_variance_along / squared_length : 0.0;
    return (deviation * deviation + of_length * mean.array().square()).sqrt();
}

std::vector<double> traces_of(const Statistics& statistics) {
    std::vector<double> traces;
    traces.reserve(statistics.strata.size());
    for (const NoisyMoment& stratum : statistics.strata) {
        traces.push_back(stratum.second_moment.trace());
    }
    return traces;
}

std::optional<NoisyMean> mean_of_strata(const Statistics& statistics,
                                        const std::vector<double>& traces) {
    const std::vector<NoisyMoment>& strata = statistics.strata;
    if (strata.empty() || std::any_of(strata.begin(), strata.end(), [](const NoisyMoment& stratum) {
            return stratum.mean.size() == 0;
        })) {
        return std::nullopt;
    }
    const auto trace_of = [&](const NoisyMoment& stratum) {
        return traces[static_cast<std::size_t>(&stratum - strata.data())];
    };
    // One that holds rows by its trace, if any does: where noise hides all means, the longest may
    // be that of a stratum without rows.
    const auto clearness = [&](const NoisyMoment& stratum) {
        return std::pair(
            trace_of(stratum) > least_z_of_rows * std::sqrt(squared_noise_of_trace(stratum)),
            stratum.mean.norm() / stratum.mean_noise_scale);
    };
    const NoisyMoment& main = *std::max_element(
        strata.begin(), strata.end(),
        [&](const auto& one, const auto& other) { return clearness(one) < clearness(other); });
    const double main_trace = trace_of(main);
    const double squared_length = main.mean.squaredNorm();
    const auto dimensions_across = static_cast<double>(main.mean.size() - 1);
    NoisyMean sum{main.mean, 0.0};
    double variance = std::pow(main.mean_noise_scale, 2);  // across
    for (const NoisyMoment& stratum : strata) {
        if (&stratum == &main) {
            continue;
        }
        const double seen_along =
            squared_length > 0.0 ? main.mean.dot(stratum.mean) / squared_length : 0.0;
        const SpikeAndSlab along =
            multiple_of_mean(seen_along, stratum, main,
                             presence_by_trace(stratum, trace_of(stratum), main, main_trace));
        const Eigen::VectorXd across = stratum.mean - seen_along * main.mean;
        const double noise = std::pow(stratum.mean_noise_scale, 2);
        const double of_noise = dimensions_across * noise;
        const double squared_across = across.squaredNorm();
        const double kept =
            squared_across > of_noise ? along.presence * (1.0 - of_noise / squared_across) : 0.0;
        sum.mean += along.mean * main.mean + kept * across;
        variance += noise * kept * kept;
        sum.more_variance_along +=
            std::fmax(0.0, along.variance * squared_length - noise * kept * kept);
    }
    sum.deviation = std::sqrt(variance);
    if (statistics.rows > 0.0) {
        sum.relative_rows_variance = std::pow(statistics.rows_deviation / statistics.rows, 2);
    }
    return sum;
}

namespace {

// Coordinates of a mean in groups, all behind independent noise of one variance. The last group is
// what lies across all directions, and may be empty.
struct Groups {
    Eigen::ArrayXd coordinates;     // how many
    Eigen::ArrayXd squares;         // of them all, as seen
    Eigen::ArrayXd second_moments;  // the rows' in one coordinate
    double noise = 0.0;
};

// What is kept of each group, and an estimate of the squared error that is left, less all noise.
struct Kept {
    Eigen::ArrayXd shares;
    double risk = 0.0;
};

// James and Stein: one share for all groups but the last, and one for that. With their own risk.
Kept kept_in_parts(const Groups& groups) {
    const Eigen::Index last = groups.squares.size() - 1;
    Kept kept{Eigen::ArrayXd::Ones(last + 1), 0.0};
    const auto shrink = [&](Eigen::Index first, Eigen::Index size) {
        const double coordinates = groups.coordinates.segment(first, size).sum();
        const double square = groups.squares.segment(first, size).sum();
        const double lost = groups.noise * (coordinates - 2.0);
        if (coordinates < 3.0) {
            kept.risk += 2.0 * groups.noise * coordinates;
        } else if (lost < square) {
            kept.shares.segment(first, size) = 1.0 - lost / square;
            kept.risk += 2.0 * groups.noise * coordinates - lost * lost / square;
        } else {
            kept.shares.segment(first, size) = 0.0;
            kept.risk += square;
        }
    };
    shrink(0, last);
    shrink(last, 1);
    return kept;
}

// What is expected of a mean whose coordinates are normal with the rows' second moments times 1, or
// a fourth, a 16th, ... of that, each as likely. Its risk is that of shares that do not depend on
// what was seen, which is too low by what noise tells of the multiple.
Kept kept_by_second_moments(const Groups& groups) {
    constexpr Eigen::Index multiples = 9;
    const Eigen::Index count = groups.squares.size();
    Eigen::MatrixXd shares(count, multiples);
    Eigen::Array<double, multiples, 1> logarithms;
    for (Eigen::Index k = 0; k < multiples; ++k) {
        const Eigen::ArrayXd signal =
            std::ldexp(1.0, -2 * static_cast<int>(k)) * groups.second_moments;
        const Eigen::ArrayXd seen = signal + groups.noise;
        shares.col(k) = signal / seen;
        logarithms[k] = -0.5 * (groups.coordinates * seen.log() + groups.squares / seen).sum();
    }
    const Eigen::VectorXd chances = (logarithms - logarithms.maxCoeff()).exp();
    Kept kept{shares * chances / chances.sum(), 0.0};
    kept.risk = ((1.0 - kept.shares).square() * groups.squares +
                 2.0 * groups.noise * groups.coordinates * kept.shares)
                    .sum();
    return kept;
}

Eigen::ArrayXd kept_shares(const Groups& groups) {
    Kept in_parts = kept_in_parts(groups);
    if (!(groups.noise > 0.0 && groups.second_moments.maxCoeff() > 0.0)) {
        return std::move(in_parts.shares);
    }
    Kept by_second_moments = kept_by_second_moments(groups);
    return std::move(by_second_moments.risk < in_parts.risk ? by_second_moments.shares
                                                            : in_parts.shares);
}

}  // namespace

NoisyMean shrunk_mean(const NoisyMean& mean, const Eigen::MatrixXd& directions,
                      const Eigen::MatrixXd& second_moment) {
    const Eigen::Index d = mean.mean.size();
    const Eigen::Index leading = directions.cols();
    const Eigen::Index others = std::max(leading - 1, Eigen::Index{0});
    const Eigen::Index shrunk_dimensions = d - leading + others;
    if (shrunk_dimensions == 0) {
        return mean;
    }
    const double variance = mean.deviation * mean.deviation;
    Eigen::VectorXd along = directions.transpose() * mean.mean;
    const Eigen::VectorXd across = mean.mean - directions * along;
    const Eigen::ArrayXd moments_along =
        (directions.transpose() * second_moment * directions).diagonal();
    const auto remaining = static_cast<double>(d - leading);
    Groups groups{Eigen::ArrayXd::Ones(others + 1), Eigen::ArrayXd(others + 1),
                  Eigen::ArrayXd(others + 1), variance};
    groups.coordinates[others] = remaining;
    groups.squares.head(others) = along.tail(others).array().square();
    groups.squares[others] = across.squaredNorm();
    groups.second_moments.head(others) = moments_along.tail(others);
    groups.second_moments[others] =
        (second_moment.trace() - moments_along.sum()) / std::fmax(1.0, remaining);
    groups.second_moments = groups.second_moments.max(0.0);
    const Eigen::ArrayXd kept = kept_shares(groups);
    along.tail(others).array() *= kept.head(others);
    NoisyMean shrunk = mean;
    shrunk.mean = directions * along + kept[others] * across;
    // What is expected of the squared error that is left, that of shrinking with it: on average
    // over all but the first direction, which is about that of the mean.
    const double left = (groups.coordinates * kept).sum();
    shrunk.deviation = mean.deviation * std::sqrt(left / static_cast<double>(shrunk_dimensions));
    shrunk.more_variance_along += variance - shrunk.deviation * shrunk.deviation;
    return shrunk;
}

Eigen::VectorXd with_limited_translation(const Eigen::VectorXd& shrunk, const NoisyMean& noisy) {
    constexpr double deviations = 2.0;
    const double furthest = deviations * noisy.deviation;
    return noisy.mean + (shrunk - noisy.mean).cwiseMax(-furthest).cwiseMin(furthest);
}

}  // namespace dpcov::detail
