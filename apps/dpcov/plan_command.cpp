// dpcov plan: what a release would be good for, before anything is spent.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "command_line/arguments.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/plan.hpp"
#include "privacy_arguments.hpp"
#include "report/json_values.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

struct PlanArguments {
    TableFacts facts;
    std::optional<double> norm_bound;
    std::string bounds_file;
    PrivacyArguments privacy;
    PlanOptions options;
    std::optional<double> correlation_error;
    bool center = false;
    bool no_center = false;
    bool json = false;
};

/// The budget that was asked for, or that the wanted error takes.
struct Asked {
    Definition definition;
    std::optional<Budget> found;  ///< for the wanted error of a correlation
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
    const Budget found = budget_for_correlation_error(arguments.facts, *arguments.correlation_error,
                                                      false, arguments.options);
    return {std::get<Rho>(found), found};
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
std::string told(const std::optional<double>& error, double unit = 1.0) {
    return error ? fmt::format("{:.3g}", unit * *error) : "-";
}

nlohmann::ordered_json json_of(const std::optional<double>& error, double unit = 1.0) {
    return error ? nlohmann::ordered_json(unit * *error) : nlohmann::ordered_json();
}

void print_text(const PlanArguments& arguments, const Asked& asked, const Plan& plan) {
    const std::size_t d =
        arguments.facts.columns > 0 ? arguments.facts.columns : arguments.facts.schema.size();
    std::cout << fmt::format("planned   {}, {} rows, {} columns, neighbours: {}, method {}\n",
                             spelled(asked.definition), arguments.facts.rows, d,
                             name_of(arguments.options.neighbours), arguments.options.method);
    if (asked.found) {
        std::cout << fmt::format("budget    rho {:.4g} reaches the wanted error of a correlation\n",
                                 std::get<Rho>(*asked.found).value());
    }
    const bool mapped = has_bounds(arguments.facts.schema);
    std::cout << fmt::format(
        "\nstandard errors, as intervals have them (estimates may err less){}\n",
        mapped ? ";\nin units in which every column's bounds are [-1, 1]" : "");
    std::cout << fmt::format(
        "  correlation   {:.3g}   of columns spread as guessed (--spread {})\n",
        plan.correlation_error, plan.spread);
    std::cout << fmt::format("  covariance    {}\n  variance      {}\n",
                             told(plan.covariance_error), told(plan.variance_error));
    if (arguments.options.center) {
        std::cout << fmt::format("  mean          {}\n", told(plan.mean_error));
    }
    if (mapped) {
        std::cout << "\nin the table's units\n";
        for (std::size_t j = 0; j < arguments.facts.schema.size(); ++j) {
            const Column& column = arguments.facts.schema[j];
            const double unit = column.unit();
            std::cout << fmt::format(
                "  {:<20} variance {:<10}{}\n",
                column.name.empty() ? std::to_string(j) : printable(column.name),
                told(plan.variance_error, unit * unit),
                arguments.options.center ? " mean " + told(plan.mean_error, unit) : "");
        }
    }
    std::cout << fmt::format(
        "\nerror of the whole matrix (Frobenius norm), of the table that was made up\n");
    for (const ExpectedError& method : plan.methods) {
        std::cout << fmt::format("  {:<12} {:.3g}\n", method.method, method.error);
    }
    if (plan.nothing_seen) {
        std::cout << '\n' << warning;
    }
}

void print_json(const PlanArguments& arguments, const Asked& asked, const Plan& plan) {
    nlohmann::ordered_json report;
    report["definition"] = detail::definition_values(asked.definition);
    report["neighbours"] = name_of(arguments.options.neighbours);
    report["rows"] = arguments.facts.rows;
    report["columns"] =
        arguments.facts.columns > 0 ? arguments.facts.columns : arguments.facts.schema.size();
    report["method"] = arguments.options.method;
    report["spread"] = plan.spread;
    report["standard_error"] = {{"correlation", plan.correlation_error},
                                {"covariance", json_of(plan.covariance_error)},
                                {"variance", json_of(plan.variance_error)}};
    if (arguments.options.center) {
        report["standard_error"]["mean"] = json_of(plan.mean_error);
    }
    if (has_bounds(arguments.facts.schema)) {
        auto& columns = report["table_units"] = nlohmann::ordered_json::array();
        for (std::size_t j = 0; j < arguments.facts.schema.size(); ++j) {
            const Column& column = arguments.facts.schema[j];
            nlohmann::ordered_json entry = {
                {"name", column.name.empty() ? std::to_string(j) : column.name},
                {"variance", json_of(plan.variance_error, column.unit() * column.unit())}};
            if (arguments.options.center) {
                entry["mean"] = json_of(plan.mean_error, column.unit());
            }
            columns.push_back(entry);
        }
    }
    auto& methods = report["frobenius_error"] = nlohmann::ordered_json::object();
    for (const ExpectedError& method : plan.methods) {
        methods[method.method] = method.error;
    }
    report["nothing_seen"] = plan.nothing_seen;
    std::cout << report.dump(2) << '\n';
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
    arguments.options.neighbours = arguments.privacy.neighbours;
    arguments.options.center =
        !arguments.no_center && (arguments.center || has_bounds(arguments.facts.schema));
    const Asked asked = asked_budget(arguments);
    const Plan result = plan(arguments.facts, asked.definition, arguments.options);
    arguments.json ? print_json(arguments, asked, result) : print_text(arguments, asked, result);
}

}  // namespace

void add_plan_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "plan", "What a release would be good for, from public facts; spends nothing");
    auto arguments = std::make_shared<PlanArguments>();
    command->add_option("--rows", arguments->facts.rows, "The number of rows, or a guess of it")
        ->type_name("N")
        ->check(whole_number(1, limits::rows))
        ->required()
        ->group("Table");
    auto* columns =
        command->add_option("--columns", arguments->facts.columns, "The number of columns")
            ->type_name("D")
            ->check(whole_number(1, limits::columns))
            ->group("Table");
    add_positive_number(*command, "--norm-bound", arguments->norm_bound,
                        "The longest that a row may be")
        ->type_name("B")
        ->group("Table");
    command
        ->add_option("--bounds", arguments->bounds_file,
                     "The columns' bounds, as for 'dpcov estimate': "
                     "CSV name,lower,upper[,fill]")
        ->type_name("FILE")
        ->excludes(columns)
        ->group("Table");
    command
        ->add_option("--spread", arguments->facts.spread,
                     "A guess of the columns' standard deviation: over half of the range "
                     "between the bounds (default 0.2), or over B / sqrt(D) (default 0.5)")
        ->type_name("S")
        ->group("Table");
    add_privacy_options(*command, arguments->privacy);
    add_positive_number(*command, "--correlation-error", arguments->correlation_error,
                        "In place of a budget: find the rho at which a correlation has this "
                        "standard error")
        ->type_name("T")
        ->group("Wanted");
    add_method(*command, arguments->options.method, "The mechanism (default auto)")
        ->group("Method");
    auto* center =
        command
            ->add_flag("--center", arguments->center, "About the mean; with --bounds the default")
            ->group("Method");
    command->add_flag("--no-center", arguments->no_center, "About the midpoints of the bounds")
        ->excludes(center)
        ->group("Method");
    command->add_flag("--json", arguments->json, "As a JSON object");
    command->footer(
        "It reads no table: it makes one up that is as the facts say (columns that are hardly "
        "correlated, spread as guessed, off their midpoints), and releases that. Standard errors "
        "of entries follow from the noise; the error of a whole matrix depends on the table as "
        "well, and may be "
        "several times as large, or a fraction.\n\n"
        "Examples:\n"
        "  dpcov plan --rows 40000 --bounds bounds.csv --rho 0.1\n"
        "  dpcov plan --rows 40000 --bounds bounds.csv --correlation-error 0.02\n"
        "  dpcov plan --rows 60000 --columns 784 --norm-bound 28 --epsilon 1 \\\n"
        "      --delta 1e-9 --json");
    command->callback([arguments] { run_plan(*arguments); });
}

}  // namespace dpcov
