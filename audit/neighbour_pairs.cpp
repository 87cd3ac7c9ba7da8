#include "audit/neighbour_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dpcov::audit {
namespace {

using Row = std::vector<double>;

Row times(Row row, double factor) {
    for (double& value : row) {
        value *= factor;
    }
    return row;
}

Row zero(std::size_t d) {
    Row row(d, 0.0);
    return row;
}

/// The unit vector of column j.
Row axis(std::size_t d, std::size_t j) {
    Row row(d, 0.0);
    row[j] = 1.0;
    return row;
}

/// The unit vector of equal entries, those of the second half with the sign given. The root is
/// rounded down, so that the row is not longer than 1.
Row halves(std::size_t d, double second_sign) {
    Row row(d, (1.0 - 0x1p-50) / std::sqrt(static_cast<double>(d)));
    std::for_each(row.begin() + static_cast<std::ptrdiff_t>((d + 1) / 2), row.end(),
                  [second_sign](double& value) { value *= second_sign; });
    return row;
}

NeighbourPair pair(std::string name, const std::vector<Row>& common, const Row& last_of_x,
                   const Row& last_of_y) {
    NeighbourPair result;
    result.name = std::move(name);
    result.dimension = last_of_x.size();
    for (const Row& row : common) {
        result.x.insert(result.x.end(), row.begin(), row.end());
    }
    result.y = result.x;
    result.x.insert(result.x.end(), last_of_x.begin(), last_of_x.end());
    result.y.insert(result.y.end(), last_of_y.begin(), last_of_y.end());
    return result;
}

Eigen::MatrixXd covariance_of(const std::vector<double>& rows, std::size_t d) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor table = Eigen::Map<const RowMajor>(
        rows.data(), static_cast<Eigen::Index>(rows.size() / d), static_cast<Eigen::Index>(d));
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        table.row(i) /= std::max(1.0, table.row(i).norm() / NeighbourPair::norm_bound);
    }
    return table.transpose() * table / static_cast<double>(table.rows());
}

}  // namespace

Eigen::MatrixXd NeighbourPair::covariance_of_x() const {
    return covariance_of(x, dimension);
}

Eigen::MatrixXd NeighbourPair::covariance_of_y() const {
    return covariance_of(y, dimension);
}

std::vector<NeighbourPair> neighbour_pairs(std::size_t d) {
    const Row e1 = axis(d, 0);
    const Row small = times(e1, 0x1p-6);
    constexpr double just_above = 0.5 + 0x1p-12;  // placement tolerates 2^-17 above an edge
    std::vector<NeighbourPair> pairs = {
        pair("all zero, one full row", {zero(d)}, zero(d), e1),
        pair("duplicates, one removed", std::vector<Row>(7, e1), e1, zero(d)),
        pair("small rows, one full", std::vector<Row>(31, small), small, e1),
        pair("a row above and below a stratum's edge", {small}, times(e1, just_above),
             times(e1, 0.5 - 0x1p-12)),
        pair("a row over the bound", {zero(d)}, times(e1, 1000.0), zero(d)),
    };
    if (d >= 2) {
        const Row e2 = axis(d, 1);
        pairs.push_back(pair("orthogonal rows", {zero(d)}, e1, e2));
        pairs.push_back(
            pair("rows constant on halves", {zero(d)}, halves(d, 1.0), halves(d, -1.0)));
        pairs.push_back(pair("one direction, or a tie of two", {e1}, e1, e2));
        std::vector<Row> tie(8, e1);
        tie.insert(tie.end(), 7, e2);
        pairs.push_back(pair("a tie of two, or one ahead", tie, e2, e1));
        std::vector<Row> basis;
        for (std::size_t j = 0; j < d; ++j) {
            basis.push_back(axis(d, j));
        }
        pairs.push_back(pair("a basis, one axis twice", basis, e1, e2));
        pairs.push_back(pair("orthogonal rows at a stratum's edge", {small}, times(e1, just_above),
                             times(e2, 0.5)));
    }
    return pairs;
}

}  // namespace dpcov::audit
