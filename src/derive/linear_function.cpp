#include "derive/linear_function.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <numbers>

namespace dpcov::detail {
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
    if (covariance.relative_rows_variance > 0.0) {
        const double along_rows = covariance.rows_covariance * weighed.trace;
        function.rows = {
            .relative_variance = covariance.relative_rows_variance,
            .of_mean = weighed.about_mean - v * weighed.trace,
            .mean_variance = from_mean,
            .matrix_variance = std::fmax(
                0.0, from_matrix - along_rows * along_rows / covariance.relative_rows_variance),
            .matrix_slope = along_rows / covariance.relative_rows_variance,
        };
    }
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

namespace {

// Sums were divided by the noisy number of rows. If the table has 1 - x times as many, its value is
// at(x), but for the noise of A and of the mean, of variance noise_at(x).
struct AtRows {
    const LinearFunction& function;

    [[nodiscard]] double at(double x) const {
        const DividedByRows& rows = function.rows;
        const double a = function.value + rows.of_mean - rows.matrix_slope * x;
        return (a - rows.of_mean / (1.0 - x)) / (1.0 - x);
    }
    [[nodiscard]] double noise_at(double x) const {
        const double square = 1.0 / ((1.0 - x) * (1.0 - x));
        return square * (function.rows.matrix_variance + square * function.rows.mean_variance);
    }
};

// The farthest on one side (sign) that x and the other noise together may move the value, z
// deviations in all: on the ellipse x = z h sin(angle), and z cos(angle) deviations of the other.
double farthest_on(double sign, const LinearFunction& function, double z) {
    const AtRows rows = {function};
    const double h = std::sqrt(function.rows.relative_variance);
    const auto nearer = [&](double angle) {
        const double x = z * h * std::sin(angle);
        return -(sign * (rows.at(x) - function.value) +
                 z * std::cos(angle) * std::sqrt(rows.noise_at(x)));
    };
    // Where fewer rows move it to the same side as more do, there are two such places.
    constexpr int bits = 10;  // of the angle; of what is least 20
    constexpr double quarter = 0.5 * std::numbers::pi;
    const auto fewer = boost::math::tools::brent_find_minima(nearer, -quarter, 0.0, bits);
    const auto more = boost::math::tools::brent_find_minima(nearer, 0.0, quarter, bits);
    return std::fmax(0.0, -std::fmin(fewer.second, more.second));
}

}  // namespace

Reach reach_of(const LinearFunction& function, double z) {
    const double share = z * std::sqrt(function.rows.relative_variance);
    if (!(share < 1.0)) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        return {infinite, infinite};
    }
    // Up to here the first order in the rows' noise is enough.
    constexpr double small = 1.0 / 64.0;
    if (share < small) {
        const double reach = z * std::sqrt(function.variance);
        return {reach, reach};
    }
    return {farthest_on(-1.0, function, z), farthest_on(1.0, function, z)};
}

// By the tail, which does not vanish beside 1.
NoiseQuantile::NoiseQuantile(double level)
    : normal_(boost::math::quantile(
          boost::math::complement(boost::math::normal(), 0.5 * (1.0 - level)))) {}

}  // namespace dpcov::detail
