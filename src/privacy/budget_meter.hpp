// The account of one release, stage by stage.
#pragma once

#include <string>
#include <vector>

#include "dpcov/budget.hpp"

namespace dpcov::detail {

/// Counts what the stages of one release spend (composition: the sum, of rho as of epsilon) and
/// refuses to go over.
template <class Share>
class BudgetMeter {
public:
    explicit BudgetMeter(Share total) : total_(total) {}

    /// Records the stage and returns its budget. Throws BudgetError, recording nothing, when the
    /// exact sum of all stages would exceed the total, by however little.
    [[nodiscard]] Share spend(std::string name, Share part, std::string what);

    [[nodiscard]] Share total() const noexcept { return total_; }
    [[nodiscard]] const std::vector<Stage<Share>>& stages() const noexcept { return stages_; }

private:
    Share total_;
    std::vector<Stage<Share>> stages_;
};

extern template class BudgetMeter<Rho>;
extern template class BudgetMeter<Epsilon>;
using RhoMeter = BudgetMeter<Rho>;
using EpsilonMeter = BudgetMeter<Epsilon>;

}  // namespace dpcov::detail
