#include "moment/origin.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "dpcov/error.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

void check_origin(const MomentLayout& layout) {
    const std::vector<double>& origin = layout.origin;
    if (!origin.empty() && origin.size() != layout.columns) {
        throw UsageError("the origin has " + std::to_string(origin.size()) + " values, not " +
                         std::to_string(layout.columns));
    }
    for (std::size_t j = 0; j < origin.size(); ++j) {
        const bool bounded = !layout.schema.empty() && layout.schema[j].bounds;
        const double greatest = bounded ? 1.0 : SecretMoment::greatest_norm_bound;
        if (!(std::abs(origin[j]) <= greatest)) {
            throw UsageError("column " + std::to_string(j) +
                             ": the origin must be within [-1, 1] where there are bounds, else "
                             "finite and at most 2^200");
        }
    }
}

void subtract_origin(const std::vector<double>& origin, std::span<double> rows) {
    const std::size_t d = origin.size();
    for (std::size_t first = 0; d > 0 && first < rows.size(); first += d) {
        for (std::size_t j = 0; j < d; ++j) {
            rows[first + j] -= origin[j];
        }
    }
}

}  // namespace dpcov::detail
