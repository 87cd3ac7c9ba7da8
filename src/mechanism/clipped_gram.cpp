#include "mechanism/clipped_gram.hpp"

#include <algorithm>
#include <cmath>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/unwritten_matrix.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

// value / 2^bits, rounded to nearest.
Int128 shift_right(Int128 value, int bits) {
    return (value + (Int128{1} << (bits - 1))) >> bits;
}

// sum over some bins, ranges in ascending order without a bin in common, of octaves k >= t of their
// values times 2^(fraction_bits - bits_per_octave (k - t)), entry by entry, t the octave of the
// coarsest bin or a coarser one. Octaves too fine for the lattice are summed from the finest up,
// rounding at each step by half a unit of that step: in all by less than 1/2 + 1/4 + ... = 1 unit.
template <class Values>
ExactSums sum_bins(const SecretMoment& secret, std::span<const BinRange> bins, int t,
                   int bits_per_octave, std::size_t size, Values&& values_of) {
    const NormBins& norms = secret.norm_bins();
    ExactSums sum(size);
    bool all_zero = true;
    const std::size_t first = bins.front().first;
    const std::size_t last = bins.back().last;
    for (int k = norms.octave(first); k >= t; --k) {
        const BinRange octave = norms.of_octave(k);
        const int shift = fraction_bits - bits_per_octave * (k - t);
        for (std::size_t i = std::max(octave.first, first); i <= std::min(octave.last, last); ++i) {
            if (i > bins.front().last) {
                bins = bins.subspan(1);
            }
            if (i >= bins.front().first && secret.bin(i).rows > 0) {
                all_zero = false;
                const auto& values = values_of(secret.bin(i));
                for (std::size_t entry = 0; entry < size; ++entry) {
                    sum[entry] += values[entry] << std::max(shift, 0);
                }
            }
        }
        if (shift < 0 && !all_zero) {
            for (Int128& entry : sum) {
                entry = shift_right(entry, bits_per_octave);
            }
        }
    }
    return sum;
}

// The same over a stratum.
template <class Values>
ExactSums sum_stratum(const SecretMoment& secret, const StratumRows& stratum, int bits_per_octave,
                      std::size_t size, Values&& values_of) {
    const NormBins& norms = secret.norm_bins();
    ExactSums sum = stratum.whole.empty()
                        ? ExactSums(size)
                        : sum_bins(secret, stratum.whole, norms.octave(stratum.coarsest),
                                   bits_per_octave, size, values_of);
    for (const auto& [at, part] : stratum.partial) {
        const int octaves_below = norms.octave(at) - norms.octave(stratum.coarsest);
        const int shift = fraction_bits - part_bits - bits_per_octave * octaves_below;
        if (shift < 0) {
            throw UsageError("partial rows lie at most 8 octaves below their stratum's edge");
        }
        const SecretMoment::Bin& bin = secret.bin(at);
        if (bin.rows > 0) {
            const auto& values = values_of(bin);
            for (std::size_t entry = 0; entry < size; ++entry) {
                sum[entry] += (values[entry] * part) << shift;
            }
        }
    }
    return sum;
}

// The bins of all rows of norm at most 2^-t B.
BinRange bins_from(const SecretMoment& secret, int t) {
    return {0, secret.norm_bins().of_octave(t).last};
}

// Sum of the squared integer norms of a bin's rows.
Int128 trace(const SecretMoment::Bin& bin) {
    Int128 trace = 0;
    for (std::size_t j = 0; !bin.gram.empty() && j < bin.sum.size(); ++j) {
        trace += bin.gram[packed_index(j, j)];
    }
    return trace;
}

// The same of an octave.
Int128 trace(const SecretMoment& secret, int k) {
    const BinRange bins = secret.norm_bins().of_octave(k);
    Int128 sum = 0;
    for (std::size_t i = bins.first; i <= bins.last; ++i) {
        sum += trace(secret.bin(i));
    }
    return sum;
}

}  // namespace

double lattice_unit(const SecretMoment& secret, int clip_exponent) {
    const double tau = std::ldexp(secret.layout().norm_bound, -clip_exponent);
    return tau * tau / full_weight;
}

PackedGram clipped_gram(const SecretMoment& secret, int clip_exponent) {
    if (clip_exponent > 0 && !secret.layout().keep_directions) {
        throw UsageError(
            "clipping below the norm bound needs a second moment that keeps directions");
    }
    PackedGram gram = gram_of_bins(secret, bins_from(secret, clip_exponent));
    for (int k = 0; k < clip_exponent; ++k) {
        const WideSums& directions = secret.directions(k);
        for (std::size_t i = 0; i < directions.size(); ++i) {
            gram[i] += directions[i] << fraction_bits;
        }
    }
    return gram;
}

PackedGram gram_of_bins(const SecretMoment& secret, BinRange bins) {
    return sum_bins(
        secret, std::span(&bins, 1), secret.norm_bins().octave(bins.last), 2,
        packed_size(secret.layout().columns),
        [](const SecretMoment::Bin& bin) -> const auto& { return bin.gram; });
}

PackedGram gram_of(const SecretMoment& secret, const StratumRows& stratum) {
    return sum_stratum(
        secret, stratum, 2, packed_size(secret.layout().columns),
        [](const SecretMoment::Bin& bin) -> const auto& { return bin.gram; });
}

ExactSums sum_of(const SecretMoment& secret, const StratumRows& stratum, Int128 factor) {
    ExactSums weighted(secret.layout().columns);
    return sum_stratum(
        secret, stratum, 1, weighted.size(), [&](const SecretMoment::Bin& bin) -> const auto& {
            std::transform(bin.sum.begin(), bin.sum.end(), weighted.begin(),
                           [factor](Int128 entry) { return factor * entry; });
            return weighted;
        });
}

Int128 trace_of(const SecretMoment& secret, const StratumRows& stratum) {
    ExactSums one(1);
    return sum_stratum(
        secret, stratum, 2, 1, [&](const SecretMoment::Bin& bin) -> const auto& {
            one[0] = trace(bin);
            return one;
        })[0];
}

Int128 parts_of_rows(const SecretMoment& secret, const StratumRows& stratum) {
    Int128 rows = 0;
    for (const BinRange& range : stratum.whole) {
        for (std::size_t i = range.first; i <= range.last; ++i) {
            rows += Int128{secret.bin(i).rows} * whole_row;
        }
    }
    for (const auto& [bin, part] : stratum.partial) {
        rows += Int128{secret.bin(bin).rows} * part;
    }
    return rows;
}

Eigen::MatrixXd symmetric_matrix(const PackedGram& entries, std::size_t d, double unit) {
    const auto order = static_cast<Eigen::Index>(d);
    Eigen::MatrixXd matrix = unwritten_matrix<double>(order, order);
    std::size_t entry = 0;
    for (Eigen::Index j = 0; j < order; ++j) {
        for (Eigen::Index i = 0; i <= j; ++i) {
            matrix(i, j) = static_cast<double>(entries[entry++]) * unit;
        }
    }
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

Eigen::VectorXd vector_of(std::span<const Int128> entries, double unit) {
    Eigen::VectorXd vector(static_cast<Eigen::Index>(entries.size()));
    std::transform(entries.begin(), entries.end(), vector.begin(),
                   [unit](Int128 entry) { return static_cast<double>(entry) * unit; });
    return vector;
}

Int128 clipped_trace(const SecretMoment& secret, int clip_exponent) {
    const BinRange bins = bins_from(secret, clip_exponent);
    Int128 sum = trace_of(secret, whole_rows({bins}));
    for (int k = 0; k < clip_exponent; ++k) {
        sum += Int128{secret.rows_in_octave(k)} << (2 * radius_bits + fraction_bits);
    }
    return sum;
}

Int128 clipping_bias(const SecretMoment& secret, int radius_exponent, int clip_exponent) {
    // In lattice units of the radius; an octave that is too fine for them rounds by half a unit,
    // 2^-34 of the result's.
    const int weight_bits = 2 * radius_bits + fraction_bits;
    Int128 bias = 0;
    for (int k = 0; k < clip_exponent; ++k) {
        const Int128 rows = secret.rows_in_octave(k);
        Int128 squares = rows << weight_bits;
        if (k >= radius_exponent) {
            const int shift = fraction_bits - 2 * (k - radius_exponent);
            const Int128 sum = trace(secret, k);
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
        bias += Int128{secret.rows_in_octave(k)} * (squared_edge(k) - squared_edge(clip_exponent));
    }
    return shift_right(bias, weight_bits - bias_bits);
}

ExactSums row_sum(const SecretMoment& secret) {
    const BinRange bins = bins_from(secret, 0);
    return sum_bins(
        secret, std::span(&bins, 1), 0, 1, secret.layout().columns,
        [](const SecretMoment::Bin& bin) -> const auto& { return bin.sum; });
}

ExactSums column_squares(const SecretMoment& secret) {
    const std::size_t d = secret.layout().columns;
    const BinRange bins = bins_from(secret, 0);
    return sum_bins(secret, std::span(&bins, 1), 0, 2, d, [d](const SecretMoment::Bin& bin) {
        ExactSums diagonal(d);
        for (std::size_t j = 0; j < d; ++j) {
            diagonal[j] = bin.gram[packed_index(j, j)];
        }
        return diagonal;
    });
}

}  // namespace dpcov::detail
