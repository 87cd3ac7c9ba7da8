// Mean errors that the code which accompanies the paper was measured to have.
#pragma once

#include <optional>

#include "research/figures.hpp"

namespace dpcov::research {

/// research/published_errors.csv, put into the program by CMake.
extern const char* const published_errors_text;

struct PublishedError {
    double mean = 0.0;
    double deviation = 0.0;  ///< of a single run's error
    int runs = 0;
};

/// What research/published_errors.csv has for this setting and method; nothing where it was not
/// measured. Only contenders of the published variant have a counterpart there.
[[nodiscard]] std::optional<PublishedError> published_error(const Figure& figure,
                                                            const Setting& setting,
                                                            const Contender& contender);

}  // namespace dpcov::research
