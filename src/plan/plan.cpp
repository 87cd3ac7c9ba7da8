#include "dpcov/plan.hpp"
#include "derive/linear_function.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <variant>

#include "arithmetic/interruption.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "mechanism/noise_scale.hpp"
#include "privacy/budget_for.hpp"
#include "text/number_text.hpp"

namespace dpcov {
namespace {

using detail::LinearFunction;
using detail::NoisyCovariance;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::uint64_t least_rows = 4096;   // of the table that is made up, if the facts allow it
constexpr std::uint64_t rows_a_column = 16;  // so that sampling is little beside the noise
constexpr Index few_columns = 16;            // many draws of the noise cost nothing
constexpr Index very_few_columns = 4;        // and many are needed
constexpr Index most_columns_compared = 64;  // beyond, methods that take long are left out
constexpr std::uint64_t seed = 1;            // the same facts, the same plan
// How far a column's mean is from the midpoint of its bounds, over half of the range, where two
// deviations leave so much room: in real tables most columns crowd at one end of their bounds,
// which costs a covariance about the noisy mean.
constexpr double most_offset = 0.6;
// The standard deviations of columns that nobody guessed, in the same unit; without bounds over
// B / sqrt(d), so that rows are half as long as they may be.
constexpr double usual_spread = 0.2;
constexpr double usual_spread_without_bounds = 0.5;

// Columns of one variance that have nothing in common are the easiest matrix to estimate, and no
// table's. For errors of whole matrices they have: the share of each one's variance that a common
// factor explains, up or down, and by how many e-folds the deviations of first and last differ.
// Chosen on 44 tables (docs/research-log.md#plan).
constexpr double common_share = 0.3;
constexpr double folds_of_deviation = 1.0;

// What is told of a table, checked and complete.
struct Table {
    Index columns;
    double rows;
    double norm_bound;
    double spread;     // as it was guessed
    double offset;     // of a column's mean, in units of the mapped rows
    double deviation;  // of a column, in the same
};

Table checked(const TableFacts& facts, const PlanOptions& options) {
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
    const std::optional<double> implied = implied_norm_bound(facts.schema);
    const double spread =
        facts.spread.value_or(implied ? usual_spread : usual_spread_without_bounds);
    if (!(spread > 0.0 && spread <= 1.0)) {
        throw UsageError("the spread must be above 0 and at most 1");
    }
    const double norm_bound = norm_bound_within(facts.schema, facts.norm_bound);
    if (norm_bound == 0.0) {
        throw UsageError("a plan needs the norm bound, or bounds of every column");
    }
    if (!(std::isfinite(norm_bound) && norm_bound > 0.0)) {
        throw UsageError("the norm bound must be above 0, and finite");
    }
    const double range = implied ? 1.0 : norm_bound / std::sqrt(static_cast<double>(d));
    return {.columns = static_cast<Index>(d),
            .rows = static_cast<double>(facts.rows),
            .norm_bound = norm_bound,
            .spread = spread,
            .offset = implied ? std::clamp(1.0 - 2.0 * spread, 0.0, most_offset) : 0.0,
            .deviation = spread * range};
}

// Normal columns, no further from their means than two deviations.
enum class Columns {
    alike,   // independent, of one deviation: lengths of rows as can be guessed
    varied,  // with a common factor, of different deviations: a matrix as hard as a table's
};

struct MadeUp {
    SecondMoment moment;
    MatrixXd covariance;   // of the rows as clipped; about zero or the mean, as it is released
    Eigen::VectorXd mean;  // of the same; zero where none is released
    double rows;
};

// The root of their mean square is what was guessed.
Eigen::ArrayXd deviations_of(const Table& table, Columns columns) {
    const bool vary = columns == Columns::varied && table.columns > 1;
    const Eigen::ArrayXd relative =
        Eigen::ArrayXd::LinSpaced(table.columns, 0.0, vary ? folds_of_deviation : 0.0).exp();
    return relative * (table.deviation / std::sqrt(relative.square().mean()));
}

MadeUp made_up(const Table& table, bool center, Columns columns) {
    const auto d = static_cast<std::uint64_t>(table.columns);
    const double rows =
        std::min(table.rows, static_cast<double>(std::max(least_rows, rows_a_column * d)));
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    MadeUp made{.moment = SecondMoment({.columns = static_cast<std::size_t>(table.columns),
                                        .norm_bound = table.norm_bound,
                                        .keep_directions = table.columns <= most_columns_compared}),
                .covariance = MatrixXd::Zero(table.columns, table.columns),
                .mean = Eigen::VectorXd::Zero(table.columns),
                .rows = rows};
    const Eigen::ArrayXd deviations = deviations_of(table, columns);
    const double share = columns == Columns::varied ? common_share : 0.0;
    constexpr Index block_rows = 1024;
    for (auto left = static_cast<Index>(rows); left > 0;) {
        detail::check_interruption();
        MatrixXd block(std::min(left, block_rows), table.columns);
        for (Index i = 0; i < block.rows(); ++i) {
            const double common = share > 0.0 ? std::sqrt(share) * normal(generator) : 0.0;
            for (Index j = 0; j < block.cols(); ++j) {
                const double z =
                    (j % 2 == 0 ? common : -common) + std::sqrt(1.0 - share) * normal(generator);
                block(i, j) = table.offset + deviations[j] * std::clamp(z, -2.0, 2.0);
            }
        }
        const Eigen::ArrayXd norms = block.rowwise().norm().array();
        block =
            (norms > table.norm_bound).select(table.norm_bound / norms, 1.0).matrix().asDiagonal() *
            block;
        made.moment.add(block);
        made.covariance += block.transpose() * block / rows;
        if (center) {
            made.mean += block.colwise().sum().transpose() / rows;
        }
        left -= block.rows();
    }
    made.covariance -= made.mean * made.mean.transpose();
    return made;
}

// The budget under which fewer rows get the same noise, over their number: that goes with
// 1 / (n sqrt(rho)), or 1 / (n epsilon). At most the greatest that a release takes, whose noise is
// next to none, too.
Definition scaled_budget(const Definition& definition, Curve curve, double factor) {
    const Budget budget = detail::budget_for(definition, curve);
    if (const auto* epsilon = std::get_if<Epsilon>(&budget)) {
        return Epsilon(std::min(epsilon->value() * factor, detail::greatest_budget));
    }
    const double rho = std::get<Rho>(budget).value();
    return Rho(std::min(rho * factor * factor, detail::greatest_budget));
}

Release simulated(const Table& table, const MadeUp& made, const Definition& definition,
                  const std::string& method, const PlanOptions& options, std::uint64_t draw = 0) {
    const Curve curve = find_method(method).curve(Variant::best);
    return release(made.moment, scaled_budget(definition, curve, table.rows / made.rows),
                   {.method = method,
                    .neighbours = options.neighbours,
                    .center = options.center,
                    .insecure_seed = seed + draw});
}

// Strata differ from draw to draw, and so do errors.
std::uint64_t draws_of(const Table& table) {
    if (table.columns <= very_few_columns) {
        return 64;
    }
    return table.columns <= few_columns ? 8 : 2;
}

// The root of the mean squared error over some draws.
double error_of(const Table& table, const MadeUp& made, const Definition& definition,
                const std::string& method, const PlanOptions& options) {
    const std::uint64_t draws = draws_of(table);
    double squared_error = 0.0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const Release released = simulated(table, made, definition, method, options, draw);
        squared_error += (released.covariance - made.covariance).squaredNorm();
    }
    return std::sqrt(squared_error / static_cast<double>(draws));
}

bool is_compared(const Method& method, const Definition& definition, const Table& table) {
    const bool takes_long = method.name == "em" || method.needs_directions(Variant::best);
    return (std::holds_alternative<Epsilon>(definition) ? method.pure_dp : method.zcdp) &&
           !method.needs_clip && (table.columns <= most_columns_compared || !takes_long);
}

// Variances of a covariance, a variance and a mean, as the noise of a release leaves them.
using EntryVariances = Eigen::Array3d;

// Of two columns that are not correlated. What a draw says of noise is over its own noisy number of
// rows, which may be next to none: it counts as over the number that there are.
EntryVariances entry_variances(NoisyCovariance noisy, const Table& table, const MadeUp& made) {
    const Index d = noisy.columns();
    const double over_rows = std::pow(noisy.rows / made.rows, 2);
    noisy.noise_variance *= over_rows;
    noisy.mean_noise_variance *= over_rows;
    noisy.relative_rows_variance *= over_rows;
    noisy.rows_covariance *= over_rows;
    noisy.matrix = table.deviation * table.deviation * MatrixXd::Identity(d, d);
    // Rows that are clipped to the norm bound have shorter means.
    noisy.mean.setConstant(made.mean.norm() / std::sqrt(static_cast<double>(d)));
    const double variance = linear_function(noisy, 0, 0, {.ii = 1.0}).variance;
    const double covariance =
        d > 1 ? linear_function(noisy, 0, 1, {.ij = 0.5}).variance : 0.5 * variance;
    // A noisy n moves the mean, too.
    const double mean =
        noisy.mean_noise_variance + noisy.relative_rows_variance * std::pow(noisy.mean[0], 2);
    return {covariance, variance, mean};
}

// The same as one release tells them, where no law of its noise is known.
EntryVariances entry_errors_squared(const Release& released, const MadeUp& made) {
    const MatrixXd error = released.covariance - made.covariance;
    const auto d = static_cast<double>(error.rows());
    const double variance = error.diagonal().squaredNorm() / d;
    const double covariance =
        error.rows() > 1 ? (error.squaredNorm() - d * variance) / (d * (d - 1.0)) : 0.5 * variance;
    const Eigen::VectorXd mean = released.mean.value_or(Eigen::VectorXd::Zero(error.rows()));
    return {covariance, variance, (mean - made.mean).squaredNorm() / d};
}

Plan errors_of(const EntryVariances& variances, bool center) {
    Plan plan;
    plan.covariance_error = std::sqrt(variances[0]);
    plan.variance_error = std::sqrt(variances[1]);
    if (center) {
        plan.mean_error = std::sqrt(variances[2]);
    }
    return plan;
}

// But for other methods.
Plan errors_by_method_asked_for(const Table& table, const MadeUp& made,
                                const Definition& definition, const PlanOptions& options) {
    EntryVariances by_law = EntryVariances::Zero();
    EntryVariances by_draws = EntryVariances::Zero();
    std::uint64_t with_law = 0;
    bool drawn = false;
    bool seen = false;
    for (std::uint64_t draw = 0; draw < draws_of(table); ++draw) {
        const Release released = simulated(table, made, definition, options.method, options, draw);
        drawn = drawn || !released.zero || released.zero == ZeroReason::nothing_seen;
        seen = seen || !released.zero;
        if (const auto noisy = detail::noisy_covariance(released)) {
            by_law += entry_variances(*noisy, table, made);
            ++with_law;
        }
        by_draws += entry_errors_squared(released, made);
    }
    if (!drawn) {
        Plan nothing;
        nothing.correlation_error = 1.0;
        nothing.nothing_seen = true;
        return nothing;
    }
    Plan plan = errors_of(with_law > 0 ? by_law / static_cast<double>(with_law)
                                       : by_draws / static_cast<double>(draws_of(table)),
                          options.center);
    // What correlations are divided by; without centring that is about the midpoints.
    const double offset = options.center ? 0.0 : table.offset;
    const double diagonal = table.deviation * table.deviation + offset * offset;
    plan.correlation_error =
        with_law == 0 && !seen ? 1.0 : std::min(1.0, *plan.covariance_error / diagonal);
    return plan;
}

}  // namespace

Plan plan(const TableFacts& facts, const Definition& definition, const PlanOptions& options) {
    const Table table = checked(facts, options);
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    Plan plan = errors_by_method_asked_for(table, made_up(table, options.center, Columns::alike),
                                           definition, options);
    const MadeUp made = made_up(table, options.center, Columns::varied);
    plan.spread = table.spread;
    plan.frobenius_error = error_of(table, made, definition, options.method, options);
    plan.frobenius_norm = made.covariance.norm();
    // Zero in all draws errs by the norm, but for rounding.
    plan.nothing_seen =
        plan.nothing_seen || plan.frobenius_error >= (1.0 - 1e-12) * plan.frobenius_norm;
    if (options.compare_methods) {
        for (const Method& method : methods()) {
            if (is_compared(method, definition, table)) {
                const std::string name(method.name);
                plan.methods.push_back(
                    {name, name == options.method
                               ? plan.frobenius_error
                               : error_of(table, made, definition, name, options)});
            }
        }
        std::stable_sort(plan.methods.begin(), plan.methods.end(),
                         [](const auto& a, const auto& b) { return a.error < b.error; });
    }
    return plan;
}

Budget budget_for_correlation_error(const TableFacts& facts, double error, bool pure,
                                    const PlanOptions& options) {
    if (!(error > 0.0 && error < 1.0)) {
        throw UsageError("the wanted error of a correlation must be above 0 and below 1");
    }
    const Table table = checked(facts, options);
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    const MadeUp made = made_up(table, options.center, Columns::alike);
    const auto definition_at = [&](double value) -> Definition {
        return pure ? Definition(Epsilon(value)) : Definition(Rho(value));
    };
    const auto error_at = [&](double logarithm) {
        return errors_by_method_asked_for(table, made, definition_at(std::exp2(logarithm)), options)
            .correlation_error;
    };
    double too_small = std::log2(pure ? detail::least_epsilon : detail::least_rho);
    double enough = 50.0;
    if (const double least = error_at(enough); least > error) {
        throw UsageError("no budget brings the error of a correlation to " +
                         detail::number_text(error) + ": with as good as no noise it is " +
                         detail::number_text(least) + "; ask for a larger one");
    }
    while (enough - too_small > 0.01) {
        const double middle = 0.5 * (too_small + enough);
        (error_at(middle) > error ? too_small : enough) = middle;
    }
    const double value = std::exp2(enough);
    return pure ? Budget(Epsilon(value)) : Budget(Rho(value));
}

}  // namespace dpcov
