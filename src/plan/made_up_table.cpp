#include "plan/made_up_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

#include "arithmetic/interruption.hpp"
#include "arithmetic/matrix_product.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double least_rows = 4096.0;   // if there are so many
constexpr double rows_a_column = 16.0;  // so that sampling is little beside the noise
constexpr std::uint64_t seed = 1;       // the same facts, the same table

// The share of each column's variance that a common factor explains before it is skewed, up or
// down, and by how many e-folds the deviations of first and last differ. Chosen on 44 tables
// (docs/research-log.md#plan).
constexpr double common_share = 0.3;
constexpr double folds_of_deviation = 1.0;

// How columns are brought to the deviations that are told; what is left to do is about a third
// after each widening.
constexpr double near_enough = 0.01;
constexpr int most_widenings = 8;

// The root of their mean square is what was guessed.
Eigen::ArrayXd deviations_of(const PlannedTable& planned, Columns columns) {
    if (columns == Columns::independent || planned.columns_are_told || planned.columns() == 1) {
        return planned.deviations;
    }
    const Eigen::ArrayXd relative =
        Eigen::ArrayXd::LinSpaced(planned.columns(), 0.0, folds_of_deviation).exp();
    return relative * (planned.deviations / std::sqrt(relative.square().mean()));
}

// From a normal value one of mean 0 and deviation 1, or nearly, of a column with that mean.
double value_of(double z, double mean, Columns columns) {
    if (columns == Columns::independent) {
        return std::clamp(z, -2.0, 2.0);
    }
    // Log-normal, with the tail towards the bound that is further away.
    constexpr double e = std::numbers::e;
    static const double expected = std::sqrt(e);
    static const double deviation = std::sqrt(e * (e - 1.0));
    const double skewed = (std::exp(z) - expected) / deviation;
    return mean < 0.0 ? skewed : -skewed;
}

// Hands over the rows, as clipped, a block at a time. Before they are clipped, columns vary by
// `deviations`, about the means of columns that vary as is told.
template <class Use>
void for_each_block(const PlannedTable& planned, Columns columns, const Eigen::ArrayXd& deviations,
                    double rows, Use&& use) {
    const Eigen::ArrayXd means = planned.means_beside(deviations_of(planned, columns));
    const double share = columns == Columns::related ? common_share : 0.0;
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    constexpr Index block_rows = 1024;
    for (auto left = static_cast<Index>(rows); left > 0;) {
        check_interruption();
        MatrixXd block(std::min(left, block_rows), planned.columns());
        for (Index i = 0; i < block.rows(); ++i) {
            const double common = share > 0.0 ? std::sqrt(share) * normal(generator) : 0.0;
            for (Index j = 0; j < block.cols(); ++j) {
                const double z =
                    (j % 2 == 0 ? common : -common) + std::sqrt(1.0 - share) * normal(generator);
                block(i, j) = means[j] + deviations[j] * value_of(z, means[j], columns);
            }
        }
        if (planned.has_bounds) {
            block = block.cwiseMax(-1.0).cwiseMin(1.0);
        }
        const Eigen::ArrayXd norms = block.rowwise().norm().array();
        block = (norms > planned.norm_bound)
                    .select(planned.norm_bound / norms, 1.0)
                    .matrix()
                    .asDiagonal() *
                block;
        use(block);
        left -= block.rows();
    }
}

// The deviations of rows as clipped.
Eigen::ArrayXd clipped_deviations(const PlannedTable& planned, Columns columns,
                                  const Eigen::ArrayXd& deviations, double rows) {
    Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(planned.columns());
    Eigen::ArrayXd squares = sums;
    for_each_block(planned, columns, deviations, rows, [&](const MatrixXd& block) {
        sums += block.colwise().sum().transpose().array();
        squares += block.colwise().squaredNorm().transpose().array();
    });
    return (squares / rows - (sums / rows).square()).max(0.0).sqrt();
}

// By how much columns vary before their rows are clipped. Long tails lose much of their deviation
// then, and what is told is that of the table. So they are widened until they have it, or as far as
// it goes: no rows within the bounds have some deviations.
Eigen::ArrayXd deviations_before_clipping(const PlannedTable& planned, Columns columns,
                                          double rows) {
    const Eigen::ArrayXd wanted = deviations_of(planned, columns);
    Eigen::ArrayXd deviations = wanted;
    if (columns == Columns::independent || !planned.columns_are_told) {
        return deviations;
    }
    for (int attempt = 0; attempt < most_widenings; ++attempt) {
        const Eigen::ArrayXd had = clipped_deviations(planned, columns, deviations, rows);
        if (!(had > 0.0).all() || (had / wanted - 1.0).abs().maxCoeff() < near_enough) {
            break;
        }
        deviations *= wanted / had;
    }
    return deviations;
}

// Rows that may be read again need bounds of all columns; mapped ones have [-1, 1].
MomentLayout layout_of(const PlannedTable& planned) {
    const auto d = static_cast<std::size_t>(planned.columns());
    return {.columns = d,
            .norm_bound = planned.norm_bound,
            .keep_directions = planned.columns() <= most_columns_compared,
            .schema = planned.has_bounds
                          ? Schema(d, {.bounds = ColumnBounds{.lower = -1.0, .upper = 1.0}})
                          : Schema{}};
}

}  // namespace

MadeUpTable made_up_table(const PlannedTable& planned, bool center, Columns columns) {
    const auto d = planned.columns();
    const double rows =
        std::min(planned.rows, std::max(least_rows, rows_a_column * static_cast<double>(d)));
    const Eigen::ArrayXd deviations = deviations_before_clipping(planned, columns, rows);
    MadeUpTable made{.moment = SecondMoment(layout_of(planned)),
                     .covariance = MatrixXd::Zero(d, d),
                     .mean = Eigen::VectorXd::Zero(d),
                     .rows = rows,
                     .add_again = [planned, columns, deviations, rows](SecondMoment& again) {
                         for_each_block(planned, columns, deviations, rows,
                                        [&](const MatrixXd& block) { again.add(block); });
                     }};
    for_each_block(planned, columns, deviations, rows, [&](const MatrixXd& block) {
        made.moment.add(block);
        made.covariance += product(block.transpose(), block) / rows;
        if (center) {
            made.mean += block.colwise().sum().transpose() / rows;
        }
    });
    made.covariance -= made.mean * made.mean.transpose();
    return made;
}

}  // namespace dpcov::detail
