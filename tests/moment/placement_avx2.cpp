// The AVX2 clone alone. To be called only where the processor has AVX2. Elsewhere than on x86-64
// there are no clones, and this is the portable code again.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "moment/placement_versions.hpp"

#define target_clones(...) target("avx2")
#define detail avx2
#include "moment/placement.cpp"  // NOLINT(bugprone-suspicious-include)
#undef detail

namespace dpcov::test {

Placed place_avx2(const double* row, std::size_t d, double norm_bound) {
    return place_with<avx2::Grid, avx2::Place>(avx2::find_place, avx2::place_on_grid, row, d,
                                               norm_bound);
}

std::vector<Placed> place_rows_avx2(const std::vector<double>& rows, std::size_t d,
                                    double norm_bound) {
    return place_rows_with<avx2::Grid, avx2::Place>(avx2::find_places, avx2::place_rows_on_grid,
                                                    rows, d, norm_bound);
}

}  // namespace dpcov::test
