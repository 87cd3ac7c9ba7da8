// Where a row goes: its octave, and its integers. A function of that row alone.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "dpcov/sparse_row.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

/// What finding a place takes of the norm bound, worked out once.
struct Grid {
    explicit Grid(double norm_bound);

    /// Of a row that was multiplied by 2^balanced_by: makes the octave's radius 2^20.
    [[nodiscard]] double factor(int octave, int balanced_by) const;

    int bound_exponent = 0;
    double bound_mantissa = 0.0;                        ///< in [1/2, 1)
    std::array<double, NormBins::octaves> to_radius{};  ///< factor(k, 0)
};

/// A row's place: multiplied by to_grid (or by to_sphere, for its direction) and rounded it becomes
/// integers. Two power-of-two factors stand apart so that neither can overflow.
struct Place {
    int octave = 0;
    double power_of_two = 1.0;  ///< exact; brings the largest entry near 1
    double to_grid = 0.0;  ///< after power_of_two: makes the octave's radius 2^20; 0 for a zero row
    double to_sphere = 0.0;  ///< after power_of_two: makes the row's norm 2^20; 0 for a zero row
    double squared_norm =
        0.0;  ///< of the row on the grid, before it is rounded; at most about 2^40
};

/// Finds the place of a row of d finite values. Returns false, leaving `place` alone, if a value is
/// not finite.
[[nodiscard]] bool find_place(const double* row, std::size_t d, const Grid& grid, Place& place);

/// The same places, bit for bit, of rows that lie one behind the other, up to the first that is not
/// finite. Returns how many. There is a place for each row.
[[nodiscard]] std::size_t find_places(std::span<const double> rows, std::size_t d, const Grid& grid,
                                      std::span<Place> places);

/// The same place, bit for bit, that find_place() finds with the zeros written out.
[[nodiscard]] bool find_sparse_place(const SparseRow& row, const Grid& grid, Place& place);

/// Writes integers q (as doubles) with |q|^2 <= 2^40 exactly: row * power_of_two * factor, rounded,
/// and pulled back where rounding went over. Where the row changed after its place was found, the
/// result may be zeros. Returns |q|^2, exactly. Zeros, which become zeros,
/// may be left out of the row: sums of squares of integers do not depend on them.
double place_on_grid(const double* row, std::size_t d, double power_of_two, double factor,
                     double* q);

/// place_on_grid() of rows `chosen` of those that lie one behind the other in `rows`, each with its
/// place's power of two and `factor`. Their integers, in that order, fill `q`, and their |q|^2
/// `squared_norms`.
void place_rows_on_grid(std::span<const double> rows, std::size_t d, std::span<const Place> places,
                        std::span<const std::size_t> chosen, double Place::*factor,
                        std::span<double> q, std::span<double> squared_norms);

}  // namespace dpcov::detail
