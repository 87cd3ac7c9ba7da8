#include "mechanism/rows_again.hpp"

#include <memory>
#include <string>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "moment/moved_rows.hpp"
#include "moment/secret_door.hpp"

namespace dpcov::detail {

bool may_read_again(const MomentLayout& layout, const ReleaseOptions& options) {
    return options.read_again && !moves_rows(layout) &&
           implied_norm_bound(layout.schema) == layout.norm_bound;
}

ReleasedRows rows_again(const SecretMoment& secret, const std::vector<double>& origin,
                        const std::vector<double>& stretch, const ReleaseOptions& options) {
    MomentLayout asked = secret.layout();
    asked.norm_bound = 0.0;
    asked.origin = origin;
    asked.stretch = stretch;
    SecondMoment again(asked);
    const std::weak_ptr<const SecretMoment> handed_over = SecretDoor::open(again);
    options.read_again(again);
    if (handed_over.lock() != SecretDoor::open(again)) {
        throw UsageError("the rows were read again into another moment than was handed over");
    }
    const std::shared_ptr<SecretMoment> rows = SecretDoor::take(std::move(again));
    // Where n is private nobody may tell.
    if (options.neighbours == Neighbours::replace && rows->rows() != secret.rows()) {
        throw DataError("the table had " + std::to_string(secret.rows()) +
                        " rows, and when it was read again " + std::to_string(rows->rows()) +
                        "; it must not change in between");
    }
    return ReleasedRows::given(rows);
}

}  // namespace dpcov::detail
