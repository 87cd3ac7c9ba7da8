// Upper limits, and ranges, of public numbers. They are the same for every table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dpcov::limits {

/// Rows that a moment can hold, and the greatest noisy number of rows of a release: 2^48.
inline constexpr std::uint64_t rows = std::uint64_t{1} << 48U;
/// Columns of a moment: LAPACK counts its workspace of 2 d^2 numbers in 32 bits.
inline constexpr std::size_t columns = 32766;
/// The range of norm bounds of a moment: their fourth powers are normal doubles.
inline constexpr double least_norm_bound = 0x1p-200;
inline constexpr double greatest_norm_bound = 0x1p200;
/// Rows that one person may have (ReleaseOptions::rows_per_person).
inline constexpr std::uint32_t rows_per_person = 1'000'000;
/// Threads of the library itself. Each has memory of its own.
inline constexpr unsigned threads = 4096;

}  // namespace dpcov::limits
