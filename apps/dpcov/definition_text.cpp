#include "definition_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <variant>

namespace dpcov {
namespace {

struct Text {
    std::string operator()(Rho rho) const { return fmt::format("{}-zCDP", rho.value()); }
    std::string operator()(Epsilon epsilon) const { return fmt::format("{}-DP", epsilon.value()); }
    std::string operator()(const ApproximateDp& both) const {
        return fmt::format("({}, {})-DP", both.epsilon.value(), both.delta.value());
    }
};

}  // namespace

std::string text_of(const Definition& definition) {
    return std::visit(Text(), definition);
}

std::string text_of_rows_per_person(std::uint32_t rows) {
    return rows == 1 ? "" : fmt::format(", for a person with at most {} rows", rows);
}

std::string text_of_guess(double guess) {
    return fmt::format("{:.4g} %", std::ceil(1e4 * guess) / 100.0);
}

}  // namespace dpcov
