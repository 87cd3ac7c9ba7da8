// How much a statistical test draws: as much as fits between two edits, or at night all that it
// takes to see finer faults. Both sizes have the false-alarm rate and the negative controls that
// the test states.
#pragma once

#include <cstdlib>
#include <string_view>

namespace dpcov::test {

/// `full` where the environment has DPCOV_TEST_SIZE=full (label `slow` of ctest), else `small`.
template <class Size>
Size test_size(Size small, Size full) {
    const char* const asked = std::getenv("DPCOV_TEST_SIZE");
    return asked != nullptr && std::string_view(asked) == "full" ? full : small;
}

}  // namespace dpcov::test
