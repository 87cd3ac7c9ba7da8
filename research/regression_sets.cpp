#include "research/regression_sets.hpp"

#include <algorithm>
#include <filesystem>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"

namespace dpcov::research {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::string_view set_ending = ".csv.gz";

MatrixXd read_matrix(const std::string& path) {
    const auto table = open_table(path, {.format = Format::csv, .header = Header::no});
    const std::size_t columns = table->columns();
    std::vector<double> values;
    std::vector<double> block(columns * 4096);
    while (const std::size_t rows = table->read(block)) {
        values.insert(values.end(), block.begin(),
                      block.begin() + static_cast<std::ptrdiff_t>(rows * columns));
    }
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(values.data(), static_cast<Index>(values.size() / columns),
                                      static_cast<Index>(columns));
}

// Of columns, over those rows: the standard deviation without Bessel's correction, 1 for 0.
struct Moments {
    Eigen::RowVectorXd mean;
    Eigen::RowVectorXd deviation;
};
Moments moments_of(const MatrixXd& rows) {
    Moments moments{rows.colwise().mean(), {}};
    moments.deviation =
        ((rows.rowwise() - moments.mean).colwise().squaredNorm() / static_cast<double>(rows.rows()))
            .cwiseSqrt();
    moments.deviation = (moments.deviation.array() > 0.0).select(moments.deviation, 1.0);
    return moments;
}

MatrixXd z_scored(const MatrixXd& rows, const Moments& moments) {
    return (rows.rowwise() - moments.mean) * moments.deviation.cwiseInverse().asDiagonal();
}

MatrixXd of_norm_one(const MatrixXd& rows) {
    const VectorXd norms = rows.rowwise().norm();
    return (norms.array() > 0.0).select(norms.cwiseInverse(), 1.0).matrix().asDiagonal() * rows;
}

}  // namespace

std::vector<std::string> regression_set_names(const std::string& folder) {
    std::vector<std::string> names;
    if (!std::filesystem::is_directory(folder)) {
        throw DeviceError("there is no folder '" + folder + "'");
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        if (file.ends_with(set_ending)) {
            names.push_back(file.substr(0, file.size() - set_ending.size()));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

RegressionSet read_regression_set(const std::string& folder, const std::string& name) {
    const MatrixXd rows = read_matrix(folder + "/" + name + std::string(set_ending));
    RegressionSet set{.features = rows.leftCols(rows.cols() - 1),
                      .target = rows.rightCols<1>(),
                      .masks = read_matrix(folder + "/" + name + ".mask.gz")};
    if (set.masks.rows() != rows.rows()) {
        throw DataError("'" + name + "' has other rows than its masks");
    }
    return set;
}

PreparedFold prepare_fold(const RegressionSet& set, Index fold, Preparation preparation) {
    std::vector<Index> training;
    std::vector<Index> test;
    for (Index i = 0; i < set.target.size(); ++i) {
        (set.masks(i, fold) != 0.0 ? test : training).push_back(i);
    }
    const bool all = preparation == Preparation::archive;
    const MatrixXd seen = all ? set.features : MatrixXd(set.features(training, Eigen::all));
    MatrixXd features = z_scored(set.features, moments_of(seen));
    if (preparation == Preparation::z) {
        const double greatest = features(training, Eigen::all).rowwise().norm().maxCoeff();
        features /= greatest;
        // A test row that is longer counts as the training rows' longest.
        features = features.rowwise().norm().cwiseMax(1.0).cwiseInverse().asDiagonal() * features;
    } else {
        features = of_norm_one(features);
    }
    const double greatest_target =
        all ? set.target.cwiseAbs().maxCoeff() : set.target(training).cwiseAbs().maxCoeff();
    MatrixXd rows(features.rows(), features.cols() + 1);
    rows << features, set.target / greatest_target;
    return {.training = rows(training, Eigen::all), .test = rows(test, Eigen::all)};
}

PredictionError prediction_error(const MatrixXd& test, const VectorXd& coefficients) {
    const VectorXd target = test.rightCols<1>();
    const VectorXd predicted = test.leftCols(test.cols() - 1) * coefficients;
    const auto n = static_cast<double>(test.rows());
    return {.plain = (predicted - target).squaredNorm() / n,
            .clipped = (predicted.cwiseMax(-1.0).cwiseMin(1.0) - target).squaredNorm() / n,
            .zero = target.squaredNorm() / n};
}

}  // namespace dpcov::research
