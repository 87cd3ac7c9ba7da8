// The short human account of a release, for standard error.
#pragma once

#include <cstdint>
#include <string>

#include "dpcov/release.hpp"

namespace dpcov {

/// Method, what was spent on what, n (where public; else the noisy count), d and the estimated
/// error; several lines. Says so when the release is not private, and advises two passes only where
/// the same input could be read twice and was not. Post-processing of the release: nothing in it is
/// secret.
std::string summarise(const Release& release, bool twice_would_do);

/// The warning, a line or more, that delta is not below 1/n for so many rows.
std::string great_delta_line(double delta, std::uint64_t rows);

}  // namespace dpcov
