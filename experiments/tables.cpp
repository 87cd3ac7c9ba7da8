#include "experiments/tables.hpp"

#include <cblas.h>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "experiments/synthetic.hpp"

namespace dpcov::experiments {
namespace {

// 255 * 28: every image then has norm at most 1.
constexpr double mnist_scale = 7140.0;

std::vector<double> mnist_table(const DataSet& data, const std::string& folder) {
    TableOptions options;
    options.scale = mnist_scale;
    const auto reader = open_table(folder + "/mnist/train-images-idx3-ubyte.gz", options);
    std::vector<double> rows(data.n * reader->columns());
    reader->read(rows);
    return rows;
}

std::vector<double> rows_of(const DataSet& data, const std::string& folder) {
    switch (data.source) {
        case Source::mnist:
            return mnist_table(data, folder);
        case Source::newsgroups:
            throw UsageError("no texts yet");
        case Source::synthetic:
            break;
    }
    return synthetic_table({.d = data.d, .n = data.n, .bins = data.bins, .skew = data.skew});
}

Eigen::MatrixXd exact_covariance(const std::vector<double>& rows, std::size_t d) {
    const auto order = static_cast<blasint>(d);
    const std::size_t n = rows.size() / d;
    Eigen::MatrixXd covariance(order, order);
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order, static_cast<blasint>(n),
                1.0 / static_cast<double>(n), rows.data(), order, 0.0, covariance.data(), order);
    covariance.triangularView<Eigen::StrictlyLower>() = covariance.transpose();
    return covariance;
}

}  // namespace

PreparedTable prepare_table(const DataSet& data, const std::string& folder, unsigned threads) {
    const std::vector<double> rows = rows_of(data, folder);
    PreparedTable table{
        SecondMoment({.dimension = data.d, .norm_bound = 1.0, .keep_directions = true}),
        exact_covariance(rows, data.d)};
    table.moment.add(rows, threads);
    return table;
}

}  // namespace dpcov::experiments
