#include "estimate/mean_of_strata.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "estimate/spike_and_slab.hpp"

namespace dpcov::detail {
namespace {

// Before anything is seen of it: the chance that a stratum holds rows.
constexpr double presence_of_rows = 0.8;
// In deviations of its noise, what the trace of the clearest stratum must exceed it by before
// others are measured by it.
constexpr double least_z_of_main_trace = 2.0;

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
    const auto z_score = [](const NoisyMoment& stratum) {
        return stratum.mean.norm() / stratum.mean_noise_scale;
    };
    const auto clearest = std::max_element(
        strata.begin(), strata.end(),
        [&](const auto& one, const auto& other) { return z_score(one) < z_score(other); });
    const NoisyMoment& main = *clearest;
    const double main_trace = traces[static_cast<std::size_t>(clearest - strata.begin())];
    const double squared_length = main.mean.squaredNorm();
    const auto dimensions_across = static_cast<double>(main.mean.size() - 1);
    NoisyMean sum{main.mean, 0.0};
    double variance = std::pow(main.mean_noise_scale, 2);  // across
    for (std::size_t k = 0; k < strata.size(); ++k) {
        const NoisyMoment& stratum = strata[k];
        if (&stratum == &main) {
            continue;
        }
        const double seen_along =
            squared_length > 0.0 ? main.mean.dot(stratum.mean) / squared_length : 0.0;
        const SpikeAndSlab along = multiple_of_mean(
            seen_along, stratum, main, presence_by_trace(stratum, traces[k], main, main_trace));
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

// What is kept of coordinates behind independent noise of that variance each.
double kept_behind_noise(double squared_norm, double variance, Eigen::Index coordinates) {
    if (coordinates < 3) {
        return 1.0;
    }
    const double noise = variance * static_cast<double>(coordinates - 2);
    return noise < squared_norm ? 1.0 - noise / squared_norm : 0.0;
}

}  // namespace

NoisyMean shrunk_in_parts(const NoisyMean& mean, const Eigen::MatrixXd& directions) {
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
    const double kept_along = kept_behind_noise(along.tail(others).squaredNorm(), variance, others);
    const double kept_across = kept_behind_noise(across.squaredNorm(), variance, d - leading);
    along.tail(others) *= kept_along;
    NoisyMean shrunk = mean;
    shrunk.mean = directions * along + kept_across * across;
    // What is expected of the squared error that is left, that of shrinking with it: on average
    // over all but the first direction, which is about that of the mean.
    const double left =
        static_cast<double>(others) * kept_along + static_cast<double>(d - leading) * kept_across;
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
