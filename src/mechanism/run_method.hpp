// The mechanisms' side of dpcov::release().
#pragma once

#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// Runs a mechanism of the catalogue, which promises what `Mechanism` says.
[[nodiscard]] Release run_method(const Method& method, const ReleasedRows& rows,
                                 const Budget& budget, const ReleaseOptions& options,
                                 RandomSource& random);

}  // namespace dpcov::detail
