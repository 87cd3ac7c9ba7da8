// A release as a file: an .npz archive, which numpy.load opens. It is as public as the release.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// Writes all of the release to a file, whole or not at all. The same release makes the same bytes.
///
/// Its arrays, little-endian float64 in C order: `covariance` (d x d), and `mean` (d) where there
/// is one, in the units of the release; `origin` (d) where rows were moved, in units of the mapped
/// rows, and `stretch` (d), what they were multiplied by then; of its statistics, in units of the
/// rows as mapped, moved and stretched, finest first, `radii`, `noise_scales` (K), `second_moments`
/// (K x d x d), `left_out` (K, bool), and where there are such, `means` (K x d),
/// `mean_noise_scales` (K), `separate_mean` (d). `columns` has the names where there are any.
/// `record.json` is the release record, which others may read; load_release takes what is not an
/// array from `release.json`.
///
/// Throws UsageError for a release that is not consistent, and DeviceError.
DPCOV_EXPORT void save_release(const Release& release, const std::string& path);

/// The bytes of that file, for another process. UsageError as save_release().
[[nodiscard]] DPCOV_EXPORT std::string release_archive(const Release& release);

/// Reads it back: every field is as it was. Throws DataError where the file is no such archive, is
/// damaged, or has something missing, of another shape or not finite; DeviceError where it cannot
/// be read.
[[nodiscard]] DPCOV_EXPORT Release load_release(const std::string& path);

/// Of those bytes; DataError as load_release(), in which `name` says what they are.
[[nodiscard]] DPCOV_EXPORT Release release_of_archive(const std::string& name,
                                                      std::string_view archive);

}  // namespace dpcov
