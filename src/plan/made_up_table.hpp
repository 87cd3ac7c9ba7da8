// A table that is made up from what is told of one: the only one that a plan looks at.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "dpcov/second_moment.hpp"
#include "plan/planned_table.hpp"

namespace dpcov::detail {

enum class Columns {
    /// Normal, of the deviations that are told, no further from their means than two of these:
    /// lengths of rows as can be guessed.
    independent,
    /// Log-normal, with a common factor, and of different deviations where nothing is told of
    /// single ones; where something is told, of these deviations as far as clipping lets them.
    /// Columns that are independent, alike and without tails are the easiest matrix to
    /// estimate, and no table's.
    related,
};

struct MadeUpTable {
    SecondMoment moment;
    Eigen::MatrixXd covariance;  ///< of the rows as clipped; about zero or the mean, as is released
    Eigen::VectorXd mean;        ///< of the same; zero where none is released
    double rows;                 ///< fewer than planned for, where these are many
    /// Adds the same rows to another moment.
    std::function<void(SecondMoment& again)> add_again;
};

/// The same from the same facts.
[[nodiscard]] MadeUpTable made_up_table(const PlannedTable& planned, bool center, Columns columns);

}  // namespace dpcov::detail
