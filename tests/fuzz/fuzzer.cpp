// The libFuzzer program: the environment's DPCOV_FUZZ_TARGET names the target.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "fuzz/targets.hpp"

namespace {

const dpcov::test::FuzzTarget& chosen_target() {
    const char* const name = std::getenv("DPCOV_FUZZ_TARGET");
    const auto& targets = dpcov::test::fuzz_targets();
    const auto found = std::find_if(targets.begin(), targets.end(), [name](const auto& target) {
        return name != nullptr && target.name == name;
    });
    if (found == targets.end()) {
        std::cerr << "DPCOV_FUZZ_TARGET must name one of";
        for (const auto& target : targets) {
            std::cerr << ' ' << target.name;
        }
        std::cerr << '\n';
        std::exit(EXIT_FAILURE);
    }
    return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const dpcov::test::FuzzTarget& target = chosen_target();
    target.run({data, size});
    return 0;
}
