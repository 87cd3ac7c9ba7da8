#include "mechanism/noise_scale.hpp"

#include <cmath>

namespace dpcov::detail {

double gaussian_deviation(double sensitivity, Rho rho) {
    return sensitivity / std::sqrt(2.0 * rho.value()) * (1.0 + 0x1p-50);
}

double laplace_noise_scale(double sensitivity, Epsilon epsilon) {
    return sensitivity / epsilon.value() * (1.0 + 0x1p-50);
}

}  // namespace dpcov::detail
