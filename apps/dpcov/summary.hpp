// The short human account of a release, for standard error.
#pragma once

#include <cstdint>
#include <string>

#include "dpcov/release.hpp"

namespace dpcov {

/// How the table was read. Public.
struct TableReading {
    bool could_be_twice = false;     ///< once, but the same input could be read twice
    bool takes_bad_as_zero = false;  ///< bad rows were taken for zeros
};

/// Method, what was spent on what, n (where public; else the noisy count), d and the estimated
/// error; several lines. Says so when the release is not private, and what would have been better.
/// Post-processing of the release: nothing in it is secret.
std::string summarise(const Release& release, const TableReading& reading);

/// The warning, a line or more, that delta is not below 1/n for so many rows.
std::string great_delta_line(double delta, std::uint64_t rows);

/// Any other warning, set as the summary's are.
std::string warning_line(const std::string& text);

}  // namespace dpcov
