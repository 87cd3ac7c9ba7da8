// dpcov moment add | merge | show: the secret, mergeable state between reading and releasing.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arithmetic/blas_threads.hpp"
#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "files/deferred_signals.hpp"
#include "files/folder_lock.hpp"
#include "moment_path.hpp"
#include "report/json_values.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

struct AddArguments {
    TableArguments table;
    std::string into;
    std::string dataset;
    std::optional<std::string> part;  ///< none: known by random bits
    bool keep_directions = false;
    RunningArguments running;
};

struct MergeArguments {
    std::vector<std::string> inputs;
    std::string into;
};

struct MomentShowArguments {
    std::string path;
    bool json = false;
};

void require_moment_path(const std::string& option, const std::string& path) {
    if (!is_moment_path(path)) {
        throw UsageError(option + ": '" + path + "' does not end in .moment");
    }
}

std::string name_or_none(const std::string& dataset) {
    return dataset.empty() ? "no named data set" : "'" + dataset + "'";
}

/// Throws unless rows of `table` may go where rows of `layout` are.
void check_same_layout(const AddArguments& arguments, const MomentLayout& layout,
                       const TableReader& table) {
    check_norm_bound(layout, arguments.table.norm_bound, arguments.into);
    if (arguments.keep_directions && !layout.keep_directions) {
        throw UsageError("--keep-directions: " + arguments.into +
                         " was begun without; begin another file");
    }
    if (arguments.dataset != layout.dataset) {
        throw UsageError(fmt::format("--dataset: {} holds rows of {}, not of {}", arguments.into,
                                     name_or_none(layout.dataset),
                                     name_or_none(arguments.dataset)));
    }
    MomentLayout of_table = layout;
    of_table.columns = table.columns();
    of_table.schema = table.schema();
    if (const std::string what = difference(of_table, layout); !what.empty()) {
        throw UsageError(fmt::format(
            "the input, unlike {}, {} ('dpcov moment show' tells more); give the same --columns, "
            "--bounds and scales as when it was begun",
            arguments.into, what));
    }
}

/// What a file that is not there yet is begun with.
MomentLayout new_layout(const AddArguments& arguments, const TableReader& table) {
    return {
        .columns = table.columns(),
        .norm_bound = norm_bound_within(table.schema(), arguments.table.norm_bound.value_or(0.0)),
        .keep_directions = arguments.keep_directions,
        .dataset = arguments.dataset,
        .schema = table.schema()};
}

/// Once the file is in place the rows are in it. A signal that came while it was written must not
/// tell otherwise: whoever runs the command again would have them twice.
void save_at_last(const SecondMoment& moment, const std::string& path) {
    DeferredSignals deferred;
    moment.save(path);
    deferred.end_well_from_now_on();
}

/// How the input is read. Of a file that is there the bounds are known, and they say all that
/// another option could say of columns.
TableOptions reading(const AddArguments& arguments, const std::optional<MomentLayout>& into) {
    TableOptions options = table_options(arguments.table, arguments.running.threads);
    const TableArguments& asked = arguments.table;
    if (into && asked.bounds_file.empty() && options.columns.empty() && !asked.scale &&
        asked.column_scale_file.empty() &&
        std::all_of(into->schema.begin(), into->schema.end(),
                    [](const Column& column) { return column.bounds.has_value(); })) {
        options.bounds = into->schema;
    }
    return options;
}

// Also where that cannot be told: whoever opens it says why.
bool is_there(const std::string& path) {
    std::error_code unknown;
    return std::filesystem::exists(path, unknown) || unknown;
}

void run_add(const AddArguments& arguments) {
    require_moment_path("--into", arguments.into);
    refuse_compressed_moment(arguments.table.input);
    if (is_moment_path(arguments.table.input)) {
        throw UsageError("INPUT is a .moment file; put moments together with 'dpcov moment merge'");
    }
    const bool exists = is_there(arguments.into);
    if (!exists && !arguments.table.norm_bound && arguments.table.bounds_file.empty()) {
        throw UsageError(
            "--norm-bound, or --bounds, is required to begin a file: the longest a row may be "
            "(public)");
    }
    check_target(arguments.into);
    detail::set_blas_threads(arguments.running.threads);

    std::optional<MomentLayout> begun;
    if (exists) {
        begun = SecondMoment::load(arguments.into).layout();
    }
    const auto table = open_table(arguments.table.input, reading(arguments, begun));
    const MomentLayout layout = begun ? *begun : new_layout(arguments, *table);
    check_same_layout(arguments, layout, *table);
    SecondMoment part(layout);
    if (arguments.part) {
        part.declare_part(*arguments.part);
    }
    {
        Progress progress(arguments.running);
        progress.start_reading(table->row_count_hint(), table->columns() * sizeof(double));
        part.add(*table, arguments.running.threads,
                 [&progress](std::uint64_t rows) { progress.add_rows(rows); });
    }
    // Others may have added since, or begun the file.
    const FolderLock alone(arguments.into);
    if (is_there(arguments.into)) {
        SecondMoment whole = SecondMoment::load(arguments.into);
        check_same_layout(arguments, whole.layout(), *table);
        whole.merge(part);
        save_at_last(whole, arguments.into);
    } else {
        save_at_last(part, arguments.into);
    }
}

void run_merge(const MergeArguments& arguments) {
    require_moment_path("--into", arguments.into);
    check_target(arguments.into);
    const FolderLock alone(arguments.into);  // the target may be one of the inputs
    SecondMoment secret = SecondMoment::load(arguments.inputs.front());
    for (std::size_t i = 1; i < arguments.inputs.size(); ++i) {
        const SecondMoment other = SecondMoment::load(arguments.inputs[i]);
        if (const std::string what = difference(other.layout(), secret.layout()); !what.empty()) {
            throw UsageError(arguments.inputs[i] + " cannot be merged with " +
                             arguments.inputs.front() + ": it " + what +
                             " ('dpcov moment show' tells more)");
        }
        try {
            secret.merge(other);
        } catch (const UsageError& error) {
            throw UsageError(arguments.inputs[i] + ": " + error.what());
        }
    }
    save_at_last(secret, arguments.into);
}

const char* name_of(NormResolution resolution) {
    return resolution == NormResolution::bins ? "bins" : "octaves";
}

detail::OrderedJson public_json(const SecondMoment& moment) {
    const MomentLayout& layout = moment.layout();
    detail::OrderedJson json = {{"columns", layout.columns},
                                {"norm_bound", layout.norm_bound},
                                {"resolution", name_of(moment.resolution())},
                                {"directions", layout.keep_directions}};
    json["dataset"] =
        layout.dataset.empty() ? detail::OrderedJson() : detail::OrderedJson(layout.dataset);
    auto& schema = json["schema"] = detail::OrderedJson::array();
    for (std::size_t j = 0; j < layout.columns; ++j) {
        const Column column = layout.schema.empty() ? Column{} : layout.schema[j];
        detail::OrderedJson entry;
        entry["name"] =
            column.name.empty() ? detail::OrderedJson() : detail::OrderedJson(column.name);
        detail::put_bounds(entry, column);
        entry["scale"] = column.scale;
        schema.push_back(std::move(entry));
    }
    if (!layout.origin.empty()) {
        json["origin"] = layout.origin;
    }
    if (!layout.stretch.empty()) {
        json["stretch"] = layout.stretch;
    }
    return json;
}

std::string public_text(const SecondMoment& moment) {
    const MomentLayout& layout = moment.layout();
    std::string text = fmt::format(
        "columns     {}\nnorm bound  {}\nresolution  {}\ndirections  {}\ndata set    {}\n",
        layout.columns, layout.norm_bound, name_of(moment.resolution()),
        layout.keep_directions ? "kept" : "not kept",
        layout.dataset.empty() ? "-" : printable(layout.dataset));
    for (std::size_t j = 0; j < layout.schema.size(); ++j) {
        const Column& column = layout.schema[j];
        text += fmt::format("{:<10}  {}", fmt::format("column {}", j),
                            column.name.empty() ? "-" : printable(column.name));
        if (column.bounds) {
            text += fmt::format("  {} to {}", column.bounds->lower, column.bounds->upper);
        }
        if (column.fill) {
            text += fmt::format("  fill {}", *column.fill);
        }
        if (column.scale != 1.0) {
            text += fmt::format("  scale {}", column.scale);
        }
        text += '\n';
    }
    for (std::size_t j = 0; j < std::max(layout.origin.size(), layout.stretch.size()); ++j) {
        text += fmt::format("column {}: about {}, times {}\n", j,
                            layout.origin.empty() ? 0.0 : layout.origin[j],
                            layout.stretch.empty() ? 1.0 : layout.stretch[j]);
    }
    return text;
}

void run_moment_show(const MomentShowArguments& arguments) {
    const SecondMoment moment = SecondMoment::load(arguments.path);
    std::cout << (arguments.json ? detail::json_text(public_json(moment)) : public_text(moment));
}

void add_add_command(CLI::App& group) {
    auto* command = group.add_subcommand(
        "add", "Add the rows of a table to a .moment file, which is begun if need be");
    auto arguments = std::make_shared<AddArguments>();
    add_table_options(*command, arguments->table,
                      "The table, as for 'dpcov estimate'; - is CSV on standard input");
    const OptionsUnder title(*command, "Output");
    command
        ->add_option("--into", arguments->into,
                     "The file to begin or add to: replaced as a whole, or left as it "
                     "was. SECRET: keep it like the table itself")
        ->required()
        ->type_name("FILE.moment");
    command
        ->add_option("--dataset", arguments->dataset,
                     "The name under which a ledger ('dpcov ledger') keeps the account of "
                     "these rows: the same for every part")
        ->type_name("NAME");
    command
        ->add_option("--part", arguments->part,
                     "What this part of the table is called, e.g. the day: public. A part "
                     "that is inside already is refused")
        ->type_name("NAME");
    command->add_flag("--keep-directions", arguments->keep_directions,
                      "Also keep what a method needs that clips below B (adaptive, clip-gauss, "
                      "clip-laplace, clip-separate); doubles time and size. Only when the file "
                      "is begun");
    add_running_options(*command, arguments->running);
    command->footer(
        "A row that is added twice counts twice; name the parts with --part, and none is added "
        "twice. Several may add to one file at once: nothing is lost.\n\n"
        "What is protected is a row. A person who has k rows, as one in each of k months, is "
        "protected as by k^2 times the rho, or k times the epsilon (docs/planning.md).\n\n"
        "Examples:\n"
        "  dpcov moment add monday.csv --header yes --into week.moment --norm-bound 4\n"
        "  dpcov moment add tuesday.csv.gz --header yes --into week.moment\n\n"
        "A file that was begun with --bounds knows them: leave them out when you add to it.");
    command->callback([arguments] { run_add(*arguments); });
}

void add_merge_command(CLI::App& group) {
    auto* command =
        group.add_subcommand("merge", "Put .moment files of the same layout together into one");
    auto arguments = std::make_shared<MergeArguments>();
    command->add_option("INPUTS", arguments->inputs, "The .moment files; the order does not matter")
        ->required()
        ->type_name("");
    command
        ->add_option("--into", arguments->into,
                     "The file to write, replaced as a whole; may be one of the "
                     "inputs. SECRET")
        ->required()
        ->type_name("FILE.moment");
    command->footer(
        "Example:\n"
        "  dpcov moment merge north.moment south.moment --into country.moment");
    command->callback([arguments] { run_merge(*arguments); });
}

void add_moment_show_command(CLI::App& group) {
    auto* command = group.add_subcommand("show", "Print the public layout of a .moment file");
    auto arguments = std::make_shared<MomentShowArguments>();
    command->add_option("INPUT", arguments->path, "The .moment file")->required()->type_name("");
    command->add_flag("--json", arguments->json, "As a JSON object");
    command->footer(
        "Only what was public before any row was read: columns, their\nbounds and scales, norm "
        "bound, data set, how finely rows are grouped by their norms, whether directions are kept. "
        "The number of rows is not shown: it is "
        "private under --neighbours add-remove.\n\n"
        "Example:\n"
        "  dpcov moment show week.moment");
    command->callback([arguments] { run_moment_show(*arguments); });
}

}  // namespace

void add_moment_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "moment", "Build and merge the secret sums that an estimate is released from");
    command->require_subcommand(0, 1);  // one; that one is missing is told later
    command->footer(
        "A .moment file holds exact, un-noised sums over the rows: it is as SECRET as the table. "
        "The sums are integers, so any split of the rows over files and machines gives the same "
        "estimate, bit for bit.\n\n"
        "Example:\n"
        "  dpcov moment add monday.csv --header yes --into week.moment --norm-bound 4\n"
        "  dpcov moment add tuesday.csv --header yes --into week.moment\n"
        "  dpcov estimate week.moment --method separate --rho 0.1 --output covariance.npy");
    add_add_command(*command);
    add_merge_command(*command);
    add_moment_show_command(*command);
}

}  // namespace dpcov
