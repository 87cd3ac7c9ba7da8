// Principal components: directions from the estimate, intervals from the noisy covariance.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/shared.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "estimate/covariance_estimate.hpp"
#include "estimate/risk.hpp"
#include "mechanism/catalogue.hpp"

namespace dpcov {
namespace {

using detail::EigenDecomposition;
using detail::LinearFunction;
using detail::NoisyCovariance;

// How much of its variance an eigenvalue may owe to the others, for its own to be told apart.
constexpr double most_mixing = 0.25;
// How far apart two noisy eigenvalues are, in deviations of the noise along their eigenvectors,
// that are apart in the table too: the noise alone drives equal ones apart, two of them this far
// with a chance of exp(-4).
constexpr double least_gap = 4.0;
// From where on the noisy trace is far enough from zero to divide by: in standard errors.
constexpr double least_z_of_trace = 4.0;
// Of the noisy covariance in the estimate, beside its norm: where the estimate says nothing of
// directions, the noisy covariance does.
constexpr double tie_break = 1e-9;

// Rows: unit vectors; in each, the entry of greatest size is positive.
Eigen::MatrixXd leading_rows(const EigenDecomposition& eigen) {
    Eigen::MatrixXd rows = eigen.vectors.rowwise().reverse().transpose();
    for (auto row : rows.rowwise()) {
        Eigen::Index greatest = 0;
        row.cwiseAbs().maxCoeff(&greatest);
        if (row[greatest] < 0.0) {
            row = -row.eval();
        }
    }
    return rows;
}

// What the noise is expected to leave of it (James and Stein).
double kept_of(const NoisyCovariance& noisy) {
    const double noise = noisy.noise_variance * detail::degrees_of_freedom(noisy.columns());
    const double size = noisy.matrix.squaredNorm();
    return noise < size ? 1.0 - noise / size : 0.0;
}

// Of a covariance that is zero, in units of the mapped rows: what it was before it was multiplied
// by zero, since noise is most of it, and the noisy one, without what is below zero. That one is
// told least by its noise, but knows few directions; this one knows all.
Eigen::MatrixXd before_zero(const Release& release, const NoisyCovariance& noisy) {
    const EigenDecomposition eigen = detail::eigen_decomposition(noisy.matrix);
    Eigen::MatrixXd all =
        eigen.vectors * eigen.values.cwiseMax(0.0).asDiagonal() * eigen.vectors.transpose();
    if (release.centered && detail::is_of_strata(release)) {
        const Eigen::MatrixXd matrix =
            detail::estimate_of_strata(release.statistics, noisy.columns(), release.norm_bound,
                                       detail::Length::noisy)
                .covariance;
        if (!matrix.isZero(0.0)) {
            return matrix + kept_of(noisy) * all;
        }
    }
    return all;
}

// The covariance by all strata, with less noise than their sum.
std::optional<NoisyCovariance> weighed_covariance(const Release& release) {
    std::vector<Eigen::Index> columns(static_cast<std::size_t>(release.covariance.rows()));
    std::iota(columns.begin(), columns.end(), Eigen::Index{0});
    return detail::weighed_covariance(release, columns);
}

// Whatever the release tells, columns vary by about as much as its noise hides: those of great
// units come first where it tells nothing, not those that noise happened to raise.
Eigen::MatrixXd guess_at_covariance(const Release& release,
                                    const std::optional<NoisyCovariance>& noisy,
                                    const Eigen::VectorXd& units) {
    if (!noisy) {
        return units.cwiseAbs2().asDiagonal();
    }
    Eigen::MatrixXd matrix = before_zero(release, *noisy);
    matrix.diagonal().array() += std::sqrt(noisy->noise_variance);
    return detail::in_units(matrix, units);
}

// Of the estimate, in `units`; where it is zero, of a guess.
EigenDecomposition leading_directions(const Release& release, const Eigen::MatrixXd& estimate,
                                      const std::optional<NoisyCovariance>& noisy,
                                      const Eigen::VectorXd& units, Eigen::Index count) {
    if (estimate.isZero(0.0)) {
        return detail::greatest_eigenvectors(guess_at_covariance(release, noisy, units), count);
    }
    if (!noisy) {
        return detail::greatest_eigenvectors(estimate, count);
    }
    const Eigen::MatrixXd raw = detail::in_units(noisy->matrix, units);
    const double norm = raw.norm();
    const double weight = norm > 0.0 ? tie_break * estimate.norm() / norm : 0.0;
    return detail::greatest_eigenvectors(estimate + weight * raw, count);
}

// Most by which the noise moves any eigenvalue (Weyl), with probability `level`: columns in
// units u make it at most sqrt(2) s max u |u| + s max u^2 / (2 sqrt(pi)) on average (Sudakov and
// Fernique, docs/deriving.md#components), times what the edge of its spectrum is over that of
// Gaussian noise, and it deviates by s max u^2 (Gaussian concentration).
double most_shift(const NoisyCovariance& noisy, const Eigen::VectorXd& units, double level) {
    const double s = std::sqrt(noisy.noise_variance);
    const double greatest = units.maxCoeff();
    const double z = detail::two_sided_quantile(level, noisy.excess_kurtosis);
    const double on_average = std::sqrt(2.0) * s * greatest * units.norm() +
                              0.5 * std::numbers::inv_sqrtpi * s * greatest * greatest;
    const double of_matrix = noisy.edge_ratio * on_average + z * s * greatest * greatest;
    const double v = noisy.mean_noise_variance;
    const double mean = units.cwiseProduct(noisy.mean).norm();
    const double of_mean = std::sqrt(v) * (units.norm() + z * greatest);
    return of_matrix + 2.0 * mean * of_mean + of_mean * of_mean;
}

double reach_of(const LinearFunction& function, double level) {
    return detail::two_sided_quantile(level, function.excess_kurtosis) *
           std::sqrt(function.variance);
}

// The k-th eigenvalue of the table's own covariance, from those of the noisy one.
struct Eigenvalue {
    double value = 0.0;   // without what the noise adds to it on average
    double mixing = 0.0;  // sum of the squared angles by which the noise turns its eigenvector
    double turned = 0.0;  // variance of what the noise adds to it by that
    double louder = 1.0;  // how much more noise there may be along the table's own eigenvector

    // Of the value, if the noise along the noisy eigenvector has variance `along`. Where all units
    // are the same the two that are compared are, too, and nothing is louder.
    [[nodiscard]] double variance(double along) const {
        return along * louder * louder + std::fmax(along * mixing, turned);
    }
};

// To second order, l_k = lambda_k + sum_j var(v_k^T N v_j) / (l_k - l_j): for one eigenvalue above
// a bulk this is the spiked model's bias.
Eigenvalue debiased(const NoisyCovariance& noisy, const Eigen::VectorXd& units,
                    const EigenDecomposition& eigen, Eigen::Index k) {
    const Eigen::MatrixXd scaled = units.asDiagonal() * eigen.vectors;
    const Eigen::VectorXd inner = scaled.transpose() * scaled.col(k);
    const Eigen::VectorXd along_mean = scaled.transpose() * noisy.mean;
    const double v = noisy.mean_noise_variance;
    // Of v_j^T N v_j. Where columns have other units, that of a small eigenvalue may be the
    // greatest of all: its column may have sunk there from the first place.
    const Eigen::ArrayXd squares = scaled.colwise().squaredNorm();
    const Eigen::ArrayXd own =
        noisy.noise_variance * squares.square() +
        2.0 * v * squares * (2.0 * along_mean.array().square() + v * squares);
    Eigenvalue result{.value = eigen.values[k]};
    double from_others = 0.0;  // of the squared norm, in the table's units, of an eigenvector
    double between = 0.0;      // that may have been turned back
    for (Eigen::Index j = 0; j < eigen.values.size(); ++j) {
        if (j == k) {
            continue;
        }
        const double squared = squares[j];
        const double of_mean = v * (along_mean[k] * along_mean[k] * squared +
                                    along_mean[j] * along_mean[j] * inner[k] +
                                    2.0 * along_mean[k] * along_mean[j] * inner[j]);
        const double variance =
            0.5 * noisy.noise_variance * (inner[k] * squared + inner[j] * inner[j]) + of_mean;
        const double gap = eigen.values[k] - eigen.values[j];
        // All three are the same where units are, and directions look alike from the mean.
        const double of_gap = std::fmax(2.0 * variance, 0.5 * (own[k] + own[j]));
        if (std::abs(gap) < least_gap * std::sqrt(of_gap)) {
            return {.value = eigen.values[k], .mixing = std::numeric_limits<double>::infinity()};
        }
        const double squared_angle = variance / (gap * gap);
        result.value -= variance / gap;
        result.mixing += squared_angle;
        result.turned += 2.0 * variance * squared_angle;  // of a squared normal over the gap
        from_others += squared_angle * std::fmax(0.0, squared - squares[k]);
        between += squared_angle * inner[j] * inner[j];
    }
    // Noise turns eigenvectors to where there is less of it. One deviation of the angles back there
    // may be so much more.
    result.louder += (from_others + 2.0 * std::sqrt(between)) / squares[k];
    return result;
}

// The most that the k-th eigenvalue can be, whatever the rows: they are within the bounds. Without
// the k - 1 columns that can vary most the greatest eigenvalue is no smaller (Cauchy's
// interlacing), and at most the sum of the others' variances; and k times it is at most the sum of
// all. In the table's units.
Eigen::VectorXd greatest_possible(const Release& release, Eigen::Index count) {
    const Eigen::Index d = release.covariance.rows();
    std::vector<double> squares(static_cast<std::size_t>(d),
                                std::numeric_limits<double>::infinity());
    const Eigen::VectorXd origin = detail::origin_of(release);
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (release.schema[j].bounds) {
            const double beside =
                release.centered ? 0.0 : std::abs(origin[static_cast<Eigen::Index>(j)]);
            squares[j] = std::pow(release.schema[j].unit() * (1.0 + beside), 2);
        }
    }
    std::sort(squares.begin(), squares.end());
    std::partial_sum(squares.begin(), squares.end(), squares.begin());
    Eigen::VectorXd greatest(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        greatest[k] = std::min(squares[static_cast<std::size_t>(d - 1 - k)],
                               squares.back() / static_cast<double>(k + 1));
    }
    return greatest;
}

// What is told of one entry beside its value, and why not more, where it is less.
struct ToldOfEntry {
    std::optional<double> standard_error = {};
    double lower = 0.0;
    double upper = 0.0;
    const char* why = "";
};

void put_told(VectorEstimate& estimate, Eigen::Index i, const ToldOfEntry& told) {
    if (told.standard_error) {
        estimate.standard_error[i] = *told.standard_error;
    }
    estimate.lower[i] = told.lower;
    estimate.upper[i] = told.upper;
    if (*told.why != '\0') {
        estimate.why = told.why;
    }
}

constexpr const char* near_to_others =
    "wide, without a standard error, where an eigenvalue is too near to others to be told apart "
    "from them in this noise";

// An eigenvalue of the noisy covariance, the direction in which columns vary by it, in units, and
// the eigenvalue of the table's own.
struct NoisyComponent {
    double noisy = 0.0;
    Eigen::VectorXd direction;
    Eigenvalue own;

    [[nodiscard]] bool stands_apart() const { return own.mixing <= most_mixing; }
};

// Of the variance that it explains, which is at most `most`.
ToldOfEntry interval_of_variance(const NoisyComponent& component, const NoisyCovariance& noisy,
                                 const Eigen::VectorXd& units, double most, double level) {
    ToldOfEntry told;
    double centre = component.noisy;
    double reach = 0.0;
    if (component.stands_apart()) {
        const LinearFunction along =
            linear_function(noisy, component.direction, Eigen::VectorXd::Zero(units.size()));
        const double error = std::sqrt(component.own.variance(along.variance));
        told.standard_error = error;
        centre = component.own.value;
        reach = detail::two_sided_quantile(level, along.excess_kurtosis) * error;
    } else {
        told.why = near_to_others;
        reach = most_shift(noisy, units, level);
    }
    told.upper = std::fmin(std::fmax(0.0, centre + reach), most);
    told.lower = std::clamp(centre - reach, 0.0, told.upper);
    return told;
}

// Of its share of the trace, where it stands apart.
ToldOfEntry share_when_apart(const NoisyComponent& component, const NoisyCovariance& noisy,
                             const Eigen::VectorXd& units, const LinearFunction& trace,
                             double level) {
    const double share = component.own.value / trace.value;
    const LinearFunction excess =
        linear_function(noisy, component.direction, Eigen::VectorXd(share * units.cwiseAbs2()));
    const double error = std::sqrt(component.own.variance(excess.variance)) / trace.value;
    const double z = detail::two_sided_quantile(level, excess.excess_kurtosis);
    constexpr double rounding = 0x1p-44;  // of one column the share is 1, without noise
    const double reach = z * error + rounding * share;
    return {.standard_error = error,
            .lower = std::clamp(share - reach, 0.0, 1.0),
            .upper = std::clamp(share + reach, 0.0, 1.0)};
}

// The same by the ends of the variance and of the trace, where it does not.
ToldOfEntry share_by_ends(const ToldOfEntry& variance, const LinearFunction& trace, double level) {
    const double least = trace.value - reach_of(trace, level);
    const double most = trace.value + reach_of(trace, level);
    // Of a whole that may be nothing, any share.
    return {.lower = std::clamp(variance.lower / most, 0.0, 1.0),
            .upper = least > 0.0 ? std::fmin(variance.upper / least, 1.0) : 1.0,
            .why = variance.why};
}

// The same where the trace may be nothing.
ToldOfEntry share_unknown() {
    return {.upper = 1.0,
            .why = "the whole variance is not far enough above its noise to divide by"};
}

// In units of which the fourth powers are numbers.
void set_intervals_in(PrincipalComponents& result, const NoisyCovariance& noisy,
                      const Eigen::VectorXd& units, const Eigen::VectorXd& greatest, double level) {
    const EigenDecomposition eigen =
        detail::eigen_decomposition(detail::in_units(noisy.matrix, units));
    const LinearFunction trace = linear_function(noisy, Eigen::VectorXd::Zero(units.size()),
                                                 Eigen::VectorXd(-units.cwiseAbs2()));
    const bool trace_is_known = trace.value > least_z_of_trace * std::sqrt(trace.variance);
    // Each variance is no greater than the one before.
    double most = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < result.components.rows(); ++i) {
        const Eigen::Index k = eigen.values.size() - 1 - i;
        const NoisyComponent component = {.noisy = eigen.values[k],
                                          .direction = units.cwiseProduct(eigen.vectors.col(k)),
                                          .own = debiased(noisy, units, eigen, k)};
        most = std::fmin(most, greatest[i]);
        const ToldOfEntry variance = interval_of_variance(component, noisy, units, most, level);
        put_told(result.explained_variance, i, variance);
        most = variance.upper;
        ToldOfEntry share = !trace_is_known ? share_unknown()
                            : component.stands_apart()
                                ? share_when_apart(component, noisy, units, trace, level)
                                : share_by_ends(variance, trace, level);
        const double most_of_share = 1.0 / static_cast<double>(i + 1);
        share.upper = std::fmin(share.upper, most_of_share);
        share.lower = std::fmin(share.lower, most_of_share);
        put_told(result.explained_variance_ratio, i, share);
    }
}

void set_intervals(PrincipalComponents& result, const Release& release,
                   const NoisyCovariance& noisy, const Eigen::VectorXd& units, double level) {
    const int exponent = std::ilogb(units.maxCoeff());
    const Eigen::VectorXd greatest =
        greatest_possible(release, result.components.rows()) * std::ldexp(1.0, -2 * exponent);
    set_intervals_in(result, noisy, units * std::ldexp(1.0, -exponent), greatest, level);
    VectorEstimate& variance = result.explained_variance;
    for (Eigen::VectorXd* told : {&variance.standard_error, &variance.lower, &variance.upper}) {
        *told *= std::ldexp(1.0, 2 * exponent);
    }
}

}  // namespace

PrincipalComponents derive_pca(const Release& release, Eigen::Index components, double level,
                               ComponentsOf of) {
    detail::check_level(level);
    detail::check_parts(release);
    const Eigen::Index d = release.covariance.rows();
    if (components < 1 || components > d) {
        throw UsageError("there are from 1 to " + std::to_string(d) +
                         " components, one for each column; " + std::to_string(components) +
                         " were asked for");
    }
    Eigen::VectorXd units = detail::units_of_statistics(release);
    Eigen::MatrixXd matrix = in_table_units(release).covariance;
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    // It takes the memory of all strata, so only where there is nothing else.
    const std::optional<NoisyCovariance> told =
        noisy && matrix.isZero(0.0) ? weighed_covariance(release) : noisy;

    PrincipalComponents result;
    if (release.mean) {
        result.mean = in_table_units(release).mean;
    }
    if (of == ComponentsOf::correlation) {
        result.deviations = matrix.diagonal().cwiseMax(0.0).cwiseSqrt();
        // Columns that were not seen to vary take no part, unless none was.
        const Eigen::ArrayXd deviations = *result.deviations;
        const Eigen::VectorXd divisors = (deviations > 0.0).select(1.0 / deviations, 0.0);
        matrix = detail::in_units(matrix, divisors);
        units = matrix.isZero(0.0) ? Eigen::VectorXd(Eigen::VectorXd::Ones(d))
                                   : Eigen::VectorXd(units.cwiseProduct(divisors));
    }
    result.components = leading_rows(leading_directions(release, matrix, told, units, components));
    const Eigen::VectorXd explained = (result.components * matrix)
                                          .cwiseProduct(result.components)
                                          .rowwise()
                                          .sum()
                                          .cwiseMax(0.0);  // but for rounding
    const double trace = matrix.trace();
    result.explained_variance = detail::without_intervals(explained);
    result.explained_variance_ratio = detail::without_intervals(
        trace > 0.0 ? Eigen::VectorXd(explained / trace) : Eigen::VectorXd::Zero(components));
    if (noisy && of == ComponentsOf::covariance) {
        set_intervals(result, release, *noisy, units, level);
    } else {
        result.explained_variance.why =
            noisy ? "no intervals are known where columns are divided by deviations that are noisy"
                  : detail::why_no_intervals(release);
        result.explained_variance_ratio.why = result.explained_variance.why;
    }
    return result;
}

}  // namespace dpcov
