// dpcov moment add | merge | show: the secret, mergeable state between reading and releasing.
#include <cblas.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "moment_path.hpp"
#include "progress.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"

namespace dpcov {
namespace {

struct AddArguments {
    TableArguments table;
    std::string into;
    std::string dataset;
    bool keep_directions = false;
    RunningArguments running;
};

struct MergeArguments {
    std::vector<std::string> inputs;
    std::string into;
};

/// A .moment file is as secret as the table: a new one is for its owner alone.
void make_new_files_private() {
    constexpr mode_t others = 0077;
    ::umask(others);
}

void require_moment_path(const std::string& option, const std::string& path) {
    if (!is_moment_path(path)) {
        throw UsageError(option + ": '" + path + "' does not end in .moment");
    }
}

std::string name_or_none(const std::string& dataset) {
    return dataset.empty() ? "no named data set" : "'" + dataset + "'";
}

void check_same_layout(const AddArguments& arguments, const MomentLayout& layout,
                       std::size_t columns) {
    check_norm_bound(layout, arguments.table.norm_bound, arguments.into);
    if (arguments.keep_directions && !layout.keep_directions) {
        throw UsageError("--keep-directions: " + arguments.into +
                         " was begun without; begin another file");
    }
    if (!arguments.dataset.empty() && arguments.dataset != layout.dataset) {
        throw UsageError(fmt::format("--dataset: {} holds rows of {}, not of '{}'", arguments.into,
                                     name_or_none(layout.dataset), arguments.dataset));
    }
    if (columns != layout.columns) {
        throw UsageError(
            fmt::format("the input has {} columns and {} has {}; choose with --columns", columns,
                        arguments.into, layout.columns));
    }
}

void run_add(const AddArguments& arguments) {
    require_moment_path("--into", arguments.into);
    if (is_moment_path(arguments.table.input)) {
        throw UsageError("INPUT is a .moment file; put moments together with 'dpcov moment merge'");
    }
    const bool exists = std::filesystem::exists(arguments.into);
    if (!exists && !arguments.table.norm_bound) {
        throw UsageError(
            "--norm-bound is required to begin a file: the longest a row may be (public)");
    }
    make_new_files_private();
    check_target(arguments.into);
    openblas_set_num_threads(static_cast<int>(arguments.running.threads));

    const auto table = open_table(arguments.table.input, table_options(arguments.table));
    SecondMoment secret = exists ? SecondMoment::load(arguments.into)
                                 : SecondMoment({.columns = table->columns(),
                                                 .norm_bound = *arguments.table.norm_bound,
                                                 .keep_directions = arguments.keep_directions,
                                                 .dataset = arguments.dataset});
    check_same_layout(arguments, secret.layout(), table->columns());
    Progress progress(arguments.running);
    progress.start_reading(table->row_count_hint(), table->columns() * sizeof(double));
    secret.add(*table, arguments.running.threads,
               [&progress](std::uint64_t rows) { progress.add_rows(rows); });
    secret.save(arguments.into);
}

void run_merge(const MergeArguments& arguments) {
    require_moment_path("--into", arguments.into);
    make_new_files_private();
    check_target(arguments.into);
    SecondMoment secret = SecondMoment::load(arguments.inputs.front());
    for (std::size_t i = 1; i < arguments.inputs.size(); ++i) {
        const SecondMoment other = SecondMoment::load(arguments.inputs[i]);
        if (other.layout() != secret.layout()) {
            throw UsageError(arguments.inputs[i] + " and " + arguments.inputs.front() +
                             " differ in columns, norm bound, directions or data set ('dpcov "
                             "moment show' tells); they cannot be merged");
        }
        secret.merge(other);
    }
    secret.save(arguments.into);
}

void run_show(const std::string& path) {
    const MomentLayout layout = SecondMoment::load(path).layout();
    std::cout << fmt::format("columns     {}\nnorm bound  {}\ndirections  {}\ndata set    {}\n",
                             layout.columns, layout.norm_bound,
                             layout.keep_directions ? "kept" : "not kept",
                             layout.dataset.empty() ? "-" : layout.dataset);
}

void add_add_command(CLI::App& group) {
    auto* command = group.add_subcommand(
        "add", "Add the rows of a table to a .moment file, which is begun if need be");
    auto arguments = std::make_shared<AddArguments>();
    add_table_options(*command, arguments->table,
                      "The table, as for 'dpcov estimate'; - is CSV on standard input");
    command
        ->add_option("--into", arguments->into,
                     "The file to begin or add to: replaced as a whole, or left as it\n"
                     "was. SECRET: keep it like the table itself")
        ->required()
        ->type_name("FILE.moment")
        ->group("Output");
    command
        ->add_option("--dataset", arguments->dataset,
                     "The name under which a ledger ('dpcov ledger') keeps the account of\n"
                     "these rows. Only when the file is begun")
        ->type_name("NAME")
        ->group("Output");
    command
        ->add_flag("--keep-directions", arguments->keep_directions,
                   "Also keep what a method needs that clips below B (adaptive, clip-gauss,\n"
                   "clip-separate); doubles time and size. Only when the file is begun")
        ->group("Output");
    add_running_options(*command, arguments->running);
    command->footer(
        "A row that is added twice counts twice. One 'add' at a time per file: of two that "
        "overlap\n"
        "the later one wins.\n\n"
        "Examples:\n"
        "  dpcov moment add monday.csv --into week.moment --norm-bound 4\n"
        "  dpcov moment add tuesday.csv.gz --into week.moment");
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
                     "The file to write, replaced as a whole; may be one of the\n"
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
    auto path = std::make_shared<std::string>();
    command->add_option("INPUT", *path, "The .moment file")->required()->type_name("");
    command->footer(
        "Only what was public before any row was read: columns, norm bound, data set, whether\n"
        "directions are kept. The number of rows is not shown: it is private under --neighbours "
        "add-remove.\n\n"
        "Example:\n"
        "  dpcov moment show week.moment");
    command->callback([path] { run_show(*path); });
}

}  // namespace

void add_moment_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "moment", "Build and merge the secret sums that an estimate is released from");
    require_command(*command);
    command->footer(
        "A .moment file holds exact, un-noised sums over the rows: it is as SECRET as the table. "
        "The\n"
        "sums are integers, so any split of the rows over files and machines gives the same "
        "estimate,\n"
        "bit for bit.\n\n"
        "Example:\n"
        "  dpcov moment add monday.csv --into week.moment --norm-bound 4\n"
        "  dpcov moment add tuesday.csv --into week.moment\n"
        "  dpcov estimate week.moment --method separate --rho 0.1 --output covariance.npy");
    add_add_command(*command);
    add_merge_command(*command);
    add_moment_show_command(*command);
}

}  // namespace dpcov
