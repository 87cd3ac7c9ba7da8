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

NeighbourPair pair(std::string name, const std::vector<Row>& common, const Row& one_more) {
    NeighbourPair result = pair(std::move(name), common, one_more, one_more);
    result.neighbours = Neighbours::add_remove;
    result.x.resize(result.x.size() - result.dimension);
    return result;
}

Eigen::MatrixXd moment_of(const std::vector<double>& rows, std::size_t d, Neighbours neighbours) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor table = Eigen::Map<const RowMajor>(
        rows.data(), static_cast<Eigen::Index>(rows.size() / d), static_cast<Eigen::Index>(d));
    for (Eigen::Index i = 0; i < table.rows(); ++i) {
        table.row(i) /= std::max(1.0, table.row(i).norm() / NeighbourPair::norm_bound);
    }
    const Eigen::MatrixXd sum = table.transpose() * table;
    return neighbours == Neighbours::replace ? sum / static_cast<double>(table.rows()) : sum;
}

// The norm of a row just above a stratum's edge; placement tolerates 2^-17.
constexpr double just_above = 0.5 + 0x1p-12;

std::vector<Row> basis(std::size_t d) {
    std::vector<Row> rows;
    for (std::size_t j = 0; j < d; ++j) {
        rows.push_back(axis(d, j));
    }
    return rows;
}

/// So many rows along the first axis, and one fewer along the second.
std::vector<Row> near_tie(std::size_t d, std::size_t along_first) {
    std::vector<Row> rows(along_first, axis(d, 0));
    rows.insert(rows.end(), along_first - 1, axis(d, 1));
    return rows;
}

std::vector<NeighbourPair> with_one_row_replaced(std::size_t d) {
    const Row e1 = axis(d, 0);
    const Row small = times(e1, 0x1p-6);
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
        pairs.push_back(pair("a tie of two, or one ahead", near_tie(d, 8), e2, e1));
        pairs.push_back(pair("a basis, one axis twice", basis(d), e1, e2));
        pairs.push_back(pair("orthogonal rows at a stratum's edge", {small}, times(e1, just_above),
                             times(e2, 0.5)));
    }
    return pairs;
}

std::vector<NeighbourPair> with_one_row_more(std::size_t d) {
    const Row e1 = axis(d, 0);
    const Row small = times(e1, 0x1p-6);
    std::vector<NeighbourPair> pairs = {
        pair("no row, or a full one", {}, e1),
        pair("no row, or a zero one", {}, zero(d)),
        pair("a zero row, and a full one", {zero(d)}, e1),
        pair("duplicates, and one more", std::vector<Row>(7, e1), e1),
        pair("small rows, and a full one", std::vector<Row>(31, small), e1),
        pair("a row above a stratum's edge more", {small}, times(e1, just_above)),
        pair("a row below a stratum's edge more", {small}, times(e1, 0.5 - 0x1p-12)),
        pair("a row over the bound more", {zero(d)}, times(e1, 1000.0)),
    };
    if (d >= 2) {
        const Row e2 = axis(d, 1);
        pairs.push_back(pair("a row of equal entries more", {zero(d)}, halves(d, 1.0)));
        pairs.push_back(pair("one direction, or a tie of two", {e1}, e2));
        pairs.push_back(pair("one ahead, or a tie of two", near_tie(d, 8), e2));
        pairs.push_back(pair("a basis, one axis twice", basis(d), e1));
    }
    return pairs;
}

}  // namespace

Eigen::MatrixXd NeighbourPair::moment_of_x() const {
    return moment_of(x, dimension, neighbours);
}

Eigen::MatrixXd NeighbourPair::moment_of_y() const {
    return moment_of(y, dimension, neighbours);
}

std::vector<NeighbourPair> neighbour_pairs(std::size_t d, Neighbours neighbours) {
    return neighbours == Neighbours::replace ? with_one_row_replaced(d) : with_one_row_more(d);
}

}  // namespace dpcov::audit
