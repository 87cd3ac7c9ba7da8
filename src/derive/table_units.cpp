// From units of the mapped rows to those of the table.
#include "arithmetic/in_units.hpp"
#include "derive/column_units.hpp"
#include "derive/parts_check.hpp"
#include "dpcov/derive.hpp"

namespace dpcov {

Release in_table_units(Release release) {
    detail::check_parts(release);
    if (release.table_units || !has_bounds(release.schema)) {
        return release;
    }
    const Eigen::VectorXd units = detail::units_of_columns(release);
    release.covariance = detail::in_units(release.covariance, units);
    if (release.mean) {
        release.mean = detail::midpoints_of_columns(release) + units.cwiseProduct(*release.mean);
    }
    release.table_units = true;
    return release;
}

}  // namespace dpcov
