// dpcov plan: what a release would be good for, before anything is spent.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "column_option.hpp"
#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/plan.hpp"
#include "plan_report.hpp"
#include "privacy_arguments.hpp"
#include "tables/called_columns.hpp"
#include "tables/parse_number.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

struct PlanArguments {
    TableFacts facts;
    std::optional<double> norm_bound;
    std::string bounds_file;
    std::vector<std::string> deviations;  // NAME=S each
    std::vector<std::string> means;       // NAME=M each
    PrivacyArguments privacy;
    PlanOptions options;
    std::optional<double> correlation_error;
    bool center = false;
    bool no_center = false;
    bool json = false;
};

// One of each column, as TableFacts has them, from words NAME=X. Names may hold whatever is before
// the last '='.
std::vector<std::optional<double>> told_of_columns(const std::vector<std::string>& words,
                                                   const CalledColumns& columns,
                                                   const std::string& option) {
    std::vector<std::optional<double>> told;
    std::vector<std::string> names;
    for (const std::string& word : words) {
        const std::size_t equals = word.rfind('=');
        const ParsedNumber value =
            parse_number(equals == std::string::npos ? "" : word.substr(equals + 1));
        if (value.problem) {
            throw UsageError(option + ": a column and a number, as age=15, not " + in_quotes(word));
        }
        const std::string& name = names.emplace_back(word.substr(0, equals));
        told.resize(columns.width());
        auto& place = told[static_cast<std::size_t>(column_called(name, columns, option))];
        if (place) {
            throw UsageError(option + ": " + in_quotes(name) + " is given twice");
        }
        place = value.value;
    }
    refuse_names_beside_places(names, columns, option);
    return told;
}

// The standard errors left out of it, as where nothing would be drawn: what the library tells of
// such methods is by how much estimates of the made-up table err.
Plan without_standard_errors(Plan plan) {
    plan.covariance_error.reset();
    plan.variance_error.reset();
    plan.mean_error.reset();
    plan.covariance_errors = {};
    plan.correlation_errors = {};
    plan.mean_errors = {};
    return plan;
}

TableFacts facts_of(const PlanArguments& arguments) {
    TableFacts facts = arguments.facts;
    if (!arguments.bounds_file.empty()) {
        facts.schema = read_schema(arguments.bounds_file);
    } else if (facts.columns == 0) {
        throw UsageError("how many columns? Give --columns D and --norm-bound B, or --bounds FILE");
    } else if (!arguments.norm_bound) {
        throw UsageError(
            "how long may a row be? Give --norm-bound B, or --bounds FILE in place of "
            "--columns");
    }
    facts.norm_bound = arguments.norm_bound.value_or(0.0);
    const auto columns = CalledColumns::released(facts.schema, columns_of(facts));
    facts.deviations = told_of_columns(arguments.deviations, columns, "--deviation");
    facts.means = told_of_columns(arguments.means, columns, "--mean");
    return facts;
}

PlanOptions options_of(const PlanArguments& arguments, const Schema& schema) {
    PlanOptions options = arguments.options;
    options.neighbours = arguments.privacy.neighbours;
    options.center = !arguments.no_center && (arguments.center || has_bounds(schema));
    return options;
}

PlannedBudget planned_budget(const PlanArguments& arguments, const TableFacts& facts,
                             const PlanOptions& options) {
    const PrivacyArguments& privacy = arguments.privacy;
    if (!arguments.correlation_error) {
        return {asked_definition(privacy), {}};
    }
    if (privacy.rho || privacy.epsilon || privacy.delta) {
        throw UsageError(
            "--correlation-error asks for a budget: leave out --rho, --epsilon and --delta");
    }
    if (const std::string why = why_no_standard_errors(options.method); !why.empty()) {
        throw UsageError("--correlation-error is a standard error, and " + why);
    }
    const Rho found = rho_for_correlation_error(facts, *arguments.correlation_error, options);
    return {found, found};
}

void run_plan(const PlanArguments& arguments) {
    const TableFacts facts = facts_of(arguments);
    const PlanOptions options = options_of(arguments, facts.schema);
    const PlannedBudget budget = planned_budget(arguments, facts, options);
    Plan result = plan(facts, budget.definition, options);
    if (!find_method(options.method).has_intervals) {
        result = without_standard_errors(std::move(result));
    }
    const PlanReport report{
        .facts = facts, .options = options, .budget = budget, .plan = std::move(result)};
    std::cout << (arguments.json ? plan_json : plan_text)(report);
}

constexpr const char* plan_footer =
    "It reads no table: it makes one up that is as the facts say (columns that are hardly "
    "correlated, spread as guessed, off their midpoints), and releases that. Standard errors "
    "of entries follow from the noise; the error of a whole matrix depends on the table as "
    "well, and may be "
    "several times as large, or a fraction.\n\n"
    "Examples:\n"
    "  dpcov plan --rows 40000 --bounds bounds.csv --rho 0.1\n"
    "  dpcov plan --rows 40000 --bounds bounds.csv --correlation-error 0.02\n"
    "  dpcov plan --rows 40000 --bounds bounds.csv --rho 0.1 --passes 2 \\\n"
    "      --mean age=45 --deviation age=15 \\\n"
    "      --mean income=40000 --deviation income=20000\n"
    "  dpcov plan --rows 60000 --columns 784 --norm-bound 28 --epsilon 1 \\\n"
    "      --delta 1e-9 --json";

void add_table_facts(CLI::App& command, PlanArguments& arguments) {
    const OptionsUnder title(command, "Table");
    command.add_option("--rows", arguments.facts.rows, "The number of rows, or a guess of it")
        ->type_name("N")
        ->check(whole_number(1, limits::rows))
        ->required();
    auto* columns =
        command.add_option("--columns", arguments.facts.columns, "The number of columns")
            ->type_name("D")
            ->check(whole_number(1, limits::columns));
    add_positive_number(command, "--norm-bound", arguments.norm_bound,
                        "The longest that a row may be")
        ->type_name("B");
    command
        .add_option("--bounds", arguments.bounds_file,
                    "The columns' bounds, as for 'dpcov estimate': "
                    "CSV name,lower,upper[,fill[,missing]]")
        ->type_name("FILE")
        ->excludes(columns);
    command
        .add_option("--spread", arguments.facts.spread,
                    "A guess of the columns' standard deviation: over half of the range "
                    "between the bounds (default 0.2), or over B / sqrt(D) (default 0.5)")
        ->type_name("S");
    const auto add_told = [&](const char* option, std::vector<std::string>& words, const char* type,
                              const char* what) {
        command.add_option(option, words, what)
            ->type_name(type)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_told("--deviation", arguments.deviations, "NAME=S",
             "What is known or guessed of one column's standard deviation, in the table's units; "
             "for as many columns as you like. Errors are then told of each column and each pair");
    add_told("--mean", arguments.means, "NAME=M",
             "The same of its mean; without it a column is supposed to crowd at one end of its "
             "bounds. Of a column NAME=VALUE it is the share of rows, and tells the deviation");
}

void add_planned_method(CLI::App& command, PlanArguments& arguments) {
    const OptionsUnder title(command, "Method");
    add_method(command, arguments.options.method, "The mechanism (default auto)");
    auto* center =
        command.add_flag("--center", arguments.center, "About the mean; with --bounds the default");
    command.add_flag("--no-center", arguments.no_center, "About the midpoints of the bounds")
        ->excludes(center);
    command
        .add_option("--passes", arguments.options.passes,
                    "How often the rows would be read (default 1), as for 'dpcov estimate'")
        ->check(whole_number(1, 2))
        ->type_name("P");
}

}  // namespace

void add_plan_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "plan", "What a release would be good for, from public facts; spends nothing");
    auto arguments = std::make_shared<PlanArguments>();
    add_table_facts(*command, *arguments);
    add_privacy_options(*command, arguments->privacy);
    add_rows_per_person(*command, arguments->options.rows_per_person,
                        "One person may have up to K rows: budgets are for the whole person.");
    add_positive_number(*command, "--correlation-error", arguments->correlation_error,
                        "In place of a budget: find the rho at which a correlation has this "
                        "standard error")
        ->type_name("T")
        ->group("Wanted");
    add_planned_method(*command, *arguments);
    command->add_flag("--json", arguments->json, "As a JSON object");
    command->footer(plan_footer);
    command->callback([arguments] { run_plan(*arguments); });
}

}  // namespace dpcov
