#include "estimate_account.hpp"

#include <fmt/format.h>

#include "charge_note.hpp"
#include "dpcov/error.hpp"
#include "estimate_outputs.hpp"
#include "ledger_path.hpp"
#include "moment_files.hpp"

namespace dpcov {
namespace {

/// Throws where the data set has no account, or one that would not pay.
void require_account(Ledger& ledger, const EstimateArguments& arguments) {
    ReleaseOptions options = asked_options(arguments);
    try {
        options.accountant = &ledger.account(arguments.dataset);
    } catch (const UsageError& error) {
        throw UsageError(std::string(error.what()) + " ('dpcov ledger init')");
    }
    check_options(asked_definition(arguments.privacy), options, arguments.passes);
}

/// The data set that the moment file, or else the option, names; empty: none.
const std::string& dataset_of(const EstimateArguments& arguments, const MomentLayout& layout) {
    return layout.dataset.empty() ? arguments.dataset : layout.dataset;
}

Accountant* find_account(Ledger* ledger, const EstimateArguments& arguments,
                         const MomentLayout& layout) {
    if (!layout.dataset.empty() && !arguments.dataset.empty() &&
        layout.dataset != arguments.dataset) {
        throw UsageError(fmt::format("--dataset: {} holds rows of '{}', not of '{}'",
                                     arguments.table.input, layout.dataset, arguments.dataset));
    }
    if (ledger == nullptr) {
        if (!layout.dataset.empty() && !arguments.options.unaccounted) {
            throw UsageError(fmt::format(
                "{} holds rows of '{}', whose releases a ledger accounts for: name it with "
                "--ledger, or say --unaccounted",
                arguments.table.input, layout.dataset));
        }
        return nullptr;
    }
    const std::string& name = dataset_of(arguments, layout);
    if (name.empty()) {
        throw UsageError(arguments.table.input +
                         " names no data set; say with --dataset whose account is charged");
    }
    return &ledger->account(name);
}

}  // namespace

std::unique_ptr<Ledger> open_ledger(const EstimateArguments& arguments) {
    if (arguments.ledger.empty()) {
        if (!arguments.dataset.empty()) {
            throw UsageError("--dataset NAME goes with --ledger FILE, which has its account");
        }
        return nullptr;
    }
    if (arguments.options.unaccounted) {
        throw UsageError("--ledger and --unaccounted exclude each other");
    }
    if (arguments.dataset.empty() && !is_moment_path(arguments.table.input)) {
        throw UsageError("--ledger FILE needs --dataset NAME: whose account is charged");
    }
    if (arguments.options.insecure_seed) {
        throw UsageError(
            "a release with --insecure-seed is not private at any budget, so no ledger can account "
            "for it; leave one of the two out");
    }
    require_ledger(arguments.ledger);
    auto ledger = std::make_unique<Ledger>(arguments.ledger);
    if (!arguments.dataset.empty()) {
        require_account(*ledger, arguments);
    }
    return ledger;
}

NotedAccountant::NotedAccountant(Ledger* ledger, const EstimateArguments& arguments,
                                 const MomentLayout& layout)
    : arguments_(arguments),
      dataset_(dataset_of(arguments, layout)),
      accountant_(find_account(ledger, arguments, layout)) {}

void NotedAccountant::check_neighbours(Neighbours neighbours) const {
    accountant_->check_neighbours(neighbours);
}

void NotedAccountant::charge(const Charge& charge) {
    check_outputs(arguments_);
    note_charge_on_sudden_end(dataset_);
    accountant_->charge(charge);
    note_that_it_was_charged();
    charged_ = true;
}

}  // namespace dpcov
