// dpcov estimate: reads a table, spends the budget once, writes a private covariance matrix.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "arithmetic/blas_threads.hpp"
#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "command_line/suggestions.hpp"
#include "commands.hpp"
#include "dpcov/accountant.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "estimate.hpp"
#include "files/output_set.hpp"
#include "moment_path.hpp"
#include "privacy_arguments.hpp"
#include "report/matrix_writer.hpp"
#include "summary.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

/// The matrix's format: asked for, or what the name of its target says.
MatrixFormat format_of_output(const EstimateArguments& arguments) {
    const std::optional<MatrixFormat> by_name = format_for(arguments.output);
    if (by_name && arguments.output_format && *by_name != *arguments.output_format) {
        throw UsageError("--output '" + arguments.output +
                         "' is the name of another format than --output-format asks for");
    }
    if (by_name || arguments.output_format) {
        return by_name ? *by_name : *arguments.output_format;
    }
    if (arguments.output == standard_output_word) {
        return MatrixFormat::csv;
    }
    throw UsageError("--output '" + arguments.output +
                     "' says no format: let the name end in .npy, .csv or .json, or give "
                     "--output-format npy|csv|json");
}

/// The names to write with the matrix. A plain CSV has none: every line is to be numbers.
std::vector<std::string> names_to_write(const EstimateArguments& arguments,
                                        const std::vector<std::string>& declared) {
    const MatrixFormat format = format_of_output(arguments);
    if (arguments.names && format == MatrixFormat::npy) {
        throw UsageError("--names: an .npy holds numbers only; take csv or json");
    }
    if (arguments.names && declared.empty()) {
        throw UsageError(
            "--names: the columns have no names; a table has those that its header or --columns "
            "declares");
    }
    return arguments.names || format == MatrixFormat::json ? declared : std::vector<std::string>();
}

/// Fails before the reading rather than after it where a target is of no use.
void check_targets(const EstimateArguments& arguments) {
    static_cast<void>(format_of_output(arguments));
    if (arguments.names) {
        static_cast<void>(names_to_write(arguments, {"any"}));
    }
    if (!arguments.record.empty() && same_place(arguments.output, arguments.record)) {
        throw UsageError("--output and --record are the same file");
    }
    if (!arguments.release.empty()) {
        if (arguments.release == standard_output_word) {
            throw UsageError("--release: an archive goes to a file, not to standard output");
        }
        for (const auto& [option, other] :
             {std::pair("--output", arguments.output), std::pair("--record", arguments.record)}) {
            if (!other.empty() && same_place(other, arguments.release)) {
                throw UsageError(std::string(option) + " and --release are the same file");
            }
        }
    }
    for (const std::string& target : {arguments.output, arguments.record, arguments.release}) {
        if (target.empty()) {
            continue;
        }
        refuse_to_replace(target, arguments.table.input, "the input");
        refuse_to_replace(target, arguments.table.bounds_file, "the file of --bounds");
        refuse_to_replace(target, arguments.table.column_scale_file, "the file of --column-scale");
        refuse_to_replace(target, arguments.ledger, "the ledger");
        for (const char* const beside : {"-journal", "-wal", "-shm"}) {  // SQLite's names
            if (!arguments.ledger.empty()) {
                std::error_code unresolved;
                refuse_to_replace(
                    target,
                    std::filesystem::weakly_canonical(arguments.ledger, unresolved).string() +
                        beside,
                    "the ledger's journal");
            }
        }
    }
    check_targets_together({arguments.output, arguments.record, arguments.release});
}

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
    if (is_moment_path(input)) {
        return "a .moment file holds sums, not rows";
    }
    if (input == standard_output_word || (std::filesystem::exists(input, ignored) &&
                                          !std::filesystem::is_regular_file(input, ignored))) {
        return "INPUT is no regular file, so it can be read but once";
    }
    if (arguments.table.bounds_file.empty() || arguments.table.norm_bound || arguments.no_center) {
        return "it needs --bounds, without --norm-bound or --no-center";
    }
    return "";
}

void check_input(const EstimateArguments& arguments) {
    const TableArguments& input = arguments.table;
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
        try {
            static_cast<void>(ledger->statement(arguments.dataset));
        } catch (const UsageError& error) {
            throw UsageError(std::string(error.what()) + " ('dpcov ledger init')");
        }
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

/// The matrix, the record and the release, all of them or none.
void write(const EstimateArguments& arguments, const Release& release) {
    OutputSet outputs;
    outputs.add(
        path_of(arguments.output),
        format_matrix(format_of_output(arguments), release.covariance,
                      names_to_write(arguments, column_names(release.schema)), release.mean));
    if (!arguments.record.empty()) {
        outputs.add(path_of(arguments.record), format_record(release));
    }
    if (!arguments.release.empty()) {
        outputs.add(arguments.release, release_archive(release));
    }
    outputs.commit();
}

}  // namespace

void check_estimate(const EstimateArguments& arguments) {
    ReleaseOptions options = arguments.options;
    if (arguments.passes == 2) {
        options.read_again = [](SecondMoment& /*again*/) {};  // that it is wanted is enough
    }
    check_options(asked_definition(arguments.privacy), options);
    check_input(arguments);
    if (const std::string reason = why_one_pass(arguments);
        arguments.passes == 2 && !reason.empty()) {
        throw UsageError("--passes 2: " + reason);
    }
    check_targets(arguments);
}

std::unique_ptr<TableReader> open_input(const EstimateArguments& arguments) {
    return open_table(arguments.table.input,
                      table_options(arguments.table, arguments.running.threads));
}

MomentLayout layout_of(const EstimateArguments& arguments, const TableReader& table) {
    const Method& method = find_method(arguments.options.method);
    static_cast<void>(names_to_write(arguments, column_names(table.schema())));
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
    static_cast<void>(names_to_write(arguments, column_names(secret.layout().schema)));
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

SecondMoment read_rows(const EstimateArguments& arguments) {
    if (is_moment_path(arguments.table.input)) {
        return read_moment(arguments);
    }
    Progress progress(arguments.running, rows_shown(arguments));
    detail::set_blas_threads(arguments.running.threads);
    const auto table = open_input(arguments);
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
    ReleaseOptions options = arguments.options;
    options.neighbours = arguments.privacy.neighbours;
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
void write_release(const EstimateArguments& arguments, Release released) {
    if (arguments.options.clip && !is_moment_path(arguments.table.input)) {
        const double asked = asked_norm_bound(arguments, released.schema);
        released = with_norm_bound(std::move(released), asked);
    }
    if (!arguments.scaled) {
        released = in_table_units(std::move(released));
    }
    write(arguments, released);
    if (!arguments.running.quiet) {
        std::cerr << summarise(released);
    }
}

/// Passes charges on, and remembers whether there was one.
class NotedAccountant final : public Accountant {
public:
    explicit NotedAccountant(Accountant* accountant) : accountant_(accountant) {}

    /// This one, where there is one to pass charges on to.
    [[nodiscard]] Accountant* or_none() { return accountant_ == nullptr ? nullptr : this; }
    [[nodiscard]] bool charged() const { return charged_; }

    void charge(const Charge& charge) override {
        accountant_->charge(charge);
        charged_ = true;
    }

private:
    Accountant* accountant_;
    bool charged_ = false;
};

}  // namespace

void release_estimate(const EstimateArguments& arguments, const SecondMoment& secret,
                      Ledger* ledger, const ReadAgain& read_again) {
    const std::string& named = secret.layout().dataset;
    NotedAccountant noted(accountant(ledger, arguments, secret.layout()));
    try {
        write_release(arguments, drawn(arguments, secret, noted.or_none(), read_again));
    } catch (...) {
        if (noted.charged()) {
            std::cerr << in_quotes(named.empty() ? arguments.dataset : named)
                      << " was charged for this release, and stays charged\n";
        }
        throw;
    }
}

namespace {

void add_method_options(CLI::App& command, EstimateArguments& arguments) {
    add_method(command, arguments.options.method,
               "The mechanism (default auto); see 'dpcov methods'")
        ->group("Method");
    add_choice(command, "--variant", arguments.options.variant, variant_words,
               "Its best form here (default); as in the paper's text; or as in the\n"
               "paper's experiments")
        ->group("Method");
    command
        .add_flag("--full-norms", arguments.options.full_norms,
                  "adaptive: every row has the norm B, which is known publicly; the\n"
                  "budget for the trace goes to the release")
        ->group("Method");
    add_positive_number(command, "--clip", arguments.options.clip,
                        "clip-gauss, clip-laplace, clip-separate: the public norm T <= B to\n"
                        "clip rows to")
        ->type_name("T")
        ->group("Method");
    command
        .add_option("--steps", arguments.options.steps,
                    "coinpress: how many times to look at the rows, 1 to 5 (default 2)")
        ->check(whole_number(1, 5))
        ->type_name("S")
        ->group("Method");
    command
        .add_flag("--center", arguments.options.center,
                  "The covariance about the mean, and the mean, to which part of the\n"
                  "budget goes; with --bounds the default. Without it: the second moment,\n"
                  "the mean of x x^T")
        ->group("Method");
    command
        .add_option("--passes", arguments.passes,
                    "How often the rows may be read (default 1). 2, for a file with --bounds:\n"
                    "auto spends a share on a rough mean and reads the rows again about it,\n"
                    "if that promises less error than the midpoints. For correlations where\n"
                    "bounds are wide or values skewed; the mean errs more")
        ->check(whole_number(1, 2))
        ->type_name("P")
        ->group("Method");
    command
        .add_flag("--no-center", arguments.no_center,
                  "With --bounds: the second moment about the midpoints of the bounds")
        ->excludes("--center")
        ->group("Method");
}

void add_ledger_options(CLI::App& command, EstimateArguments& arguments) {
    command
        .add_option("--ledger", arguments.ledger,
                    "Charge the release to an account in this file ('dpcov ledger') before\n"
                    "any noise is drawn; refuse it, with exit status 4, if too little is left")
        ->type_name("FILE")
        ->group("Account");
    command
        .add_option("--dataset", arguments.dataset,
                    "The account's name; a .moment file may bear it already")
        ->type_name("NAME")
        ->group("Account");
    command
        .add_flag("--unaccounted", arguments.options.unaccounted,
                  "Release a .moment file that bears a data set's name without a ledger")
        ->group("Account");
}

void add_output_options(CLI::App& command, EstimateArguments& arguments) {
    command
        .add_option("--output", arguments.output,
                    "The matrix, as .npy, .csv or .json; - is standard output, as CSV unless\n"
                    "--output-format says otherwise (default -)")
        ->type_name("FILE")
        ->group("Output");
    add_choice(command, "--output-format", arguments.output_format, matrix_format_words,
               "The matrix's format, where the name of FILE does not say: a device,\n"
               "standard output, another ending")
        ->group("Output");
    command
        .add_flag("--names", arguments.names,
                  "Name the columns in a CSV: a first line and a first field in every line.\n"
                  "JSON has the names anyway")
        ->group("Output");
    command
        .add_option("--record", arguments.record,
                    "The release record, JSON: what was released, at what cost, how good.\n"
                    "Appears together with the matrix, or neither does; - is standard output")
        ->type_name("FILE")
        ->group("Output");
    command
        .add_option("--release", arguments.release,
                    "All noisy statistics and the record as .npz, which 'dpcov derive' and\n"
                    "numpy.load read; as public as the matrix, with which it appears")
        ->type_name("FILE")
        ->group("Output");
    command
        .add_flag("--scaled", arguments.scaled,
                  "With --bounds: leave every column in units in which its bounds are\n"
                  "[-1, 1], not in the table's")
        ->group("Output");
    command
        .add_option("--insecure-seed", arguments.options.insecure_seed,
                    "Deterministic noise for tests and experiments. NOT PRIVATE: whoever\n"
                    "knows N can remove it; the record says \"private\": false")
        ->check(whole_number())
        ->type_name("N")
        ->group("Output");
}

}  // namespace

void add_estimate_options(CLI::App& command, EstimateArguments& arguments,
                          const std::string& input_help) {
    add_table_options(command, arguments.table, input_help);
    add_privacy_options(command, arguments.privacy);
    add_method_options(command, arguments);
    add_ledger_options(command, arguments);
    add_output_options(command, arguments);
    add_running_options(command, arguments.running);
}

void add_estimate_command(CLI::App& program) {
    auto* command =
        program.add_subcommand("estimate", "Release a private covariance matrix of a table");
    auto arguments = std::make_shared<EstimateArguments>();
    add_estimate_options(*command, *arguments,
                         "The table: .npy, .csv, .tsv, .svm, IDX (*-ubyte), each also as .gz;\n"
                         "- is standard input (CSV, or as --format says); or a .moment file\n"
                         "('dpcov moment')");
    command->footer(
        "The norm bound B limits what one person's row can do to the matrix; rho (or epsilon) "
        "says\n"
        "how well that is hidden: the noise grows with B^2 / sqrt(rho) and falls with the number "
        "of\n"
        "rows. Each run spends its budget anew: budgets of several releases of one table add "
        "up.\n\n"
        "Examples:\n"
        "  dpcov estimate people.csv --bounds bounds.csv --rho 0.1 --output covariance.json\n"
        "  dpcov estimate people.csv --columns age,income --column-scale scales.csv \\\n"
        "      --norm-bound 1.5 --rho 0.1 --output covariance.npy --record covariance.json\n"
        "  dpcov estimate people.csv --bounds bounds.csv --rho 0.1 --release people.npz \\\n"
        "      --output covariance.csv && dpcov derive people.npz correlation\n"
        "  dpcov estimate train-images-idx3-ubyte.gz --scale 255 --norm-bound 28 \\\n"
        "      --epsilon 1 --delta 1e-9 > covariance.csv\n"
        "\n"
        "Memory grows with the square of the number of columns, not with the number of rows; it "
        "is\n"
        "decided before the first row.\n\n"
        "Exit status: 0 done; 2 usage; 3 bad input data; 4 budget refused; 5 a file or a device\n"
        "failed. On a failure nothing is written.");
    command->callback([arguments] {
        check_estimate(*arguments);
        const std::unique_ptr<Ledger> ledger = open_ledger(*arguments);
        const SecondMoment secret = read_rows(*arguments);
        ReadAgain read_again;
        if (arguments->passes == 2) {
            read_again = [&arguments](SecondMoment& again, Progress& progress) {
                add_rows(*open_input(*arguments), again, *arguments, progress);
            };
        }
        release_estimate(*arguments, secret, ledger.get(), read_again);
    });
}

}  // namespace dpcov
