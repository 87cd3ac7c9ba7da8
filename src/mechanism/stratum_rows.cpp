#include "mechanism/stratum_rows.hpp"

#include <cmath>
#include <utility>

#include "partition/partial_rows.hpp"

namespace dpcov::detail {
namespace {

// The greatest squared norm of a bin's rows over that of another's.
double squared_ratio(const NormBins& norms, std::size_t bin, std::size_t other) {
    return std::ldexp(norms.squared_edge(bin), 2 * (norms.octave(other) - norms.octave(bin))) /
           norms.squared_edge(other);
}

// Rounded down, by more than the arithmetic is off.
unsigned part_in(const NormBins& norms, std::size_t bin, std::size_t inner, const OwnSquares& own,
                 NoiseShape noise) {
    const double part = greatest_part(squared_ratio(norms, bin, inner), own, noise);
    return static_cast<unsigned>(std::floor(part * (1.0 - 0x1p-40) * whole_row));
}

// Of the rows of a bin that is not the finest. Rows whose norm is an octave's lower edge may be
// rounded to slightly shorter ones.
OwnSquares own_squares(const NormBins& norms, std::size_t bin, std::size_t coarsest) {
    return {.least = (1.0 - 0x1p-6) * squared_ratio(norms, bin - 1, coarsest),
            .greatest = squared_ratio(norms, bin, coarsest)};
}

// Of a bin further below its stratum's edge parts would not be integers there: it is left whole.
constexpr int most_octaves_below = 8;

}  // namespace

StratumRows whole_rows(std::vector<BinRange> bins) {
    const std::size_t coarsest = bins.back().last;
    return {.whole = std::move(bins), .coarsest = coarsest};
}

std::vector<StratumRows> with_extended(const NormBins& norms, std::vector<StratumRows> strata,
                                       std::size_t extended, NoiseShape noise) {
    const std::size_t inner = strata[extended].coarsest;
    std::vector<PartialBin> longer;
    for (StratumRows& stratum : strata) {
        std::vector<BinRange> whole;
        for (const BinRange& range : stratum.whole) {
            for (std::size_t bin = range.first; bin <= range.last; ++bin) {
                const int below = norms.octave(bin) - norms.octave(stratum.coarsest);
                const unsigned part =
                    bin <= inner || below > most_octaves_below
                        ? 0
                        : part_in(norms, bin, inner, own_squares(norms, bin, stratum.coarsest),
                                  noise);
                if (part > 0) {
                    longer.push_back({bin, part});
                    stratum.partial.push_back({bin, whole_row - part});
                } else if (!whole.empty() && whole.back().last + 1 == bin) {
                    whole.back().last = bin;
                } else {
                    whole.push_back({bin, bin});
                }
            }
        }
        stratum.whole = std::move(whole);
    }
    strata[extended].partial = std::move(longer);
    return strata;
}

}  // namespace dpcov::detail
