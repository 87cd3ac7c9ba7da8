// Auto: the project's choice of a mechanism, by what is public alone.
//
// Source       this project; docs/accuracy.md has the table that decided
// Neighbours   as the mechanism that it takes
// Budget       all of it on that mechanism: `stratified` in the best variant, else `adaptive`
// Output       as the mechanism that it takes
// Assumes      as the mechanism that it takes
// Proof        docs/privacy.md#stratified
#pragma once

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// The catalogue's `auto`.
[[nodiscard]] Release automatic_cov(const ReleasedRows& rows, const Budget& budget,
                                    const ReleaseOptions& options, RandomSource& random);

/// Of what it takes.
[[nodiscard]] Curve automatic_curve(Variant variant);

/// Whether what it takes wants kept directions.
[[nodiscard]] bool automatic_needs_directions(Variant variant);

}  // namespace dpcov::detail
