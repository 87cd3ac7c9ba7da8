#include "dpcov/release.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "arithmetic/blas_threads.hpp"
#include "arithmetic/interruption.hpp"
#include "dpcov/error.hpp"
#include "mechanism/option_rules.hpp"
#include "mechanism/paid_source.hpp"
#include "mechanism/released_rows.hpp"
#include "mechanism/run_method.hpp"
#include "moment/secret_door.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/rows_of_person.hpp"

namespace dpcov {
namespace {

std::unique_ptr<RandomSource> source_for(const ReleaseOptions& options) {
    if (options.insecure_seed) {
        return std::make_unique<SeededRandomSource>(*options.insecure_seed);
    }
    return std::make_unique<SystemRandomSource>();
}

void check_account(const MomentLayout& layout, const ReleaseOptions& options) {
    if (!layout.dataset.empty() && options.accountant == nullptr && !options.unaccounted) {
        throw UsageError("these are rows of '" + layout.dataset +
                         "', whose releases are accounted for: name the accountant, or say that "
                         "this release is unaccounted");
    }
}

// Callbacks may change what they were handed: so what was asked is copied.
Release release_of(const detail::ReleasedRows& rows, const Definition& asked,
                   const ReleaseOptions& wanted) {
    const Definition definition = asked;
    ReleaseOptions options = wanted;
    const Method& method = find_method(options.method);
    check_account(rows->layout(), options);
    const Budget budget = detail::budget_for(definition, method.curve(options.variant));
    const Charge charge = detail::charge_for(method, budget, options, rows->layout().dataset);
    const std::unique_ptr<RandomSource> source = source_for(options);
    detail::PaidSource paid(*source, options.accountant, charge);
    if (options.read_again) {  // it sees what was drawn so far, the rough mean
        options.read_again = [&paid, again = options.read_again](SecondMoment& moment) {
            paid.require_one_process();
            again(moment);
        };
    }
    if (options.accountant != nullptr) {
        options.accountant->check_neighbours(options.neighbours);
    }
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    // LAPACK rounds differently with more threads; where a seed makes that visible, the same
    // release is worth more than a fast one.
    std::optional<detail::BlasThreads> one_thread;
    if (options.insecure_seed) {
        one_thread.emplace(1U);
    }
    Release release = detail::run_method(
        method, rows, detail::row_budget(budget, options.rows_per_person), options, paid);
    release.rows_per_person = options.rows_per_person;
    for (Stage<Budget>& stage : release.stages) {
        stage.spent = detail::person_budget(stage.spent, options.rows_per_person);
    }
    if (!release.stages.empty()) {
        // A release whose stages say that they spent is charged, even if no random word was drawn.
        paid.pay();
    }
    paid.require_one_process();
    release.definition = definition;
    if (options.accountant != nullptr && !release.stages.empty()) {
        release.charged = budget;
    }
    return release;
}

}  // namespace

// The rows are held, whatever callbacks do to the moment.
Release release(const SecondMoment& rows, const Definition& definition,
                const ReleaseOptions& options) {
    return release_of(detail::ReleasedRows::lent(detail::SecretDoor::open(rows)), definition,
                      options);
}

Release release(SecondMoment&& rows, const Definition& definition, const ReleaseOptions& options) {
    return release_of(detail::ReleasedRows::given(detail::SecretDoor::take(std::move(rows))),
                      definition, options);
}

Release with_norm_bound(Release release, double norm_bound) {
    detail::check_norm_bound(norm_bound);
    if (norm_bound < release.norm_bound) {
        throw UsageError("the norm bound of rows that were clipped is at least their clip");
    }
    const double ratio = release.norm_bound / norm_bound;
    release.share_of_norm_bound *= ratio * ratio;
    release.norm_bound = norm_bound;
    return release;
}

}  // namespace dpcov
