// How accurate a release would be, from public facts alone, before anything is spent.
//
// No row is looked at. The answer is a simulation: a table is made up as the public facts describe
// it, and is released in the same way. Method and assumptions: docs/planning.md.
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
    /// B, in units of the mapped rows; 0 takes sqrt(d), for which every column of `schema` must
    /// have bounds.
    double norm_bound = 0.0;
    Schema schema = {};  ///< d columns, or none
    /// A guess of the columns' standard deviation, divided by half of the range between the bounds,
    /// or without bounds by B / sqrt(d). Above 0, at most 1. None takes 0.2 with bounds (a tenth of
    /// the range), and 0.5 without.
    std::optional<double> spread = {};
    /// Standard deviations of single columns, where they are known or guessed, in units of the
    /// table. The vector has d entries, or is empty; for an entry without a value `spread` is
    /// taken. Above 0, at most half of the range between the bounds, or without bounds at most B.
    /// Of an indicator (TableOptions::columns) with bounds 0 and 1 it follows from the mean.
    std::vector<std::optional<double>> deviations = {};
    /// Means of single columns, likewise. Within the bounds, or without bounds at most B away from
    /// zero. Without a value the column is taken to crowd at one end of its bounds, as far as its
    /// deviation leaves room; without bounds its mean is taken to be 0.
    std::vector<std::optional<double>> means = {};
};

/// How the table would be released.
struct PlanOptions {
    std::string method = "auto";  ///< a name in methods(), but none that needs a clip
    Neighbours neighbours = Neighbours::replace;
    /// As ReleaseOptions::rows_per_person: budgets are of a person with at most so many rows.
    std::uint32_t rows_per_person = 1;
    bool center = false;  ///< as ReleaseOptions::center
    /// How often the rows would be read: 1 or 2 (ReleaseOptions::read_again). 2 needs method `auto`
    /// or `stratified`, `center`, bounds of every column and no other norm bound.
    int passes = 1;
    /// Whether Plan::methods compares the methods that support the definition, which takes longer.
    /// Methods that need a clip are left out, and with many columns those that take long.
    bool compare_methods = true;
    /// The thread that plans calls this between long steps. An exception from it leaves plan(). As
    /// ReleaseOptions::check_interrupt.
    std::function<void()> check_interrupt = {};
};

/// The errors that are expected of one method.
struct ExpectedError {
    std::string method;  ///< as Method::name
    double error = 0.0;  ///< Frobenius norm, in units of the mapped rows squared
    /// Standard error of a correlation, as Plan::correlation_error. None for methods without
    /// intervals, and where nothing would be drawn. The method with the least `error` need not have
    /// the narrowest intervals.
    std::optional<double> correlation_error = {};
};

/// Expected errors of a release: typical deviations from what would be released without noise. An
/// error of several entries is the root of their mean square. For methods with intervals
/// (Method::has_intervals) errors are the standard errors of the intervals. For other methods they
/// are the errors of the estimates for a made-up table.
struct Plan {
    /// Error of the covariance of two columns, in units of the mapped rows squared. If there is one
    /// column: its covariance with another one like it. None where no noise would be drawn, because
    /// public facts say that no table could be seen in it.
    std::optional<double> covariance_error = {};
    /// Error of the variance of a column, likewise.
    std::optional<double> variance_error = {};
    /// Error of the mean of a column, in units of the mapped rows. None also without centring.
    std::optional<double> mean_error = {};
    /// Error of the correlation of two columns with the guessed deviations; at most 1. If there is
    /// one column: of its correlation with another one like it.
    double correlation_error = 0.0;
    /// Error of the estimate of a correlation, in a made-up table of skewed columns with a common
    /// factor; zero for one column. As a rule it is less than correlation_error, and still less in
    /// two passes. Where TableFacts::deviations and means are known, it is right to a factor of
    /// two.
    double estimated_correlation_error = 0.0;
    /// The guess that was used: TableFacts::spread, or its default.
    double spread = 0.0;
    /// d x d: errors of the covariance of each two columns, and on the diagonal of their variances,
    /// in units of the mapped rows squared. They differ only where something was said of single
    /// columns (TableFacts::deviations, means). Empty where no noise would be drawn; so are the
    /// next two.
    Eigen::MatrixXd covariance_errors = {};
    /// d x d: errors of the correlation of each two columns; zero on the diagonal.
    Eigen::MatrixXd correlation_errors = {};
    /// d: errors of the means, in units of the mapped rows. Empty also without centring.
    Eigen::VectorXd mean_errors = {};
    /// Error of the whole matrix by the chosen method, in Frobenius norm; in units of the mapped
    /// rows squared.
    double frobenius_error = 0.0;
    /// The errors of all compared methods, the smallest first. A method that cannot read the rows
    /// twice is planned with one pass. Empty without PlanOptions::compare_methods.
    std::vector<ExpectedError> methods;
    /// The Frobenius error of the zero matrix, which costs nothing; in the same units.
    double frobenius_error_of_zero = 0.0;
    /// Nothing would be seen in the noise: the release would be zero, or no better than zero.
    bool nothing_seen = false;
    /// delta is not below 1/n: publishing one row whole would meet such a delta.
    bool delta_not_small = false;
};

/// Returns the expected errors of a release under `definition`. Spends nothing. UsageError for
/// facts that contradict each other, and where release() throws it.
[[nodiscard]] DPCOV_EXPORT Plan plan(const TableFacts& facts, const Definition& definition,
                                     const PlanOptions& options = {});

/// The least rho, to 1 %, at which Plan::correlation_error is at most `error`. At least the
/// smallest rho that release() takes, which is that of a row times the square of
/// PlanOptions::rows_per_person. UsageError unless 0 < error < 1, and where no budget up to
/// 2^50 gives so small an error. Spends nothing.
[[nodiscard]] DPCOV_EXPORT Rho rho_for_correlation_error(const TableFacts& facts, double error,
                                                         const PlanOptions& options = {});

/// The same for an epsilon, under pure DP.
[[nodiscard]] DPCOV_EXPORT Epsilon epsilon_for_correlation_error(const TableFacts& facts,
                                                                 double error,
                                                                 const PlanOptions& options = {});

}  // namespace dpcov
