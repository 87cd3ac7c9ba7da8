// What a release would be good for, before anything is spent: from public facts alone.
//
// No row is looked at. The answer is a simulation: a table as the public facts describe it is made
// up, and released as it would be. Method and assumptions: docs/planning.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/schema.hpp"

namespace dpcov {

/// What is publicly known of a table, or guessed without looking at it.
struct TableFacts {
    std::uint64_t rows = 0;   ///< n, or a guess of it; >= 1
    std::size_t columns = 0;  ///< d; 0 takes the number of columns of `schema`
    /// B, in units of the mapped rows; 0 takes sqrt(d) where every column of `schema` has bounds.
    double norm_bound = 0.0;
    Schema schema = {};
    /// The standard deviation of a column that is guessed, over half of the range between its
    /// bounds, or over B / sqrt(d) without them; above 0, at most 1. None takes 0.2 with bounds,
    /// a tenth of the range, and 0.5 without.
    std::optional<double> spread = {};
};

/// How it would be released.
struct PlanOptions {
    std::string method = "auto";
    Neighbours neighbours = Neighbours::replace;
    bool center = false;
    /// The errors of all methods that support the definition, too, which takes longer.
    bool compare_methods = true;
    /// Called between long steps by the thread that plans; whatever it throws comes out. As
    /// ReleaseOptions::check_interrupt.
    std::function<void()> check_interrupt = {};
};

/// The expected Frobenius error of a method, in units of the mapped rows squared.
struct ExpectedError {
    std::string method;
    double error = 0.0;
};

/// Typical deviations of what is released from what it would be without noise.
struct Plan {
    /// The covariance of two columns, in units of the mapped rows squared. Absent where nothing
    /// would be drawn, and so nothing be told: public facts say that no table could show in the
    /// noise.
    std::optional<double> covariance_error = {};
    /// The variance of a column.
    std::optional<double> variance_error = {};
    /// The mean of a column, in units of the mapped rows; absent without centring, too.
    std::optional<double> mean_error = {};
    /// The correlation of two columns that are spread as guessed; at most 1.
    double correlation_error = 0.0;
    /// That guess: TableFacts::spread, or what was taken in place of it.
    double spread = 0.0;
    /// The whole matrix: the method's own, and those of others, the smallest first.
    double frobenius_error = 0.0;
    std::vector<ExpectedError> methods;
    /// What the zero matrix errs by, which costs nothing.
    double frobenius_norm = 0.0;
    /// Nothing would be seen in the noise: the release would be zero, or no better than that.
    bool nothing_seen = false;
};

/// Spends nothing. UsageError for facts that contradict each other, and as release().
[[nodiscard]] DPCOV_EXPORT Plan plan(const TableFacts& facts, const Definition& definition,
                                     const PlanOptions& options = {});

/// The least budget, to 1 %, at which plan() gives correlations at most that error: a rho, or under
/// `pure` an epsilon. Not below the least that release() takes. UsageError unless 0 < error < 1,
/// and where no budget up to 2^50 gives so small an error. Spends nothing.
[[nodiscard]] DPCOV_EXPORT Budget budget_for_correlation_error(const TableFacts& facts,
                                                               double error, bool pure,
                                                               const PlanOptions& options = {});

}  // namespace dpcov
