// docs/privacy.md#placement: nothing here matters for privacy except that the result is a function
// of the one row and that |q|^2 <= 2^40 holds, which is checked in exact arithmetic. The rest is
// accuracy.
#include "moment/placement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "arithmetic/row_grid.hpp"
#include "moment/row_lanes.hpp"
#include "moment/row_loops.hpp"

namespace dpcov::detail {
namespace {

constexpr double radius = static_cast<double>(std::uint64_t{1} << radius_bits);

// Rows whose norm exceeds an octave's edge by less than this factor are pulled back to the edge
// instead of falling into the coarser octave, where the noise is four times as large: data that
// was normalised in floating point sits exactly there, on both sides. float32 rounding is 2^-24 an
// entry.
constexpr double edge_tolerance = 0x1p-17;

const RowLoops& fastest_loops() noexcept {
    return usable_row_loops().front();
}

double sum_of_squares(const double* row, std::size_t d, double power_of_two) {
    double sum = 0.0;
    fastest_loops().sums_of_squares({.data = row, .count = 1, .d = d}, power_of_two, &sum);
    return sum;
}

// In the lanes that the values would be in, where adding the squares of zeros changes nothing.
double sum_of_squares(const SparseRow& row, double power_of_two) {
    std::array<double, lanes> sums{};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const double x = row.values[i] * power_of_two;
        sums[row.columns[i] % lanes] += x * x;
    }
    Pair<Pair<TwoDoubles>> all{};  // which every processor has
    load(sums.data(), all);
    return sum_of_lanes(all);
}

// The power of two that brings the largest entry into [1, 2); 1 for a zero row.
double balancing_power(const double* row, std::size_t d) {
    double largest = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
        largest = std::fmax(largest, std::fabs(row[i]));
    }
    if (largest == 0.0) {
        return 1.0;
    }
    // 2^1022 is enough for what it is for: squares that neither overflow nor vanish.
    return std::ldexp(1.0, std::min(-std::ilogb(largest), 1022));
}

// The e with x in (2^(e-1), 2^e], of a normal x > 0.
int exponent_above(double x) {
    return static_cast<int>((std::bit_cast<std::uint64_t>(x) - 1) >> 52U) - 1022;
}

bool all_finite(const double* row, std::size_t d) {
    for (std::size_t i = 0; i < d; ++i) {
        if (!std::isfinite(row[i])) {
            return false;
        }
    }
    return true;
}

// Writes the integers nearest to row * power_of_two * factor, and returns the sum of their squares.
double round_row(const double* row, std::size_t d, double power_of_two, double factor, double* q) {
    const Place place{.power_of_two = power_of_two, .to_grid = factor};
    const std::size_t chosen = 0;
    double squared_norm = 0.0;
    fastest_loops().round_rows({.rows = {.data = row, .count = 1, .d = d},
                                .places = &place,
                                .chosen = {&chosen, 1},
                                .factor = &Place::to_grid,
                                .q = q,
                                .squared_norms = &squared_norm});
    return squared_norm;
}

// NaN is not.
bool is_within_radius(double norm_squared) {
    return norm_squared <= radius * radius;
}

// Shrinks integers to |q|^2 <= 2^40, in integers: |q_i| 2^20 / ceil|q|, rounded toward zero.
// Returns the new |q|^2.
double pull_back(std::size_t d, double norm_squared, double* q) {
    auto norm = static_cast<std::int64_t>(std::ceil(std::sqrt(norm_squared)));
    while (norm * norm < static_cast<std::int64_t>(norm_squared)) {
        ++norm;
    }
    double squares = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
        const std::int64_t shrunk =
            static_cast<std::int64_t>(q[i]) * static_cast<std::int64_t>(radius) / norm;
        q[i] = static_cast<double>(shrunk);
        squares += q[i] * q[i];
    }
    return squares;
}

}  // namespace

Grid::Grid(double norm_bound) : bound_mantissa(std::frexp(norm_bound, &bound_exponent)) {
    for (int k = 0; k < NormBins::octaves; ++k) {
        to_radius.at(static_cast<std::size_t>(k)) = factor(k, 0);
    }
}

double Grid::factor(int octave, int balanced_by) const {
    return std::ldexp(radius / bound_mantissa, octave - balanced_by - bound_exponent);
}

namespace {

constexpr double smallest = 0x1p-800;  // far enough from underflow for full precision
constexpr double largest = 0x1p800;

bool has_full_precision(double squares) {
    return squares >= smallest && squares <= largest;
}

// Of a row that was multiplied by that power of two, from the sum of its squares, not 0.
Place place_of(double squares, double power_of_two, const Grid& grid) {
    const double norm = std::sqrt(squares);
    const int balanced_by = power_of_two == 1.0 ? 0 : std::ilogb(power_of_two);
    // |x| / B is relative * 2^-(balanced_by + bound_exponent).
    const double relative = norm / grid.bound_mantissa;
    const int edge =
        exponent_above(relative * (1.0 - edge_tolerance)) - balanced_by - grid.bound_exponent;
    // Now |x| / B is in (2^(edge-1), 2^edge], but for the lower end.
    const int octave = std::clamp(-edge, 0, NormBins::octaves - 1);
    const double to_sphere = radius / norm;
    const double to_grid =
        std::min(to_sphere, balanced_by == 0 ? grid.to_radius[static_cast<std::size_t>(octave)]
                                             : grid.factor(octave, balanced_by));
    return {.octave = octave,
            .power_of_two = power_of_two,
            .to_grid = to_grid,
            .to_sphere = to_sphere,
            .squared_norm = squares * to_grid * to_grid};
}

// `squares_of` adds up the squares of the row's d values times a power of two. No memory is taken:
// whether there is some may not depend on a row.
template <class SumOfSquares>
bool find_place_by(const SumOfSquares& squares_of, const double* row, std::size_t d,
                   const Grid& grid, Place& place) {
    double power_of_two = 1.0;
    double squares = squares_of(power_of_two);
    if (!has_full_precision(squares)) {
        if (!all_finite(row, d)) {
            return false;
        }
        power_of_two = balancing_power(row, d);
        squares = squares_of(power_of_two);
        if (!std::isfinite(squares)) {  // the row changes while it is read
            return false;
        }
    }
    place = squares == 0.0 ? Place{.octave = NormBins::octaves - 1, .power_of_two = power_of_two}
                           : place_of(squares, power_of_two, grid);
    return true;
}

}  // namespace

bool find_place(const double* row, std::size_t d, const Grid& grid, Place& place) {
    return find_place_by([&](double power_of_two) { return sum_of_squares(row, d, power_of_two); },
                         row, d, grid, place);
}

std::size_t find_places(std::span<const double> rows, std::size_t d, const Grid& grid,
                        std::span<Place> places) {
    constexpr std::size_t most = 64;
    std::array<double, most> squares{};
    const std::size_t count = rows.size() / d;
    const RowLoops& loops = fastest_loops();
    for (std::size_t first = 0; first < count; first += most) {
        const double* const block = rows.data() + first * d;
        const std::size_t size = std::min(most, count - first);
        loops.sums_of_squares({.data = block, .count = size, .d = d}, 1.0, squares.data());
        for (std::size_t i = 0; i < size; ++i) {
            if (has_full_precision(squares[i])) {
                places[first + i] = place_of(squares[i], 1.0, grid);
            } else if (!find_place(block + i * d, d, grid, places[first + i])) {
                return first + i;
            }
        }
    }
    return count;
}

bool find_sparse_place(const SparseRow& row, const Grid& grid, Place& place) {
    return find_place_by([&](double power_of_two) { return sum_of_squares(row, power_of_two); },
                         row.values.data(), row.values.size(), grid, place);
}

double place_on_grid(const double* row, std::size_t d, double power_of_two, double factor,
                     double* q) {
    double norm_squared = round_row(row, d, power_of_two, factor, q);
    // Rounding pushed a row at the edge over it, by about 0.3 units. No shorter than need be: all
    // rows of a table may be that long, and alike.
    constexpr double unit = 0x1p-20;
    for (const double units : {0.5, 1.0, 2.0}) {
        if (is_within_radius(norm_squared)) {
            break;
        }
        norm_squared = round_row(row, d, power_of_two, factor * (1.0 - units * unit), q);
    }
    if (!is_within_radius(norm_squared)) {
        // Below 2^53 the sum is exact. The place of a row gives no more, nor NaN: then it is not
        // the row that it was, for somebody writes where it is read from.
        if (norm_squared < 0x1p53) {
            norm_squared = pull_back(d, norm_squared, q);
        } else {
            std::fill_n(q, d, 0.0);
            norm_squared = 0.0;
        }
    }
    return norm_squared;
}

void place_rows_on_grid(std::span<const double> rows, std::size_t d, std::span<const Place> places,
                        std::span<const std::size_t> chosen, double Place::*factor,
                        std::span<double> q, std::span<double> squared_norms) {
    fastest_loops().round_rows({.rows = {.data = rows.data(), .count = rows.size() / d, .d = d},
                                .places = places.data(),
                                .chosen = chosen,
                                .factor = factor,
                                .q = q.data(),
                                .squared_norms = squared_norms.data()});
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!is_within_radius(squared_norms[i])) {
            const Place& place = places[chosen[i]];
            squared_norms[i] = place_on_grid(rows.data() + chosen[i] * d, d, place.power_of_two,
                                             place.*factor, q.data() + i * d);
        }
    }
}

}  // namespace dpcov::detail
