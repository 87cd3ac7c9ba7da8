// docs/privacy.md#placement: nothing here matters for privacy except that the result is a function
// of the one row and that |q|^2 <= 2^40 holds, which is checked in exact arithmetic. The rest is
// accuracy.
#include "moment/placement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dpcov::detail {
namespace {

constexpr double radius = static_cast<double>(std::uint64_t{1} << radius_bits);

// Rows whose norm exceeds a stratum's edge by less than this factor are pulled back to the edge
// instead of falling into the coarser stratum, where the noise is four times as large: data that
// was normalised in floating point sits exactly there, on both sides. float32 rounding is 2^-24 an
// entry.
constexpr double edge_tolerance = 0x1p-17;

// Sums run over eight fixed lanes: vector registers hold them, and the result still depends on
// nothing but the row. Clones for wider registers give the same bits (-ffp-contract=off).
using Lanes = double __attribute__((vector_size(64)));
constexpr std::size_t lanes = 8;
#ifdef __SANITIZE_THREAD__  // its runtime is not up yet when GCC's clone resolvers run
#define DPCOV_FOR_WIDE_REGISTERS
#else
#define DPCOV_FOR_WIDE_REGISTERS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

double total(const Lanes& sums) {
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

DPCOV_FOR_WIDE_REGISTERS double sum_of_squares(const double* row, std::size_t d) {
    Lanes sums{};
    std::size_t i = 0;
    for (; i + lanes <= d; i += lanes) {
        Lanes x;
        std::memcpy(&x, row + i, sizeof x);
        sums += x * x;
    }
    for (std::size_t lane = 0; i < d; ++i, ++lane) {
        sums[lane] += row[i] * row[i];
    }
    return total(sums);
}

// In the lanes that the values would be in, where adding the squares of zeros changes nothing.
double sum_of_squares(const SparseRow& row, std::span<const double> values) {
    Lanes sums{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        sums[row.columns[i] % lanes] += values[i] * values[i];
    }
    return total(sums);
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

// Writes the integers nearest to row * power_of_two * factor (ties to even; all below 2^51) and
// returns the sum of their squares, which is exact: it stays below 2^53.
DPCOV_FOR_WIDE_REGISTERS double round_row(const double* row, std::size_t d, double power_of_two,
                                          double factor, double* q) {
    constexpr double round = 0x1.8p52;  // adding and taking it away rounds, in any register
    Lanes sums{};
    std::size_t i = 0;
    for (; i + lanes <= d; i += lanes) {
        Lanes x;
        std::memcpy(&x, row + i, sizeof x);
        x = ((x * power_of_two * factor) + round) - round;
        std::memcpy(q + i, &x, sizeof x);
        sums += x * x;
    }
    for (std::size_t lane = 0; i < d; ++i, ++lane) {
        q[i] = ((row[i] * power_of_two * factor) + round) - round;
        sums[lane] += q[i] * q[i];
    }
    return total(sums);
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
    for (int k = 0; k < SecretMoment::strata; ++k) {
        to_radius.at(static_cast<std::size_t>(k)) = factor(k, 0);
    }
}

double Grid::factor(int stratum, int balanced_by) const {
    return std::ldexp(radius / bound_mantissa, stratum - balanced_by - bound_exponent);
}

namespace {

// `squares_of` adds up the squares of the row's d values, or of others in their places.
template <class SumOfSquares>
bool find_place_by(const SumOfSquares& squares_of, const double* row, std::size_t d,
                   const Grid& grid, Place& place) {
    double power_of_two = 1.0;
    double squares = squares_of(row);
    constexpr double smallest = 0x1p-800;  // far enough from underflow for full precision
    if (!(squares >= smallest && squares <= 0x1p800)) {
        if (!all_finite(row, d)) {
            return false;
        }
        power_of_two = balancing_power(row, d);
        std::vector<double> balanced(row, row + d);
        for (double& x : balanced) {
            x *= power_of_two;
        }
        squares = squares_of(balanced.data());
    }
    place.power_of_two = power_of_two;
    if (squares == 0.0) {
        place.stratum = SecretMoment::strata - 1;
        place.to_grid = 0.0;
        place.to_sphere = 0.0;
        place.squared_norm = 0.0;
        return true;
    }
    const double norm = std::sqrt(squares);
    const int balanced_by = power_of_two == 1.0 ? 0 : std::ilogb(power_of_two);
    // |x| / B is relative * 2^-(balanced_by + bound_exponent).
    const double relative = norm / grid.bound_mantissa;
    const int edge =
        exponent_above(relative * (1.0 - edge_tolerance)) - balanced_by - grid.bound_exponent;
    // Now |x| / B is in (2^(edge-1), 2^edge], but for the lower end.
    place.stratum = std::clamp(-edge, 0, SecretMoment::strata - 1);
    place.to_sphere = radius / norm;
    place.to_grid = std::min(
        place.to_sphere, balanced_by == 0 ? grid.to_radius[static_cast<std::size_t>(place.stratum)]
                                          : grid.factor(place.stratum, balanced_by));
    place.squared_norm = squares * place.to_grid * place.to_grid;
    return true;
}

}  // namespace

bool find_place(const double* row, std::size_t d, const Grid& grid, Place& place) {
    return find_place_by([d](const double* values) { return sum_of_squares(values, d); }, row, d,
                         grid, place);
}

bool find_sparse_place(const SparseRow& row, const Grid& grid, Place& place) {
    const std::size_t entries = row.values.size();
    return find_place_by(
        [&](const double* values) {
            return sum_of_squares(row, {values, entries});
        },
        row.values.data(), entries, grid, place);
}

double place_on_grid(const double* row, std::size_t d, double power_of_two, double factor,
                     double* q) {
    double norm_squared = round_row(row, d, power_of_two, factor, q);
    if (norm_squared > radius * radius) {
        // Rounding pushed a row at the edge over it, by about 0.3 units: two units less will do.
        constexpr double two_units = 0x1p-19;
        norm_squared = round_row(row, d, power_of_two, factor * (1.0 - two_units), q);
        if (norm_squared > radius * radius) {
            norm_squared = pull_back(d, norm_squared, q);
        }
    }
    return norm_squared;
}

}  // namespace dpcov::detail
