// golden_strata [CASES]: records the cases again, after a change that is meant to change estimates.
//
//   OPENBLAS_NUM_THREADS=1 build/release/tests/estimate/golden_strata >
//   tests/estimate/golden_strata.txt
//
// With more CASES than are recorded, and before and after a change that is meant to change none,
// its output says whether it did.
#include <cstdio>
#include <cstdlib>

#include "golden_cases.hpp"

int main(int argc, char** argv) {
    const int cases = argc > 1 ? std::atoi(argv[1]) : dpcov::test::golden_cases;
    for (int index = 0; index < cases; ++index) {
        const auto output = dpcov::test::golden_output(dpcov::test::golden_case(index));
        std::puts(dpcov::test::golden_line(index, output).c_str());
    }
    return 0;
}
