#include "plan_report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "definition_text.hpp"
#include "dpcov/methods.hpp"
#include "mechanism/noise_scale.hpp"
#include "privacy/rows_of_person.hpp"
#include "report/json_values.hpp"
#include "summary.hpp"
#include "tables/called_columns.hpp"
#include "text/counted.hpp"
#include "text/in_quotes.hpp"
#include "text_table.hpp"

namespace dpcov {

std::vector<std::string> PlanReport::names() const {
    return names_or_places(facts.schema, static_cast<std::size_t>(columns()));
}

double PlanReport::unit(Eigen::Index place) const {
    return facts.schema.empty() ? 1.0 : facts.schema[static_cast<std::size_t>(place)].unit();
}

std::string why_no_standard_errors(const std::string& method) {
    if (find_method(method).has_intervals) {
        return "";
    }
    return "releases of method " + method +
           " come without intervals; these have some: " + methods_where(&Method::has_intervals);
}

namespace {

std::string why_not_told(const PlanReport& report) {
    const std::string why = why_no_standard_errors(report.options.method);
    return why.empty() && !report.plan.covariance_error
               ? "nothing would be drawn: so few rows cannot show, whatever they are"
               : why;
}

std::optional<double> standard_error_of_correlation(const PlanReport& report) {
    return find_method(report.options.method).has_intervals && report.plan.covariance_error
               ? std::optional(report.plan.correlation_error)
               : std::nullopt;
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
    "          better than zero. Columns that move together more, or vary more than --spread says, "
    "show\n"
    "          at a smaller budget. Take more budget, more rows, fewer columns, or tighter "
    "bounds.\n";

// What is not told is a dash.
std::string spelled(const std::optional<double>& error) {
    return error ? fmt::format("{:.3g}", *error) : "-";
}

detail::OrderedJson json_of(const std::optional<double>& error) {
    return error ? detail::OrderedJson(*error) : detail::OrderedJson();
}

// Every column, in the table's units.
std::string columns_table(const PlanReport& report) {
    const std::vector<std::string> names = report.names();
    std::vector<std::vector<std::string>> lines = {{"  in the table's units", "variance"}};
    if (report.plan.mean_errors.size() > 0) {
        lines[0].emplace_back("mean");
    }
    for (Eigen::Index j = 0; j < report.columns(); ++j) {
        const double unit = report.unit(j);
        std::vector<std::string> line = {
            "  " + printable(names[static_cast<std::size_t>(j)]),
            fmt::format("{:.3g}", unit * unit * report.plan.covariance_errors(j, j))};
        if (report.plan.mean_errors.size() > 0) {
            line.push_back(fmt::format("{:.3g}", unit * report.plan.mean_errors[j]));
        }
        lines.push_back(std::move(line));
    }
    return text_table(lines);
}

// Every pair of columns.
std::string correlations_table(const PlanReport& report) {
    const std::vector<std::string> names = report.names();
    std::vector<std::vector<std::string>> lines = {{"  correlations"}};
    for (Eigen::Index j = 0; j + 1 < report.columns(); ++j) {
        lines[0].push_back(printable(names[static_cast<std::size_t>(j)]));
    }
    for (Eigen::Index i = 1; i < report.columns(); ++i) {
        std::vector<std::string> line = {"  " + printable(names[static_cast<std::size_t>(i)])};
        for (Eigen::Index j = 0; j < i; ++j) {
            line.push_back(fmt::format("{:.2g}", report.plan.correlation_errors(i, j)));
        }
        lines.push_back(std::move(line));
    }
    return text_table(lines);
}

// By how much an estimated correlation errs, beside the standard error of its noise.
std::string estimates_line(const PlanReport& report, const std::optional<double>& standard_error) {
    const double error = report.plan.estimated_correlation_error;
    return fmt::format("an estimated correlation errs by about {:.3g}{}\n", error,
                       standard_error && error < *standard_error ? ", less than the noise" : "");
}

// Of a typical entry, and where something is known of columns of each of them.
std::string standard_errors_text(const PlanReport& report) {
    const bool mapped = has_bounds(report.facts.schema);
    const bool told = report.columns_are_told();
    const std::optional<double> correlation = standard_error_of_correlation(report);
    const std::string of_what =
        report.columns() == 1 ? "   of this column and another like it"
        : told                ? "   root mean square of all pairs"
               : fmt::format("   of columns spread as guessed (--spread {})", report.plan.spread);
    std::string text =
        fmt::format("standard errors, of which intervals are made{}\n",
                    mapped ? ";\nin units in which every column's bounds are [-1, 1]" : "");
    text += fmt::format("  correlation   {}{}\n", spelled(correlation), correlation ? of_what : "");
    text += fmt::format("  covariance    {}\n  variance      {}\n",
                        spelled(report.plan.covariance_error), spelled(report.plan.variance_error));
    if (report.options.center) {
        text += fmt::format("  mean          {}\n", spelled(report.plan.mean_error));
    }
    if (const std::string why = why_not_told(report); !why.empty()) {
        text += why + '\n';
    }
    if ((mapped || told) && report.plan.covariance_errors.size() > 0) {
        text += '\n' + columns_table(report);
    }
    constexpr Eigen::Index most_columns_in_pairs = 12;  // a wider table is for --json
    if (told && report.plan.correlation_errors.size() > 1 &&
        report.columns() <= most_columns_in_pairs) {
        text += '\n' + correlations_table(report);
    }
    if (told && report.columns() > 1) {
        text += '\n' + estimates_line(report, correlation);
    }
    return text;
}

std::string methods_text(const std::vector<ExpectedError>& methods) {
    std::string text =
        "by method, of the table that was made up: error of the whole matrix (Frobenius norm),\n"
        "and standard error of a correlation\n";
    for (const ExpectedError& method : methods) {
        text += fmt::format("  {:<12} {:<9.3g} {}\n", method.method, method.error,
                            spelled(method.correlation_error));
    }
    return text;
}

// Every column, in the table's units; null where nothing would be drawn.
detail::OrderedJson columns_json(const PlanReport& report) {
    const bool drawn = report.plan.covariance_errors.size() > 0;
    const std::vector<std::string> names = report.names();
    detail::OrderedJson columns = detail::OrderedJson::array();
    for (Eigen::Index j = 0; j < report.columns(); ++j) {
        const double unit = report.unit(j);
        detail::OrderedJson entry = {{"name", names[static_cast<std::size_t>(j)]},
                                     {"variance", nullptr}};
        if (drawn) {
            entry["variance"] = unit * unit * report.plan.covariance_errors(j, j);
        }
        if (report.options.center) {
            entry["mean"] = nullptr;
            if (drawn) {
                entry["mean"] = unit * report.plan.mean_errors[j];
            }
        }
        columns.push_back(std::move(entry));
    }
    return columns;
}

bool no_release_takes_less(double rho, const PlanOptions& options) {
    return rho <=
           amount_of(detail::least_person_budget(Rho(detail::least_rho), options.rows_per_person));
}

}  // namespace

std::string plan_text(const PlanReport& report) {
    std::string text = fmt::format(
        "planned   {}, {}, {}, neighbours: {}{}, method {}{}\n", spelled(report.budget.definition),
        detail::counted(report.facts.rows, "row"),
        detail::counted(static_cast<std::uint64_t>(report.columns()), "column"),
        name_of(report.options.neighbours), text_of_rows_per_person(report.options.rows_per_person),
        report.options.method, report.options.passes == 2 ? ", two passes" : "");
    if (report.budget.found) {
        const double rho = report.budget.found->value();
        text += fmt::format(
            "budget    rho {:.4g} reaches the wanted error of a correlation{}\n", rho,
            no_release_takes_less(rho, report.options) ? "; no release takes less" : "");
    }
    const Curve curve = find_method(report.options.method).curve(Variant::best);
    text += fmt::format(
        "guess     whoever knows all other rows guesses {} right in up to {} of cases\n",
        report.options.rows_per_person == 1 ? "a row" : "a person's rows",
        text_of_guess(best_guess(report.budget.definition, curve)));
    text += '\n' + standard_errors_text(report);
    if (!report.plan.methods.empty()) {
        text += '\n' + methods_text(report.plan.methods);
    }
    if (report.plan.nothing_seen) {
        text += '\n' + std::string(warning);
    }
    if (report.plan.delta_not_small) {
        const auto& approximate = std::get<ApproximateDp>(report.budget.definition);
        text += '\n' + great_delta_line(approximate.delta.value(), report.facts.rows);
    }
    return text;
}

std::string plan_json(const PlanReport& report) {
    detail::OrderedJson json = detail::OrderedJson::object();
    json["definition"] = detail::named_definition(report.budget.definition);
    json["neighbours"] = name_of(report.options.neighbours);
    if (report.options.rows_per_person > 1) {
        json["rows_per_person"] = report.options.rows_per_person;
    }
    json["rows"] = report.facts.rows;
    json["columns"] = report.columns();
    json["method"] = report.options.method;
    json["passes"] = report.options.passes;
    json["spread"] = report.plan.spread;
    json["standard_error"] = {{"correlation", json_of(standard_error_of_correlation(report))},
                              {"covariance", json_of(report.plan.covariance_error)},
                              {"variance", json_of(report.plan.variance_error)}};
    if (report.options.center) {
        json["standard_error"]["mean"] = json_of(report.plan.mean_error);
    }
    if (const std::string why = why_not_told(report); !why.empty()) {
        json["no_standard_error_because"] = why;
    }
    const bool told = report.columns_are_told();
    if (told) {
        json["estimate_error"] = {{"correlation", report.plan.estimated_correlation_error}};
    }
    if (has_bounds(report.facts.schema) || told) {
        json["table_units"] = columns_json(report);
    }
    if (told) {
        json["correlation_standard_errors"] = detail::matrix_values(report.plan.correlation_errors);
    }
    auto& methods = json["frobenius_error"] = detail::OrderedJson::object();
    for (const ExpectedError& method : report.plan.methods) {
        methods[method.method] = method.error;
    }
    auto& correlations = json["standard_error_of_correlation"] = detail::OrderedJson::object();
    for (const ExpectedError& method : report.plan.methods) {
        detail::put_if(correlations, method.method, method.correlation_error);
    }
    json["nothing_seen"] = report.plan.nothing_seen;
    json["delta_not_small"] = report.plan.delta_not_small;
    return detail::json_text(json);
}

}  // namespace dpcov
