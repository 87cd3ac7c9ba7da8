// SVT: the first of a sequence of queries whose noisy value reaches a noisy threshold.
//
// Source       Dwork and Roth 2014, Algorithm 1 (AboveThreshold); Dong, Liang, Yi 2022, Algorithm 1
// Neighbours   whatever the queries' sensitivity is for
// Sensitivity  every query changes by at most `sensitivity` between neighbours
// Budget       epsilon (pure DP), however many queries there are; so epsilon^2 / 2 of rho
// Output       the index of that query, or none
// Assumes      nothing beyond the exact sampler; the queries may depend on earlier private outputs
// Proof        docs/privacy.md#svt
//
// The mechanism is meant for up to d n queries that repeat one value over long runs. A run costs
// one draw: given the noisy threshold its queries are independent trials of equal probability.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "arithmetic/wide_integer.hpp"
#include "dpcov/budget.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// `length` >= 1 queries in a row of equal value. SECRET.
struct QueryRun {
    Int128 value = 0;
    std::uint64_t length = 1;
};

/// The index, counting every query of every run, of the first with
/// value + Lap(4 sensitivity / epsilon) >= threshold + Lap(2 sensitivity / epsilon); none if there
/// is none. Spends `epsilon`. |threshold|, |value| < 2^120; sensitivity >= 1.
[[nodiscard]] std::optional<std::uint64_t> above_threshold(std::span<const QueryRun> queries,
                                                           Int128 threshold, Int128 sensitivity,
                                                           Epsilon epsilon, RandomSource& random);

}  // namespace dpcov::detail
