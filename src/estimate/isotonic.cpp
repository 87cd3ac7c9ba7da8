#include "estimate/isotonic.hpp"

namespace dpcov::detail {

std::vector<Block> isotonic_blocks(const Eigen::VectorXd& values, Eigen::Index together) {
    std::vector<Block> blocks = {{0, together, values.head(together).mean()}};
    for (Eigen::Index i = together; i < values.size(); ++i) {
        Block last = {i, 1, values[i]};
        while (!blocks.empty() && blocks.back().value >= last.value) {
            const Block& before = blocks.back();
            const auto a = static_cast<double>(before.size);
            const auto b = static_cast<double>(last.size);
            last = {before.first, before.size + last.size,
                    (a * before.value + b * last.value) / (a + b)};
            blocks.pop_back();
        }
        blocks.push_back(last);
    }
    return blocks;
}

}  // namespace dpcov::detail
