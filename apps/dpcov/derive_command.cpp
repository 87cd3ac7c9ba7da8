// dpcov derive: what follows from a release, at no further cost.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_line/arguments.hpp"
#include "command_line/suggestions.hpp"
#include "commands.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/release_file.hpp"
#include "files/output_set.hpp"
#include "report/matrix_writer.hpp"
#include "report/release_facts.hpp"
#include "tables/column_selection.hpp"
#include "targets.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

using DeriveJson = nlohmann::ordered_json;

enum class Derived { covariance, correlation, mean, pca, regression };

constexpr Words<Derived, 5> derived_words = {{{"covariance", Derived::covariance},
                                              {"correlation", Derived::correlation},
                                              {"mean", Derived::mean},
                                              {"pca", Derived::pca},
                                              {"regression", Derived::regression}}};

struct DeriveArguments {
    std::string release;
    Derived what = Derived::covariance;
    std::optional<int> components;
    std::string target;
    std::vector<std::string> features;
    std::optional<double> level;
    std::string output = std::string(standard_output_word);
    bool names = false;
    bool json = false;

    [[nodiscard]] double asked_level() const { return level.value_or(0.95); }
};

// What was derived, in both forms. (A move of nlohmann's ordered object may throw in principle, and
// allocates nothing in fact.)
// NOLINTNEXTLINE(bugprone-exception-escape)
struct Report {
    DeriveJson json;
    std::string text;
    std::optional<Eigen::MatrixXd> matrix = {};  // where it may be written as one
};

// What columns are called: their names, or their 0-based indices.
std::vector<std::string> names_of_columns(const Release& release) {
    std::vector<std::string> names = detail::valid_column_names(release);
    names.resize(static_cast<std::size_t>(release.covariance.rows()));
    for (std::size_t j = 0; j < names.size(); ++j) {
        if (names[j].empty()) {
            names[j] = std::to_string(j);
        }
    }
    return names;
}

Eigen::Index column_called(const std::string& word, const std::vector<std::string>& names,
                           const std::string& option) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) {
        if (std::find(found + 1, names.end(), word) != names.end()) {
            throw UsageError(option + ": several columns are named '" + word +
                             "'; give the index of the one you mean, counted from 0");
        }
        return found - names.begin();
    }
    // Columns that are called by their indices in the table are not counted once more.
    const bool by_index = std::all_of(names.begin(), names.end(), is_place);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (!by_index && error == std::errc{} && end == word.data() + word.size() &&
        index < names.size()) {
        return static_cast<Eigen::Index>(index);
    }
    constexpr std::size_t most_listed = 20;
    std::string known;
    for (std::size_t j = 0; j < std::min(names.size(), most_listed); ++j) {
        known += (j > 0 ? ", " : "") + names[j];
    }
    throw UsageError(option + ": the release has no column '" + word + "'; it has " + known +
                     (names.size() > most_listed ? ", ..." : "") + did_you_mean(word, names));
}

// --- JSON. A number that is not known is null.

DeriveJson json_of(const Eigen::VectorXd& values) {
    return std::vector<double>(values.begin(), values.end());
}

DeriveJson json_of(const Eigen::MatrixXd& matrix) {
    DeriveJson rows = DeriveJson::array();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        rows.push_back(json_of(Eigen::VectorXd(matrix.row(i))));
    }
    return rows;
}

DeriveJson json_of(const VectorEstimate& values, Eigen::Index i) {
    return {{"estimate", values.estimate[i]},
            {"standard_error", values.standard_error[i]},
            {"lower", values.lower[i]},
            {"upper", values.upper[i]}};
}

DeriveJson list_of(const VectorEstimate& values) {
    DeriveJson list = DeriveJson::array();
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        list.push_back(json_of(values, i));
    }
    return list;
}

void put_why(DeriveJson& json, const std::string& why) {
    if (!why.empty()) {
        json["why"] = why;
    }
}

// --- Text.

std::string number_cell(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.4g}", value);
}

// Cells in columns, the first of them to the left.
std::string table_text(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t j = 0; j < line.size(); ++j) {
            widths[j] = std::max(widths[j], fmt::formatted_size("{}", line[j]));
        }
    }
    std::string text;
    for (const auto& line : lines) {
        std::string row;
        for (std::size_t j = 0; j < line.size(); ++j) {
            row += j == 0 ? fmt::format("{:<{}}", line[j], widths[j])
                          : fmt::format("  {:>{}}", line[j], widths[j]);
        }
        text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
}

std::string matrix_text(const std::string& corner, const std::vector<std::string>& row_names,
                        const std::vector<std::string>& column_names,
                        const Eigen::MatrixXd& matrix) {
    std::vector<std::vector<std::string>> lines = {{corner}};
    for (const std::string& name : column_names) {
        lines.front().push_back(printable(name));
    }
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        lines.push_back({printable(row_names[static_cast<std::size_t>(i)])});
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            lines.back().push_back(number_cell(matrix(i, j)));
        }
    }
    return table_text(lines);
}

std::string estimates_text(const std::string& corner, const std::vector<std::string>& names,
                           const VectorEstimate& values, double level) {
    const std::string percent = fmt::format("{:.6g} %", 100.0 * level);
    std::vector<std::vector<std::string>> lines = {
        {corner, "estimate", "std. error", percent + " from", "to"}};
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        lines.push_back({printable(names[static_cast<std::size_t>(i)]),
                         number_cell(values.estimate[i]), number_cell(values.standard_error[i]),
                         number_cell(values.lower[i]), number_cell(values.upper[i])});
    }
    return table_text(lines);
}

std::string why_text(const std::string& why) {
    return why.empty() ? "" : "Note: " + why + "\n";
}

// --- What is derived.

Report matrix_report(const std::vector<std::string>& names, const MatrixEstimate& estimate,
                     const std::string& what, double level) {
    Report report;
    report.json = {{"columns", names},
                   {"matrix", json_of(estimate.matrix)},
                   {"standard_error", json_of(estimate.standard_error)},
                   {"lower", json_of(estimate.lower)},
                   {"upper", json_of(estimate.upper)},
                   {"level", level}};
    put_why(report.json, estimate.why);
    report.text = matrix_text(what, names, names, estimate.matrix) + '\n';
    // A correlation of a column with itself errs by nothing.
    if ((estimate.standard_error.array() > 0.0).any()) {
        report.text +=
            matrix_text("std. error", names, names, estimate.standard_error) +
            fmt::format("Intervals of {:.6g} % are in the JSON (--json).\n", 100.0 * level);
    }
    report.text += why_text(estimate.why);
    return report;
}

Report mean_report(const Release& release, const std::vector<std::string>& names, double level) {
    const VectorEstimate mean = derive_mean(release, level);
    Report report;
    report.json = {{"columns", names},
                   {"mean", json_of(mean.estimate)},
                   {"standard_error", json_of(mean.standard_error)},
                   {"lower", json_of(mean.lower)},
                   {"upper", json_of(mean.upper)},
                   {"level", level}};
    put_why(report.json, mean.why);
    report.text = estimates_text("mean", names, mean, level) + why_text(mean.why);
    return report;
}

Report pca_report(const Release& release, const std::vector<std::string>& names,
                  const DeriveArguments& arguments) {
    constexpr Eigen::Index most_unasked = 10;
    const Eigen::Index count = arguments.components
                                   ? Eigen::Index{*arguments.components}
                                   : std::min(most_unasked, release.covariance.rows());
    const PrincipalComponents pca = derive_pca(release, count, arguments.asked_level());
    Report report;
    report.json = {{"columns", names},
                   {"mean", pca.mean ? json_of(*pca.mean) : DeriveJson()},
                   {"components", json_of(pca.components)},
                   {"explained_variance", list_of(pca.explained_variance)},
                   {"explained_variance_ratio", list_of(pca.explained_variance_ratio)},
                   {"level", arguments.asked_level()}};
    std::vector<std::string> numbers;
    for (Eigen::Index k = 1; k <= pca.components.rows(); ++k) {
        numbers.push_back(std::to_string(k));
    }
    const std::string& why = pca.explained_variance.why.empty() ? pca.explained_variance_ratio.why
                                                                : pca.explained_variance.why;
    put_why(report.json, why);
    report.text =
        estimates_text("variance", numbers, pca.explained_variance, arguments.asked_level()) +
        '\n' +
        estimates_text("share of all", numbers, pca.explained_variance_ratio,
                       arguments.asked_level()) +
        '\n' + matrix_text("component", numbers, names, pca.components) + why_text(why);
    return report;
}

Report regression_report(const Release& release, const std::vector<std::string>& names,
                         const DeriveArguments& arguments) {
    const Eigen::Index target = column_called(arguments.target, names, "--target");
    std::vector<Eigen::Index> features;
    for (const std::string& feature : arguments.features) {
        features.push_back(column_called(feature, names, "--features"));
    }
    const Regression regression =
        derive_regression(release, target, features, arguments.asked_level());
    std::vector<std::string> feature_names;
    for (const Eigen::Index feature : regression.features) {
        feature_names.push_back(names[static_cast<std::size_t>(feature)]);
    }
    Report report;
    const std::string& target_name = names[static_cast<std::size_t>(target)];
    DeriveJson coefficients = DeriveJson::array();
    for (std::size_t i = 0; i < feature_names.size(); ++i) {
        DeriveJson entry = {{"name", feature_names[i]}};
        entry.update(json_of(regression.coefficients, static_cast<Eigen::Index>(i)));
        coefficients.push_back(std::move(entry));
    }
    report.json = {
        {"target", target_name},
        {"intercept", release.centered && regression.intercept ? DeriveJson(*regression.intercept)
                                                               : DeriveJson()},
        {"coefficients", coefficients},
        {"ridge", regression.ridge ? DeriveJson(*regression.ridge) : DeriveJson()},
        {"level", arguments.asked_level()}};
    if (!release.centered && regression.intercept) {
        report.json["intercept_through_midpoints"] = *regression.intercept;
    }
    put_why(report.json, regression.coefficients.why);
    report.text = estimates_text(printable(target_name) + " on", feature_names,
                                 regression.coefficients, arguments.asked_level());
    if (regression.intercept) {
        report.text += "Intercept: " + number_cell(*regression.intercept) +
                       (release.centered ? "\n" : " (the line goes through the midpoints)\n");
    }
    if (regression.ridge) {
        report.text += "Ridge: " + number_cell(*regression.ridge) + '\n';
    }
    report.text += why_text(regression.coefficients.why);
    return report;
}

// --- The command.

// How the report is written: as JSON, as the matrix alone, or else as a table to be read.
struct OutputForm {
    bool json = false;
    std::optional<MatrixFormat> matrix = {};
};

OutputForm form_of_output(const DeriveArguments& arguments) {
    const std::optional<MatrixFormat> by_name = format_for(arguments.output);
    if (arguments.json || by_name == MatrixFormat::json) {
        if (by_name && by_name != MatrixFormat::json) {
            throw UsageError("--output '" + arguments.output +
                             "' is the name of another format than --json asks for");
        }
        return {.json = true};
    }
    if (by_name && arguments.what != Derived::covariance &&
        arguments.what != Derived::correlation) {
        throw UsageError("--output '" + arguments.output +
                         "': only a covariance or a correlation is written as a matrix; take a "
                         "name that ends in .json");
    }
    return {.matrix = by_name};
}

void check_derive(const DeriveArguments& arguments) {
    const auto only_for = [&](bool given, const char* option, Derived what) {
        if (given && arguments.what != what) {
            throw UsageError(std::string(option) + " is for " +
                             std::string(word_of(derived_words, what)) + " only");
        }
    };
    only_for(arguments.components.has_value(), "--components", Derived::pca);
    only_for(!arguments.target.empty(), "--target", Derived::regression);
    only_for(!arguments.features.empty(), "--features", Derived::regression);
    if (arguments.what == Derived::regression && arguments.target.empty()) {
        throw UsageError("regression needs --target NAME: the column to predict");
    }
    if (!(arguments.asked_level() < 1.0)) {
        throw UsageError("--level must be above 0 and below 1, such as 0.95");
    }
    if (arguments.names && form_of_output(arguments).matrix != MatrixFormat::csv) {
        throw UsageError(
            "--names is for a matrix in CSV; what is read on the screen, and JSON, have names");
    }
    static_cast<void>(form_of_output(arguments));
    if (arguments.output != standard_output_word) {
        refuse_to_replace(arguments.output, arguments.release, "the release");
        check_target(arguments.output);
    }
}

Report report_of(const Release& release, const DeriveArguments& arguments) {
    const std::vector<std::string> names = names_of_columns(release);
    const double level = arguments.asked_level();
    switch (arguments.what) {
        case Derived::mean:
            return mean_report(release, names, level);
        case Derived::pca:
            return pca_report(release, names, arguments);
        case Derived::regression:
            return regression_report(release, names, arguments);
        case Derived::covariance:
        case Derived::correlation:
            break;
    }
    const bool correlation = arguments.what == Derived::correlation;
    MatrixEstimate estimate =
        correlation ? derive_correlation(release, level) : derive_covariance(release, level);
    Report report =
        matrix_report(names, estimate, correlation ? "correlation" : "covariance", level);
    report.matrix = std::move(estimate.matrix);
    return report;
}

void run_derive(const DeriveArguments& arguments) {
    check_derive(arguments);
    const Release release = load_release(arguments.release);
    const Report report = report_of(release, arguments);
    const OutputForm form = form_of_output(arguments);
    const auto names = arguments.names ? names_of_columns(release) : std::vector<std::string>();
    OutputSet outputs;
    outputs.add(path_of(arguments.output), form.json ? report.json.dump(2) + "\n"
                                           : form.matrix
                                               ? format_matrix(*form.matrix, *report.matrix, names)
                                               : report.text);
    outputs.commit();
}

}  // namespace

void add_derive_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "derive", "Tell what follows from a release, with intervals; it spends nothing");
    auto arguments = std::make_shared<DeriveArguments>();
    command
        ->add_option("RELEASE", arguments->release,
                     "The .npz that 'dpcov estimate --release' wrote")
        ->required()
        ->type_name("");
    command
        ->add_option_function<std::string>(
            "WHAT",
            [arguments](const std::string& word) {
                arguments->what = parse_choice("WHAT", word, derived_words);
            },
            choices_of(derived_words))
        ->required()
        ->type_name("");
    command
        ->add_option("--components", arguments->components,
                     "pca: how many components (default 10, or all if fewer)")
        ->check(whole_number(1))
        ->type_name("K");
    command
        ->add_option("--target", arguments->target,
                     "regression: the column to predict, by name or 0-based index")
        ->type_name("NAME");
    command
        ->add_option("--features", arguments->features,
                     "regression: the columns to predict it from (default all others)")
        ->delimiter(',')
        ->type_name("A,B,C");
    add_positive_number(*command, "--level", arguments->level,
                        "Of the intervals, above 0 and below 1 (default 0.95)")
        ->type_name("L");
    command
        ->add_option("--output", arguments->output,
                     "Where to: JSON where the name ends in .json; a covariance or a\n"
                     "correlation alone in .npy or .csv (default -, standard output)")
        ->type_name("FILE");
    command->add_flag("--names", arguments->names,
                      "Name the columns in a CSV: a first line and a first field in every line");
    command->add_flag("--json", arguments->json, "As a JSON object, with all intervals");
    command->footer(
        "Everything is in the units of the table; columns with a scale, and no bounds, are divided "
        "by\n"
        "it. An interval covers the value that the table of the release has, its rows as clipped, "
        "for\n"
        "the noise alone: not that of a population. Where no honest interval is known there is "
        "none\n"
        "(null), and the reason stands beside it.\n\n"
        "Examples:\n"
        "  dpcov derive people.npz correlation\n"
        "  dpcov derive people.npz regression --target income --features age,hours --json\n"
        "  dpcov derive people.npz pca --components 3 --output pca.json");
    command->callback([arguments] { run_derive(*arguments); });
}

}  // namespace dpcov
