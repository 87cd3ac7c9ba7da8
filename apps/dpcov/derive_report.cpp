#include "derive_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "report/json_values.hpp"
#include "text/csv_field.hpp"
#include "text/in_quotes.hpp"
#include "text_table.hpp"

namespace dpcov {
namespace {

using detail::OrderedJson;

OrderedJson json_of(const VectorEstimate& values, Eigen::Index i) {
    return {{"estimate", values.estimate[i]},
            {"standard_error", values.standard_error[i]},
            {"lower", values.lower[i]},
            {"upper", values.upper[i]}};
}

OrderedJson list_of(const VectorEstimate& values) {
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        list.push_back(json_of(values, i));
    }
    return list;
}

// What all of them end with: why something is not known, and that it is for tests alone.
void put_notes(OrderedJson& json, const std::string& why, const Release& release) {
    if (!why.empty()) {
        json["why"] = why;
    }
    if (!release.secure_randomness) {
        json["private"] = false;
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

// Of estimates with intervals: of what these are. That they are not of the estimates is said where
// it shows.
std::string interval_text(const Eigen::ArrayXXd& estimate, const Eigen::ArrayXXd& standard_error,
                          const Eigen::ArrayXXd& lower, const Eigen::ArrayXXd& upper) {
    if (!(standard_error > 0.0).any()) {  // none is known
        return "";
    }
    constexpr double shows = 0.1;  // standard errors
    const bool apart = ((estimate - 0.5 * (lower + upper)).abs() > shows * standard_error).any();
    return std::string(apart ? "Note: standard errors and intervals are of the noisy values, which "
                               "have no bias. The\nestimate is shrunk, and errs less as a rule; it "
                               "may be outside.\n"
                             : "") +
           "Note: intervals tell how far the privacy noise may be off, for this table. They do not "
           "cover\nthe sampling of its rows from a population.\n";
}

std::string interval_text(const VectorEstimate& values) {
    return interval_text(values.estimate, values.standard_error, values.lower, values.upper);
}

std::string interval_text(const MatrixEstimate& values) {
    return interval_text(values.matrix, values.standard_error, values.lower, values.upper);
}

// What makes a release no result: before all else.
std::string warning_text(const Release& release) {
    std::string text;
    if (!release.secure_randomness) {
        text +=
            "WARNING: made with --insecure-seed: NOT PRIVATE, for tests and experiments only.\n\n";
    }
    if (release.covariance.isZero(0.0)) {
        text += "WARNING: the released matrix is zero: it tells nothing of the rows.\n\n";
    }
    return text;
}

OrderedJson matrix_json(const MatrixEstimate& estimate, const DeriveRequest& request) {
    OrderedJson json = {{"columns", request.names},
                        {"matrix", detail::matrix_values(estimate.matrix)},
                        {"standard_error", detail::matrix_values(estimate.standard_error)},
                        {"lower", detail::matrix_values(estimate.lower)},
                        {"upper", detail::matrix_values(estimate.upper)},
                        {"level", request.level}};
    put_notes(json, estimate.why, request.release);
    return json;
}

std::string matrix_report(const MatrixEstimate& estimate, const std::string& what,
                          const DeriveRequest& request) {
    if (request.form == DeriveForm::json) {
        return detail::json_text(matrix_json(estimate, request));
    }
    std::string text = warning_text(request.release) +
                       matrix_text(what, request.names, request.names, estimate.matrix) + '\n';
    // A correlation of a column with itself errs by nothing.
    if ((estimate.standard_error.array() > 0.0).any()) {
        text += matrix_text("std. error", request.names, request.names, estimate.standard_error) +
                fmt::format("Intervals of {:.6g} % are in the JSON (--json).\n",
                            100.0 * request.level) +
                interval_text(estimate);
    }
    return text + about_text(request.release) + why_text(estimate.why);
}

OrderedJson mean_json(const VectorEstimate& mean, const DeriveRequest& request) {
    OrderedJson json = {{"columns", request.names},
                        {"mean", detail::vector_values(mean.estimate)},
                        {"standard_error", detail::vector_values(mean.standard_error)},
                        {"lower", detail::vector_values(mean.lower)},
                        {"upper", detail::vector_values(mean.upper)},
                        {"level", request.level}};
    put_notes(json, mean.why, request.release);
    return json;
}

const std::string& why_of(const PrincipalComponents& pca) {
    return pca.explained_variance.why.empty() ? pca.explained_variance_ratio.why
                                              : pca.explained_variance.why;
}

OrderedJson json_of(const PrincipalComponents& pca, const DeriveRequest& request) {
    OrderedJson json = {{"columns", request.names},
                        {"mean", pca.mean ? detail::vector_values(*pca.mean) : OrderedJson()},
                        {"components", detail::matrix_values(pca.components)},
                        {"explained_variance", list_of(pca.explained_variance)},
                        {"explained_variance_ratio", list_of(pca.explained_variance_ratio)},
                        {"level", request.level}};
    if (pca.deviations) {
        json["deviations"] = detail::vector_values(*pca.deviations);
    }
    put_notes(json, why_of(pca), request.release);
    return json;
}

std::string text_of(const PrincipalComponents& pca, const DeriveRequest& request) {
    std::vector<std::string> numbers;
    for (Eigen::Index k = 1; k <= pca.components.rows(); ++k) {
        numbers.push_back(std::to_string(k));
    }
    return warning_text(request.release) +
           estimates_text("variance", numbers, pca.explained_variance, request.level) + '\n' +
           estimates_text("share of all", numbers, pca.explained_variance_ratio, request.level) +
           interval_text(pca.explained_variance) + '\n' +
           matrix_text("component", numbers, request.names, pca.components) +
           (pca.deviations ? "Note: of columns divided by their estimated deviations.\n" : "") +
           about_text(request.release) + why_text(why_of(pca));
}

OrderedJson json_of(const Regression& regression, const std::string& target,
                    const std::vector<std::string>& features, const DeriveRequest& request) {
    const bool centered = request.release.centered;
    OrderedJson coefficients = OrderedJson::array();
    for (std::size_t i = 0; i < features.size(); ++i) {
        OrderedJson entry = {{"name", features[i]}};
        entry.update(json_of(regression.coefficients, static_cast<Eigen::Index>(i)));
        coefficients.push_back(std::move(entry));
    }
    OrderedJson json = {
        {"target", target},
        {"intercept",
         centered && regression.intercept ? OrderedJson(*regression.intercept) : OrderedJson()},
        {"coefficients", coefficients},
        {"r_squared", regression.r_squared},
        {"ridge", regression.ridge ? OrderedJson(*regression.ridge) : OrderedJson()},
        {"level", request.level}};
    if (!centered && regression.intercept) {
        json["intercept_through_midpoints"] = *regression.intercept;
    }
    if (const auto& interval = regression.intercept_interval) {
        json["intercept_interval"] = {{"standard_error", interval->standard_error},
                                      {"lower", interval->lower},
                                      {"upper", interval->upper}};
    }
    put_notes(json, regression.coefficients.why, request.release);
    return json;
}

std::string text_of(const Regression& regression, const std::string& target,
                    const std::vector<std::string>& features, const DeriveRequest& request) {
    std::string text = warning_text(request.release) +
                       estimates_text(printable(target) + " on", features, regression.coefficients,
                                      request.level) +
                       interval_text(regression.coefficients);
    if (regression.intercept) {
        text += "Intercept: " + number_cell(*regression.intercept);
        if (const auto& interval = regression.intercept_interval) {
            text += ", std. error " + number_cell(interval->standard_error) + ", from " +
                    number_cell(interval->lower) + " to " + number_cell(interval->upper);
        }
        text += request.release.centered ? "\n" : " (the line goes through the midpoints)\n";
    }
    text += "R squared: " + number_cell(regression.r_squared) + " (estimated, of this table)\n";
    if (regression.ridge) {
        text += "Ridge: " + number_cell(*regression.ridge) + '\n';
    }
    return text + why_text(regression.coefficients.why);
}

}  // namespace

std::string covariance_report(const DeriveRequest& request) {
    return matrix_report(derive_covariance(request.release, request.level), "covariance", request);
}

std::string correlation_report(const DeriveRequest& request) {
    return matrix_report(derive_correlation(request.release, request.level), "correlation",
                         request);
}

std::string mean_report(const DeriveRequest& request) {
    const VectorEstimate mean = derive_mean(request.release, request.level);
    switch (request.form) {
        case DeriveForm::json:
            return detail::json_text(mean_json(mean, request));
        case DeriveForm::csv:
            return std::string(csv_header) + csv_lines(request.names, mean);
        case DeriveForm::text:
            break;
    }
    return warning_text(request.release) +
           estimates_text("mean", request.names, mean, request.level) + interval_text(mean) +
           why_text(mean.why);
}

std::string pca_report(const DeriveRequest& request, Eigen::Index count, ComponentsOf of) {
    const PrincipalComponents pca = derive_pca(request.release, count, request.level, of);
    switch (request.form) {
        case DeriveForm::json:
            return detail::json_text(json_of(pca, request));
        case DeriveForm::csv:
            return csv_of(pca, request.names);
        case DeriveForm::text:
            break;
    }
    return text_of(pca, request);
}

std::string regression_report(const DeriveRequest& request, Eigen::Index target,
                              const std::vector<Eigen::Index>& features) {
    const Regression regression =
        derive_regression(request.release, target, features, request.level);
    const std::string& target_name = request.names[static_cast<std::size_t>(target)];
    std::vector<std::string> feature_names;
    for (const Eigen::Index feature : regression.features) {
        feature_names.push_back(request.names[static_cast<std::size_t>(feature)]);
    }
    switch (request.form) {
        case DeriveForm::json:
            return detail::json_text(json_of(regression, target_name, feature_names, request));
        case DeriveForm::csv:
            return csv_of(regression, request.release.centered, feature_names);
        case DeriveForm::text:
            break;
    }
    return text_of(regression, target_name, feature_names, request);
}

}  // namespace dpcov
