// Where in its cell of the half-normal table a draw lies: what the acceptance step decides.
#pragma once

#include <functional>

#include "random/random_source.hpp"

namespace dpcov::test {

/// |Z| without the acceptance step: the staircase itself.
[[nodiscard]] double staircase(RandomSource& random);

/// |Z| as it would be if everything that the squeeze leaves open were rejected.
[[nodiscard]] double inner_staircase(RandomSource& random);

/// The p-value of the means of x u and x (1 - u) over so many draws of x = |Z|, u its place in its
/// cell: the scores in which the bell differs most from the staircases over and under it.
[[nodiscard]] double place_p_value(const std::function<double(RandomSource&)>& magnitude,
                                   int draws);

}  // namespace dpcov::test
