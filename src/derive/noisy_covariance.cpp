#include "derive/noisy_covariance.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "estimate/noise_spectrum.hpp"

namespace dpcov::detail {

NoisyCovariance NoisyCovariance::of(const std::vector<Eigen::Index>& columns) const {
    NoisyCovariance some = *this;
    some.matrix = matrix(columns, columns);
    some.mean = mean(columns);
    return some;
}

namespace {

// What the noise of tr(Q C) depends on.
struct Weighed {
    double value;         // tr(Q C)
    double squared_norm;  // |Q|^2
    double quartic;       // tr Q^4
    double squared_mean;  // |Q m|^2
    double about_mean;    // m^T Q m
    double trace;         // tr Q
};

LinearFunction noise_of(const NoisyCovariance& covariance, const Weighed& weighed) {
    LinearFunction function;
    function.value = weighed.value;
    if (weighed.squared_norm == 0.0) {
        return function;
    }
    // tr(Q N) has variance s^2 |Q|^2, 2 m^T Q e has 4 v |Q mu|^2, e^T Q e has 2 v^2 |Q|^2; |Q m|^2
    // is |Q mu|^2 + v |Q|^2 on average.
    const double v = covariance.mean_noise_variance;
    const double from_matrix = covariance.noise_variance * weighed.squared_norm;
    const double from_mean =
        v * (4.0 * std::fmax(0.0, weighed.squared_mean - v * weighed.squared_norm) +
             2.0 * v * weighed.squared_norm);
    // Sums over n (1 + h) in place of n move A - m m^T by -h A + 2 h m m^T = -h (C - m m^T).
    const double slope = weighed.value - weighed.about_mean;
    const double from_rows = covariance.relative_rows_variance * slope * slope -
                             2.0 * covariance.rows_covariance * weighed.trace * slope;
    function.variance = std::fmax(0.0, from_matrix + from_mean + from_rows);
    if (function.variance == 0.0) {
        return function;
    }
    // Of Wishart noise, the fourth cumulant of tr(Q N) goes with tr Q^4.
    const double share = std::fmin(1.0, from_matrix / function.variance);
    function.excess_kurtosis = covariance.excess_kurtosis * share * share * weighed.quartic /
                               (weighed.squared_norm * weighed.squared_norm);
    return function;
}

}  // namespace

LinearFunction linear_function(const NoisyCovariance& covariance, Eigen::Index i, Eigen::Index j,
                               const PairWeights& weights) {
    const Eigen::MatrixXd& c = covariance.matrix;
    const double mi = covariance.mean[i];
    const double mj = i == j ? 0.0 : covariance.mean[j];
    const auto& [ii, jj, ij] = weights;
    const double qi = ii * mi + ij * mj;
    const double qj = ij * mi + jj * mj;
    return noise_of(covariance,
                    {.value = ii * c(i, i) + jj * c(j, j) + 2.0 * ij * c(i, j),
                     .squared_norm = ii * ii + jj * jj + 2.0 * ij * ij,
                     .quartic = std::pow(ii * ii + ij * ij, 2) + std::pow(jj * jj + ij * ij, 2) +
                                2.0 * std::pow(ij * (ii + jj), 2),
                     .squared_mean = qi * qi + qj * qj,
                     .about_mean = mi * qi + mj * qj,
                     .trace = ii + jj});
}

LinearFunction linear_function(const NoisyCovariance& covariance, const Eigen::VectorXd& direction,
                               const Eigen::VectorXd& less) {
    const Eigen::VectorXd& q = direction;
    const Eigen::VectorXd& m = covariance.mean;
    const Eigen::VectorXd weighed = less.cwiseProduct(q);
    const double along = q.dot(m);
    const Eigen::VectorXd weighed_mean = along * q - less.cwiseProduct(m);
    const double qq = q.squaredNorm();
    const double qeq = q.dot(weighed);
    const double qeeq = weighed.squaredNorm();
    const double qeeeq = weighed.dot(less.cwiseProduct(weighed));
    return noise_of(covariance,
                    {.value = q.dot(covariance.matrix * q) - less.dot(covariance.matrix.diagonal()),
                     .squared_norm = qq * qq - 2.0 * qeq + less.squaredNorm(),
                     .quartic = std::pow(qq, 4) - 4.0 * qq * qq * qeq + 4.0 * qq * qeeq +
                                2.0 * qeq * qeq - 4.0 * qeeeq + less.array().pow(4).sum(),
                     .squared_mean = weighed_mean.squaredNorm(),
                     .about_mean = m.dot(weighed_mean),
                     .trace = qq - less.sum()});
}

double two_sided_quantile(double level, double excess_kurtosis) {
    const double z = boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * level);
    return z + excess_kurtosis / 24.0 * z * (z * z - 3.0);
}

namespace {

// In deviations of its noise, what a left-out stratum's trace must reach to count after all.
constexpr double least_z_of_left_out = 2.0;

bool is_faint(const NoisyMoment& stratum) {
    const auto d = static_cast<double>(stratum.second_moment.rows());
    return stratum.second_moment.trace() < least_z_of_left_out * stratum.noise_scale * std::sqrt(d);
}

}  // namespace

std::optional<NoisyCovariance> noisy_covariance(const Release& release, StrataTaken strata) {
    const Statistics& statistics = release.statistics;
    if (statistics.strata.empty() || (strata == StrataTaken::all && !statistics.complete)) {
        return std::nullopt;
    }
    const Eigen::Index d = release.covariance.rows();
    NoisyCovariance sum;
    sum.matrix = Eigen::MatrixXd::Zero(d, d);
    sum.mean = Eigen::VectorXd::Zero(d);
    double fourth_powers = 0.0;  // of the strata's noise scales
    bool has_mean = false;
    // Where all are left out, their noise is all that there is to go by.
    const bool any_estimated =
        std::any_of(statistics.strata.begin(), statistics.strata.end(),
                    [](const NoisyMoment& stratum) { return !stratum.left_out; });
    for (const NoisyMoment& stratum : statistics.strata) {
        if (strata == StrataTaken::estimated && any_estimated && stratum.left_out &&
            is_faint(stratum)) {
            continue;
        }
        sum.matrix += stratum.second_moment;
        const double variance = stratum.noise_scale * stratum.noise_scale;
        sum.noise_variance += variance;
        fourth_powers += variance * variance;
        if (statistics.counted_with_strata) {
            sum.rows_covariance += variance / (stratum.radius * stratum.radius);
        }
        if (stratum.mean.size() > 0) {
            has_mean = true;
            sum.mean += stratum.mean;
            sum.mean_noise_variance += stratum.mean_noise_scale * stratum.mean_noise_scale;
        }
    }
    if (sum.noise_variance == 0.0) {
        return std::nullopt;
    }
    if (!has_mean && statistics.mean) {
        has_mean = true;
        sum.mean = *statistics.mean;
        sum.mean_noise_variance = statistics.mean_noise_scale * statistics.mean_noise_scale;
    }
    if (release.centered && !has_mean) {
        return std::nullopt;
    }
    if (release.centered) {
        sum.matrix -= sum.mean * sum.mean.transpose();
        sum.matrix.diagonal().array() += sum.mean_noise_variance;
    } else {
        sum.mean.setZero();
        sum.mean_noise_variance = 0.0;
    }
    if (statistics.noise == NoiseShape::wishart) {
        // A diagonal entry is c times a difference of two chi-squared variables with d + 1 degrees
        // of freedom.
        sum.excess_kurtosis = 6.0 / static_cast<double>(d + 1) * fourth_powers /
                              (sum.noise_variance * sum.noise_variance);
    }
    const double s = std::sqrt(sum.noise_variance);
    sum.edge_ratio = NoiseSpectrum(statistics.noise, d, s).edge() /
                     NoiseSpectrum(NoiseShape::gaussian, d, s).edge();
    sum.rows = statistics.rows;
    const double relative = statistics.rows_deviation / statistics.rows;
    sum.relative_rows_variance = relative * relative;
    return sum;
}

}  // namespace dpcov::detail
