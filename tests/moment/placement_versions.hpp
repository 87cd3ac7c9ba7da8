// src/moment/placement.cpp compiled again for one kind of register each. The library picks a clone
// for the processor it runs on; these stand for the processors that it does not run on.
#pragma once

#include <vector>

namespace dpcov::test {

/// A row's octave, its integers and those of its direction.
struct Placed {
    bool finite = false;
    int octave = -1;
    std::vector<double> grid;
    std::vector<double> sphere;

    friend bool operator==(const Placed&, const Placed&) = default;
};

[[nodiscard]] Placed place_portable(const double* row, std::size_t d, double norm_bound);
[[nodiscard]] Placed place_avx2(const double* row, std::size_t d, double norm_bound);

/// Of rows one behind the other, up to the first that is not finite.
[[nodiscard]] std::vector<Placed> place_rows_portable(const std::vector<double>& rows,
                                                      std::size_t d, double norm_bound);
[[nodiscard]] std::vector<Placed> place_rows_avx2(const std::vector<double>& rows, std::size_t d,
                                                  double norm_bound);

/// What the three versions have in common.
template <class Grid, class Place, class Find, class OnGrid>
Placed place_with(Find&& find_place, OnGrid&& place_on_grid, const double* row, std::size_t d,
                  double norm_bound) {
    Place place;
    Placed placed;
    placed.finite = find_place(row, d, Grid(norm_bound), place);
    if (placed.finite) {
        placed.octave = place.octave;
        placed.grid.resize(d);
        placed.sphere.resize(d);
        place_on_grid(row, d, place.power_of_two, place.to_grid, placed.grid.data());
        place_on_grid(row, d, place.power_of_two, place.to_sphere, placed.sphere.data());
    }
    return placed;
}

/// The same for rows together, whose integers are asked for in the opposite order.
template <class Grid, class Place, class Find, class OnGrid>
std::vector<Placed> place_rows_with(Find&& find_places, OnGrid&& place_rows_on_grid,
                                    const std::vector<double>& rows, std::size_t d,
                                    double norm_bound) {
    std::vector<Place> places(rows.size() / d);
    places.resize(find_places(rows, d, Grid(norm_bound), places));
    std::vector<std::size_t> chosen;
    for (std::size_t row = places.size(); row-- > 0;) {
        chosen.push_back(row);
    }
    std::vector<Placed> placed(places.size());
    std::vector<double> squared_norms(places.size());
    std::vector<double> q(places.size() * d);
    const auto integers = [&](double Place::*factor, std::vector<double> Placed::*to) {
        place_rows_on_grid(rows, d, places, chosen, factor, q, squared_norms);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto begin = q.begin() + static_cast<std::ptrdiff_t>(i * d);
            (placed[chosen[i]].*to).assign(begin, begin + static_cast<std::ptrdiff_t>(d));
        }
    };
    integers(&Place::to_grid, &Placed::grid);
    integers(&Place::to_sphere, &Placed::sphere);
    for (std::size_t row = 0; row < places.size(); ++row) {
        placed[row].finite = true;
        placed[row].octave = places[row].octave;
    }
    return placed;
}

}  // namespace dpcov::test
