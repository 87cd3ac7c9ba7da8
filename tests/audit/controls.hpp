// Mechanisms that are broken on purpose, each by a mistake that has been made: what the audit must
// catch. They are compiled into the tests only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "audit/audit.hpp"
#include "dpcov/budget.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::test {

/// A broken mechanism and how to catch it.
struct Control {
    std::string_view mistake;  ///< in words
    audit::Suspect method;
    Definition claim;
    std::size_t dimension = 2;
    std::uint64_t runs = 0;  ///< on each table of each pair; enough to catch it
    Neighbours neighbours = Neighbours::replace;
    bool keep_statistics = false;
};

[[nodiscard]] const std::vector<Control>& controls();

/// GaussCov, or LapCov under pure DP, with noise of `factor` times the scale that it should have.
/// Honest from 1 on.
[[nodiscard]] audit::Suspect matrix_with_noise_scaled(double factor);
/// GaussCov with `factor` times the rho that the trade-off curve of Gaussian noise gives for a
/// claim of (epsilon, delta). Honest up to 1.
[[nodiscard]] audit::Suspect matrix_with_rho_of_the_curve_scaled(double factor);
/// For one row more or less: half the budget on the sum, half on the number of rows.
[[nodiscard]] audit::Suspect sums_with_noise_scaled(double factor);

/// The coarsest octave as a stratum; and two bins of the histogram of norms. Both honest from 1 on.
[[nodiscard]] audit::Suspect stratum_with_noise_scaled(double factor);
[[nodiscard]] audit::Suspect norms_with_noise_scaled(double factor);

/// The coarsest octave's second moment and, from the same query, the sum of its rows; or, for one
/// row more or less, their number. Both honest from 1 on.
[[nodiscard]] audit::Suspect joint_moment_with_noise_scaled(double factor);
[[nodiscard]] audit::Suspect count_with_noise_scaled(double factor);

/// GaussCov, with the statistics that it keeps.
[[nodiscard]] audit::Suspect statistics_kept();

/// GaussCov whose noise is for a norm bound of 1.
[[nodiscard]] audit::Suspect matrix_with_a_bound_of_one();
/// For one row more or less, which may be a zero one and so change nothing: sums without zero rows.
[[nodiscard]] audit::Suspect sums_without_zero_rows();
/// GaussCov of an even number of rows. Tables with one row replaced lose the same odd row.
[[nodiscard]] audit::Suspect matrix_of_whole_pairs();

/// Two strata, of which the rows of the coarser one count in part in the other. Honest.
[[nodiscard]] audit::Suspect with_rows_in_part();

/// `stratified`, centred, of bounded tables with 62 public rows besides, about a rough mean.
[[nodiscard]] audit::Suspect in_two_passes();

/// EMCov's first eigenvector under pure DP, as the controls draw it, without their mistakes.
[[nodiscard]] audit::Suspect bingham_without_mistake();

}  // namespace dpcov::test
