#include "research/tables.hpp"

#include <cblas.h>

#include "research/experiment_table.hpp"
#include "research/mnist.hpp"
#include "research/news.hpp"
#include "research/synthetic.hpp"

namespace dpcov::research {
namespace {

ExperimentTable table_of(const DataSet& data, const std::string& folder) {
    switch (data.source) {
        case Source::mnist:
            return data.digit ? mnist_digit_table(folder, *data.digit)
                              : mnist_table(folder, data.n);
        case Source::news:
            return news_table(folder, data.d,
                              data.unit_norm ? NewsScaling::unit_norm : NewsScaling::greatest_norm);
        case Source::synthetic:
            break;
    }
    const SyntheticSettings settings{
        .d = data.d, .n = data.n, .bins = data.bins, .skew = data.skew, .seed = data.seed};
    return {synthetic_table(settings), data.n, data.d, name_of(data)};
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

PreparedTable prepared(const std::vector<double>& rows, const MomentLayout& layout,
                       unsigned threads) {
    PreparedTable table{detail::SecretMoment(layout), exact_covariance(rows, layout.columns)};
    table.moment.add(rows, threads);
    return table;
}

PreparedTable prepare_table(const DataSet& data, const std::string& folder, unsigned threads) {
    return prepared(table_of(data, folder).rows,
                    {.columns = data.d, .norm_bound = 1.0, .keep_directions = true}, threads);
}

}  // namespace dpcov::research
