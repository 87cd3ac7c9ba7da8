#include "derive/noisy_covariance.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <utility>
#include <vector>

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
    const double quartic = weighed.quartic / (weighed.squared_norm * weighed.squared_norm);
    function.excess_kurtosis = covariance.excess_kurtosis * share * share * quartic;
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

namespace {

// Of each value the sum of all the others, without a subtraction.
Eigen::VectorXd sums_of_others(const Eigen::VectorXd& values) {
    Eigen::VectorXd sums(values.size());
    double before = 0.0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        sums[i] = before;
        before += values[i];
    }
    double after = 0.0;
    for (Eigen::Index i = values.size(); i-- > 0;) {
        sums[i] += after;
        after += values[i];
    }
    return sums;
}

// Q = q q^T - diag(e). Where one column has most of q, and e_i is nearly q_i^2 there, as for the
// share of the first component of columns in different units, nothing is left of differences of
// sums over all columns: so what cancels is never added.
struct RankOneLessDiagonal {
    const Eigen::VectorXd& q;
    Eigen::VectorXd squares;  // of q
    Eigen::VectorXd others;   // sums of the squares of the others
    Eigen::VectorXd diagonal;

    RankOneLessDiagonal(const Eigen::VectorXd& direction, const Eigen::VectorXd& less)
        : q(direction),
          squares(direction.cwiseAbs2()),
          others(sums_of_others(squares)),
          diagonal(squares - less) {
        // Both are the same but for rounding, as for one column.
        constexpr double rounding = 1e-15;
        diagonal = (diagonal.array().abs() > rounding * squares.array()).select(diagonal, 0.0);
    }

    // Of (Q^2)_ii.
    [[nodiscard]] Eigen::VectorXd squared_norms_of_rows() const {
        return diagonal.cwiseAbs2() + squares.cwiseProduct(others);
    }

    [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& m) const {
        return q.cwiseProduct(sums_of_others(q.cwiseProduct(m))) + diagonal.cwiseProduct(m);
    }

    // tr Q^4 = |Q^2|^2, whose entries off the diagonal are q_i q_j (Q_ii + Q_jj + the squares of
    // all others).
    [[nodiscard]] double quartic() const {
        Eigen::Index greatest = 0;
        const double square = squares.maxCoeff(&greatest);
        Eigen::ArrayXd weights = squares.array();
        weights[greatest] = 0.0;
        const double rest = others[greatest];
        const Eigen::ArrayXd own = diagonal.array() - weights;
        double sum = squared_norms_of_rows().squaredNorm() +
                     2.0 * square * (weights * (own + (diagonal[greatest] + rest)).square()).sum();
        for (Eigen::Index i = 1; i < q.size(); ++i) {
            const double with_i = own[i] + rest + square;
            sum += 2.0 * weights[i] * (weights.head(i) * (own.head(i) + with_i).square()).sum();
        }
        return sum;
    }
};

}  // namespace

LinearFunction linear_function(const NoisyCovariance& covariance, const Eigen::VectorXd& direction,
                               const Eigen::VectorXd& less) {
    const Eigen::VectorXd& m = covariance.mean;
    const RankOneLessDiagonal weights(direction, less);
    const Eigen::VectorXd weighed_mean = weights.times(m);
    return noise_of(covariance,
                    {.value = direction.dot(covariance.matrix * direction) -
                              less.dot(covariance.matrix.diagonal()),
                     .squared_norm = weights.squared_norms_of_rows().sum(),
                     .quartic = covariance.excess_kurtosis == 0.0 ? 0.0 : weights.quartic(),
                     .squared_mean = weighed_mean.squaredNorm(),
                     .about_mean = m.dot(weighed_mean),
                     .trace = weights.diagonal.sum()});
}

double two_sided_quantile(double level, double excess_kurtosis) {
    // By the tail, which does not vanish beside 1.
    const double tail = 0.5 * (1.0 - level);
    const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
    return z + excess_kurtosis / 24.0 * z * (z * z - 3.0);
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
        const double variance = stratum.noise_scale * stratum.noise_scale;
        sum.noise_variance += variance;
        if (statistics.counted_with_strata) {
            sum.rows_covariance += variance / (stratum.radius * stratum.radius);
        }
    }
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

// The mean of a release with as little noise as can be had; none where it has none.
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
        sum.relative_mean_variance = relative_variance_of_rows(statistics) + along;
    }
    return sum;
}

}  // namespace dpcov::detail
