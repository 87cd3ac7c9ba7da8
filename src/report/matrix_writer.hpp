// Writing a released matrix.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/words.hpp"

namespace dpcov {

/// How a matrix is written down. Each form gives back every double exactly.
enum class MatrixFormat {
    npy,   ///< NPY 1.0, little-endian float64, C order; has no column names
    csv,   ///< a line for each row; with names, a line of an empty field and the names comes first
           ///< and every row begins with its own
    json,  ///< {"columns": [names], "covariance": [[row], ...]}; "columns" only if there are any
};

inline constexpr Words<MatrixFormat, 3> matrix_format_words = {
    {{"npy", MatrixFormat::npy}, {"csv", MatrixFormat::csv}, {"json", MatrixFormat::json}}};

/// The format that the path's extension (.npy, .csv, .json) asks for, if it does.
[[nodiscard]] std::optional<MatrixFormat> format_for(const std::string& path);

/// Where bytes go.
using ByteSink = std::function<void(std::string_view)>;

/// Hands the d x d `matrix` in the given format to `sink`, a row at a time. `column_names` is empty
/// or has d names; `mean`, of d values, goes into JSON. Throws UsageError for another shape or a
/// value that is not finite, and what the sink throws.
void write_matrix(const ByteSink& sink, MatrixFormat format, const Eigen::MatrixXd& matrix,
                  const std::vector<std::string>& column_names,
                  const std::optional<Eigen::VectorXd>& mean = {});

/// The same as one string.
[[nodiscard]] std::string format_matrix(MatrixFormat format, const Eigen::MatrixXd& matrix,
                                        const std::vector<std::string>& column_names,
                                        const std::optional<Eigen::VectorXd>& mean = {});

/// The same to a file, whole or not at all (AtomicFile), in the format that its extension asks for.
/// Throws UsageError for another extension, and DeviceError.
void write_matrix(const std::string& path, const Eigen::MatrixXd& matrix,
                  const std::vector<std::string>& column_names);

}  // namespace dpcov
