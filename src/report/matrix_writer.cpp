#include "report/matrix_writer.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dpcov/error.hpp"
#include "report/npy_array.hpp"
#include "tables/lower_case.hpp"
#include "text/csv_field.hpp"

namespace dpcov {

namespace {

void append_number(std::string& text, double value) {
    std::array<char, 32> digits{};
    const std::to_chars_result end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), end.ptr);
}

void append_row(std::string& text, const Eigen::MatrixXd& matrix, Eigen::Index row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
        if (column > 0) {
            text += ',';
        }
        append_number(text, matrix(row, column));
    }
}

std::string csv_of(const Eigen::MatrixXd& matrix, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += ',' + detail::csv_field(name);  // the corner, above the rows' names, is empty
    }
    if (!names.empty()) {
        text += '\n';
    }
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        if (!names.empty()) {
            text += detail::csv_field(names[static_cast<std::size_t>(row)]) + ',';
        }
        append_row(text, matrix, row);
        text += '\n';
    }
    return text;
}

std::string json_of(const Eigen::MatrixXd& matrix, const std::vector<std::string>& names,
                    const std::optional<Eigen::VectorXd>& mean) {
    std::string text = "{";
    if (!names.empty()) {
        using Json = nlohmann::json;
        text += "\"columns\": " + Json(names).dump(-1, ' ', false, Json::error_handler_t::replace) +
                ",\n";
    }
    text += "\"covariance\": [\n";
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        text += '[';
        append_row(text, matrix, row);
        text += row + 1 < matrix.rows() ? "],\n" : "]\n";
    }
    text += ']';
    if (mean) {
        text += ",\n\"mean\": [";
        append_row(text, mean->transpose(), 0);
        text += ']';
    }
    text += "}\n";
    return text;
}

std::string npy_of(const Eigen::MatrixXd& matrix) {
    std::string bytes = npy_header("<f8", {static_cast<std::uint64_t>(matrix.rows()),
                                           static_cast<std::uint64_t>(matrix.cols())});
    bytes.reserve(bytes.size() + static_cast<std::size_t>(matrix.size()) * sizeof(double));
    Eigen::VectorXd line(matrix.cols());
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        line = matrix.row(row);
        bytes.append(reinterpret_cast<const char*>(line.data()),
                     static_cast<std::size_t>(line.size()) * sizeof(double));
    }
    return bytes;
}

}  // namespace

std::optional<MatrixFormat> format_for(const std::string& path) {
    const std::string extension = in_lower_case(std::filesystem::path(path).extension().string());
    return extension.empty() ? std::nullopt : value_of(matrix_format_words, extension.substr(1));
}

std::string format_matrix(MatrixFormat format, const Eigen::MatrixXd& matrix,
                          const std::vector<std::string>& column_names,
                          const std::optional<Eigen::VectorXd>& mean) {
    const auto names = static_cast<Eigen::Index>(column_names.size());
    if (matrix.rows() < 1 || matrix.rows() != matrix.cols() ||
        (names != 0 && names != matrix.rows()) || !matrix.allFinite()) {
        throw UsageError(
            "only a finite square matrix, with a name for every column or none, can be written");
    }
    switch (format) {
        case MatrixFormat::npy:
            return npy_of(matrix);
        case MatrixFormat::csv:
            return csv_of(matrix, column_names);
        case MatrixFormat::json:
            break;
    }
    return json_of(matrix, column_names, mean);
}

}  // namespace dpcov
