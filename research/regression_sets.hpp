// The regression benchmark: public sets with fold masks, prepared as the published comparisons did.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

namespace dpcov::research {

/// A set: features and a target, and ten ways to keep some rows for a test.
struct RegressionSet {
    Eigen::MatrixXd features;  ///< n x d
    Eigen::VectorXd target;    ///< n
    Eigen::MatrixXd masks;     ///< n x folds: 1 marks a test row
};

/// Names of the sets in a folder (NAME.csv.gz beside NAME.mask.gz), in order.
[[nodiscard]] std::vector<std::string> regression_set_names(const std::string& folder);

/// Throws DataError or DeviceError where it cannot be read.
[[nodiscard]] RegressionSet read_regression_set(const std::string& folder, const std::string& name);

/// How rows become no longer than 1 and targets no greater. All of them look at the data, as those
/// who published them did: outside of any claim of privacy.
enum class Preparation {
    archive,  ///< columns z-scored over all rows, rows scaled to norm 1, target over its greatest
    unit,     ///< the same by the training rows alone
    z,        ///< columns z-scored by the training rows, all rows over the greatest training norm
};

/// Rows [x, y], d + 1 columns.
struct PreparedFold {
    Eigen::MatrixXd training;
    Eigen::MatrixXd test;
};

[[nodiscard]] PreparedFold prepare_fold(const RegressionSet& set, Eigen::Index fold,
                                        Preparation preparation);

/// Mean squared errors over the rows of a test.
struct PredictionError {
    double plain = 0.0;
    double clipped = 0.0;  ///< predictions clipped to [-1, 1]
    double zero = 0.0;     ///< of the prediction 0
};

[[nodiscard]] PredictionError prediction_error(const Eigen::MatrixXd& test,
                                               const Eigen::VectorXd& coefficients);

}  // namespace dpcov::research
