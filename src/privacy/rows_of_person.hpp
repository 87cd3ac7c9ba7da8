// What a person's budget is for one of several rows, and the other way round.
// Proof: docs/privacy.md#groups.
#pragma once

#include <cstdint>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// UsageError unless a person may have so many rows: 1 to limits::rows_per_person.
void require_rows_per_person(std::uint32_t rows);

/// What a mechanism may spend on one row, so that a person with at most `rows` of them has
/// `of_person`: rho / rows^2, or epsilon / rows. The greatest double that is no more. UsageError
/// where that is 0, or a person cannot have so many rows.
[[nodiscard]] Budget row_budget(const Budget& of_person, std::uint32_t rows);

/// What a person with at most `rows` rows spends where a row spends `of_row`, rounded down: parts
/// of a row's budget never add up to more than the person's.
[[nodiscard]] Budget person_budget(const Budget& of_row, std::uint32_t rows);

/// The least budget of a person with at most `rows` rows of which row_budget() leaves `of_row`.
[[nodiscard]] Budget least_person_budget(const Budget& of_row, std::uint32_t rows);

}  // namespace dpcov::detail
