#include "privacy/rows_of_person.hpp"

#include <cmath>
#include <string>
#include <variant>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"

namespace dpcov::detail {
namespace {

// What a person spends over what a row spends: a whole number below 2^53.
double times(const Budget& budget, std::uint32_t rows) {
    const double most = rows;
    return std::holds_alternative<Rho>(budget) ? most * most : most;
}

Budget like(const Budget& budget, double amount) {
    if (std::holds_alternative<Rho>(budget)) {
        return Rho(amount);
    }
    return Epsilon(amount);
}

}  // namespace

void require_rows_per_person(std::uint32_t rows) {
    if (rows < 1 || rows > limits::rows_per_person) {
        throw UsageError("a person has 1 to " + std::to_string(limits::rows_per_person) +
                         " rows, not " + std::to_string(rows));
    }
}

Budget row_budget(const Budget& of_person, std::uint32_t rows) {
    require_rows_per_person(rows);
    const double parts = times(of_person, rows);
    const double whole = amount_of(of_person);
    double part = whole / parts;
    if (std::fma(part, parts, -whole) > 0.0) {  // exact in sign
        part = std::nextafter(part, 0.0);
    }
    if (!(part > 0.0)) {
        throw UsageError("the budget leaves nothing for one of " + std::to_string(rows) +
                         " rows of a person; give more");
    }
    return like(of_person, part);
}

Budget person_budget(const Budget& of_row, std::uint32_t rows) {
    require_rows_per_person(rows);
    const double parts = times(of_row, rows);
    const double part = amount_of(of_row);
    const double whole = part * parts;
    const bool above = std::fma(part, parts, -whole) < 0.0;
    return like(of_row, above ? std::nextafter(whole, 0.0) : whole);
}

Budget least_person_budget(const Budget& of_row, std::uint32_t rows) {
    require_rows_per_person(rows);
    const double parts = times(of_row, rows);
    const double part = amount_of(of_row);
    const double whole = part * parts;
    const bool below = std::fma(part, parts, -whole) > 0.0;
    return like(of_row, below ? std::nextafter(whole, HUGE_VAL) : whole);
}

}  // namespace dpcov::detail
