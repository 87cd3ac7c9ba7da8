// A figure's results as a plot: error against the panel's axis, both logarithmic.
#pragma once

#include <string>
#include <vector>

#include "research/figures.hpp"
#include "research/results.hpp"

namespace dpcov::research {

enum class PlotFormat { svg, png };

/// A gnuplot script that writes the plot to standard output: for each contender its mean error with
/// a band of one deviation to either side, and the published code's mean errors where known.
[[nodiscard]] std::string plot_script(const Figure& figure, const std::vector<Result>& results,
                                      PlotFormat format);

}  // namespace dpcov::research
