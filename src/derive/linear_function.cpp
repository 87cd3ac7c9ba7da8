#include "derive/linear_function.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

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

// By the tail, which does not vanish beside 1.
NoiseQuantile::NoiseQuantile(double level)
    : normal_(boost::math::quantile(
          boost::math::complement(boost::math::normal(), 0.5 * (1.0 - level)))) {}

}  // namespace dpcov::detail
