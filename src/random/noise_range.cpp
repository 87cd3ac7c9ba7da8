#include "random/noise_range.hpp"

#include "dpcov/error.hpp"

namespace dpcov::detail {

void require_noise_scale(double scale, double least) {
    constexpr double greatest = 0x1p100;
    if (scale >= least && scale <= greatest) {
        return;
    }
    throw UsageError(
        scale > greatest
            ? "the privacy budget is too small: the noise that it asks for drowns every table; "
              "give a larger one"
            : "the privacy budget is too large: it asks for no noise at all; give a smaller one");
}

}  // namespace dpcov::detail
