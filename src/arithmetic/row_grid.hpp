// The integers that rows are made of.
#pragma once

namespace dpcov::detail {

/// A row that fills its norm stratum has integer norm 2^radius_bits (docs/privacy.md#placement).
inline constexpr int radius_bits = 20;

}  // namespace dpcov::detail
