// dpcov plan: what a release would be good for, before anything is spent.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "column_option.hpp"
#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/plan.hpp"
#include "privacy_arguments.hpp"
#include "report/json_values.hpp"
#include "summary.hpp"
#include "tables/called_columns.hpp"
#include "tables/parse_number.hpp"
#include "text/in_quotes.hpp"
#include "text_table.hpp"

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

    [[nodiscard]] bool columns_are_told() const { return !deviations.empty() || !means.empty(); }
    [[nodiscard]] Eigen::Index columns() const {
        return static_cast<Eigen::Index>(facts.columns > 0 ? facts.columns : facts.schema.size());
    }
    [[nodiscard]] std::vector<std::string> names() const {
        return names_or_places(facts.schema, static_cast<std::size_t>(columns()));
    }
    /// What a mapped distance of 1 is in the table.
    [[nodiscard]] double unit(Eigen::Index place) const {
        return facts.schema.empty() ? 1.0 : facts.schema[static_cast<std::size_t>(place)].unit();
    }
};

// One of each column, as TableFacts has them, from words NAME=X. Names may hold whatever is before
// the last '='.
std::vector<std::optional<double>> told_of_columns(const std::vector<std::string>& words,
                                                   const CalledColumns& columns,
                                                   const std::string& option) {
    std::vector<std::optional<double>> told;
    for (const std::string& word : words) {
        const std::size_t equals = word.rfind('=');
        const ParsedNumber value =
            parse_number(equals == std::string::npos ? "" : word.substr(equals + 1));
        if (value.problem) {
            throw UsageError(option + ": a column and a number, as age=15, not " + in_quotes(word));
        }
        const std::string name = word.substr(0, equals);
        told.resize(columns.width());
        auto& place = told[static_cast<std::size_t>(column_called(name, columns, option))];
        if (place) {
            throw UsageError(option + ": " + in_quotes(name) + " is given twice");
        }
        place = value.value;
    }
    return told;
}

// Why releases of the method have no standard errors; empty where they have some.
std::string why_no_standard_errors(const std::string& method) {
    if (find_method(method).has_intervals) {
        return "";
    }
    return "releases of method " + method +
           " come without intervals; these have some: " + methods_where(&Method::has_intervals);
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

std::optional<double> standard_error_of_correlation(const PlanArguments& arguments,
                                                    const Plan& plan) {
    return find_method(arguments.options.method).has_intervals
               ? std::optional(plan.correlation_error)
               : std::nullopt;
}

/// The budget that was asked for, or that the wanted error takes.
struct Asked {
    Definition definition;
    std::optional<Rho> found;  ///< for the wanted error of a correlation
};

Asked asked_budget(const PlanArguments& arguments) {
    const PrivacyArguments& privacy = arguments.privacy;
    if (!arguments.correlation_error) {
        return {asked_definition(privacy), {}};
    }
    if (privacy.rho || privacy.epsilon || privacy.delta) {
        throw UsageError(
            "--correlation-error asks for a budget: leave out --rho, --epsilon and --delta");
    }
    if (const std::string why = why_no_standard_errors(arguments.options.method); !why.empty()) {
        throw UsageError("--correlation-error is a standard error, and " + why);
    }
    const Rho found =
        rho_for_correlation_error(arguments.facts, *arguments.correlation_error, arguments.options);
    return {found, found};
}

std::string spelled(const Definition& definition) {
    if (const auto* rho = std::get_if<Rho>(&definition)) {
        return fmt::format("rho {:.4g}", rho->value());
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&definition)) {
        return fmt::format("epsilon {:.4g}", epsilon->value());
    }
    const auto& approximate = std::get<ApproximateDp>(definition);
    return fmt::format("epsilon {:.4g}, delta {:g}", approximate.epsilon.value(),
                       approximate.delta.value());
}

constexpr std::string_view warning =
    "WARNING   of a table like the one made up nothing would be seen: the release would be zero, "
    "or no\n"
    "          better than zero. Columns that move together more show at a smaller budget. Take "
    "more\n"
    "          budget, more rows, fewer columns, or tighter bounds.\n";

// What is not told is a dash.
std::string spelled(const std::optional<double>& error) {
    return error ? fmt::format("{:.3g}", *error) : "-";
}

nlohmann::ordered_json json_of(const std::optional<double>& error) {
    return error ? nlohmann::ordered_json(*error) : nlohmann::ordered_json();
}

// Every column, in the table's units.
std::string columns_table(const PlanArguments& arguments, const Plan& plan) {
    const std::vector<std::string> names = arguments.names();
    std::vector<std::vector<std::string>> lines = {{"  in the table's units", "variance"}};
    if (plan.mean_errors.size() > 0) {
        lines[0].emplace_back("mean");
    }
    for (Eigen::Index j = 0; j < arguments.columns(); ++j) {
        const double unit = arguments.unit(j);
        std::vector<std::string> line = {
            "  " + printable(names[static_cast<std::size_t>(j)]),
            fmt::format("{:.3g}", unit * unit * plan.covariance_errors(j, j))};
        if (plan.mean_errors.size() > 0) {
            line.push_back(fmt::format("{:.3g}", unit * plan.mean_errors[j]));
        }
        lines.push_back(std::move(line));
    }
    return text_table(lines);
}

// Every pair of columns.
std::string correlations_table(const PlanArguments& arguments, const Plan& plan) {
    const std::vector<std::string> names = arguments.names();
    std::vector<std::vector<std::string>> lines = {{"  correlations"}};
    for (Eigen::Index j = 0; j + 1 < arguments.columns(); ++j) {
        lines[0].push_back(printable(names[static_cast<std::size_t>(j)]));
    }
    for (Eigen::Index i = 1; i < arguments.columns(); ++i) {
        std::vector<std::string> line = {"  " + printable(names[static_cast<std::size_t>(i)])};
        for (Eigen::Index j = 0; j < i; ++j) {
            line.push_back(fmt::format("{:.2g}", plan.correlation_errors(i, j)));
        }
        lines.push_back(std::move(line));
    }
    return text_table(lines);
}

// By how much an estimated correlation errs, beside the standard error of its noise.
std::string estimates_line(const Plan& plan, const std::optional<double>& standard_error) {
    const double error = plan.estimated_correlation_error;
    return fmt::format("an estimated correlation errs by about {:.3g}{}\n", error,
                       standard_error && error < *standard_error ? ", less than the noise" : "");
}

// A wider table of pairs is for --json.
constexpr Eigen::Index most_columns_in_pairs = 12;

void print_text(const PlanArguments& arguments, const Asked& asked, const Plan& plan) {
    std::cout << fmt::format("planned   {}, {} rows, {} columns, neighbours: {}, method {}{}\n",
                             spelled(asked.definition), arguments.facts.rows, arguments.columns(),
                             name_of(arguments.options.neighbours), arguments.options.method,
                             arguments.options.passes == 2 ? ", two passes" : "");
    if (asked.found) {
        std::cout << fmt::format("budget    rho {:.4g} reaches the wanted error of a correlation\n",
                                 asked.found->value());
    }
    const bool mapped = has_bounds(arguments.facts.schema);
    const bool told = arguments.columns_are_told();
    const std::optional<double> correlation = standard_error_of_correlation(arguments, plan);
    std::cout << fmt::format(
        "\nstandard errors, of which intervals are made{}\n",
        mapped ? ";\nin units in which every column's bounds are [-1, 1]" : "");
    const std::string of_what =
        arguments.columns() == 1 ? "   of this column and another like it"
        : told                   ? "   root mean square of all pairs"
               : fmt::format("   of columns spread as guessed (--spread {})", plan.spread);
    std::cout << fmt::format("  correlation   {}{}\n", spelled(correlation),
                             correlation ? of_what : "");
    std::cout << fmt::format("  covariance    {}\n  variance      {}\n",
                             spelled(plan.covariance_error), spelled(plan.variance_error));
    if (arguments.options.center) {
        std::cout << fmt::format("  mean          {}\n", spelled(plan.mean_error));
    }
    if (const std::string why = why_no_standard_errors(arguments.options.method); !why.empty()) {
        std::cout << why << '\n';
    }
    if ((mapped || told) && plan.covariance_errors.size() > 0) {
        std::cout << '\n' << columns_table(arguments, plan);
    }
    if (told && plan.correlation_errors.size() > 1 &&
        arguments.columns() <= most_columns_in_pairs) {
        std::cout << '\n' << correlations_table(arguments, plan);
    }
    if (told && arguments.columns() > 1) {
        std::cout << '\n' << estimates_line(plan, correlation);
    }
    if (!plan.methods.empty()) {
        std::cout << "\nby method, of the table that was made up: error of the whole matrix "
                     "(Frobenius norm),\nand standard error of a correlation\n";
    }
    for (const ExpectedError& method : plan.methods) {
        std::cout << fmt::format("  {:<12} {:<9.3g} {}\n", method.method, method.error,
                                 spelled(method.correlation_error));
    }
    if (plan.nothing_seen) {
        std::cout << '\n' << warning;
    }
    if (plan.delta_not_small) {
        const auto& approximate = std::get<ApproximateDp>(asked.definition);
        std::cout << '\n' << great_delta_line(approximate.delta.value(), arguments.facts.rows);
    }
}

void print_json(const PlanArguments& arguments, const Asked& asked, const Plan& plan) {
    nlohmann::ordered_json report;
    report["definition"] = detail::definition_values(asked.definition);
    report["neighbours"] = name_of(arguments.options.neighbours);
    report["rows"] = arguments.facts.rows;
    report["columns"] = arguments.columns();
    report["method"] = arguments.options.method;
    report["passes"] = arguments.options.passes;
    report["spread"] = plan.spread;
    report["standard_error"] = {
        {"correlation", json_of(standard_error_of_correlation(arguments, plan))},
        {"covariance", json_of(plan.covariance_error)},
        {"variance", json_of(plan.variance_error)}};
    if (arguments.options.center) {
        report["standard_error"]["mean"] = json_of(plan.mean_error);
    }
    if (const std::string why = why_no_standard_errors(arguments.options.method); !why.empty()) {
        report["no_standard_error_because"] = why;
    }
    const bool told = arguments.columns_are_told();
    if (told) {
        report["estimate_error"] = {{"correlation", plan.estimated_correlation_error}};
    }
    if (has_bounds(arguments.facts.schema) || told) {
        const bool drawn = plan.covariance_errors.size() > 0;
        const std::vector<std::string> names = arguments.names();
        auto& columns = report["table_units"] = nlohmann::ordered_json::array();
        for (Eigen::Index j = 0; j < arguments.columns(); ++j) {
            const double unit = arguments.unit(j);
            nlohmann::ordered_json entry = {{"name", names[static_cast<std::size_t>(j)]},
                                            {"variance", nullptr}};
            if (drawn) {
                entry["variance"] = unit * unit * plan.covariance_errors(j, j);
            }
            if (arguments.options.center) {
                entry["mean"] = nullptr;
                if (drawn) {
                    entry["mean"] = unit * plan.mean_errors[j];
                }
            }
            columns.push_back(entry);
        }
    }
    if (told) {
        report["correlation_standard_errors"] = detail::matrix_values(plan.correlation_errors);
    }
    auto& methods = report["frobenius_error"] = nlohmann::ordered_json::object();
    for (const ExpectedError& method : plan.methods) {
        methods[method.method] = method.error;
    }
    auto& correlations = report["standard_error_of_correlation"] = nlohmann::ordered_json::object();
    for (const ExpectedError& method : plan.methods) {
        if (method.correlation_error) {
            correlations[method.method] = *method.correlation_error;
        }
    }
    report["nothing_seen"] = plan.nothing_seen;
    report["delta_not_small"] = plan.delta_not_small;
    std::cout << detail::json_text(report);
}

void run_plan(PlanArguments arguments) {
    if (!arguments.bounds_file.empty()) {
        arguments.facts.schema = read_schema(arguments.bounds_file);
    } else if (arguments.facts.columns == 0) {
        throw UsageError("how many columns? Give --columns D and --norm-bound B, or --bounds FILE");
    } else if (!arguments.norm_bound) {
        throw UsageError(
            "how long may a row be? Give --norm-bound B, or --bounds FILE in place of "
            "--columns");
    }
    arguments.facts.norm_bound = arguments.norm_bound.value_or(0.0);
    const auto columns = CalledColumns::released(arguments.facts.schema,
                                                 static_cast<std::size_t>(arguments.columns()));
    arguments.facts.deviations = told_of_columns(arguments.deviations, columns, "--deviation");
    arguments.facts.means = told_of_columns(arguments.means, columns, "--mean");
    arguments.options.neighbours = arguments.privacy.neighbours;
    arguments.options.center =
        !arguments.no_center && (arguments.center || has_bounds(arguments.facts.schema));
    const Asked asked = asked_budget(arguments);
    Plan result = plan(arguments.facts, asked.definition, arguments.options);
    if (!find_method(arguments.options.method).has_intervals) {
        result = without_standard_errors(std::move(result));
    }
    arguments.json ? print_json(arguments, asked, result) : print_text(arguments, asked, result);
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
    command.add_option("--rows", arguments.facts.rows, "The number of rows, or a guess of it")
        ->type_name("N")
        ->check(whole_number(1, limits::rows))
        ->required()
        ->group("Table");
    auto* columns =
        command.add_option("--columns", arguments.facts.columns, "The number of columns")
            ->type_name("D")
            ->check(whole_number(1, limits::columns))
            ->group("Table");
    add_positive_number(command, "--norm-bound", arguments.norm_bound,
                        "The longest that a row may be")
        ->type_name("B")
        ->group("Table");
    command
        .add_option("--bounds", arguments.bounds_file,
                    "The columns' bounds, as for 'dpcov estimate': "
                    "CSV name,lower,upper[,fill]")
        ->type_name("FILE")
        ->excludes(columns)
        ->group("Table");
    command
        .add_option("--spread", arguments.facts.spread,
                    "A guess of the columns' standard deviation: over half of the range "
                    "between the bounds (default 0.2), or over B / sqrt(D) (default 0.5)")
        ->type_name("S")
        ->group("Table");
    const auto add_told = [&](const char* option, std::vector<std::string>& words, const char* type,
                              const char* what) {
        command.add_option(option, words, what)
            ->type_name(type)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
            ->group("Table");
    };
    add_told("--deviation", arguments.deviations, "NAME=S",
             "What is known or guessed of one column's standard deviation, in the table's units; "
             "for as many columns as you like. Errors are then told of each column and each pair");
    add_told("--mean", arguments.means, "NAME=M",
             "The same of its mean; without it a column is supposed to crowd at one end of its "
             "bounds");
}

void add_planned_method(CLI::App& command, PlanArguments& arguments) {
    add_method(command, arguments.options.method, "The mechanism (default auto)")->group("Method");
    auto* center =
        command.add_flag("--center", arguments.center, "About the mean; with --bounds the default")
            ->group("Method");
    command.add_flag("--no-center", arguments.no_center, "About the midpoints of the bounds")
        ->excludes(center)
        ->group("Method");
    command
        .add_option("--passes", arguments.options.passes,
                    "How often the rows would be read (default 1), as for 'dpcov estimate'")
        ->check(whole_number(1, 2))
        ->type_name("P")
        ->group("Method");
}

}  // namespace

void add_plan_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "plan", "What a release would be good for, from public facts; spends nothing");
    auto arguments = std::make_shared<PlanArguments>();
    add_table_facts(*command, *arguments);
    add_privacy_options(*command, arguments->privacy);
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
