#include "mechanism/clipped_gram.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

constexpr int last_stratum = SecretMoment::strata - 1;

// value / 2^bits, rounded to nearest.
Int128 shift_right(Int128 value, int bits) {
    return (value + (Int128{1} << (bits - 1))) >> bits;
}

// sum over strata k >= t of values_k 2^(fraction_bits - bits_per_stratum (k - t)), entry by entry.
// Strata too fine for the lattice are summed from the finest up, rounding at each step by half a
// unit of that step: in all by less than 1/2 + 1/4 + ... = 1 unit.
template <class Values>
std::vector<Int128> sum_strata(const SecretMoment& secret, int t, int bits_per_stratum,
                               std::size_t size, Values&& values_of) {
    std::vector<Int128> sum(size, 0);
    bool all_zero = true;
    for (int k = last_stratum; k >= t; --k) {
        const bool empty = secret.stratum(k).rows == 0;
        const int shift = fraction_bits - bits_per_stratum * (k - t);
        if (empty && (all_zero || shift >= 0)) {
            continue;
        }
        all_zero = false;
        const std::vector<Int128>& values = values_of(secret.stratum(k));
        for (std::size_t i = 0; i < size; ++i) {
            const Int128 value = empty ? 0 : values[i];
            if (shift >= 0) {
                sum[i] += value << shift;
            } else {
                sum[i] = shift_right(sum[i] + value, bits_per_stratum);
            }
        }
    }
    return sum;
}

// Sum of the squared integer norms of a stratum's rows.
Int128 trace(const SecretMoment::Stratum& stratum) {
    Int128 trace = 0;
    for (std::size_t j = 0; !stratum.gram.empty() && j < stratum.sum.size(); ++j) {
        trace += stratum.gram[packed_index(j, j)];
    }
    return trace;
}

}  // namespace

double lattice_unit(const SecretMoment& secret, int clip_exponent) {
    const double tau = std::ldexp(secret.layout().norm_bound, -clip_exponent);
    return tau * tau / full_weight;
}

PackedGram clipped_gram(const SecretMoment& secret, int clip_exponent) {
    const std::size_t d = secret.layout().columns;
    if (clip_exponent > 0 && !secret.layout().keep_directions) {
        throw UsageError(
            "clipping below the norm bound needs a second moment that keeps directions");
    }
    PackedGram gram = sum_strata(
        secret, clip_exponent, 2, packed_size(d),
        [](const SecretMoment::Stratum& stratum) -> const auto& { return stratum.gram; });
    for (int k = 0; k < clip_exponent; ++k) {
        const PackedGram& directions = secret.stratum(k).directions;
        for (std::size_t i = 0; i < directions.size(); ++i) {
            gram[i] += directions[i] << fraction_bits;
        }
    }
    return gram;
}

Eigen::MatrixXd symmetric_matrix(const PackedGram& entries, std::size_t d, double unit) {
    const auto order = static_cast<Eigen::Index>(d);
    Eigen::MatrixXd matrix(order, order);
    std::size_t entry = 0;
    for (Eigen::Index j = 0; j < order; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            matrix(i, j) = static_cast<double>(entries[entry++]) * unit;
        }
    }
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

Int128 clipped_trace(const SecretMoment& secret, int clip_exponent) {
    std::vector<Int128> one(1);
    Int128 sum = sum_strata(
        secret, clip_exponent, 2, 1, [&](const SecretMoment::Stratum& stratum) -> const auto& {
            one[0] = trace(stratum);
            return one;
        })[0];
    for (int k = 0; k < clip_exponent; ++k) {
        sum += Int128{secret.stratum(k).rows} << (2 * radius_bits + fraction_bits);
    }
    return sum;
}

Int128 clipping_bias(const SecretMoment& secret, int radius_exponent, int clip_exponent) {
    // In lattice units of the radius; a stratum that is too fine for them rounds by half a unit,
    // 2^-34 of the result's.
    const int weight_bits = 2 * radius_bits + fraction_bits;
    Int128 bias = 0;
    for (int k = 0; k < clip_exponent; ++k) {
        const SecretMoment::Stratum& stratum = secret.stratum(k);
        const Int128 rows = stratum.rows;
        Int128 squares = rows << weight_bits;
        if (k >= radius_exponent) {
            const int shift = fraction_bits - 2 * (k - radius_exponent);
            const Int128 sum = trace(stratum);
            squares = shift >= 0 ? sum << shift : shift_right(sum, -shift);
        }
        const int tau_bits = weight_bits - 2 * (clip_exponent - radius_exponent);
        bias += squares - (tau_bits >= 0 ? rows << tau_bits : Int128{0});
    }
    return shift_right(bias, weight_bits - bias_bits);
}

Int128 clipping_bias_at_edges(const SecretMoment& secret, int radius_exponent, int clip_exponent) {
    const int weight_bits = 2 * radius_bits + fraction_bits;
    const auto squared_edge = [&](int k) {
        const int bits = weight_bits - 2 * (std::max(k, radius_exponent) - radius_exponent);
        return bits >= 0 ? Int128{1} << bits : Int128{0};
    };
    Int128 bias = 0;
    for (int k = 0; k < clip_exponent; ++k) {
        bias += Int128{secret.stratum(k).rows} * (squared_edge(k) - squared_edge(clip_exponent));
    }
    return shift_right(bias, weight_bits - bias_bits);
}

std::vector<Int128> row_sum(const SecretMoment& secret) {
    return sum_strata(
        secret, 0, 1, secret.layout().columns,
        [](const SecretMoment::Stratum& stratum) -> const auto& { return stratum.sum; });
}

}  // namespace dpcov::detail
