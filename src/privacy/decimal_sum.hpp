// Exact sums of amounts that people write in decimal.
#pragma once

#include <gmp.h>

namespace dpcov::detail {

/// A sum of doubles, each taken for the decimal number that it prints as in the fewest digits: ten
/// times 0.1 is exactly 1. A double and its decimal differ by at most 2^-53 of it.
class DecimalSum {
public:
    DecimalSum();
    ~DecimalSum();
    DecimalSum(const DecimalSum&) = delete;
    DecimalSum& operator=(const DecimalSum&) = delete;

    /// Adds `value`, finite and >= 0, so many times, a whole number >= 1.
    void add(double value, double times = 1.0);
    /// Whether the sum is at most the decimal of `limit`.
    [[nodiscard]] bool at_most(double limit) const;
    /// The least double >= the sum; a double's own decimal gives that double.
    [[nodiscard]] double rounded_up() const;
    /// The greatest double <= the decimal of `limit` less the sum; 0 where that is negative.
    [[nodiscard]] double left_of(double limit) const;

private:
    mpq_t sum_;
};

/// One of so many equal parts of `whole`, finite and > 0: the greatest double of which `parts`, a
/// whole number >= 1, add up to at most `whole`, as a DecimalSum and so a ledger counts. 0 where
/// that is less than any positive double.
[[nodiscard]] double equal_part(double whole, double parts);

}  // namespace dpcov::detail
