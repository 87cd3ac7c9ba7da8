#include "estimate.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/blas_threads.hpp"
#include "charge_note.hpp"
#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "dpcov/accountant.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "estimate_outputs.hpp"
#include "files/held_pipe.hpp"
#include "ledger_path.hpp"
#include "moment/memory_limits.hpp"
#include "moment_files.hpp"
#include "privacy/small_delta.hpp"
#include "privacy_arguments.hpp"
#include "summary.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

/// B; 0 where nothing tells it.
double asked_norm_bound(const EstimateArguments& arguments, const Schema& schema) {
    return norm_bound_within(schema, arguments.table.norm_bound.value_or(0.0));
}

/// The norm that rows are clipped to as they are read. To clip at the public T <= B while reading
/// is the mechanism itself, at the norm bound T.
double norm_bound_of_rows(const EstimateArguments& arguments, const Schema& schema) {
    const double norm_bound = asked_norm_bound(arguments, schema);
    const std::optional<double>& clip = arguments.options.clip;
    if (clip && *clip > norm_bound) {
        throw UsageError(fmt::format(
            "--clip {} is above the norm bound {}; it must be at most that", *clip, norm_bound));
    }
    return clip.value_or(norm_bound);
}

/// Why the rows are looked at once; empty where a second time may be worth it. Public.
std::string why_one_pass(const EstimateArguments& arguments) {
    const std::string& input = arguments.table.input;
    std::error_code ignored;
    if (arguments.in_parts) {
        return "ranks read their rows once";
    }
    if (is_moment_path(input)) {
        return "a .moment file holds sums, not rows";
    }
    if (input == standard_stream_word || (std::filesystem::exists(input, ignored) &&
                                          !std::filesystem::is_regular_file(input, ignored))) {
        return "INPUT is no regular file, so it can be read but once";
    }
    if (arguments.table.bounds_file.empty() || arguments.table.norm_bound || arguments.no_center) {
        return "it needs --bounds, without --norm-bound or --no-center";
    }
    return "";
}

/// Throws UsageError where no column's bounds say what --scaled would leave alone.
void check_scaled(const EstimateArguments& arguments, bool bounded) {
    if (arguments.scaled && !bounded) {
        throw UsageError(
            "--scaled leaves columns in units in which their bounds are [-1, 1], and these columns "
            "have no bounds; leave it out");
    }
}

void check_input(const EstimateArguments& arguments) {
    const TableArguments& input = arguments.table;
    refuse_compressed_moment(input.input);
    if (is_moment_path(input.input)) {
        refuse_table_options(input);
        return;
    }
    if (!input.norm_bound && input.bounds_file.empty()) {
        throw UsageError(
            "--norm-bound B, or --bounds FILE, is required. B is the longest a row may be (after "
            "scaling). It is public, so take it from what is known about the columns, not from the "
            "data; longer rows are clipped to it. Easier: --bounds with the least and greatest "
            "value of every column");
    }
    check_scaled(arguments, !input.bounds_file.empty());
}

ReleaseOptions release_options(const EstimateArguments& arguments) {
    ReleaseOptions options = arguments.options;
    options.neighbours = arguments.privacy.neighbours;
    return options;
}

/// Throws where the data set has no account, or one that would not pay.
void require_account(Ledger& ledger, const EstimateArguments& arguments) {
    ReleaseOptions options = release_options(arguments);
    try {
        options.accountant = &ledger.account(arguments.dataset);
    } catch (const UsageError& error) {
        throw UsageError(std::string(error.what()) + " ('dpcov ledger init')");
    }
    check_options(asked_definition(arguments.privacy), options, arguments.passes);
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

namespace {

/// Who is charged: the account named by the option or by the moment file, which must agree.
Accountant* accountant(Ledger* ledger, const EstimateArguments& arguments,
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
    const std::string& name = layout.dataset.empty() ? arguments.dataset : layout.dataset;
    if (name.empty()) {
        throw UsageError(arguments.table.input +
                         " names no data set; say with --dataset whose account is charged");
    }
    return &ledger->account(name);
}

}  // namespace

void check_estimate(const EstimateArguments& arguments) {
    check_options(asked_definition(arguments.privacy), release_options(arguments),
                  arguments.passes);
    check_input(arguments);
    if (const std::string reason = why_one_pass(arguments);
        arguments.passes == 2 && !reason.empty()) {
        throw UsageError("--passes 2: " + reason);
    }
    check_outputs(arguments);
}

std::unique_ptr<TableReader> open_input(const EstimateArguments& arguments) {
    return open_table(arguments.table.input,
                      table_options(arguments.table, arguments.running.threads));
}

MomentLayout layout_of(const EstimateArguments& arguments, const TableReader& table) {
    const Method& method = find_method(arguments.options.method);
    check_names(arguments, table.schema());
    return {.columns = table.columns(),
            .norm_bound = norm_bound_of_rows(arguments, table.schema()),
            .keep_directions = method.needs_directions(arguments.options.variant),
            .dataset = arguments.dataset,
            .schema = table.schema()};
}

SecondMoment empty_moment(const EstimateArguments& arguments, const TableReader& table) {
    const Method& method = find_method(arguments.options.method);
    return SecondMoment(layout_of(arguments, table),
                        method.uses_norm_bins ? NormResolution::bins : NormResolution::octaves);
}

void add_rows(TableReader& table, SecondMoment& secret, const EstimateArguments& arguments,
              Progress& progress) {
    progress.start_reading(table.row_count_hint(), table.columns() * sizeof(double));
    secret.add(table, arguments.running.threads,
               [&progress](std::uint64_t rows) { progress.add_rows(rows); });
}

SecondMoment read_moment(const EstimateArguments& arguments) {
    const TableArguments& input = arguments.table;
    const Method& method = find_method(arguments.options.method);
    SecondMoment secret = SecondMoment::load(input.input);
    check_norm_bound(secret.layout(), input.norm_bound, input.input);
    check_names(arguments, secret.layout().schema);
    check_scaled(arguments, has_bounds(secret.layout().schema));
    if (method.needs_directions(arguments.options.variant) && !secret.layout().keep_directions) {
        throw UsageError(fmt::format(
            "--method {} needs directions, which {} does not keep; begin the file with 'dpcov "
            "moment add --keep-directions', or choose another method",
            arguments.options.method, input.input));
    }
    return secret;
}

RowsShown rows_shown(const EstimateArguments& arguments) {
    return arguments.privacy.neighbours == Neighbours::replace ? RowsShown::yes : RowsShown::no;
}

namespace {

// Where the table says beforehand how many rows it has, and that is public, nobody has to pay to
// hear that delta is too great for them. From other tables the summary is the first to know.
void warn_of_great_delta(const EstimateArguments& arguments, const TableReader& table) {
    const std::optional<std::uint64_t> rows = table.row_count_hint();
    const Definition definition = asked_definition(arguments.privacy);
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    if (rows && approximate != nullptr && rows_shown(arguments) == RowsShown::yes &&
        !arguments.running.quiet && !detail::is_small_delta(definition, *rows)) {
        std::cerr << great_delta_line(approximate->delta.value(), *rows)
                  << "          Nothing was read or spent yet.\n";
    }
}

// Where memory is likely to run out in the end, it is said before hours of reading. What the
// release will need depends on the rows, so it is no reason to refuse. Public: columns, method,
// machine.
void warn_of_little_memory(const EstimateArguments& arguments, std::size_t columns) {
    // Peaks with rows in five octaves, in d x d matrices (docs/performance.md#many-columns).
    constexpr double with_bins = 17.0;
    constexpr double without = 6.0;
    constexpr double worth_asking = 0x1p30;
    const bool bins = find_method(arguments.options.method).uses_norm_bins;
    const bool gauss_could = meets(find_method("gauss"), asked_definition(arguments.privacy));
    const auto order = static_cast<double>(columns);
    const double likely = (bins ? with_bins : without) * 8.0 * order * order;
    if (arguments.running.quiet || likely < worth_asking) {
        return;
    }
    if (const double there_is = detail::resident_memory_limit(); likely > there_is) {
        std::cerr << little_memory_line(columns, likely, there_is, bins && gauss_could);
    }
}

}  // namespace

SecondMoment read_rows(const EstimateArguments& arguments) {
    if (is_moment_path(arguments.table.input)) {
        return read_moment(arguments);
    }
    detail::set_blas_threads(arguments.running.threads);
    const auto table = open_input(arguments);
    warn_of_great_delta(arguments, *table);
    warn_of_little_memory(arguments, table->columns());
    Progress progress(arguments.running, rows_shown(arguments));
    SecondMoment secret = empty_moment(arguments, *table);
    add_rows(*table, secret, arguments, progress);
    return secret;
}

namespace {

// Spends the budget. What it shows meanwhile is gone when it ends.
Release drawn(const EstimateArguments& arguments, const SecondMoment& secret,
              Accountant* accountant, const ReadAgain& read_again) {
    Progress progress(arguments.running, rows_shown(arguments));
    progress.start_phase("releasing");
    ReleaseOptions options = release_options(arguments);
    options.keep_statistics = !arguments.release.empty();
    options.accountant = accountant;
    options.center = !arguments.no_center && (options.center || has_bounds(secret.layout().schema));
    if (read_again) {
        options.read_again = [&](SecondMoment& again) {
            read_again(again, progress);
            progress.start_phase("releasing");
        };
    }
    return release(secret, asked_definition(arguments.privacy), options);
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

/// Passes charges on while there is still a place for what they pay for, and remembers whether
/// there was one.
class NotedAccountant final : public Accountant {
public:
    NotedAccountant(Accountant* accountant, const EstimateArguments& arguments, std::string dataset)
        : accountant_(accountant), arguments_(&arguments), dataset_(std::move(dataset)) {}

    /// This one, where there is one to pass charges on to.
    [[nodiscard]] Accountant* or_none() { return accountant_ == nullptr ? nullptr : this; }
    [[nodiscard]] bool charged() const { return charged_; }

    void check_neighbours(Neighbours neighbours) const override {
        accountant_->check_neighbours(neighbours);
    }
    void charge(const Charge& charge) override {
        check_outputs(*arguments_);
        note_charge_on_sudden_end(dataset_);
        accountant_->charge(charge);
        note_that_it_was_charged();
        charged_ = true;
    }

private:
    Accountant* accountant_;
    const EstimateArguments* arguments_;
    std::string dataset_;
    bool charged_ = false;
};

// Where somebody pays: nobody is to pay for what then waits for a reader.
HeldPipe held_output(const EstimateArguments& arguments, const Accountant* accountant) {
    std::vector<std::string> paths;
    for (const std::string& target : {arguments.output, arguments.record, arguments.release}) {
        if (accountant != nullptr && target != standard_stream_word) {
            paths.push_back(target);
        }
    }
    return {paths, [](const std::string& path) {
                std::cerr << "note: waiting for a reader of " << printable(path) << '\n';
            }};
}

}  // namespace

void release_estimate(const EstimateArguments& arguments, const SecondMoment& secret,
                      Ledger* ledger, const ReadAgain& read_again) {
    const std::string& named = secret.layout().dataset;
    const std::string dataset = named.empty() ? arguments.dataset : named;
    NotedAccountant noted(accountant(ledger, arguments, secret.layout()), arguments, dataset);
    HeldPipe pipe = held_output(arguments, noted.or_none());
    try {
        Release released = drawn(arguments, secret, noted.or_none(), read_again);
        if (!noted.charged()) {  // else it was looked at then
            check_outputs(arguments);
        }
        write_release(arguments, std::move(released), pipe);
    } catch (...) {
        tell_if_it_was_charged();
        throw;
    }
}

}  // namespace dpcov
