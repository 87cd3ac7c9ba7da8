// What stands before the sums in a moment file: of which kind of moment they are.
#pragma once

#include "dpcov/second_moment.hpp"
#include "moment/moment_bytes.hpp"
#include "moment/norm_bins.hpp"
#include "moment/parts.hpp"

namespace dpcov::detail {

struct MomentHead {
    static constexpr char oldest = '2';
    static constexpr char first_with_schema = '3';  ///< and with names of parts
    static constexpr char first_with_bins = '4';    ///< in place of octaves
    static constexpr char first_with_origin = '5';
    static constexpr char first_with_stretch = '6';
    static constexpr char first_with_codes = '7';  ///< for missing values, in the schema
    static constexpr char newest = first_with_codes;

    char version = 0;  ///< oldest to newest
    MomentLayout layout = {};
    Parts parts = {};
    NormBins bins = NormBins::whole_octaves();
};

/// As the oldest version that can tell it, so that older versions of this library read it;
/// `head.version` is not looked at.
void put_moment_head(MomentWriter& writer, const MomentHead& head);

/// That of any version. Throws DataError where there is none.
[[nodiscard]] MomentHead moment_head_from(MomentReader& reader);

}  // namespace dpcov::detail
