// What the fuzzers do with an input: one function for every format that dpcov reads. A
// dpcov::Error is the right answer to bad input; any other exception, a crash or a broken promise
// is a defect. The corpus runs through the same functions in the ordinary tests.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace dpcov::test {

struct FuzzTarget {
    std::string_view name;  ///< of its corpus: tests/fuzz/corpus/NAME
    void (*run)(std::span<const std::uint8_t> input);
};

/// Every target there is.
const std::vector<FuzzTarget>& fuzz_targets();

}  // namespace dpcov::test
