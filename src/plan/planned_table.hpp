// What is told of a table that is to be planned for: checked, complete, in units of its mapped
// rows.
#pragma once

#include <Eigen/Core>

#include "dpcov/plan.hpp"

namespace dpcov::detail {

/// Beyond, methods that take long, or need directions, are not compared.
inline constexpr Eigen::Index most_columns_compared = 64;

struct PlannedTable {
    double rows;
    double norm_bound;
    bool has_bounds;            ///< of all columns: mapped ones have [-1, 1]
    bool columns_are_told;      ///< something is told of single columns
    double spread;              ///< as guessed for all others
    Eigen::ArrayXd deviations;  ///< d, > 0
    Eigen::ArrayXd told_means;  ///< d; NaN where none is told

    /// d.
    [[nodiscard]] Eigen::Index columns() const { return deviations.size(); }
    /// d: the means of columns that vary so much: those that are told. Others are, within bounds,
    /// as far off the midpoints as two deviations leave room for; else zero.
    [[nodiscard]] Eigen::ArrayXd means_beside(const Eigen::ArrayXd& deviations) const;
};

/// UsageError for facts that contradict each other, or that `options` do not go with.
[[nodiscard]] PlannedTable planned_table(const TableFacts& facts, const PlanOptions& options);

}  // namespace dpcov::detail
