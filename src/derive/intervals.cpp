#include "derive/intervals.hpp"

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

void set_symmetric(MatrixEstimate& estimate, Eigen::Index i, Eigen::Index j,
                   const Interval& interval) {
    estimate.standard_error(i, j) = estimate.standard_error(j, i) = interval.standard_error;
    estimate.lower(i, j) = estimate.lower(j, i) = interval.lower;
    estimate.upper(i, j) = estimate.upper(j, i) = interval.upper;
}

}  // namespace dpcov::detail
