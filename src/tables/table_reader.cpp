#include "dpcov/error.hpp"
#include "dpcov/table.hpp"

namespace dpcov {

void TableReader::require_all_rows() const {
    if (abandoned_) {
        throw UsageError(
            "this table's reader failed, or was left, part of the way: rows before the next would "
            "be missing; open the table anew");
    }
}

}  // namespace dpcov
