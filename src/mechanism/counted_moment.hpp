// SECRET. A second moment whose rows are counted: openly where neighbours have equally many, else
// with noise.
//
// Source       this project
// Neighbours   replace one row, n public; or add or remove one row, n private
// Sensitivity  of the number of rows 1, under add or remove one row
// Budget       none; under add or remove one row a share w of rho or epsilon, w near c / (1 + c),
//              c = sqrt(2 / (d (d + 1))), or (4 / (d (d + 1)^2))^(1/3) for epsilon, which makes the
//              sum of two squared errors least: of the matrix as gauss, or wishart, releases it,
//              and of dividing rows that all fill the norm bound by a noisy count
// Output       n, or n + N, at least 1: what the mechanisms divide their noisy sums by
// Assumes      nothing beyond the exact sampler and the secret random source
// Proof        docs/privacy.md#add-remove
#pragma once

#include <cmath>

#include "mechanism/mechanism.hpp"
#include "moment/secret_moment.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

/// What a mechanism may know of n. Public.
struct RowCount {
    double value = 1.0;      ///< n, or the noisy count: an integer from 1 to 2^48
    double deviation = 0.0;  ///< of the noise in it
    /// At least n, but for a chance below exp(-2^15): where sensitivities grow with n. Without
    /// bound where the rows were counted beside sums, for mechanisms that do not ask.
    double at_most = HUGE_VAL;
};

/// All that a mechanism gets to see of the table. It asks `secret` for sums, never for the number
/// of rows, and takes its sensitivities for `neighbours`.
struct CountedMoment {
    const SecretMoment& secret;
    Neighbours neighbours = Neighbours::replace;
    RowCount rows;
};

/// DataError where there are none; for neighbours with one row replaced, who know that.
void require_rows(const SecretMoment& secret);

/// For neighbours with one row replaced, of which there is at least one: n as it is.
[[nodiscard]] CountedMoment counted_openly(const SecretMoment& secret);

/// A noisy number of rows, as a mechanism may divide by it. It bounds no number of rows.
[[nodiscard]] RowCount row_count(double noisy_rows, double deviation);

/// The number of rows with noise that spends `share`, under add or remove one row.
template <class Share>
[[nodiscard]] RowCount noisy_count(const SecretMoment& secret, Share share, RandomSource& random);

/// A counted moment and what is left of the budget for its sums.
template <class Share>
struct Counted {
    CountedMoment moment;
    Share rest;
};

/// Counts the rows for options.neighbours and has the meter say what that cost. It is here that the
/// first noise is drawn: whatever a mechanism refuses, it refuses before. DataError where n is
/// public and zero. Share is Rho or Epsilon.
template <class Share>
[[nodiscard]] Counted<Share> count_rows(const SecretMoment& secret, const ReleaseOptions& options,
                                        BudgetMeter<Share>& meter, RandomSource& random);

}  // namespace dpcov::detail
