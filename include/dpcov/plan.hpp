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
    /// The standard deviations of columns of which more is known, or guessed, in units of the
    /// table: d, or none at all. A column with none has `spread`. Above 0, at most half of the
    /// range between the bounds, or without them at most B.
    std::vector<std::optional<double>> deviations = {};
    /// Their means likewise: d, or none at all. Within the bounds, or without them at most B away
    /// from zero. A column with none crowds at one end of its bounds, as far as its deviation
    /// leaves room for.
    std::vector<std::optional<double>> means = {};
};

/// How it would be released.
struct PlanOptions {
    std::string method = "auto";
    Neighbours neighbours = Neighbours::replace;
    bool center = false;
    /// 1, or 2 where the rows would be read again (ReleaseOptions::read_again). 2 is for `auto` and
    /// `stratified`, about the mean, with bounds of every column and no other norm bound.
    int passes = 1;
    /// The errors of all methods that support the definition, too, which takes longer.
    bool compare_methods = true;
    /// Called between long steps by the thread that plans; whatever it throws comes out. As
    /// ReleaseOptions::check_interrupt.
    std::function<void()> check_interrupt = {};
};

/// What a method is expected to err by.
struct ExpectedError {
    std::string method;
    double error = 0.0;  ///< Frobenius norm, in units of the mapped rows squared
    /// Standard error of a correlation, as Plan::correlation_error; absent of methods without
    /// intervals. The method with the least error need not be the one with the narrowest intervals.
    std::optional<double> correlation_error = {};
};

/// Typical deviations of what is released from what it would be without noise. Of several entries
/// the root of the mean square. Of methods that have intervals (Method::has_intervals) these are
/// standard errors, as the intervals have them; of others what estimates of a made-up table err by.
struct Plan {
    /// The covariance of two columns, in units of the mapped rows squared; of one column, that with
    /// another like it, as of its correlation. Absent where nothing
    /// would be drawn, and so nothing be told: public facts say that no table could show in the
    /// noise.
    std::optional<double> covariance_error = {};
    /// The variance of a column.
    std::optional<double> variance_error = {};
    /// The mean of a column, in units of the mapped rows; absent without centring, too.
    std::optional<double> mean_error = {};
    /// The correlation of two columns that are spread as guessed; at most 1. Of one column: with
    /// another like it.
    double correlation_error = 0.0;
    /// By how much the estimate of a correlation errs, in a made-up table of skewed columns with a
    /// common factor; zero for one column. As a rule less than the noise, the more so in two
    /// passes. To be trusted, to a factor of two, where TableFacts::deviations and means are known.
    double estimated_correlation_error = 0.0;
    /// That guess: TableFacts::spread, or what was taken in place of it.
    double spread = 0.0;
    /// d x d: the covariance of each two columns, and on the diagonal their variances, in units of
    /// the mapped rows squared. Differ where something was told of single columns
    /// (TableFacts::deviations, means). Empty where nothing would be drawn, as what follows.
    Eigen::MatrixXd covariance_errors = {};
    /// d x d: the correlation of each two columns; zero on the diagonal.
    Eigen::MatrixXd correlation_errors = {};
    /// d: the means, in units of the mapped rows; empty without centring, too.
    Eigen::VectorXd mean_errors = {};
    /// The whole matrix: the method's own, and those of others, the smallest first. Others that
    /// cannot read rows twice read them once.
    double frobenius_error = 0.0;
    std::vector<ExpectedError> methods;
    /// What the zero matrix errs by, which costs nothing.
    double frobenius_norm = 0.0;
    /// Nothing would be seen in the noise: the release would be zero, or no better than that.
    bool nothing_seen = false;
    /// delta is not below 1/n: publishing one row whole would meet it.
    bool delta_not_small = false;
};

/// Spends nothing. UsageError for facts that contradict each other, and as release().
[[nodiscard]] DPCOV_EXPORT Plan plan(const TableFacts& facts, const Definition& definition,
                                     const PlanOptions& options = {});

/// The least rho, to 1 %, at which plan() gives correlations at most that error. Not below the
/// least that release() takes. UsageError unless 0 < error < 1, and where no budget up to 2^50
/// gives so small an error. Spends nothing.
[[nodiscard]] DPCOV_EXPORT Rho rho_for_correlation_error(const TableFacts& facts, double error,
                                                         const PlanOptions& options = {});

/// The same of an epsilon, under pure DP.
[[nodiscard]] DPCOV_EXPORT Epsilon epsilon_for_correlation_error(const TableFacts& facts,
                                                                 double error,
                                                                 const PlanOptions& options = {});

}  // namespace dpcov
