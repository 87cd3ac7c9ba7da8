#include "estimate_arguments.hpp"

#include "dpcov/methods.hpp"
#include "mechanism/coinpress.hpp"

namespace dpcov {
namespace {

void add_method_options(CLI::App& command, EstimateArguments& arguments) {
    const OptionsUnder title(command, "Method");
    add_method(command, arguments.options.method,
               "The mechanism (default auto); see 'dpcov methods'");
    add_choice(command, "--variant", arguments.options.variant, variant_words,
               "Its best form here (default); as in the paper's text; or as in the "
               "paper's experiments");
    command.add_flag("--full-norms", arguments.options.full_norms,
                     methods_where(&Method::takes_full_norms) +
                         ": every row has the norm B, which is known publicly; the budget for the "
                         "trace goes to the release");
    add_positive_number(
        command, "--clip", arguments.options.clip,
        methods_where(&Method::needs_clip) + ": the public norm T <= B to clip rows to")
        ->type_name("T");
    command
        .add_option("--steps", arguments.options.steps,
                    methods_where(&Method::takes_steps) +
                        ": how many times to look at the rows, 1 to 5 (default 2)")
        ->check(whole_number(1, detail::most_coinpress_steps))
        ->type_name("S");
    command.add_flag("--center", arguments.options.center,
                     "The covariance about the mean, and the mean; with --bounds the default. "
                     "Methods other than auto, stratified, gauss, clip-gauss and wishart pay for "
                     "the mean with a part of the budget. Without it: the second moment, the "
                     "mean of x x^T");
    command
        .add_flag("--no-center", arguments.no_center,
                  "With --bounds: the second moment about the midpoints of the bounds")
        ->excludes("--center");
    command
        .add_option("--passes", arguments.passes,
                    "How often the rows may be read (default 1). 2, for a file with --bounds: "
                    "auto spends a share on a rough mean and rough deviations and reads the rows "
                    "again, moved and stretched by these, if that promises less error. For "
                    "correlations and regressions where bounds are wide or values skewed; "
                    "intervals become wider")
        ->check(whole_number(1, 2))
        ->type_name("P");
}

void add_ledger_options(CLI::App& command, EstimateArguments& arguments) {
    const OptionsUnder title(command, "Account");
    command
        .add_option("--ledger", arguments.ledger,
                    "Charge the release to an account in this file ('dpcov ledger') before "
                    "any noise is drawn; refuse it, with exit status 4, if too little is left")
        ->type_name("FILE");
    command
        .add_option("--dataset", arguments.dataset,
                    "The account's name; a .moment file may bear it already")
        ->type_name("NAME");
    command.add_flag("--unaccounted", arguments.options.unaccounted,
                     "Release a .moment file that bears a data set's name without a ledger");
}

void add_output_options(CLI::App& command, EstimateArguments& arguments) {
    const OptionsUnder title(command, "Output");
    command
        .add_option("--output", arguments.output,
                    "The matrix, as .npy, .csv or .json; - is standard output, as CSV unless "
                    "--output-format says otherwise (default -)")
        ->type_name("FILE");
    add_choice(command, "--output-format", arguments.output_format, matrix_format_words,
               "The matrix's format, where the name of FILE does not say: a device, "
               "standard output, another ending");
    command.add_flag("--names", arguments.names,
                     "Name the columns in a CSV: a first line and a first field in every line. "
                     "JSON has the names anyway");
    command
        .add_option("--record", arguments.record,
                    "The release record, JSON: what was released, at what cost, how good. "
                    "Appears together with the matrix, or neither does; - is standard output")
        ->type_name("FILE");
    command
        .add_option("--release", arguments.release,
                    "Noisy sums and counts, and the record, as .npz, which 'dpcov derive' and "
                    "numpy.load read; as public as the matrix, with which it appears. Without "
                    "it there will be no intervals, of this release nor ever")
        ->type_name("FILE");
    command.add_flag("--scaled", arguments.scaled,
                     "With --bounds: leave every column in units in which its bounds are "
                     "[-1, 1], not in the table's");
    command
        .add_option("--insecure-seed", arguments.options.insecure_seed,
                    "Deterministic noise for tests and experiments. NOT PRIVATE: whoever "
                    "knows N can remove it; the record says \"private\": false")
        ->check(whole_number())
        ->type_name("N");
}

}  // namespace

void add_estimate_options(CLI::App& command, EstimateArguments& arguments,
                          const std::string& input_help) {
    add_table_options(command, arguments.table, input_help);
    add_privacy_options(command, arguments.privacy);
    add_rows_per_person(command, arguments.options.rows_per_person,
                        "One person may have up to K rows, which are not counted here: keep the "
                        "guarantee for the whole person, at the cost of K times the noise.");
    add_method_options(command, arguments);
    add_ledger_options(command, arguments);
    add_output_options(command, arguments);
    add_running_options(command, arguments.running);
}

ReleaseOptions asked_options(const EstimateArguments& arguments) {
    ReleaseOptions options = arguments.options;
    options.neighbours = arguments.privacy.neighbours;
    options.keep_statistics = !arguments.release.empty();
    return options;
}

RowsShown rows_shown(const EstimateArguments& arguments) {
    return arguments.privacy.neighbours == Neighbours::replace ? RowsShown::yes : RowsShown::no;
}

}  // namespace dpcov
