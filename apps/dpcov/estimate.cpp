#include "estimate.hpp"

#include <iostream>
#include <string>
#include <utility>

#include "charge_note.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release.hpp"
#include "estimate_account.hpp"
#include "estimate_input.hpp"
#include "estimate_outputs.hpp"
#include "files/held_pipe.hpp"
#include "moment_files.hpp"
#include "summary.hpp"

namespace dpcov {

void check_estimate(const EstimateArguments& arguments) {
    check_options(asked_definition(arguments.privacy), asked_options(arguments), arguments.passes);
    check_input(arguments);
    if (const std::string reason = why_one_pass(arguments);
        arguments.passes == 2 && !reason.empty()) {
        throw UsageError("--passes 2: " + reason);
    }
    check_outputs(arguments);
}

namespace {

// Spends the budget. What it shows meanwhile is gone when it ends.
Release drawn(const EstimateArguments& arguments, SecondMoment secret, Accountant* accountant,
              const ReadAgain& read_again) {
    Progress progress(arguments.running);
    progress.show("releasing");
    ReleaseOptions options = asked_options(arguments);
    options.accountant = accountant;
    options.center = !arguments.no_center && (options.center || has_bounds(secret.layout().schema));
    if (read_again) {
        options.read_again = [&](SecondMoment& again) {
            read_again(again, progress);
            progress.show("releasing");
        };
    }
    return release(std::move(secret), asked_definition(arguments.privacy), options);
}

// Puts it where it was asked for, in the table's units.
void write_release(const EstimateArguments& arguments, Release released, HeldPipe& pipe) {
    if (arguments.options.clip && !is_moment_path(arguments.table.input)) {
        const double asked = asked_norm_bound(arguments, released.schema);
        released = with_norm_bound(std::move(released), asked);
    }
    if (!arguments.scaled) {
        released = in_table_units(std::move(released));
    }
    // Made first: nothing may fail, for want of memory for one, when the outputs are in place.
    std::string summary;
    if (!arguments.running.quiet) {
        summary = summarise(
            released, {.could_be_twice = arguments.passes == 1 && why_one_pass(arguments).empty(),
                       .takes_bad_as_zero = arguments.table.options.bad_rows == BadRows::zero});
    }
    write_outputs(arguments, released, pipe);
    std::cerr << summary;
}

}  // namespace

void release_estimate(const EstimateArguments& arguments, SecondMoment secret, Ledger* ledger,
                      const ReadAgain& read_again) {
    NotedAccountant account(ledger, arguments, secret.layout());
    // Where somebody pays: nobody is to pay for what then waits for a reader.
    HeldPipe pipe = account.or_none() == nullptr ? HeldPipe() : held_output(arguments);
    try {
        Release released = drawn(arguments, std::move(secret), account.or_none(), read_again);
        if (!account.charged()) {  // else it was looked at then
            check_outputs(arguments);
        }
        write_release(arguments, std::move(released), pipe);
    } catch (...) {
        tell_if_it_was_charged();
        throw;
    }
}

}  // namespace dpcov
