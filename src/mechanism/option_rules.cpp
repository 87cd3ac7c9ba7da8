#include "mechanism/option_rules.hpp"

#include <string>
#include <variant>

#include "dpcov/error.hpp"
#include "mechanism/catalogue.hpp"
#include "mechanism/coinpress.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/zero.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/rows_of_person.hpp"

namespace dpcov {

namespace detail {

void require_one_or_two(int passes) {
    if (passes != 1 && passes != 2) {
        throw UsageError("rows are read in 1 or 2 passes, not in " + std::to_string(passes));
    }
}

void require_fitting(const Method& method, const Budget& budget, const ReleaseOptions& options,
                     bool twice) {
    const std::string name(method.name);
    const bool pure = std::holds_alternative<Epsilon>(budget);
    if (pure && !method.pure_dp) {
        throw UsageError("method " + name +
                         " cannot meet pure DP, an epsilon without delta; these can: " +
                         methods_where(&Method::pure_dp) + ". Or give rho, or epsilon and delta");
    }
    if (!pure && !method.zcdp) {
        throw UsageError("method " + name +
                         " meets pure DP only, an epsilon without delta; rho, or epsilon and "
                         "delta, are for " +
                         methods_where(&Method::zcdp));
    }
    // Refuse a number that was cast to the enum but is none of its values: `== replace` and
    // `!= add_remove` would then disagree, and noise could be too small.
    static_cast<void>(name_of(options.variant));
    const std::string relation(name_of(options.neighbours));
    if (!serves(method, options.neighbours)) {
        throw UsageError("method " + name + " is not for the neighbours " + relation +
                         "; these are: " + methods_where([&](const Method& other) {
                             return serves(other, options.neighbours);
                         }));
    }
    if (options.accountant != nullptr && options.insecure_seed) {
        throw UsageError(
            "a release with a seed is not private at any budget, so nobody can account for it");
    }
    if (!(options.beta > 0.0 && options.beta < 1.0)) {
        throw UsageError("beta must be above 0 and below 1");
    }
    if (method.needs_clip && !options.clip) {
        throw UsageError("method " + name +
                         " needs clip, the public norm to which rows are clipped");
    }
    if (!method.needs_clip && options.clip) {
        throw UsageError("clip is not for method " + name + "; it is for " +
                         methods_where(&Method::needs_clip));
    }
    if (options.full_norms && !method.takes_full_norms) {
        throw UsageError("full norms are not for method " + name + "; they are for " +
                         methods_where(&Method::takes_full_norms));
    }
    if (options.steps && !method.takes_steps) {
        throw UsageError("steps are not for method " + name + "; they are for " +
                         methods_where(&Method::takes_steps));
    }
    if (options.steps && (*options.steps < 1 || *options.steps > most_coinpress_steps)) {
        throw UsageError("method " + name + " takes 1 to " + std::to_string(most_coinpress_steps) +
                         " steps, not " + std::to_string(*options.steps));
    }
    if (twice && !method.reads_twice) {
        throw UsageError("method " + name + " looks at the rows once; these may twice: " +
                         methods_where(&Method::reads_twice));
    }
    if (twice && options.variant != Variant::best) {
        throw UsageError("only variant best looks at the rows twice");
    }
}

Charge charge_for(const Method& method, const Budget& budget, const ReleaseOptions& options,
                  const std::string& dataset) {
    return {
        .dataset = dataset,
        .spent = budget,
        .curve = std::holds_alternative<Rho>(budget) ? method.curve(options.variant) : Curve::zcdp,
        .neighbours = options.neighbours,
        .rows_per_person = options.rows_per_person,
        .method = std::string(method.name),
        .variant = options.variant};
}

}  // namespace detail

void check_options(const Definition& definition, const ReleaseOptions& options, int passes) {
    detail::require_one_or_two(passes);
    const Method& method = find_method(options.method);
    const Budget budget = detail::budget_for(definition, method.curve(options.variant));
    const Budget of_row = detail::row_budget(budget, options.rows_per_person);
    detail::require_fitting(method, of_row, options, passes > 1 || options.read_again);
    detail::require_drawable(of_row, 1, options.rows_per_person);
    if (options.accountant == nullptr) {
        return;
    }
    options.accountant->check_neighbours(options.neighbours);
    if (detail::entry_of(method).mechanism != &detail::zero_cov) {
        options.accountant->check(detail::charge_for(method, budget, options, ""));
    }
}

}  // namespace dpcov
