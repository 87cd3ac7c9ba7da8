#include "report/matrix_writer.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dpcov/error.hpp"
#include "files/atomic_file.hpp"
#include "report/npy_array.hpp"
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

void write_csv(const ByteSink& sink, const Eigen::MatrixXd& matrix,
               const std::vector<std::string>& names) {
    std::string line;
    for (const std::string& name : names) {
        line += ',' + detail::csv_field(name);  // the corner, above the rows' names, is empty
    }
    if (!names.empty()) {
        line += '\n';
        sink(line);
    }
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        line = names.empty() ? "" : detail::csv_field(names[static_cast<std::size_t>(row)]) + ',';
        append_row(line, matrix, row);
        line += '\n';
        sink(line);
    }
}

void write_json(const ByteSink& sink, const Eigen::MatrixXd& matrix,
                const std::vector<std::string>& names, const std::optional<Eigen::VectorXd>& mean) {
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
        sink(text);
        text.clear();
    }
    text += ']';
    if (mean) {
        text += ",\n\"mean\": [";
        append_row(text, mean->transpose(), 0);
        text += ']';
    }
    sink(text + "}\n");
}

void write_npy(const ByteSink& sink, const Eigen::MatrixXd& matrix) {
    sink(npy_header("<f8", {static_cast<std::uint64_t>(matrix.rows()),
                            static_cast<std::uint64_t>(matrix.cols())}));
    Eigen::VectorXd line(matrix.cols());
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        line = matrix.row(row);
        sink({reinterpret_cast<const char*>(line.data()),
              static_cast<std::size_t>(line.size()) * sizeof(double)});
    }
}

}  // namespace

std::optional<MatrixFormat> format_for(const std::string& path) {
    const std::string extension = std::filesystem::path(path).extension().string();
    return extension.empty() ? std::nullopt : value_of(matrix_format_words, extension.substr(1));
}

void write_matrix(const ByteSink& sink, MatrixFormat format, const Eigen::MatrixXd& matrix,
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
            return write_npy(sink, matrix);
        case MatrixFormat::csv:
            return write_csv(sink, matrix, column_names);
        case MatrixFormat::json:
            return write_json(sink, matrix, column_names, mean);
    }
}

std::string format_matrix(MatrixFormat format, const Eigen::MatrixXd& matrix,
                          const std::vector<std::string>& column_names,
                          const std::optional<Eigen::VectorXd>& mean) {
    std::string text;
    if (format == MatrixFormat::npy) {
        constexpr std::size_t header = 128;
        text.reserve(header + static_cast<std::size_t>(matrix.size()) * sizeof(double));
    }
    write_matrix([&text](std::string_view bytes) { text += bytes; }, format, matrix, column_names,
                 mean);
    return text;
}

void write_matrix(const std::string& path, const Eigen::MatrixXd& matrix,
                  const std::vector<std::string>& column_names) {
    const std::optional<MatrixFormat> format = format_for(path);
    if (!format) {
        throw UsageError(path + ": the name of a matrix's file ends in .npy, .csv or .json");
    }
    AtomicFile file(path);
    write_matrix([&file](std::string_view bytes) { file.write(bytes); }, *format, matrix,
                 column_names);
    file.commit();
}

}  // namespace dpcov
