// One libFuzzer program a target: DPCOV_FUZZ_TARGET is its name.
#include <cstdlib>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    for (const dpcov::test::FuzzTarget& target : dpcov::test::fuzz_targets()) {
        if (target.name == DPCOV_FUZZ_TARGET) {
            target.run({data, size});
            return 0;
        }
    }
    std::abort();
}
