// Rows that are read twice: the second time about a rough mean, and stretched.
//
// Source       this project
// Neighbours   replace or add or remove one row
// Sensitivity  of each step as it says itself: rough_mean, rough_stretch, counted_moment; of the
//              histogram as in stratified
// Budget       of 256 parts: 2 on the number of rows, where strata count it; 10 on a rough mean; 8
//              on how to stretch columns, where there is more than one; 15 on another histogram.
//              Nothing where rows are read once
// Output       the rows, as mapped or moved and stretched, that promise less error; the partition
//              of their norms; and what is to be asked of their strata
// Assumes      what the steps do
// Proof        docs/privacy.md#two-passes
#pragma once

#include "mechanism/counted_moment.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/strata_task.hpp"
#include "mechanism/view.hpp"

namespace dpcov::detail {

/// Rows and strata to release, and what is asked of them.
struct ChosenRows {
    View view;
    JointQuery query;
    RowCount rows;       ///< as is known by then
    unsigned parts = 0;  ///< of 256 of the budget, that are left for the strata
};

/// Reads the rows of `first` again, where that may be and is worth its share, and takes them or
/// those of `first`. `rows` is what is known of their number, `query` what is asked at most. Of
/// `budget` so many `parts` are left.
template <class Share>
[[nodiscard]] ChosenRows choose_rows(const StrataTask<Share>& task, View first,
                                     const JointQuery& query, const RowCount& rows, Share budget,
                                     unsigned parts);

}  // namespace dpcov::detail
