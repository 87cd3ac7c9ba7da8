// The fuzzers' corpus, with every input that once broke something, through the fuzzers' targets.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets.hpp"

namespace dpcov::test {
namespace {

TEST(FuzzCorpus, BreaksNothing) {
    for (const FuzzTarget& target : fuzz_targets()) {
        int inputs = 0;
        for (const auto& entry : std::filesystem::directory_iterator(
                 std::string(DPCOV_FUZZ_CORPUS) + "/" + std::string(target.name))) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
            SCOPED_TRACE(entry.path());
            target.run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
            // And every beginning of it.
            for (std::size_t size = 0; size < bytes.size(); ++size) {
                target.run({reinterpret_cast<const std::uint8_t*>(bytes.data()), size});
            }
            ++inputs;
        }
        EXPECT_GT(inputs, 0) << target.name;
    }
}

}  // namespace
}  // namespace dpcov::test
