#include "mechanism/noise_scale.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "dpcov/error.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {
namespace {

void require_between(double least, double value, const char* symbol) {
    if (value >= least && value <= greatest_budget) {
        return;
    }
    const std::string told = std::string(symbol) + " = " + number_text(value);
    throw UsageError(value < least ? "the privacy budget is too small: " + told +
                                         " asks for noise that drowns every table; give " + symbol +
                                         " of " + number_text(least) + " or more"
                                   : "the privacy budget is too large: " + told +
                                         " asks for no noise at all; give " + symbol + " of " +
                                         number_text(greatest_budget) + " or less");
}

}  // namespace

void require_drawable(const Budget& budget, std::size_t columns) {
    if (const Rho* rho = std::get_if<Rho>(&budget)) {
        require_between(least_rho, rho->value(), "rho");
    } else {
        const double least = std::fmax(least_epsilon, static_cast<double>(columns) * 0x1p-31);
        require_between(least, std::get<Epsilon>(budget).value(), "epsilon");
    }
}

double gaussian_deviation(double sensitivity, Rho rho) {
    return sensitivity / std::sqrt(2.0 * rho.value()) * (1.0 + 0x1p-50);
}

double laplace_noise_scale(double sensitivity, Epsilon epsilon) {
    return sensitivity / epsilon.value() * (1.0 + 0x1p-50);
}

double wishart_noise_scale(double sensitivity, Epsilon epsilon) {
    return 0.5 * laplace_noise_scale(sensitivity, epsilon);
}

double wishart_deviation(double scale, std::size_t order) {
    return 2.0 * scale * std::sqrt(static_cast<double>(order) + 1.0);
}

}  // namespace dpcov::detail
