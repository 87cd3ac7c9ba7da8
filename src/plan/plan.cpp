#include "dpcov/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "arithmetic/interruption.hpp"
#include "derive/column_units.hpp"
#include "derive/correlation_matrix.hpp"
#include "derive/linear_function.hpp"
#include "derive/noisy_covariance.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/release.hpp"
#include "mechanism/noise_scale.hpp"
#include "plan/made_up_table.hpp"
#include "plan/planned_table.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/rows_of_person.hpp"
#include "privacy/small_delta.hpp"
#include "text/number_text.hpp"

namespace dpcov {
namespace {

using detail::Columns;
using detail::MadeUpTable;
using detail::NoisyCovariance;
using detail::PlannedTable;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index few_columns = 16;      // many draws of the noise cost nothing
constexpr Index very_few_columns = 4;  // and many are needed
constexpr std::uint64_t seed = 1;      // the same facts, the same plan

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

// Releases of the made-up table, which is public, with noise of a seed each.
class Simulation {
public:
    Simulation(const PlannedTable& planned, const MadeUpTable& made, const Definition& definition,
               const std::string& method, const PlanOptions& options)
        : made_(made),
          definition_(scaled_budget(definition, find_method(method).curve(Variant::best),
                                    planned.rows / made.rows)) {
        options_.method = method;
        options_.neighbours = options.neighbours;
        options_.rows_per_person = options.rows_per_person;
        options_.center = options.center;
        // A method that is asked for refuses what it cannot do; one beside it reads once then.
        if (options.passes == 2 && (method == options.method || find_method(method).reads_twice)) {
            options_.read_again = made.add_again;
        }
    }

    [[nodiscard]] Release draw(std::uint64_t number) {
        options_.insecure_seed = seed + number;
        return release(made_.moment, definition_, options_);
    }

private:
    const MadeUpTable& made_;
    Definition definition_;
    ReleaseOptions options_;
};

// Strata differ from draw to draw, and so do errors.
std::uint64_t draws_of(const PlannedTable& planned) {
    if (planned.columns() <= very_few_columns) {
        return 64;
    }
    return planned.columns() <= few_columns ? 8 : 2;
}

// Over some draws the roots of the mean squared errors of what is estimated.
struct EstimateErrors {
    double matrix;       // in the Frobenius norm
    double correlation;  // of two columns
};

EstimateErrors estimate_errors(const PlannedTable& planned, const MadeUpTable& made,
                               const Definition& definition, const std::string& method,
                               const PlanOptions& options) {
    const MatrixXd correlation = detail::correlation_of(made.covariance);
    const std::uint64_t draws = draws_of(planned);
    Simulation simulation(planned, made, definition, method, options);
    double of_matrix = 0.0;
    double of_correlation = 0.0;
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const Release released = simulation.draw(draw);
        of_matrix += (released.covariance - made.covariance).squaredNorm();
        of_correlation += (correlation_matrix(released) - correlation).squaredNorm();
    }
    const auto d = static_cast<double>(planned.columns());
    const double pairs = std::fmax(1.0, d * (d - 1.0));
    return {.matrix = std::sqrt(of_matrix / static_cast<double>(draws)),
            .correlation = std::sqrt(of_correlation / (pairs * static_cast<double>(draws)))};
}

bool is_compared(const Method& method, const Definition& definition, Neighbours neighbours,
                 const PlannedTable& planned) {
    const bool takes_long = method.name == "em" || method.needs_directions(Variant::best);
    return meets(method, definition) && serves(method, neighbours) && !method.needs_clip &&
           (planned.columns() <= detail::most_columns_compared || !takes_long);
}

// What noise does to entries, in units of the mapped rows.
struct EntryVariances {
    MatrixXd covariance;  // d x d; on the diagonal of variances
    VectorXd mean;        // d

    explicit EntryVariances(Index d) : covariance(MatrixXd::Zero(d, d)), mean(VectorXd::Zero(d)) {}

    void add(const EntryVariances& others) {
        covariance += others.covariance;
        mean += others.mean;
    }
    void divide_by(double number) {
        covariance /= number;
        mean /= number;
    }
    // The same for all columns, on average.
    void level() {
        const auto d = static_cast<double>(mean.size());
        const double variance = covariance.diagonal().mean();
        if (d > 1.0) {
            covariance.setConstant((covariance.sum() - d * variance) / (d * (d - 1.0)));
        }
        covariance.diagonal().setConstant(variance);
        mean.setConstant(mean.mean());
    }
};

// What a draw says of noise is over its own noisy number of rows, which may be next to none: it
// counts as over the number that there are.
void count_over(NoisyCovariance& noisy, double rows) {
    const double over_rows = std::pow(noisy.rows / rows, 2);
    noisy.noise_variance *= over_rows;
    noisy.mean_noise_variance *= over_rows;
    noisy.relative_rows_variance *= over_rows;
    noisy.rows_covariance *= over_rows;
}

// As the law of a draw's noise has them, of columns that are not correlated.
EntryVariances entry_variances(NoisyCovariance noisy, const Release& released,
                               const PlannedTable& planned, const MadeUpTable& made) {
    const Index d = noisy.columns();
    const VectorXd stretch = detail::stretch_of(released);
    count_over(noisy, made.rows);
    noisy.matrix = (planned.deviations * stretch.array()).square().matrix().asDiagonal();
    if (released.centered) {
        // Rows that are clipped to the norm bound have shorter means.
        const VectorXd means = planned.means_beside(planned.deviations);
        const double length = means.norm();
        const double share = length > 0.0 ? made.mean.norm() / length : 0.0;
        noisy.mean = stretch.cwiseProduct(share * means - detail::origin_of(released));
    }
    EntryVariances variances(d);
    for (Index j = 0; j < d; ++j) {
        for (Index i = 0; i < j; ++i) {
            const double covariance = linear_function(noisy, i, j, {.ij = 0.5}).variance;
            variances.covariance(i, j) = covariance / std::pow(stretch[i] * stretch[j], 2);
            variances.covariance(j, i) = variances.covariance(i, j);
        }
        variances.covariance(j, j) =
            linear_function(noisy, j, j, {.ii = 1.0}).variance / std::pow(stretch[j], 4);
        // A noisy n moves the mean, too.
        variances.mean[j] = (noisy.mean_noise_variance +
                             noisy.relative_rows_variance * std::pow(noisy.mean[j], 2)) /
                            std::pow(stretch[j], 2);
    }
    return variances;
}

// The same as one release tells them, where no law of its noise is known: of all columns together.
EntryVariances entry_errors_squared(const Release& released, const MadeUpTable& made) {
    EntryVariances squares(made.mean.size());
    squares.covariance = (released.covariance - made.covariance).cwiseAbs2();
    squares.mean =
        (released.mean.value_or(VectorXd::Zero(made.mean.size())) - made.mean).cwiseAbs2();
    squares.level();
    return squares;
}

// What correlations are divided by; without centring that is about the midpoints.
VectorXd lengths_of_columns(const PlannedTable& planned, bool center) {
    if (center) {
        return planned.deviations;
    }
    return (planned.deviations.square() + planned.means_beside(planned.deviations).square()).sqrt();
}

MatrixXd correlation_errors(const MatrixXd& covariance_errors, const VectorXd& lengths) {
    MatrixXd errors =
        (covariance_errors.array() / (lengths * lengths.transpose()).array()).min(1.0);
    errors.diagonal().setZero();
    return errors;
}

Plan errors_of(const EntryVariances& variances, const PlannedTable& planned, bool center) {
    Plan plan;
    plan.covariance_errors = variances.covariance.cwiseSqrt();
    const VectorXd lengths = lengths_of_columns(planned, center);
    plan.correlation_errors = correlation_errors(plan.covariance_errors, lengths);
    plan.variance_error = std::sqrt(variances.covariance.diagonal().mean());
    if (planned.columns() > 1) {
        plan.covariance_error = detail::root_mean_square_of_pairs(plan.covariance_errors);
        plan.correlation_error = detail::root_mean_square_of_pairs(plan.correlation_errors);
    } else {  // as with another column like it
        plan.covariance_error = std::sqrt(0.5) * *plan.variance_error;
        plan.correlation_error = std::fmin(1.0, *plan.covariance_error / (lengths[0] * lengths[0]));
    }
    if (center) {
        plan.mean_errors = variances.mean.cwiseSqrt();
        plan.mean_error = std::sqrt(variances.mean.mean());
    }
    return plan;
}

Plan standard_errors(const PlannedTable& planned, const MadeUpTable& made,
                     const Definition& definition, const std::string& method,
                     const PlanOptions& options) {
    EntryVariances by_law(planned.columns());
    EntryVariances by_draws(planned.columns());
    std::uint64_t with_law = 0;
    bool drawn = false;
    bool seen = false;
    Simulation simulation(planned, made, definition, method, options);
    for (std::uint64_t draw = 0; draw < draws_of(planned); ++draw) {
        const Release released = simulation.draw(draw);
        drawn = drawn || !released.zero || released.zero == ZeroReason::nothing_seen;
        seen = seen || !released.zero;
        if (const auto noisy = detail::noisy_covariance(released)) {
            by_law.add(entry_variances(*noisy, released, planned, made));
            ++with_law;
        }
        by_draws.add(entry_errors_squared(released, made));
    }
    if (!drawn) {
        Plan nothing;
        nothing.correlation_error = 1.0;
        nothing.nothing_seen = true;
        return nothing;
    }
    EntryVariances& variances = with_law > 0 ? by_law : by_draws;
    variances.divide_by(static_cast<double>(with_law > 0 ? with_law : draws_of(planned)));
    if (!planned.columns_are_told) {
        variances.level();
    }
    Plan plan = errors_of(variances, planned, options.center);
    if (with_law == 0 && !seen) {
        plan.correlation_error = 1.0;
        plan.correlation_errors.setOnes();
        plan.correlation_errors.diagonal().setZero();
    }
    return plan;
}

struct StandardErrors {
    Plan plan;                                  // by the method that was asked for
    std::map<std::string, double> correlation;  // by each that is compared and has intervals
};

// In the memory of one made-up table: that for estimates is another.
StandardErrors standard_errors_by_method(const PlannedTable& planned, const Definition& definition,
                                         const PlanOptions& options) {
    const MadeUpTable made = made_up_table(planned, options.center, Columns::independent);
    const auto of = [&](const std::string& method) {
        return standard_errors(planned, made, definition, method, options);
    };
    StandardErrors errors{.plan = of(options.method), .correlation = {}};
    for (const Method& method : methods()) {
        const std::string name(method.name);
        if (options.compare_methods && method.has_intervals &&
            is_compared(method, definition, options.neighbours, planned)) {
            const Plan plan = name == options.method ? errors.plan : of(name);
            if (plan.covariance_error) {  // else nothing would be drawn
                errors.correlation[name] = plan.correlation_error;
            }
        }
    }
    return errors;
}

/// Of what plan() is asked with; above `least`, which is the least that release() takes.
template <class Amount>
Amount amount_for_correlation_error(const TableFacts& facts, double error, double least,
                                    const PlanOptions& options) {
    if (!(error > 0.0 && error < 1.0)) {
        throw UsageError("the wanted error of a correlation must be above 0 and below 1");
    }
    const PlannedTable planned = detail::planned_table(facts, options);
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    const MadeUpTable made = made_up_table(planned, options.center, Columns::independent);
    const auto error_of = [&](Amount amount) {
        return standard_errors(planned, made, amount, options.method, options).correlation_error;
    };
    const auto error_at = [&](double logarithm) { return error_of(Amount(std::exp2(logarithm))); };
    if (error_of(Amount(least)) <= error) {
        return Amount(least);
    }
    double too_small = std::log2(least);
    double enough = 50.0;
    if (const double best = error_at(enough); best > error) {
        throw UsageError("no budget brings the error of a correlation to " +
                         detail::number_text(error) + ": with as good as no noise it is " +
                         detail::number_text(best) + "; ask for a larger one");
    }
    while (enough - too_small > 0.01) {
        const double middle = 0.5 * (too_small + enough);
        (error_at(middle) > error ? too_small : enough) = middle;
    }
    return Amount(std::exp2(enough));
}

}  // namespace

Plan plan(const TableFacts& facts, const Definition& definition, const PlanOptions& options) {
    const PlannedTable planned = detail::planned_table(facts, options);
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    auto [plan, correlation_errors] = standard_errors_by_method(planned, definition, options);
    const MadeUpTable made = made_up_table(planned, options.center, Columns::related);
    plan.spread = planned.spread;
    plan.frobenius_error_of_zero = made.covariance.norm();
    const EstimateErrors own = estimate_errors(planned, made, definition, options.method, options);
    // Zero in all draws errs by the norm, but for rounding.
    plan.nothing_seen =
        plan.nothing_seen || own.matrix >= (1.0 - 1e-12) * plan.frobenius_error_of_zero;
    plan.delta_not_small = !detail::is_small_delta(definition, facts.rows);
    plan.estimated_correlation_error = own.correlation;
    plan.frobenius_error = own.matrix;
    if (options.compare_methods) {
        for (const Method& method : methods()) {
            if (!is_compared(method, definition, options.neighbours, planned)) {
                continue;
            }
            const std::string name(method.name);
            ExpectedError expected{.method = name, .error = own.matrix};
            if (name != options.method) {
                expected.error = estimate_errors(planned, made, definition, name, options).matrix;
            }
            if (const auto known = correlation_errors.find(name);
                known != correlation_errors.end()) {
                expected.correlation_error = known->second;
            }
            plan.methods.push_back(std::move(expected));
        }
        std::stable_sort(plan.methods.begin(), plan.methods.end(),
                         [](const auto& a, const auto& b) { return a.error < b.error; });
    }
    return plan;
}

Rho rho_for_correlation_error(const TableFacts& facts, double error, const PlanOptions& options) {
    const Budget least =
        detail::least_person_budget(Rho(detail::least_rho), options.rows_per_person);
    return amount_for_correlation_error<Rho>(facts, error, amount_of(least), options);
}

Epsilon epsilon_for_correlation_error(const TableFacts& facts, double error,
                                      const PlanOptions& options) {
    const Budget least =
        detail::least_person_budget(Epsilon(detail::least_epsilon), options.rows_per_person);
    return amount_for_correlation_error<Epsilon>(facts, error, amount_of(least), options);
}

}  // namespace dpcov
