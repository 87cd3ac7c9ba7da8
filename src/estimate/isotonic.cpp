#include "estimate/isotonic.hpp"

namespace dpcov::detail {

std::vector<Block> isotonic_blocks(const std::vector<Block>& values) {
    std::vector<Block> blocks;
    for (Block last : values) {
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

std::vector<Block> isotonic_blocks(const Eigen::VectorXd& values, Eigen::Index together) {
    std::vector<Block> start = {{0, together, values.head(together).mean()}};
    for (Eigen::Index i = together; i < values.size(); ++i) {
        start.push_back({i, 1, values[i]});
    }
    return isotonic_blocks(start);
}

}  // namespace dpcov::detail
