#include "moment/possible_sums.hpp"

#include <cstddef>
#include <cstdint>

#include "arithmetic/row_grid.hpp"
#include "dpcov/limits.hpp"

namespace dpcov::detail {
namespace {

template <class Sums>
bool within(const Sums& values, Int128 bound) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < -bound || values[i] > bound) {
            return false;
        }
    }
    return true;
}

// What rows of integer norm 2^20 at most can add up to.
Int128 largest_product(std::uint64_t rows) {
    return static_cast<Int128>(rows) << (2U * radius_bits);
}

// A trace of at most that, and no entry beyond what Cauchy and Schwarz allow: so the Frobenius norm
// is at most that, too, on which bounds of rounding rest (docs/privacy.md#lapack).
bool possible_gram(const WideSums& gram, std::size_t d, std::uint64_t rows) {
    if (!within(gram, largest_product(rows))) {
        return false;
    }
    constexpr double rounding = 1.0 + 1e-9;
    Int128 trace = 0;
    for (std::size_t j = 0; j < (gram.empty() ? 0 : d); ++j) {
        const Int128 square = gram[packed_index(j, j)];
        if (square < 0) {
            return false;
        }
        trace += square;
        for (std::size_t i = 0; i < j; ++i) {
            const auto product = static_cast<double>(gram[packed_index(i, j)]);
            if (product * product > rounding * static_cast<double>(gram[packed_index(i, i)]) *
                                        static_cast<double>(square)) {
                return false;
            }
        }
    }
    return trace <= largest_product(rows);
}

bool possible_bin(const SecretMoment::Bin& bin, std::size_t d) {
    return bin.rows <= limits::rows && possible_gram(bin.gram, d, bin.rows) &&
           within(bin.sum, static_cast<Int128>(bin.rows) << radius_bits);
}

// They are kept for the rows that there are, and for no others.
bool possible_directions(const SecretMoment& moment, int k) {
    const WideSums& directions = moment.directions(k);
    const std::uint64_t rows = moment.rows_in_octave(k);
    return directions.empty() == (rows == 0 || !moment.layout().keep_directions) &&
           possible_gram(directions, moment.layout().columns, rows);
}

}  // namespace

bool has_possible_sums(const SecretMoment& moment) {
    for (std::size_t i = 0; i < moment.norm_bins().size(); ++i) {
        if (!possible_bin(moment.bin(i), moment.layout().columns)) {
            return false;
        }
    }
    for (int k = 0; k < NormBins::octaves; ++k) {
        if (!possible_directions(moment, k)) {
            return false;
        }
    }
    return moment.rows() <= limits::rows &&
           moment.zero_rows() <= moment.rows_in_octave(NormBins::octaves - 1);
}

}  // namespace dpcov::detail
