// The sums of a moment by octaves of norms, as tests compare them.
#pragma once

#include <cstdint>
#include <vector>

#include "arithmetic/packed_symmetric.hpp"
#include "moment/secret_moment.hpp"
#include "support/integers_of.hpp"

namespace dpcov::test {

/// Rows with 2^-(k+1) B < |x| <= 2^-k B, in the units of SecretMoment::Bin.
struct OctaveSums {
    std::uint64_t rows = 0;
    detail::PackedGram gram = {};        ///< empty where there are no rows
    detail::PackedGram directions = {};  ///< empty unless kept
    detail::ExactSums sum = {};
};

[[nodiscard]] inline OctaveSums octave_sums(const detail::SecretMoment& moment, int k) {
    const auto add = [](auto& to, const auto& from) {
        to.resize(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i] += from[i];
        }
    };
    OctaveSums octave{.directions = integers_of(moment.directions(k))};
    const detail::BinRange bins = moment.norm_bins().of_octave(k);
    for (std::size_t i = bins.first; i <= bins.last; ++i) {
        const detail::SecretMoment::Bin& bin = moment.bin(i);
        if (bin.rows > 0) {
            octave.rows += bin.rows;
            add(octave.gram, integers_of(bin.gram));
            add(octave.sum, bin.sum);
        }
    }
    return octave;
}

}  // namespace dpcov::test
