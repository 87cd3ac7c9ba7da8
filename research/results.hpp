// What a figure's runs come to: a row for each setting and contender, as CSV and as Markdown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "research/figures.hpp"
#include "research/run_log.hpp"

namespace dpcov::research {

struct Result {
    std::size_t setting = 0;    ///< index into settings_of(figure)
    std::size_t contender = 0;  ///< index into figure.contenders
    std::uint64_t n = 0;
    int runs = 0;
    double mean_error = 0.0;
    double deviation = 0.0;  ///< of a single run's error
    double trace = 0.0;
    double norm = 0.0;
    double mean_seconds = 0.0;
    std::optional<double> mean_estimated_error;
};

/// The first `runs` runs of every setting and contender of the figure, all of which must be there.
/// By settings, then by contenders.
[[nodiscard]] std::vector<Result> summarise(const Figure& figure, int runs,
                                            const std::vector<Run>& made);

/// One line for each result, behind a line of column names.
[[nodiscard]] std::string format_csv(const Figure& figure, const std::vector<Result>& results);

/// A table of mean errors, one line for each setting, the published code's beside ours.
[[nodiscard]] std::string format_markdown(const Figure& figure, const std::vector<Result>& results);

}  // namespace dpcov::research
