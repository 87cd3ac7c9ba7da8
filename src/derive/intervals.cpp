#include "derive/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dpcov/methods.hpp"

namespace dpcov::detail {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

MatrixEstimate without_intervals(Eigen::MatrixXd estimate) {
    const Eigen::MatrixXd none =
        Eigen::MatrixXd::Constant(estimate.rows(), estimate.cols(), unknown);
    return {.matrix = std::move(estimate), .standard_error = none, .lower = none, .upper = none};
}

VectorEstimate without_intervals(Eigen::VectorXd estimate) {
    const Eigen::VectorXd none = Eigen::VectorXd::Constant(estimate.size(), unknown);
    return {.estimate = std::move(estimate), .standard_error = none, .lower = none, .upper = none};
}

std::string why_no_intervals(const Release& release) {
    if (release.zero == ZeroReason::undetectable || release.zero == ZeroReason::baseline) {
        return "no noisy statistic was drawn: nothing is known of the table";
    }
    return "no intervals are known for releases of method " + release.method + " (variant " +
           std::string(name_of(release.variant)) +
           "); these have some, in variant best: " + methods_where(&Method::has_intervals);
}

namespace {

// The length that is left of an interval at an end of what is possible.
double always_left(const Interval& interval, double least, double most) {
    const double half = 0.5 * (interval.upper - interval.lower);
    return std::fmin(std::fmin(interval.standard_error, half), most - least);
}

}  // namespace

Interval possible_part(const Interval& interval, double least, double most) {
    return possible_part(interval, interval, least, most);
}

Interval possible_part(const Interval& interval, const Interval& one_sided, double least,
                       double most) {
    const double left = always_left(interval, least, most);
    const bool is_told = std::isfinite(interval.lower) || std::isfinite(interval.upper);
    const Interval& near_ends = is_told ? one_sided : interval;
    const double lower = std::fmax(interval.lower, std::fmin(near_ends.lower, least + left));
    const double upper = std::fmin(interval.upper, std::fmax(near_ends.upper, most - left));
    // What is left may be all of it, but for rounding.
    return {.standard_error = interval.standard_error,
            .lower = std::clamp(lower, least, std::fmax(least, most - left)),
            .upper = std::clamp(upper, std::fmin(least + left, most), most)};
}

void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval) {
    estimate.standard_error(i, j) = estimate.standard_error(j, i) = interval.standard_error;
    estimate.lower(i, j) = estimate.lower(j, i) = interval.lower;
    estimate.upper(i, j) = estimate.upper(j, i) = interval.upper;
}

}  // namespace dpcov::detail
