#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "derived.hpp"
#include "text/in_quotes.hpp"
#include "text/wrapped.hpp"
#include "text_table.hpp"

namespace dpcov {
namespace {

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

// Six digits, or as many as it takes not to promise all.
std::string percent_text(double level) {
    constexpr int all_digits = 17;
    for (int digits = 6;; ++digits) {
        std::string text = fmt::format("{:.{}g} %", 100.0 * level, digits);
        if (text != "100 %" || digits == all_digits) {
            return text;
        }
    }
}

std::string estimates_text(const std::string& corner, const std::vector<std::string>& names,
                           const VectorEstimate& values, double level) {
    std::vector<std::vector<std::string>> lines = {
        {corner, "estimate", "std. error", percent_text(level) + " from", "to"}};
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        lines.push_back({printable(names[static_cast<std::size_t>(i)]),
                         number_cell(values.estimate[i]), number_cell(values.standard_error[i]),
                         number_cell(values.lower[i]), number_cell(values.upper[i])});
    }
    return text_table(lines);
}

std::string note(const std::string& text) {
    return wrapped("Note: " + text, page_width) + '\n';
}

std::string why_text(const std::string& why) {
    return why.empty() ? "" : note(why);
}

// About what entries are, where that is not what their names say.
std::string about_text(const Release& release) {
    if (release.centered) {
        return "";
    }
    return note(has_bounds(release.schema)
                    ? "about the midpoints of the bounds, not about the mean."
                    : "about zero, not about the mean: without bounds a release is about the mean "
                      "with --center.");
}

// Of estimates with intervals: of what these are. That they are not of the estimates is said where
// it shows.
std::string interval_text(const Eigen::ArrayXXd& estimate, const Eigen::ArrayXXd& standard_error,
                          const Eigen::ArrayXXd& lower, const Eigen::ArrayXXd& upper,
                          const std::string& assumed) {
    if (!(standard_error > 0.0).any()) {  // none is known
        return "";
    }
    constexpr double shows = 0.1;  // standard errors
    const bool apart = ((estimate - 0.5 * (lower + upper)).abs() > shows * standard_error).any();
    return (apart
                ? note("standard errors and intervals are of the noisy values, which have no "
                       "bias. The estimate is shrunk, and errs less as a rule; it may be outside.")
                : "") +
           note(
               assumed.empty()
                   ? "intervals tell how far the privacy noise may be off, for this table. They do "
                     "not cover the sampling of its rows from a population."
                   : "intervals are for a population, for noise and sampling together. Assumed: " +
                         assumed + '.');
}

std::string interval_text(const VectorEstimate& values, const std::string& assumed) {
    return interval_text(values.estimate, values.standard_error, values.lower, values.upper,
                         assumed);
}

std::string interval_text(const MatrixEstimate& values, const std::string& assumed) {
    return interval_text(values.matrix, values.standard_error, values.lower, values.upper, assumed);
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

std::string text_of(const DerivedMatrix& matrix, const DerivedFrom& from) {
    const MatrixEstimate& estimate = matrix.estimate;
    const std::vector<std::string>& names = from.names;
    std::string text = warning_text(from.release) +
                       matrix_text(std::string(matrix.what), names, names, estimate.matrix) + '\n';
    // A correlation of a column with itself errs by nothing.
    if ((estimate.standard_error.array() > 0.0).any()) {
        text +=
            matrix_text("std. error", names, names, estimate.standard_error) +
            fmt::format("Intervals of {} are in the JSON (--json).\n", percent_text(from.level)) +
            interval_text(estimate, from.assumed);
    }
    return text + about_text(from.release) + why_text(estimate.why);
}

std::string text_of(const DerivedMean& mean, const DerivedFrom& from) {
    return warning_text(from.release) +
           estimates_text("mean", from.names, mean.estimate, from.level) +
           interval_text(mean.estimate, from.assumed) + why_text(mean.estimate.why);
}

std::string text_of(const DerivedComponents& components, const DerivedFrom& from) {
    const PrincipalComponents& pca = components.pca;
    std::vector<std::string> numbers;
    for (Eigen::Index k = 1; k <= pca.components.rows(); ++k) {
        numbers.push_back(std::to_string(k));
    }
    return warning_text(from.release) +
           estimates_text("variance", numbers, pca.explained_variance, from.level) + '\n' +
           estimates_text("share of all", numbers, pca.explained_variance_ratio, from.level) +
           interval_text(pca.explained_variance, "") + '\n' +
           matrix_text("component", numbers, from.names, pca.components) +
           (pca.deviations ? note("of columns divided by their estimated deviations.") : "") +
           about_text(from.release) + why_text(components.why());
}

std::string text_of(const DerivedRegression& derived, const DerivedFrom& from) {
    const Regression& regression = derived.regression;
    std::string text = warning_text(from.release) +
                       estimates_text(printable(derived.target) + " on", derived.features,
                                      regression.coefficients, from.level) +
                       interval_text(regression.coefficients, from.assumed);
    if (regression.intercept) {
        text += "Intercept: " + number_cell(*regression.intercept);
        if (const auto& interval = regression.intercept_interval) {
            text += ", std. error " + number_cell(interval->standard_error) + ", from " +
                    number_cell(interval->lower) + " to " + number_cell(interval->upper);
        }
        text += from.release.centered ? "\n" : " (the line goes through the midpoints)\n";
    }
    text += "R squared: " + number_cell(regression.r_squared) + " (estimated, of this table)\n";
    if (regression.ridge) {
        text += "Ridge: " + number_cell(*regression.ridge) + '\n';
    }
    return text + why_text(regression.coefficients.why);
}

}  // namespace

std::string derived_text(const Derived& derived, const DerivedFrom& from) {
    return std::visit([&from](const auto& of_kind) { return text_of(of_kind, from); }, derived);
}

}  // namespace dpcov
