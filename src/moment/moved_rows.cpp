#include "moment/moved_rows.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {
namespace {

constexpr double least_stretch = 0x1p-20;
constexpr double greatest_stretch = 0x1p20;

void check_size(const char* name, std::size_t size, std::size_t columns) {
    if (size != 0 && size != columns) {
        throw UsageError(std::string("the ") + name + " has " + std::to_string(size) +
                         " values, not " + std::to_string(columns));
    }
}

// What is finite stays so: the row is clipped to the norm bound, and no error tells of it.
double stretched(double value, double factor) {
    const double product = value * factor;
    return std::isinf(product) && !std::isinf(value)
               ? std::copysign(std::numeric_limits<double>::max(), product)
               : product;
}

}  // namespace

void check_movement(const MomentLayout& layout) {
    const std::vector<double>& origin = layout.origin;
    const std::vector<double>& stretch = layout.stretch;
    check_size("origin", origin.size(), layout.columns);
    check_size("stretch", stretch.size(), layout.columns);
    for (std::size_t j = 0; j < origin.size(); ++j) {
        const bool bounded = !layout.schema.empty() && layout.schema[j].bounds;
        const double greatest = bounded ? 1.0 : limits::greatest_norm_bound;
        if (!(std::abs(origin[j]) <= greatest)) {
            throw UsageError("column " + std::to_string(j) +
                             ": the origin must be within [-1, 1] where there are bounds, else "
                             "finite and at most 2^200");
        }
    }
    for (std::size_t j = 0; j < stretch.size(); ++j) {
        if (!(stretch[j] >= least_stretch && stretch[j] <= greatest_stretch)) {
            throw UsageError("column " + std::to_string(j) +
                             ": the stretch must be from 2^-20 to 2^20");
        }
    }
}

bool moves_rows(const MomentLayout& layout) {
    return !layout.origin.empty() || !layout.stretch.empty();
}

void move_rows(const MomentLayout& layout, std::span<double> rows) {
    const std::size_t d = layout.columns;
    for (std::size_t first = 0; !layout.origin.empty() && first < rows.size(); first += d) {
        for (std::size_t j = 0; j < d; ++j) {
            rows[first + j] -= layout.origin[j];
        }
    }
    for (std::size_t first = 0; !layout.stretch.empty() && first < rows.size(); first += d) {
        for (std::size_t j = 0; j < d; ++j) {
            rows[first + j] = stretched(rows[first + j], layout.stretch[j]);
        }
    }
}

}  // namespace dpcov::detail
