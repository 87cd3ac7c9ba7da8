// A released matrix as text or bytes.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
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

inline constexpr auto matrix_format_words = words_of<MatrixFormat>(
    {{"npy", MatrixFormat::npy}, {"csv", MatrixFormat::csv}, {"json", MatrixFormat::json}});

/// The format that the path's extension (.npy, .csv, .json) asks for, if it does. In letters
/// of any case.
[[nodiscard]] std::optional<MatrixFormat> format_for(const std::string& path);

/// The d x d `matrix` in the given format. `column_names` is empty or has d names; `mean`, of d
/// values, goes into JSON. Throws UsageError for another shape or a value that is not finite.
[[nodiscard]] std::string format_matrix(MatrixFormat format, const Eigen::MatrixXd& matrix,
                                        const std::vector<std::string>& column_names,
                                        const std::optional<Eigen::VectorXd>& mean = {});

}  // namespace dpcov
