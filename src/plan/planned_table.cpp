#include "plan/planned_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "mechanism/option_rules.hpp"
#include "tables/called_columns.hpp"
#include "text/in_quotes.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {
namespace {

// How far a column's mean is from the midpoint of its bounds at most, over half of the range; it is
// as far as two deviations leave room for. In real tables most columns crowd at one end of their
// bounds, which costs a covariance about the noisy mean. Chosen on three tables
// (docs/research-log.md#plan).
constexpr double most_offset = 0.9;
// The standard deviations of columns that nobody guessed, in the same unit; without bounds over
// B / sqrt(d), so that rows are half as long as they may be.
constexpr double usual_spread = 0.2;
constexpr double usual_spread_without_bounds = 0.5;

constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

std::size_t number_of_columns(const TableFacts& facts) {
    const std::size_t d = facts.columns > 0 ? facts.columns : facts.schema.size();
    if (d == 0) {
        throw UsageError("a plan needs the number of columns, or their bounds");
    }
    if (d > limits::columns) {
        throw UsageError("a plan is for " + std::to_string(limits::columns) + " columns at most");
    }
    if (!facts.schema.empty() && facts.schema.size() != d) {
        throw UsageError("the schema has another number of columns than was said");
    }
    for (const auto& [what, told] :
         {std::pair("deviations", &facts.deviations), std::pair("means", &facts.means)}) {
        if (!told->empty() && told->size() != d) {
            throw UsageError("there are " + std::to_string(told->size()) + ' ' + what + " for " +
                             std::to_string(d) + " columns");
        }
    }
    return d;
}

double norm_bound_of(const TableFacts& facts) {
    const double norm_bound = norm_bound_within(facts.schema, facts.norm_bound);
    if (norm_bound == 0.0) {
        throw UsageError("a plan needs the norm bound, or bounds of every column");
    }
    return norm_bound;
}

Column column_at(const TableFacts& facts, std::size_t place) {
    return facts.schema.empty() ? Column{} : facts.schema[place];
}

std::string called(const Column& column, std::size_t place) {
    return "column " + (column.name.empty() ? std::to_string(place) : in_quotes(column.name));
}

// How far from 0 its mapped values may be: within bounds no farther than half of their range.
double farthest_value(const Column& column, double norm_bound) {
    return column.bounds ? 1.0 : norm_bound;
}

// In units of the mapped rows. No column varies by more than its values reach.
double told_deviation(const TableFacts& facts, std::size_t place, double norm_bound) {
    const Column column = column_at(facts, place);
    const double told = *facts.deviations[place];
    const double greatest = column.unit() * farthest_value(column, norm_bound);
    if (!(told > 0.0 && told <= greatest)) {
        throw UsageError(
            "the deviation of " + called(column, place) + " must be above 0 and at most " +
            (column.bounds ? "half of the range between its bounds, " : "the norm bound, ") +
            number_text(greatest) + "; it is " + number_text(told));
    }
    return told / column.unit();
}

// Likewise: within the bounds, or the norm bound.
double told_mean(const TableFacts& facts, std::size_t place, double norm_bound) {
    const Column column = column_at(facts, place);
    const double told = *facts.means[place];
    const double mean = (told - column.midpoint()) / column.unit();
    if (!(std::fabs(mean) <= farthest_value(column, norm_bound))) {
        throw UsageError("the mean of " + called(column, place) + " must be within " +
                         (column.bounds ? "its bounds" : "the norm bound") + "; it is " +
                         number_text(told));
    }
    return mean;
}

// Values from -r to r about a mean m vary by r^2 - m^2 at most, those of 0 and 1 by just that.
void check_together(const TableFacts& facts, std::size_t place, double norm_bound) {
    if (facts.deviations.empty() || facts.means.empty() || !facts.deviations[place] ||
        !facts.means[place]) {
        return;
    }
    constexpr double rounded = 1.01;  // what was told
    const Column column = column_at(facts, place);
    const double reach = farthest_value(column, norm_bound);
    const double mean = (*facts.means[place] - column.midpoint()) / column.unit();
    const double greatest = column.unit() * std::sqrt(reach * reach - mean * mean);
    if (*facts.deviations[place] > rounded * greatest) {
        throw UsageError("the deviation of " + called(column, place) + " is at most " +
                         number_text(greatest) + " beside that mean within " +
                         (column.bounds ? "its bounds" : "the norm bound") + "; it is " +
                         number_text(*facts.deviations[place]));
    }
}

void check_passes(const PlanOptions& options, bool rows_can_move) {
    require_one_or_two(options.passes);
    if (options.passes == 2 && !(rows_can_move && options.center)) {
        throw UsageError(
            "two passes need bounds of every column and no other norm bound, and are about the "
            "mean");
    }
}

}  // namespace

PlannedTable planned_table(const TableFacts& facts, const PlanOptions& options) {
    check_schema(facts.schema);
    if (facts.rows < 1) {
        throw UsageError("a plan needs the number of rows, or a guess of it: at least 1");
    }
    if (facts.rows > limits::rows) {
        throw UsageError("a plan is for 2^48 rows at most");
    }
    if (find_method(options.method).needs_clip) {
        throw UsageError(
            "a method that clips is not planned for: plan for its kind, gauss or one "
            "under the same budget, with the clipping norm as norm bound");
    }
    const std::size_t d = number_of_columns(facts);
    const std::optional<double> implied = implied_norm_bound(facts.schema);
    const double spread =
        facts.spread.value_or(implied ? usual_spread : usual_spread_without_bounds);
    if (!(spread > 0.0 && spread <= 1.0)) {
        throw UsageError("the spread must be above 0 and at most 1");
    }
    const double norm_bound = norm_bound_of(facts);
    check_passes(options, implied == norm_bound);

    const double range = implied ? 1.0 : norm_bound / std::sqrt(static_cast<double>(d));
    Eigen::ArrayXd deviations =
        Eigen::ArrayXd::Constant(static_cast<Eigen::Index>(d), spread * range);
    Eigen::ArrayXd means = Eigen::ArrayXd::Constant(deviations.size(), not_told);
    bool columns_are_told = false;
    for (std::size_t j = 0; j < d; ++j) {
        if (!facts.deviations.empty() && facts.deviations[j]) {
            deviations[static_cast<Eigen::Index>(j)] = told_deviation(facts, j, norm_bound);
            columns_are_told = true;
        }
        if (!facts.means.empty() && facts.means[j]) {
            const double mean = told_mean(facts, j, norm_bound);
            means[static_cast<Eigen::Index>(j)] = mean;
            columns_are_told = true;
            if (std::fabs(mean) < 1.0 && is_called_indicator(column_at(facts, j)) &&
                (facts.deviations.empty() || !facts.deviations[j])) {
                deviations[static_cast<Eigen::Index>(j)] = std::sqrt(1.0 - mean * mean);
            }
        }
        check_together(facts, j, norm_bound);
    }
    return {.rows = static_cast<double>(facts.rows),
            .norm_bound = norm_bound,
            .has_bounds = implied.has_value(),
            .columns_are_told = columns_are_told,
            .spread = spread,
            .deviations = std::move(deviations),
            .told_means = std::move(means)};
}

Eigen::ArrayXd PlannedTable::means_beside(const Eigen::ArrayXd& of_columns) const {
    const Eigen::ArrayXd guessed =
        (1.0 - 2.0 * of_columns).max(0.0).min(has_bounds ? most_offset : 0.0);
    return told_means.isNaN().select(guessed, told_means);
}

}  // namespace dpcov::detail
