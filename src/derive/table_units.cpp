// From units of the mapped rows to those of the table.
#include "derive/column_units.hpp"
#include "derive/parts_check.hpp"
#include "dpcov/derive.hpp"

namespace dpcov {

Release in_table_units(Release release) {
    detail::check_parts(release);
    if (detail::is_in_table_units(release)) {
        return release;
    }
    release.covariance = detail::covariance_in_table(release);
    release.mean = detail::mean_in_table(release);
    release.table_units = true;
    return release;
}

}  // namespace dpcov
