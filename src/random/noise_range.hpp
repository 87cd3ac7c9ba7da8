// How large and how small noise may be.
#pragma once

namespace dpcov::detail {

/// Throws UsageError unless least <= scale <= 2^100, in steps of the grid on which the sums are
/// integers. The scale follows from the privacy budget, so the message is about that.
void require_noise_scale(double scale, double least);

}  // namespace dpcov::detail
