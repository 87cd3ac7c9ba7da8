// Principal components: directions from the estimate, intervals from the noisy covariance.
#include <cmath>
#include <optional>
#include <string>

#include "arithmetic/in_units.hpp"
#include "derive/column_units.hpp"
#include "derive/component_directions.hpp"
#include "derive/component_intervals.hpp"
#include "derive/correlation_matrix.hpp"
#include "derive/intervals.hpp"
#include "derive/noisy_covariance.hpp"
#include "derive/parts_check.hpp"
#include "derive/shrunk_correlations.hpp"
#include "derive/varying_columns.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"

namespace dpcov {

using detail::NoisyCovariance;

PrincipalComponents derive_pca(const Release& release, Eigen::Index components, double level,
                               ComponentsOf of, IntervalsFor intervals_for) {
    detail::check_level(level);
    detail::check_parts(release);
    const Eigen::Index d = release.covariance.rows();
    if (components < 1 || components > d) {
        throw UsageError("there are from 1 to " + std::to_string(d) +
                         " components, one for each column; " + std::to_string(components) +
                         " were asked for");
    }
    Eigen::VectorXd units = detail::units_of_statistics(release);
    Eigen::MatrixXd matrix = detail::covariance_in_table(release);
    const std::optional<NoisyCovariance> noisy = detail::noisy_covariance(release);
    // It takes the memory of all strata, so only where there is nothing else.
    const std::optional<NoisyCovariance> told =
        noisy && matrix.isZero(0.0) ? detail::weighed_covariance(release) : noisy;

    PrincipalComponents result;
    result.mean = detail::mean_in_table(release);
    if (of == ComponentsOf::correlation) {
        // Columns that were not seen to vary take no part, unless none was.
        const detail::ColumnFlags varies = detail::seen_to_vary(release);
        matrix = detail::of_flagged(matrix, varies);
        result.deviations = matrix.diagonal().cwiseMax(0.0).cwiseSqrt();
        units = units.cwiseProduct(detail::inverse_deviations(matrix)).eval();
        matrix = detail::of_flagged(detail::shrunk_correlations(release, varies), varies);
    }
    result.components = detail::leading_directions(release, of, matrix, told, units, components);
    const Eigen::VectorXd explained = (result.components * matrix)
                                          .cwiseProduct(result.components)
                                          .rowwise()
                                          .sum()
                                          .cwiseMax(0.0);  // but for rounding
    const double trace = matrix.trace();
    result.explained_variance = detail::without_intervals(explained);
    result.explained_variance_ratio = detail::without_intervals(
        trace > 0.0 ? Eigen::VectorXd(explained / trace) : Eigen::VectorXd::Zero(components));
    if (noisy && of == ComponentsOf::covariance && intervals_for == IntervalsFor::table) {
        detail::set_intervals(result, release, *noisy, units, level);
    } else {
        result.explained_variance.why =
            !noisy ? detail::why_no_intervals(release)
            : of == ComponentsOf::correlation
                ? "no intervals are known where columns are divided by deviations that are noisy"
                : "no intervals for a population are known of eigenvalues: those of a sample "
                  "spread, "
                  "and how far depends on fourth moments of all columns together";
        result.explained_variance_ratio.why = result.explained_variance.why;
    }
    return result;
}

}  // namespace dpcov
