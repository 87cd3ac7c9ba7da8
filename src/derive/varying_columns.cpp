#include "derive/varying_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "derive/column_units.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "estimate/risk.hpp"
#include "text/counted.hpp"
#include "text/in_quotes.hpp"
#include "text/joined.hpp"

namespace dpcov::detail {
namespace {

constexpr double least_share_of_noise = 0.15;  // docs/derived.md#constant-columns

// Over d, of how many directions the estimate is: one where a single factor is all, up to d. An
// estimate of few directions errs by so much less than an entry of the noise.
double share_of_directions(const Eigen::MatrixXd& estimate) {
    const double squared_norm = estimate.squaredNorm();
    const double directions =
        squared_norm > 0.0 ? std::pow(estimate.trace(), 2) / squared_norm : 0.0;
    return std::min(1.0, directions / static_cast<double>(estimate.rows()));
}

// Of the noise of the strata in which something shows: the estimate has next to nothing of the
// others, however much noise they have. Infinite where nothing shows.
double variance_of_seen_strata(const Statistics& statistics) {
    constexpr double least_z_score = 3.0;  // of the trace, or of the squared norm
    double variance = 0.0;
    for (const NoisyMoment& stratum : statistics.strata) {
        const double squared_noise = stratum.noise_scale * stratum.noise_scale;
        const Eigen::Index d = stratum.second_moment.rows();
        const double trace_noise = std::sqrt(squared_noise * static_cast<double>(d));
        const double coordinates = degrees_of_freedom(d);
        const double excess = stratum.second_moment.squaredNorm() - squared_noise * coordinates;
        if (stratum.second_moment.trace() > least_z_score * trace_noise ||
            excess > least_z_score * squared_noise * std::sqrt(2.0 * coordinates)) {
            variance += squared_noise;
        }
    }
    return variance > 0.0 ? variance : HUGE_VAL;
}

std::string name_of_column(const Release& release, Eigen::Index j) {
    const auto place = static_cast<std::size_t>(j);
    return place < release.schema.size() && !release.schema[place].name.empty()
               ? in_quotes(release.schema[place].name)
               : "column " + std::to_string(j);
}

}  // namespace

ColumnFlags seen_to_vary(const Release& release) {
    const Eigen::Index d = release.covariance.rows();
    Eigen::ArrayXd least = Eigen::ArrayXd::Zero(d);
    if (std::optional<NoisyCovariance> noisy = weighed_covariance(release)) {
        // A factor on all of the covariance makes no constant vary.
        noisy->relative_rows_variance = 0.0;
        noisy->noise_variance =
            std::min(noisy->noise_variance, variance_of_seen_strata(release.statistics));
        Eigen::ArrayXd units = stretch_of(release).cwiseInverse().array();
        if (release.table_units) {
            units *= units_of_columns(release).array();
        }
        const double share =
            least_share_of_noise * std::sqrt(share_of_directions(covariance_as_summed(release)));
        for (Eigen::Index j = 0; j < d; ++j) {
            const double variance = linear_function(*noisy, j, j, {.ii = 1.0}).variance;
            least[j] = share * std::sqrt(variance) * units[j] * units[j];
        }
    }
    return release.covariance.diagonal().array() > least;
}

Eigen::MatrixXd of_flagged(const Eigen::MatrixXd& matrix, const ColumnFlags& flags) {
    const Eigen::VectorXd kept = flags.cast<double>().matrix();
    return kept.asDiagonal() * matrix * kept.asDiagonal();
}

std::string about_constant_columns(const Release& release, const ColumnFlags& varies) {
    constexpr std::size_t most_names = 3;
    std::vector<std::string> names;
    std::size_t more = 0;
    for (Eigen::Index j = 0; j < varies.size(); ++j) {
        if (!varies[j] && names.size() < most_names) {
            names.push_back(name_of_column(release, j));
        } else if (!varies[j]) {
            ++more;
        }
    }
    if (names.empty()) {
        return {};
    }
    return "not seen to vary, so all its correlations are 0: " + joined(names) +
           (more > 0 ? " and " + counted(more, "more column") : "");
}

}  // namespace dpcov::detail
