#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "derived.hpp"
#include "report/matrix_writer.hpp"
#include "text/csv_field.hpp"

namespace dpcov {
namespace {

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

std::string csv_of(const DerivedMatrix& matrix, const DerivedFrom& /*from*/) {
    return format_matrix(MatrixFormat::csv, matrix.estimate.matrix, matrix.csv_names);
}

std::string csv_of(const DerivedMean& mean, const DerivedFrom& from) {
    return std::string(csv_header) + csv_lines(from.names, mean.estimate);
}

std::string csv_of(const DerivedComponents& components, const DerivedFrom& from) {
    const PrincipalComponents& pca = components.pca;
    std::string lines = "component,explained_variance,explained_variance_ratio";
    for (const std::string& name : from.names) {
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
std::string csv_of(const DerivedRegression& derived, const DerivedFrom& from) {
    const Regression& regression = derived.regression;
    std::string lines(csv_header);
    if (regression.intercept) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const auto& interval = regression.intercept_interval;
        lines +=
            csv_line(from.release.centered ? "(intercept)" : "(intercept through midpoints)",
                     {*regression.intercept, interval ? interval->standard_error : unknown,
                      interval ? interval->lower : unknown, interval ? interval->upper : unknown});
    }
    return lines + csv_lines(derived.features, regression.coefficients);
}

}  // namespace

std::string csv_of_pairs(const DerivedMatrix& matrix, const DerivedFrom& from) {
    const MatrixEstimate& estimate = matrix.estimate;
    const Eigen::Index first_after = matrix.what == "correlation" ? 1 : 0;
    std::string lines = "row,column,estimate,standard_error,lower,upper\n";
    for (Eigen::Index i = 0; i < estimate.matrix.rows(); ++i) {
        for (Eigen::Index j = i + first_after; j < estimate.matrix.cols(); ++j) {
            lines += detail::csv_field(from.names[static_cast<std::size_t>(i)]) + ',' +
                     csv_line(from.names[static_cast<std::size_t>(j)],
                              {estimate.matrix(i, j), estimate.standard_error(i, j),
                               estimate.lower(i, j), estimate.upper(i, j)});
        }
    }
    return lines;
}

std::string derived_csv(const Derived& derived, const DerivedFrom& from) {
    return std::visit([&from](const auto& of_kind) { return csv_of(of_kind, from); }, derived);
}

}  // namespace dpcov
