#include "derive_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "report/json_values.hpp"
#include "text/csv_field.hpp"
#include "text/in_quotes.hpp"
#include "text_table.hpp"

namespace dpcov {
namespace {

using DeriveJson = nlohmann::ordered_json;

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

std::string number_cell(double value) {
    return std::isnan(value) ? "-" : fmt::format("{:.4g}", value);
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
    return text_table(lines);
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
    return text_table(lines);
}

std::string csv_line(const std::string& name, const std::vector<double>& numbers) {
    std::string line = detail::csv_field(name);
    for (const double number : numbers) {
        line += std::isnan(number) ? "," : fmt::format(",{}", number);
    }
    return line + '\n';
}

constexpr std::string_view csv_header = "name,estimate,standard_error,lower,upper\n";

std::string csv_lines(const std::vector<std::string>& names, const VectorEstimate& values) {
    std::string lines;
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        lines += csv_line(
            names[static_cast<std::size_t>(i)],
            {values.estimate[i], values.standard_error[i], values.lower[i], values.upper[i]});
    }
    return lines;
}

std::string csv_of(const PrincipalComponents& pca, const std::vector<std::string>& names) {
    std::string lines = "component,explained_variance,explained_variance_ratio";
    for (const std::string& name : names) {
        lines += ',' + detail::csv_field(name);
    }
    lines += '\n';
    for (Eigen::Index k = 0; k < pca.components.rows(); ++k) {
        std::vector<double> numbers = {pca.explained_variance.estimate[k],
                                       pca.explained_variance_ratio.estimate[k]};
        const auto loadings = pca.components.row(k);
        numbers.insert(numbers.end(), loadings.begin(), loadings.end());
        lines += csv_line(std::to_string(k + 1), numbers);
    }
    return lines;
}

// The intercept comes first.
std::string csv_of(const Regression& regression, bool centered,
                   const std::vector<std::string>& feature_names) {
    std::string lines(csv_header);
    if (regression.intercept) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const auto& interval = regression.intercept_interval;
        lines +=
            csv_line(centered ? "(intercept)" : "(intercept through midpoints)",
                     {*regression.intercept, interval ? interval->standard_error : unknown,
                      interval ? interval->lower : unknown, interval ? interval->upper : unknown});
    }
    return lines + csv_lines(feature_names, regression.coefficients);
}

std::string why_text(const std::string& why) {
    return why.empty() ? "" : "Note: " + why + "\n";
}

// About what entries are, where that is not what their names say.
std::string about_text(const Release& release) {
    if (release.centered) {
        return "";
    }
    return has_bounds(release.schema)
               ? "Note: about the midpoints of the bounds, not about the mean.\n"
               : "Note: about zero, not about the mean: without bounds a release is about the mean "
                 "with --center.\n";
}

// Beside intervals of the noisy values, where it shows that they are not of the estimates.
std::string shrunk_text(const VectorEstimate& values) {
    constexpr double shows = 0.1;  // standard errors
    const auto middle = 0.5 * (values.lower.array() + values.upper.array());
    const bool apart =
        ((values.estimate.array() - middle).abs() > shows * values.standard_error.array()).any();
    return apart ? "Note: in the middle of an interval is the noisy value, without bias. The "
                   "estimate is shrunk,\nand errs less as a rule; it may be outside.\n"
                 : "";
}

DeriveReport matrix_report(const Release& release, const std::vector<std::string>& names,
                           MatrixEstimate estimate, const std::string& what, double level) {
    DeriveReport report;
    report.json = {{"columns", names},
                   {"matrix", detail::matrix_values(estimate.matrix)},
                   {"standard_error", detail::matrix_values(estimate.standard_error)},
                   {"lower", detail::matrix_values(estimate.lower)},
                   {"upper", detail::matrix_values(estimate.upper)},
                   {"level", level}};
    put_why(report.json, estimate.why);
    report.text = matrix_text(what, names, names, estimate.matrix) + '\n';
    // A correlation of a column with itself errs by nothing.
    if ((estimate.standard_error.array() > 0.0).any()) {
        report.text +=
            matrix_text("std. error", names, names, estimate.standard_error) +
            fmt::format("Intervals of {:.6g} % are in the JSON (--json).\n", 100.0 * level);
    }
    report.text += about_text(release) + why_text(estimate.why);
    report.matrix = std::move(estimate.matrix);
    return report;
}

}  // namespace

DeriveReport covariance_report(const Release& release, const std::vector<std::string>& names,
                               double level) {
    return matrix_report(release, names, derive_covariance(release, level), "covariance", level);
}

DeriveReport correlation_report(const Release& release, const std::vector<std::string>& names,
                                double level) {
    return matrix_report(release, names, derive_correlation(release, level), "correlation", level);
}

DeriveReport mean_report(const Release& release, const std::vector<std::string>& names,
                         double level) {
    const VectorEstimate mean = derive_mean(release, level);
    DeriveReport report;
    report.json = {{"columns", names},
                   {"mean", detail::vector_values(mean.estimate)},
                   {"standard_error", detail::vector_values(mean.standard_error)},
                   {"lower", detail::vector_values(mean.lower)},
                   {"upper", detail::vector_values(mean.upper)},
                   {"level", level}};
    put_why(report.json, mean.why);
    report.text =
        estimates_text("mean", names, mean, level) + shrunk_text(mean) + why_text(mean.why);
    report.csv = std::string(csv_header) + csv_lines(names, mean);
    return report;
}

DeriveReport pca_report(const Release& release, const std::vector<std::string>& names,
                        Eigen::Index count, double level, ComponentsOf of) {
    const PrincipalComponents pca = derive_pca(release, count, level, of);
    DeriveReport report;
    report.json = {{"columns", names},
                   {"mean", pca.mean ? detail::vector_values(*pca.mean) : DeriveJson()},
                   {"components", detail::matrix_values(pca.components)},
                   {"explained_variance", list_of(pca.explained_variance)},
                   {"explained_variance_ratio", list_of(pca.explained_variance_ratio)},
                   {"level", level}};
    if (pca.deviations) {
        report.json["deviations"] = detail::vector_values(*pca.deviations);
    }
    std::vector<std::string> numbers;
    for (Eigen::Index k = 1; k <= pca.components.rows(); ++k) {
        numbers.push_back(std::to_string(k));
    }
    const std::string& why = pca.explained_variance.why.empty() ? pca.explained_variance_ratio.why
                                                                : pca.explained_variance.why;
    put_why(report.json, why);
    report.text =
        estimates_text("variance", numbers, pca.explained_variance, level) + '\n' +
        estimates_text("share of all", numbers, pca.explained_variance_ratio, level) +
        shrunk_text(pca.explained_variance) + '\n' +
        matrix_text("component", numbers, names, pca.components) +
        (pca.deviations ? "Note: of columns divided by their estimated deviations.\n" : "") +
        about_text(release) + why_text(why);
    report.csv = csv_of(pca, names);
    return report;
}

DeriveReport regression_report(const Release& release, const std::vector<std::string>& names,
                               Eigen::Index target, const std::vector<Eigen::Index>& features,
                               double level) {
    const Regression regression = derive_regression(release, target, features, level);
    std::vector<std::string> feature_names;
    for (const Eigen::Index feature : regression.features) {
        feature_names.push_back(names[static_cast<std::size_t>(feature)]);
    }
    DeriveReport report;
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
        {"r_squared", regression.r_squared},
        {"ridge", regression.ridge ? DeriveJson(*regression.ridge) : DeriveJson()},
        {"level", level}};
    if (!release.centered && regression.intercept) {
        report.json["intercept_through_midpoints"] = *regression.intercept;
    }
    if (const auto& interval = regression.intercept_interval) {
        report.json["intercept_interval"] = {{"standard_error", interval->standard_error},
                                             {"lower", interval->lower},
                                             {"upper", interval->upper}};
    }
    put_why(report.json, regression.coefficients.why);
    report.text = estimates_text(printable(target_name) + " on", feature_names,
                                 regression.coefficients, level) +
                  shrunk_text(regression.coefficients);
    if (regression.intercept) {
        report.text += "Intercept: " + number_cell(*regression.intercept);
        if (const auto& interval = regression.intercept_interval) {
            report.text += ", std. error " + number_cell(interval->standard_error) + ", from " +
                           number_cell(interval->lower) + " to " + number_cell(interval->upper);
        }
        report.text += release.centered ? "\n" : " (the line goes through the midpoints)\n";
    }
    report.text +=
        "R squared: " + number_cell(regression.r_squared) + " (estimated, of this table)\n";
    if (regression.ridge) {
        report.text += "Ridge: " + number_cell(*regression.ridge) + '\n';
    }
    report.text += why_text(regression.coefficients.why);
    report.csv = csv_of(regression, release.centered, feature_names);
    return report;
}

}  // namespace dpcov
