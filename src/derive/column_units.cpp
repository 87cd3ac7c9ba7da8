#include "derive/column_units.hpp"

#include <cmath>
#include <limits>

#include "arithmetic/in_units.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {

Eigen::VectorXd units_of_columns(const Release& release) {
    Eigen::VectorXd units = Eigen::VectorXd::Ones(release.covariance.rows());
    for (Eigen::Index j = 0; const Column& column : release.schema) {
        units[j++] = column.bounds ? column.unit() : 1.0;
    }
    return units;
}

Eigen::VectorXd midpoints_of_columns(const Release& release) {
    Eigen::VectorXd midpoints = Eigen::VectorXd::Zero(release.covariance.rows());
    for (Eigen::Index j = 0; const Column& column : release.schema) {
        midpoints[j++] = column.bounds ? column.midpoint() : 0.0;
    }
    return midpoints;
}

Eigen::VectorXd origin_of(const Release& release) {
    return release.origin.size() > 0 ? release.origin
                                     : Eigen::VectorXd::Zero(release.covariance.rows());
}

Eigen::VectorXd stretch_of(const Release& release) {
    return release.stretch.size() > 0 ? release.stretch
                                      : Eigen::VectorXd::Ones(release.covariance.rows());
}

Eigen::VectorXd units_of_statistics(const Release& release) {
    return units_of_columns(release).cwiseQuotient(stretch_of(release));
}

Eigen::VectorXd origin_in_table(const Release& release) {
    return midpoints_of_columns(release) +
           units_of_columns(release).cwiseProduct(origin_of(release));
}

bool is_in_table_units(const Release& release) {
    return release.table_units || !has_bounds(release.schema);
}

Eigen::MatrixXd covariance_in_table(const Release& release) {
    return is_in_table_units(release) ? release.covariance
                                      : in_units(release.covariance, units_of_columns(release));
}

std::optional<Eigen::VectorXd> mean_in_table(const Release& release) {
    if (!release.mean || is_in_table_units(release)) {
        return release.mean;
    }
    return midpoints_of_columns(release) + units_of_columns(release).cwiseProduct(*release.mean);
}

double longest_value(const Release& release) {
    return release.norm_bound > 0.0 ? release.norm_bound : std::numeric_limits<double>::infinity();
}

Eigen::VectorXd possible_variances(const Release& release) {
    Eigen::VectorXd possible = stretch_of(release).cwiseAbs2();
    const std::optional<Eigen::VectorXd> mean = mean_in_table(release);
    for (Eigen::Index j = 0; const Column& column : release.schema) {
        if (mean && column.bounds) {
            const double mapped = ((*mean)[j] - column.midpoint()) / column.unit();
            possible[j] *= std::fmax(0.0, 1.0 - mapped * mapped);
        }
        ++j;
    }
    return possible;
}

Eigen::MatrixXd covariance_as_summed(const Release& release) {
    if (!release.table_units && release.stretch.size() == 0) {
        return release.covariance;
    }
    return in_units(release.covariance, release.table_units
                                            ? units_of_statistics(release).cwiseInverse()
                                            : stretch_of(release));
}

}  // namespace dpcov::detail
