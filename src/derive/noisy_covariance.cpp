#include "derive/noisy_covariance.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "derive/noise_of_release.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/noise_spectrum.hpp"
#include "estimate/weighed_sum.hpp"

namespace dpcov::detail {

NoisyCovariance NoisyCovariance::of(const std::vector<Eigen::Index>& columns) const {
    NoisyCovariance some = *this;
    some.matrix = matrix(columns, columns);
    some.mean = mean(columns);
    return some;
}

namespace {

// The means of a release's strata together; none where it has none. Of variance v in each entry.
struct SummedMean {
    Eigen::VectorXd mean;
    double variance = 0.0;
};
std::optional<SummedMean> summed_mean(const Release& release) {
    const Statistics& statistics = release.statistics;
    SummedMean sum{Eigen::VectorXd::Zero(release.covariance.rows())};
    bool has_mean = false;
    for (const NoisyMoment& stratum : statistics.strata) {
        if (stratum.mean.size() > 0) {
            has_mean = true;
            sum.mean += stratum.mean;
            sum.variance += stratum.mean_noise_scale * stratum.mean_noise_scale;
        }
    }
    if (!has_mean && statistics.mean) {
        return SummedMean{*statistics.mean, std::pow(statistics.mean_noise_scale, 2)};
    }
    return has_mean ? std::optional(sum) : std::nullopt;
}

// Where strata count the rows, sums are divided by their number rounded: of noise e of deviation
// sigma, round(e) is left.
struct Rounded {
    double variance;    // of round(e)
    double covariance;  // of round(e) and e, over sigma^2: the density of e at all of k + 1/2
};
Rounded rounded_noise(double sigma) {
    // Of a normal variable; by then both are right to nine digits.
    if (sigma > 1.0) {
        return {sigma * sigma + 1.0 / 12.0, 1.0};
    }
    const boost::math::normal law(0.0, std::fmax(sigma, 1e-3));
    Rounded rounded{0.0, 0.0};
    for (int k = 0; k < 12; ++k) {
        rounded.variance +=
            2.0 * (2.0 * k + 1.0) * boost::math::cdf(boost::math::complement(law, k + 0.5));
        rounded.covariance += 2.0 * boost::math::pdf(law, k + 0.5);
    }
    return rounded;
}

double relative_variance_of_rows(const Statistics& statistics) {
    const double variance = statistics.counted_with_strata
                                ? rounded_noise(statistics.rows_deviation).variance
                                : std::pow(statistics.rows_deviation, 2);
    return variance / (statistics.rows * statistics.rows);
}

// From the second moment to the covariance.
void centre(NoisyCovariance& sum, const SummedMean& mean) {
    sum.mean = mean.mean;
    sum.mean_noise_variance = mean.variance;
    sum.matrix -= sum.mean * sum.mean.transpose();
    sum.matrix.diagonal().array() += sum.mean_noise_variance;
}

}  // namespace

std::optional<NoisyCovariance> noisy_covariance(const Release& release) {
    const Statistics& statistics = release.statistics;
    const std::optional<SummedMean> mean = summed_mean(release);
    if (statistics.strata.empty() || !statistics.complete || (release.centered && !mean)) {
        return std::nullopt;
    }
    const Eigen::Index d = release.covariance.rows();
    NoisyCovariance sum;
    sum.matrix = Eigen::MatrixXd::Zero(d, d);
    sum.mean = Eigen::VectorXd::Zero(d);
    for (const NoisyMoment& stratum : statistics.strata) {
        sum.matrix += stratum.second_moment;
        if (statistics.counted_with_strata) {
            sum.rows_covariance +=
                stratum.noise_scale * stratum.noise_scale / (stratum.radius * stratum.radius);
        }
    }
    sum.noise_variance = noise_variance_of(statistics);
    if (sum.noise_variance == 0.0) {
        return std::nullopt;
    }
    if (statistics.counted_with_strata) {
        sum.rows_covariance *= rounded_noise(statistics.rows_deviation).covariance;
    }
    if (release.centered) {
        centre(sum, *mean);
    }
    if (statistics.noise == NoiseShape::wishart) {
        // A diagonal entry is c times a difference of two chi-squared variables with d + 1 degrees
        // of freedom, or one more where the noise is a part of that on the joint moment.
        const Eigen::Index degrees = d + (release.centered ? 2 : 1);
        double squared_shares = 0.0;
        for (const NoisyMoment& stratum : statistics.strata) {
            squared_shares +=
                std::pow(stratum.noise_scale * stratum.noise_scale / sum.noise_variance, 2);
        }
        sum.excess_kurtosis = 6.0 / static_cast<double>(degrees) * squared_shares;
    }
    const double s = std::sqrt(sum.noise_variance);
    sum.edge_ratio = NoiseSpectrum(statistics.noise, d, s).edge() /
                     NoiseSpectrum(NoiseShape::gaussian, d, s).edge();
    sum.rows = statistics.rows;
    sum.relative_rows_variance = relative_variance_of_rows(statistics);
    return sum;
}

namespace {

// The mean of a release with as little noise as can be had without a bias; none where it has none.
std::optional<NoisyMean> estimated_mean(const Statistics& statistics) {
    if (std::optional<NoisyMean> mean = mean_of_strata(statistics, traces_of(statistics))) {
        return mean;
    }
    return statistics.mean ? std::optional(NoisyMean{*statistics.mean, statistics.mean_noise_scale})
                           : std::nullopt;
}

}  // namespace

std::optional<NoisyCovariance> weighed_covariance(const Release& release,
                                                  const std::vector<Eigen::Index>& columns) {
    const Statistics& statistics = release.statistics;
    const std::optional<NoisyMean> mean = estimated_mean(statistics);
    std::vector<NoisySummand> summands;
    for (const NoisyMoment& stratum : statistics.strata) {
        if (stratum.noise_scale > 0.0) {
            summands.push_back({stratum.second_moment(columns, columns),
                                stratum.noise_scale * stratum.noise_scale});
        }
    }
    if (summands.empty() || (release.centered && !mean)) {
        return std::nullopt;
    }
    NoisySummand weighed = weighed_sum(std::move(summands));
    NoisyCovariance sum;
    sum.matrix = std::move(weighed.matrix);
    sum.noise_variance = weighed.noise_variance;
    sum.lacking_variance = weighed.lacking_variance;
    sum.mean = Eigen::VectorXd::Zero(sum.columns());
    sum.rows = statistics.rows;
    // A factor on the second moment, as on the number of rows, moves C by a multiple of C and one
    // of m m^T.
    sum.relative_rows_variance = relative_variance_of_rows(statistics) + weighed.factor_variance;
    if (release.centered) {
        // Noise along the mean is a factor 1 + g on it, and moves m m^T by 2 g of itself.
        const double squared_length = mean->mean.squaredNorm();
        const double along =
            squared_length > 0.0 ? mean->more_variance_along / squared_length : 0.0;
        centre(sum, {mean->mean(columns), std::pow(mean->deviation, 2)});
        sum.matrix += along * sum.mean * sum.mean.transpose();
        sum.relative_rows_variance += 4.0 * along;
    }
    return sum;
}

std::optional<NoisyCovariance> weighed_covariance(const Release& release) {
    std::vector<Eigen::Index> all(static_cast<std::size_t>(release.covariance.rows()));
    std::iota(all.begin(), all.end(), Eigen::Index{0});
    return weighed_covariance(release, all);
}

}  // namespace dpcov::detail
