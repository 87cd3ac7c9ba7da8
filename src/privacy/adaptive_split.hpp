// What AdaptiveCov and its error bound have in common: how the paper splits the budget, and the
// least trace.
#pragma once

namespace dpcov::detail {

/// In sixteenths.
struct AdaptiveSplit {
    unsigned radius = 0;
    unsigned trace = 0;
    unsigned threshold = 0;
    unsigned release = 0;
};
/// What the private trace is taken to be at least, over the squared radius: the published code's
/// floor; the text has none.
inline constexpr double least_relative_trace = 1e-16;

inline constexpr AdaptiveSplit paper_split{.radius = 2, .trace = 2, .threshold = 4, .release = 8};

}  // namespace dpcov::detail
