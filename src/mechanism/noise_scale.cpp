#include "mechanism/noise_scale.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

#include "dpcov/error.hpp"
#include "privacy/rows_of_person.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {
namespace {

// The amount with its symbol: rho = 0.1.
std::string told(const Budget& budget) {
    return std::string(std::holds_alternative<Rho>(budget) ? "rho" : "epsilon") + " = " +
           number_text(amount_of(budget));
}

void require_between(const Budget& least, const Budget& of_row, const Budget& greatest,
                     std::uint32_t rows) {
    const std::string whose = rows == 1 ? "" : " for each row of a person";
    if (amount_of(of_row) < amount_of(least)) {
        throw UsageError("the privacy budget is too small: " + told(of_row) + whose +
                         " asks for noise that drowns every table; give at least " +
                         told(least_person_budget(least, rows)));
    }
    if (amount_of(of_row) > amount_of(greatest)) {
        throw UsageError("the privacy budget is too large: " + told(of_row) + whose +
                         " asks for no noise at all; give at most " +
                         told(person_budget(greatest, rows)));
    }
}

}  // namespace

void require_drawable(const Budget& of_row, std::size_t columns, std::uint32_t rows_per_person) {
    if (std::holds_alternative<Rho>(of_row)) {
        require_between(Rho(least_rho), of_row, Rho(greatest_budget), rows_per_person);
    } else {
        const double least = std::fmax(least_epsilon, static_cast<double>(columns) * 0x1p-31);
        require_between(Epsilon(least), of_row, Epsilon(greatest_budget), rows_per_person);
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
