// Without clones, for the registers that every processor of this kind has.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "moment/placement_versions.hpp"

#define target_clones(...) unused
#define detail portable
#include "moment/placement.cpp"  // NOLINT(bugprone-suspicious-include)
#undef detail

namespace dpcov::test {

Placed place_portable(const double* row, std::size_t d, double norm_bound) {
    return place_with<portable::Grid, portable::Place>(portable::find_place,
                                                       portable::place_on_grid, row, d, norm_bound);
}

std::vector<Placed> place_rows_portable(const std::vector<double>& rows, std::size_t d,
                                        double norm_bound) {
    return place_rows_with<portable::Grid, portable::Place>(
        portable::find_places, portable::place_rows_on_grid, rows, d, norm_bound);
}

}  // namespace dpcov::test
