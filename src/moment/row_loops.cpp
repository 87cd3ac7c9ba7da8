#include "moment/row_loops.hpp"

#include <algorithm>
#include <array>

#include "arithmetic/wide_registers.hpp"
#include "moment/row_lanes.hpp"

namespace dpcov::detail {
namespace {

// The values of a row that fill no eight lanes, and zeros, which change no sum.
template <class Lanes>
class Rest {
public:
    DPCOV_IN_CLONES explicit Rest(std::size_t d) : values_(d % lanes) {
        std::fill_n(kept_.begin(), values_, 1.0);
    }

    // Where more may be read behind the row it is read, and left out.
    DPCOV_IN_CLONES void read_from(const double* values, bool more_behind, Lanes& x) const {
        if (more_behind) {
            load(values, x);
            keep_lanes(kept_.data(), x);
        } else {
            std::array<double, lanes> some{};
            std::copy_n(values, values_, some.begin());
            load(some.data(), x);
        }
    }
    // Where more may be written behind the row, zeros are.
    DPCOV_IN_CLONES void write_to(double* values, bool more_behind, const Lanes& x) const {
        if (more_behind) {
            store(x, values);
        } else {
            std::array<double, lanes> all{};
            store(x, all.data());
            std::copy_n(all.begin(), values_, values);
        }
    }

private:
    std::size_t values_;
    std::array<double, lanes> kept_{};
};

// Whether eight lanes can be read, or written, from the rest of row `i` of so many.
DPCOV_IN_CLONES bool has_more_behind(std::size_t i, std::size_t count, std::size_t d) {
    return (count - i) * d >= d / lanes * lanes + lanes;
}

template <class Lanes>
DPCOV_IN_CLONES void add_up_squares(const RowsOfValues& rows, double power_of_two, double* result) {
    const Rest<Lanes> rest(rows.d);
    for (std::size_t k = 0; k < rows.count; ++k) {
        const double* const row = rows.data + k * rows.d;
        Lanes sums{};
        Lanes x{};
        std::size_t i = 0;
        for (; i + lanes <= rows.d; i += lanes) {
            load(row + i, x);
            multiply_by(x, power_of_two);
            add_squares(x, sums);
        }
        rest.read_from(row + i, has_more_behind(k, rows.count, rows.d), x);
        multiply_by(x, power_of_two);
        add_squares(x, sums);
        result[k] = sum_of_lanes(sums);
    }
}

// Of rows `chosen`, in that order. What one writes behind itself the next overwrites.
template <class Lanes>
DPCOV_IN_CLONES void round_chosen(const Rounding& to) {
    const RowsOfValues& rows = to.rows;
    const std::size_t d = rows.d;
    const Rest<Lanes> rest(d);
    for (std::size_t k = 0; k < to.chosen.size(); ++k) {
        const std::size_t chosen = to.chosen[k];
        const double* const row = rows.data + chosen * d;
        const double power_of_two = to.places[chosen].power_of_two;
        const double factor = to.places[chosen].*to.factor;
        double* const integers = to.q + k * d;
        const bool more_behind =
            has_more_behind(chosen, rows.count, d) && has_more_behind(k, to.chosen.size(), d);
        Lanes sums{};
        Lanes x{};
        std::size_t i = 0;
        for (; i + lanes <= d; i += lanes) {
            load(row + i, x);
            multiply_by(x, power_of_two);
            multiply_by(x, factor);
            round_to_integers(x);
            store(x, integers + i);
            add_squares(x, sums);
        }
        rest.read_from(row + i, more_behind, x);
        multiply_by(x, power_of_two);
        multiply_by(x, factor);
        round_to_integers(x);
        rest.write_to(integers + i, more_behind, x);
        add_squares(x, sums);
        to.squared_norms[k] = sum_of_lanes(sums);
    }
}

void squares_by_twos(const RowsOfValues& rows, double power_of_two, double* sums) noexcept {
    add_up_squares<Pair<Pair<TwoDoubles>>>(rows, power_of_two, sums);
}
void round_by_twos(const Rounding& rounding) noexcept {
    round_chosen<Pair<Pair<TwoDoubles>>>(rounding);
}
constexpr RowLoops by_twos = {.sums_of_squares = squares_by_twos, .round_rows = round_by_twos};

#ifdef __x86_64__
#define DPCOV_AVX2 __attribute__((target("avx2")))
#define DPCOV_AVX512F __attribute__((target("avx512f")))

DPCOV_AVX2 void squares_by_fours(const RowsOfValues& rows, double power_of_two,
                                 double* sums) noexcept {
    add_up_squares<Pair<FourDoubles>>(rows, power_of_two, sums);
}
DPCOV_AVX2 void round_by_fours(const Rounding& rounding) noexcept {
    round_chosen<Pair<FourDoubles>>(rounding);
}

DPCOV_AVX512F void squares_by_eights(const RowsOfValues& rows, double power_of_two,
                                     double* sums) noexcept {
    add_up_squares<EightDoubles>(rows, power_of_two, sums);
}
DPCOV_AVX512F void round_by_eights(const Rounding& rounding) noexcept {
    round_chosen<EightDoubles>(rounding);
}

constexpr std::array all_loops = {
    RowLoops{.sums_of_squares = squares_by_eights, .round_rows = round_by_eights},
    RowLoops{.sums_of_squares = squares_by_fours, .round_rows = round_by_fours}, by_twos};
#else
constexpr std::array all_loops = {by_twos};
#endif

}  // namespace

std::span<const RowLoops> usable_row_loops() noexcept {
    std::span<const RowLoops> usable = all_loops;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") == 0) {
        return usable.last(1);
    }
    if (__builtin_cpu_supports("avx512f") == 0) {
        return usable.last(2);
    }
#endif
    return usable;
}

}  // namespace dpcov::detail
