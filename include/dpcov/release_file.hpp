// A release as a file: an .npz archive, which numpy.load opens. It is as public as the release.
#pragma once

#include <string>
#include <string_view>

#include "dpcov/export.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// Writes all of the release to a file, whole or not at all. The same release makes the same bytes.
///
/// Arrays are little-endian float64 in C order. In the units of the release: `covariance` (d x d),
/// and `mean` (d) where there is one. In units of the mapped rows: `origin` (d) where rows were
/// moved, and `stretch` (d), the factors they were then multiplied by. Of the K strata of its
/// statistics, finest first, in units of the rows as mapped, moved and stretched: `radii` (K),
/// `noise_scales` (K), `second_moments` (K x d x d), `left_out` (K, bool), and where they exist,
/// `means` (K x d), `mean_noise_scales` (K), `separate_mean` (d). Where strata were chosen by a
/// noisy histogram of norms: `norm_counts` and `norm_radii`, a number for each of its bins.
/// `columns` has the names, where there are any. `record.json` is the release record, for readers.
/// `release.json` has what is not an array, for load_release.
///
/// Throws UsageError for a release that is not consistent, and DeviceError where the file cannot be
/// written.
DPCOV_EXPORT void save_release(const Release& release, const std::string& path);

/// The bytes of the file that save_release() writes, for another process. UsageError as
/// save_release().
[[nodiscard]] DPCOV_EXPORT std::string release_archive(const Release& release);

/// Reads a release from such a file: every field is as it was. Throws DataError where the file is
/// no such archive or is damaged, or an array is missing, has another shape or is not finite.
/// Throws DeviceError where the file cannot be read.
[[nodiscard]] DPCOV_EXPORT Release load_release(const std::string& path);

/// Reads a release from the bytes of release_archive(). DataError as load_release(); its text calls
/// the bytes `name`.
[[nodiscard]] DPCOV_EXPORT Release release_of_archive(const std::string& name,
                                                      std::string_view archive);

}  // namespace dpcov
