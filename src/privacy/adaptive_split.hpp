// How AdaptiveCov splits its budget in the paper, which its error bound follows.
#pragma once

namespace dpcov::detail {

/// In sixteenths.
struct AdaptiveSplit {
    unsigned radius = 0;
    unsigned trace = 0;
    unsigned threshold = 0;
    unsigned release = 0;
};
inline constexpr AdaptiveSplit paper_split{.radius = 2, .trace = 2, .threshold = 4, .release = 8};

}  // namespace dpcov::detail
