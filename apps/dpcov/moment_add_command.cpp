// dpcov moment add: the rows of a table, added to a .moment file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "add_rows.hpp"
#include "arithmetic/blas_threads.hpp"
#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "files/folder_lock.hpp"
#include "moment_files.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"

namespace dpcov {
namespace {

struct MomentAddArguments {
    TableArguments table;
    std::string into;
    std::string dataset;
    std::optional<std::string> part;  ///< none: known by random bits
    bool keep_directions = false;
    RunningArguments running;
};

std::string name_or_none(const std::string& dataset) {
    return dataset.empty() ? "no named data set" : "'" + dataset + "'";
}

/// Throws unless rows of `table` may go where rows of `layout` are.
void check_same_layout(const MomentAddArguments& arguments, const MomentLayout& layout,
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
MomentLayout new_layout(const MomentAddArguments& arguments, const TableReader& table) {
    return {
        .columns = table.columns(),
        .norm_bound = norm_bound_within(table.schema(), arguments.table.norm_bound.value_or(0.0)),
        .keep_directions = arguments.keep_directions,
        .dataset = arguments.dataset,
        .schema = table.schema()};
}

/// How the input is read. Of a file that is there the bounds are known, and they say all that
/// another option could say of columns.
TableOptions reading(const MomentAddArguments& arguments, const std::optional<MomentLayout>& into) {
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

/// Everything that needs no data.
void check_moment_add(const MomentAddArguments& arguments) {
    require_moment_path("--into", arguments.into);
    refuse_compressed_moment(arguments.table.input);
    if (is_moment_path(arguments.table.input)) {
        throw UsageError("INPUT is a .moment file; put moments together with 'dpcov moment merge'");
    }
    if (!is_there(arguments.into) && !arguments.table.norm_bound &&
        arguments.table.bounds_file.empty()) {
        throw UsageError(
            "--norm-bound, or --bounds, is required to begin a file: the longest a row may be "
            "(public)");
    }
    check_target(arguments.into);
}

/// The rows of the input, added up. SECRET.
SecondMoment read_part(const MomentAddArguments& arguments, const MomentLayout& layout,
                       TableReader& table) {
    SecondMoment part(layout);
    if (arguments.part) {
        part.declare_part(*arguments.part);
    }
    Progress progress(arguments.running);
    add_rows(table, part, arguments.running.threads, progress, RowsShown::no);
    return part;
}

void run_moment_add(const MomentAddArguments& arguments) {
    check_moment_add(arguments);
    detail::set_blas_threads(arguments.running.threads);
    const std::optional<MomentLayout> begun =
        is_there(arguments.into) ? std::optional(SecondMoment::load(arguments.into).layout())
                                 : std::nullopt;
    const auto table = open_table(arguments.table.input, reading(arguments, begun));
    const MomentLayout layout = begun ? *begun : new_layout(arguments, *table);
    check_same_layout(arguments, layout, *table);
    const SecondMoment part = read_part(arguments, layout, *table);
    const FolderLock alone(arguments.into);
    if (!is_there(arguments.into)) {
        save_at_last(part, arguments.into);
        return;
    }
    SecondMoment whole = SecondMoment::load(arguments.into);  // others may have added since
    check_same_layout(arguments, whole.layout(), *table);
    whole.merge(part);
    save_at_last(whole, arguments.into);
}

}  // namespace

void add_moment_add_command(CLI::App& group) {
    auto* command = group.add_subcommand(
        "add", "Add the rows of a table to a .moment file, which is begun if need be");
    auto arguments = std::make_shared<MomentAddArguments>();
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
                      "Also keep what a method needs that clips below B (" +
                          methods_where([](const Method& method) {
                              return method.needs_clip || method.needs_directions(Variant::best);
                          }) +
                          "); doubles time and size. Only when the file is begun");
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
    command->callback([arguments] { run_moment_add(*arguments); });
}

}  // namespace dpcov
