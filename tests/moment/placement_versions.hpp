// src/moment/placement.cpp compiled again for one kind of register each. The library picks a clone
// for the processor it runs on; these stand for the processors that it does not run on.
#pragma once

#include <vector>

namespace dpcov::test {

/// A row's stratum, its integers and those of its direction.
struct Placed {
    bool finite = false;
    int stratum = -1;
    std::vector<double> grid;
    std::vector<double> sphere;

    friend bool operator==(const Placed&, const Placed&) = default;
};

[[nodiscard]] Placed place_portable(const double* row, std::size_t d, double norm_bound);
[[nodiscard]] Placed place_avx2(const double* row, std::size_t d, double norm_bound);

/// What the three versions have in common.
template <class Grid, class Place, class Find, class OnGrid>
Placed place_with(Find&& find_place, OnGrid&& place_on_grid, const double* row, std::size_t d,
                  double norm_bound) {
    Place place;
    Placed placed;
    placed.finite = find_place(row, d, Grid(norm_bound), place);
    if (placed.finite) {
        placed.stratum = place.stratum;
        placed.grid.resize(d);
        placed.sphere.resize(d);
        place_on_grid(row, d, place.power_of_two, place.to_grid, placed.grid.data());
        place_on_grid(row, d, place.power_of_two, place.to_sphere, placed.sphere.data());
    }
    return placed;
}

}  // namespace dpcov::test
