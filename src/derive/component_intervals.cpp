#include "derive/component_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/in_units.hpp"
#include "derive/column_units.hpp"
#include "derive/intervals.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_eigenvalue.hpp"

namespace dpcov::detail {
namespace {

// How much of its variance an eigenvalue may owe to the others, for its own to be told apart.
constexpr double most_mixing = 0.25;
// From where on the noisy trace is far enough from zero to divide by: in standard errors.
constexpr double least_z_of_trace = 4.0;
// Most by which the noise moves any eigenvalue (Weyl), with probability `level`: columns in
// units u make it at most sqrt(2) s max u |u| + s max u^2 / (2 sqrt(pi)) on average (Sudakov and
// Fernique, docs/deriving.md#components), times what the edge of its spectrum is over that of
// Gaussian noise, and it deviates by s max u^2 (Gaussian concentration).
double most_shift(const NoisyCovariance& noisy, const Eigen::VectorXd& units, double level) {
    const double s = std::sqrt(noisy.noise_variance);
    const double greatest = units.maxCoeff();
    const double z = NoiseQuantile(level).with(noisy.excess_kurtosis);
    const double on_average = std::sqrt(2.0) * s * greatest * units.norm() +
                              0.5 * std::numbers::inv_sqrtpi * s * greatest * greatest;
    const double of_matrix = noisy.edge_ratio * on_average + z * s * greatest * greatest;
    const double v = noisy.mean_noise_variance;
    const double mean = units.cwiseProduct(noisy.mean).norm();
    const double of_mean = std::sqrt(v) * (units.norm() + z * greatest);
    return of_matrix + 2.0 * mean * of_mean + of_mean * of_mean;
}

double first_order_reach(const LinearFunction& function, double level) {
    return NoiseQuantile(level).with(function.excess_kurtosis) * std::sqrt(function.variance);
}

// The most that the k-th eigenvalue can be, whatever the rows: they are within the bounds. Without
// the k - 1 columns that can vary most the greatest eigenvalue is no smaller (Cauchy's
// interlacing), and at most the sum of the others' variances; and k times it is at most the sum of
// all. Nor are rows of the statistics longer than the norm bound, so that k times an eigenvalue is
// at most its square there, and units multiply it by the square of the greatest at most. In the
// table's units.
Eigen::VectorXd greatest_possible(const Release& release, const Eigen::VectorXd& units,
                                  Eigen::Index count) {
    const Eigen::Index d = release.covariance.rows();
    std::vector<double> squares(static_cast<std::size_t>(d),
                                std::numeric_limits<double>::infinity());
    const Eigen::VectorXd origin = origin_of(release);
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (release.schema[j].bounds) {
            const double beside =
                release.centered ? 0.0 : std::abs(origin[static_cast<Eigen::Index>(j)]);
            squares[j] = std::pow(release.schema[j].unit() * (1.0 + beside), 2);
        }
    }
    std::sort(squares.begin(), squares.end());
    std::partial_sum(squares.begin(), squares.end(), squares.begin());
    const double of_longest = std::pow(longest_value(release) * units.maxCoeff(), 2);
    Eigen::VectorXd greatest(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        greatest[k] = std::min(squares[static_cast<std::size_t>(d - 1 - k)],
                               std::min(squares.back(), of_longest) / static_cast<double>(k + 1));
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
    if (!component.stands_apart()) {
        const double reach = most_shift(noisy, units, level);
        const double upper = std::fmin(std::fmax(0.0, component.noisy + reach), most);
        return {.lower = std::clamp(component.noisy - reach, 0.0, upper),
                .upper = upper,
                .why = near_to_others};
    }
    const LinearFunction along =
        linear_function(noisy, component.direction, Eigen::VectorXd::Zero(units.size()));
    const double error = std::sqrt(component.own.variance(along.variance));
    const Reach reach = reach_of(along, NoiseQuantile(level).with(along.excess_kurtosis));
    const double longer = error / std::sqrt(along.variance);
    const Interval possible = possible_part({.standard_error = error,
                                             .lower = component.own.value - longer * reach.below,
                                             .upper = component.own.value + longer * reach.above},
                                            0.0, most);
    return {.standard_error = error,
            .lower = possible.lower,
            .upper = possible.upper,
            .why = std::isinf(reach.above) ? rows_may_be_none : ""};
}

// Of its share of the trace, where it stands apart.
ToldOfEntry share_when_apart(const NoisyComponent& component, const NoisyCovariance& noisy,
                             const Eigen::VectorXd& units, const LinearFunction& trace, double most,
                             double level) {
    const double share = component.own.value / trace.value;
    const LinearFunction excess =
        linear_function(noisy, component.direction, Eigen::VectorXd(share * units.cwiseAbs2()));
    const double error = std::sqrt(component.own.variance(excess.variance)) / trace.value;
    const double z = NoiseQuantile(level).with(excess.excess_kurtosis);
    constexpr double rounding = 0x1p-44;  // of one column the share is 1, without noise
    const double reach = z * error + rounding * std::abs(share);
    const Interval possible = possible_part(
        {.standard_error = error, .lower = share - reach, .upper = share + reach}, 0.0, most);
    return {.standard_error = error, .lower = possible.lower, .upper = possible.upper};
}

// The same by the ends of the variance and of the trace, where it does not.
ToldOfEntry share_by_ends(const ToldOfEntry& variance, const LinearFunction& trace, double level) {
    const double least = trace.value - first_order_reach(trace, level);
    const double most = trace.value + first_order_reach(trace, level);
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
    const EigenDecomposition eigen = eigen_decomposition(in_units(noisy.matrix, units));
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
        const double most_of_share = 1.0 / static_cast<double>(i + 1);
        ToldOfEntry share =
            !trace_is_known ? share_unknown()
            : component.stands_apart()
                ? share_when_apart(component, noisy, units, trace, most_of_share, level)
                : share_by_ends(variance, trace, level);
        share.upper = std::fmin(share.upper, most_of_share);
        share.lower = std::fmin(share.lower, most_of_share);
        put_told(result.explained_variance_ratio, i, share);
    }
}

}  // namespace

void set_intervals(PrincipalComponents& result, const Release& release,
                   const NoisyCovariance& noisy, const Eigen::VectorXd& units, double level) {
    const int exponent = std::ilogb(units.maxCoeff());
    const Eigen::VectorXd greatest = greatest_possible(release, units, result.components.rows()) *
                                     std::ldexp(1.0, -2 * exponent);
    set_intervals_in(result, noisy, units * std::ldexp(1.0, -exponent), greatest, level);
    VectorEstimate& variance = result.explained_variance;
    for (Eigen::VectorXd* told : {&variance.standard_error, &variance.lower, &variance.upper}) {
        *told *= std::ldexp(1.0, 2 * exponent);
    }
}

}  // namespace dpcov::detail
