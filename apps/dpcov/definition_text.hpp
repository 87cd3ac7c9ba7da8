// What was promised, in the field's words.
#pragma once

#include <cstdint>
#include <string>

#include "dpcov/budget.hpp"

namespace dpcov {

/// "0.1-zCDP", "1-DP", "(1, 1e-06)-DP".
std::string text_of(const Definition& definition);

/// Whom a guarantee is for, behind it: empty where a person has one row, else ", for a person with
/// at most 4 rows".
std::string text_of_rows_per_person(std::uint32_t rows);

/// A chance to guess right, rounded up to a hundredth of a percent: "58.9 %".
std::string text_of_guess(double guess);

}  // namespace dpcov
