// Budgets of people with several rows, and of their rows.
#include "privacy/rows_of_person.hpp"

#include <gmp.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <type_traits>
#include <variant>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "support/special_numbers.hpp"

namespace dpcov::detail {
namespace {

using test::infinity;

// The sign of part * parts - whole, in exact arithmetic.
int compare(double part, double parts, double whole) {
    mpq_t left;
    mpq_t right;
    mpq_inits(left, right, nullptr);
    mpq_set_d(left, part);
    mpq_set_d(right, parts);
    mpq_mul(left, left, right);
    mpq_set_d(right, whole);
    const int sign = mpq_cmp(left, right);
    mpq_clears(left, right, nullptr);
    return sign;
}

const std::vector<std::uint32_t> numbers_of_rows = {
    1, 2, 3, 7, 1000, 999'983, limits::rows_per_person};

// Amounts of all sizes, a zCDP budget and one of pure DP each, with what a person spends over what
// a row does.
void for_amounts(const std::function<void(const Budget&, std::uint32_t, double)>& body) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> exponent(-40.0, 100.0);
    for (int i = 0; i < 500; ++i) {
        const double amount = std::exp2(exponent(random));
        for (const std::uint32_t rows : numbers_of_rows) {
            const double most = rows;
            body(Rho(amount), rows, most * most);
            body(Epsilon(amount), rows, most);
        }
    }
}

TEST(RowsOfPerson, ARowHasTheGreatestAmountThatAddsUpToNoMore) {
    int rounded_up = 0;
    for_amounts([&](const Budget& whole, std::uint32_t rows, double parts) {
        const Budget part = row_budget(whole, rows);
        EXPECT_EQ(part.index(), whole.index());
        EXPECT_LE(compare(amount_of(part), parts, amount_of(whole)), 0);
        EXPECT_GT(compare(std::nextafter(amount_of(part), infinity), parts, amount_of(whole)), 0);
        rounded_up += compare(amount_of(whole) / parts, parts, amount_of(whole)) > 0 ? 1 : 0;
    });
    EXPECT_GT(rounded_up, 1000);  // control: the nearest double is often too much
}

TEST(RowsOfPerson, APersonSpendsNoMoreThanItsRows) {
    for_amounts([&](const Budget& part, std::uint32_t rows, double parts) {
        const Budget whole = person_budget(part, rows);
        EXPECT_EQ(whole.index(), part.index());
        EXPECT_GE(compare(amount_of(part), parts, amount_of(whole)), 0);
        EXPECT_LT(compare(amount_of(part), parts, std::nextafter(amount_of(whole), infinity)), 0);
    });
}

TEST(RowsOfPerson, TheLeastBudgetLeavesARowItsOwn) {
    for_amounts([&](const Budget& part, std::uint32_t rows, double /*parts*/) {
        const Budget whole = least_person_budget(part, rows);
        EXPECT_GE(amount_of(row_budget(whole, rows)), amount_of(part));
        Budget less = whole;
        std::visit(
            [](auto& budget) {
                budget = std::decay_t<decltype(budget)>(std::nextafter(budget.value(), 0.0));
            },
            less);
        EXPECT_LT(amount_of(row_budget(less, rows)), amount_of(part));
    });
}

TEST(RowsOfPerson, OneRowIsThePerson) {
    EXPECT_EQ(amount_of(row_budget(Rho(0.1), 1)), 0.1);
    EXPECT_EQ(amount_of(person_budget(Epsilon(0.3), 1)), 0.3);
    EXPECT_EQ(amount_of(row_budget(Rho(0.16), 4)), 0.01);
    EXPECT_EQ(amount_of(row_budget(Epsilon(1.0), 4)), 0.25);
}

TEST(RowsOfPerson, NobodyHasNoRowsOrTooMany) {
    for (const std::uint32_t rows : {0U, limits::rows_per_person + 1, 0xffff'ffffU}) {
        EXPECT_THROW(static_cast<void>(row_budget(Rho(1.0), rows)), UsageError) << rows;
        EXPECT_THROW(static_cast<void>(person_budget(Rho(1.0), rows)), UsageError) << rows;
    }
    EXPECT_THROW(static_cast<void>(row_budget(Rho(5e-324), 2)), UsageError);
}

}  // namespace
}  // namespace dpcov::detail
